// Orders in which things may come. What is stored then is to depend on what has come, not on its order, so it
// is enough that each comes next after each set of others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace receiptd::test {

// Numbers below `count`; of five numbers, 50 of the 120 orders do it.
inline std::vector<std::vector<std::size_t>> orders_of(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::set<std::pair<std::set<std::size_t>, std::size_t>> met;
    std::vector<std::vector<std::size_t>> chosen;
    do {
        const auto known = met.size();
        for (auto next = order.begin(); next != order.end(); ++next)
            met.insert({{order.begin(), next}, *next});
        if (met.size() > known) chosen.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return chosen;
}

}  // namespace receiptd::test
