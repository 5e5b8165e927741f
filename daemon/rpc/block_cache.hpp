// The last few blocks seen, by hash: outcomes name the block they executed in, and many share one.
#pragma once

#include "chain/rows/rows.hpp"

#include <list>
#include <set>
#include <string>
#include <unordered_map>

namespace receiptd::rpc {

using BlockHashes = std::set<std::string, std::less<>>;

class BlockCache {
public:
    explicit BlockCache(std::size_t capacity = 1'024) : capacity_(capacity) {}

    const chain::BlockRef* find(const std::string& hash) {
        const auto found = places_.find(hash);
        if (found == places_.end()) return nullptr;
        recent_.splice(recent_.begin(), recent_, found->second);
        return &recent_.front();
    }

    void put(const chain::BlockRef& block) {
        if (find(block.hash) != nullptr) return;
        recent_.push_front(block);
        places_[block.hash] = recent_.begin();
        if (recent_.size() <= capacity_) return;
        places_.erase(recent_.back().hash);
        recent_.pop_back();
    }

    // Returns the hashes of the forgotten blocks.
    BlockHashes forget(const base::HeightSet& heights) {
        BlockHashes hashes;
        std::erase_if(recent_, [&](const auto& block) {
            const bool gone = heights.contains(block.height);
            if (gone) hashes.insert(block.hash);
            return gone;
        });
        for (const auto& hash : hashes) places_.erase(hash);
        return hashes;
    }

private:
    std::size_t capacity_;
    std::list<chain::BlockRef> recent_;  // newest use first
    std::unordered_map<std::string, std::list<chain::BlockRef>::iterator> places_;
};

}  // namespace receiptd::rpc
