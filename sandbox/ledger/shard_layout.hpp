// Maps accounts to shards (rpc.md §7.4), for one epoch of a chain or more. A layout is never changed: another
// one follows at the edge of an epoch, with one shard split into two.
#pragma once

#include "sandbox/sim/model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

// A shard and the first account of its upper half.
struct ShardSplit {
    std::uint64_t shard_id = 0;
    std::string boundary_account;
};

class ShardLayout {
public:
    static constexpr std::size_t kMaxShards = 32;

    // Boundaries are taken from the names of the ready-made accounts, so that these spread as evenly
    // as they can. Throws std::invalid_argument unless 1 <= shards <= kMaxShards.
    explicit ShardLayout(std::size_t shards);
    // The layout that follows on this one: the shard of that account is split there. `version`: of the
    // layout, 2 or 3 (since protocol 85). Throws std::invalid_argument if no such layout can be.
    ShardLayout split_at(const std::string& boundary_account, int version) const;

    std::size_t size() const { return shard_ids_.size(); }
    // The number of boundary accounts that are not above the account in byte order.
    std::size_t index_of(std::string_view account_id) const;
    // Where the receipt runs. A global contract on its way to a shard that was split goes to the first child.
    std::size_t index_of(const sim::Receipt& receipt) const;
    // Ids are neither contiguous nor in order, as on mainnet since resharding.
    std::uint64_t shard_id(std::size_t index) const { return shard_ids_[index]; }
    std::optional<std::size_t> index_of_shard(std::uint64_t shard_id) const;
    // The shard itself, or those that came from it; empty: it is of no layout so far.
    std::vector<std::size_t> indexes_from(std::uint64_t shard_id) const;
    // In the layout before this one, the shard that this one is or came from. The first layout has none
    // before.
    std::size_t index_before(std::size_t index) const;
    // By which this layout differs from the one before; nullopt: it is the first.
    const std::optional<ShardSplit>& split() const { return split_; }
    const std::vector<std::uint64_t>& shard_ids() const { return shard_ids_; }
    const std::vector<std::string>& boundary_accounts() const { return boundary_accounts_; }

    nlohmann::json to_json() const;  // {"V2":{…}} or {"V3":{…}}

private:
    std::vector<std::string> boundary_accounts_;  // ascending, one less than shards
    std::vector<std::uint64_t> shard_ids_;        // by index
    int version_ = 2;
    std::optional<ShardSplit> split_;
    std::map<std::uint64_t, std::array<std::uint64_t, 2>> children_;  // of each shard that ever was split
};
using LayoutPtr = std::shared_ptr<const ShardLayout>;

}  // namespace receiptd::sandbox
