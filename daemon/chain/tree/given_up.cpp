#include "chain/tree/given_up.hpp"

#include <algorithm>

namespace receiptd::chain {

base::Height given_up_to(std::vector<base::Height> heights, std::size_t most) {
    const auto count = std::min(heights.size() - most + most / 8, heights.size() - 1);
    const auto last = heights.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(heights.begin(), last, heights.end());
    return *last;
}

}  // namespace receiptd::chain
