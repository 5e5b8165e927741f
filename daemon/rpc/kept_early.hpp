// Answers about blocks that are not final yet, by height, kept until these are. Pure.
#pragma once

#include "chain/rows/rows.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace receiptd::rpc {

template <class T>
class KeptEarly {
public:
    // The highest heights give way to lower ones: a host may invent them.
    void put(chain::BlockHeight height, T value, std::uint64_t bytes) {
        by_height_.insert_or_assign(height, Kept{std::move(value), bytes});
        std::uint64_t kept = 0;
        for (const auto& each : by_height_) kept += each.second.bytes;
        for (; by_height_.size() > kMostHeights || kept > kMostBytes;
             by_height_.erase(std::prev(by_height_.end())))
            kept -= by_height_.rbegin()->second.bytes;
    }

    // nullptr: nothing is kept of it.
    T* find(chain::BlockHeight height) {
        const auto found = by_height_.find(height);
        return found == by_height_.end() ? nullptr : &found->second.value;
    }

    // A final block has its answers. Blocks just below may be fetched beside it; what is farther below is of
    // a fork.
    void drop(chain::BlockHeight height) {
        by_height_.erase(height);
        const auto beside = height - std::min<chain::BlockHeight>(height, kMostHeights);
        by_height_.erase(by_height_.begin(), by_height_.lower_bound(beside));
    }

private:
    static constexpr std::size_t kMostHeights = 8;
    static constexpr std::uint64_t kMostBytes = 64u << 20;

    struct Kept {
        T value;
        std::uint64_t bytes;
    };
    std::map<chain::BlockHeight, Kept> by_height_;
};

}  // namespace receiptd::rpc
