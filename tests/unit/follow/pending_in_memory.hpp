// Trees that wait to be fetched, as pending_trees has them: each by the block that lists its transaction.
#pragma once

#include "base/clock.hpp"
#include "storage/tree_store.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace receiptd::follow::testing {

struct Pending {
    storage::PendingTree tree;
    base::WallTime due_at{};
    std::string reason;  // it was postponed for
    std::optional<base::WallTime> missing_since;
};

using Listing = std::pair<std::string, std::uint64_t>;  // transaction hash, time of the block in nanoseconds
inline Listing listing_of(const storage::PendingTree& tree) {
    return {tree.tx_hash, tree.included_in.timestamp_nanosec};
}

class PendingInMemory : public std::map<Listing, Pending> {
public:
    void place(Pending placed) { insert_or_assign(listing_of(placed.tree), std::move(placed)); }
    // The first of its listings; null: none is pending.
    const Pending* of(const std::string& tx_hash) const {
        const auto found = lower_bound({tx_hash, 0});
        return found == end() || found->first.first != tx_hash ? nullptr : &found->second;
    }
};

}  // namespace receiptd::follow::testing
