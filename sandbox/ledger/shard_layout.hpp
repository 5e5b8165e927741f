// Maps accounts to shards (rpc.md §7.4), for the whole life of a sandbox chain: no resharding.
#pragma once

#include "sandbox/sim/model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

class ShardLayout {
public:
    static constexpr std::size_t kMaxShards = 32;

    // Boundaries are taken from the names of the ready-made accounts, so that these spread as evenly
    // as they can. Throws std::invalid_argument unless 1 <= shards <= kMaxShards.
    explicit ShardLayout(std::size_t shards);

    std::size_t size() const { return shard_ids_.size(); }
    // The number of boundary accounts that are not above the account in byte order.
    std::size_t index_of(std::string_view account_id) const;
    // Where the receipt runs.
    std::size_t index_of(const sim::Receipt& receipt) const;
    // Ids are neither contiguous nor in order, as on mainnet since resharding.
    std::uint64_t shard_id(std::size_t index) const { return shard_ids_[index]; }
    std::optional<std::size_t> index_of_shard(std::uint64_t shard_id) const;
    const std::vector<std::uint64_t>& shard_ids() const { return shard_ids_; }
    const std::vector<std::string>& boundary_accounts() const { return boundary_accounts_; }

    nlohmann::json to_json() const;  // {"V2":{…}}

private:
    std::vector<std::string> boundary_accounts_;  // ascending, one less than shards
    std::vector<std::uint64_t> shard_ids_;        // by index
};

}  // namespace receiptd::sandbox
