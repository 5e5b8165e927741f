// Which shard an account lives on, in one epoch (rpc.md §7.4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

using ShardId = std::uint64_t;

struct ShardLayout {
    std::vector<std::string> boundary_accounts;  // ascending in byte order
    std::vector<ShardId> shard_ids;              // by index: one more than boundaries

    // A boundary account belongs to the shard above it.
    ShardId shard_of(std::string_view account_id) const;
};

}  // namespace receiptd::chain
