// Decides what to write about a watch, and what to ask about it. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/lifecycle.hpp"
#include "storage/watch_store.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::watch {

// Knowledge of the chain at the time when a watch is looked at.
struct Sight {
    chain::BlockHeight final_height = 0;  // as a host told it
    // Every height from watched_since, or from the block that lists it if that is lower, up to there is
    // stored, with the transactions of its sender; nullopt: the follower cannot see it.
    std::optional<chain::BlockHeight> looked_up_to;
    bool tree_is_stored = false;  // or will be: its inclusion was followed
    base::SteadyTime in_stage_since{};
};

struct ReviewRules {
    chain::LifecycleRules lifecycle;
    chain::StuckRules stuck;
    base::WallTime now{};  // for rows and people: it may jump
    base::WallTime alerts_sent_since{};
    base::SteadyTime steady_now{};
    // The time since when the follower is at the head; nullopt: it is not, and may have missed events.
    std::optional<base::SteadyTime> at_head_since = base::SteadyTime{};

    // For a watch of which the tables show no more than this.
    ReviewRules seen_by(const Sight& sight) const {
        auto rules = *this;
        auto& looked_through = rules.lifecycle.looked_through;
        looked_through = std::min(looked_through, sight.looked_up_to.value_or(0));
        return rules;
    }
};

// The tree as far as the database knows it.
chain::TreeSeen seen_of(const std::string& tx_hash, const storage::StoredTree& tree);

// The host that said so; goes into the evidence of each transition it leads to.
struct Witness {
    std::string host;
    chain::BlockHeight final_height = 0;
};

// Whether a watch has been in its stage for longer than `patience`. Time counts from when the follower is at
// the head; nullopt: it is not.
bool has_waited_longer(base::Duration patience, base::SteadyTime in_stage_since,
                       const std::optional<base::SteadyTime>& at_head_since, base::SteadyTime now);

// Applies the observations, and whether it is stuck now. `in_stage_since`: known here to be in its stage.
// nullopt: nothing is to be written.
std::optional<storage::WatchUpdate> review(const storage::Watch& watch,
                                           const std::vector<chain::Observation>& observations,
                                           const ReviewRules& rules, base::SteadyTime in_stage_since,
                                           const std::optional<Witness>& witness = std::nullopt);

// The watch as it is once the update is stored.
void apply(storage::Watch& watch, const storage::WatchUpdate& update, base::WallTime now);

// --- Questions to the hosts ---

// A host may lag behind another one, but every host knows blocks that are this far below the head.
inline constexpr chain::BlockHeight kHostsLag = 10;

struct Check {
    bool tree = false;      // ask for the transaction
    bool key = false;       // ask for its access key's nonce
    base::WallTime next{};  // when to look again
    bool asks() const { return tree || key; }
};
Check plan_check(const storage::Watch& watch, const Sight& sight, const ReviewRules& rules);

}  // namespace receiptd::watch
