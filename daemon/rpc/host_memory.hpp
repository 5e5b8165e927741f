// What was learned about one host from its answers: how far back it reaches, how far ahead it is,
// which methods it does not offer, which shards it does not track. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/model.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rpc {

inline constexpr base::Duration kUnsupportedFor = std::chrono::minutes(10);
inline constexpr base::Duration kUntrackedFor = std::chrono::minutes(10);  // then it is asked again
inline constexpr std::size_t kMostUntracked = 256;                         // networks have fewer shards

class HostMemory {
public:
    // The host answered with something that lives at `height`.
    void holds(chain::BlockHeight height);
    // The host does not know what another host has at `height`. Near the known head that is lag,
    // and above a height that it holds it is a hole or a retention that moved on: no horizon.
    void lacks(chain::BlockHeight height, std::optional<chain::BlockHeight> known_head);
    // The host says itself that `height` is garbage collected.
    void collected(chain::BlockHeight height);
    void tell_head(chain::BlockHeight height);

    bool below_horizon(chain::BlockHeight height) const {
        return highest_pruned_ && height <= *highest_pruned_;
    }
    // It has told a block at or below `height`, and one at or above it: what it lacks there was never there.
    bool reaches(chain::BlockHeight height) const {
        return lowest_held_ && *lowest_held_ <= height && head_ && height <= *head_ && !below_horizon(height);
    }
    // The lowest height it is known to hold, or must hold above what it is known to lack.
    std::optional<chain::BlockHeight> horizon() const;
    std::optional<chain::BlockHeight> head() const { return head_; }

    void mark_unsupported(std::string_view method, base::SteadyTime now);
    bool supports(std::string_view method, base::SteadyTime now) const;
    void forget_unsupported() { unsupported_.clear(); }

    // True if that was not known.
    bool mark_untracked(chain::ShardId shard_id, base::SteadyTime now);
    void mark_tracked(chain::ShardId shard_id) { untracked_.erase(shard_id); }
    // False for a while after mark_untracked().
    bool may_track(chain::ShardId shard_id, base::SteadyTime now) const;
    std::vector<chain::ShardId> untracked_shards() const;

private:
    std::optional<chain::BlockHeight> lowest_held_;
    std::optional<chain::BlockHeight> highest_pruned_;
    std::optional<chain::BlockHeight> head_;
    std::map<std::string, base::SteadyTime, std::less<>> unsupported_;  // method -> ask again from
    std::map<chain::ShardId, base::SteadyTime> untracked_;              // shard -> ask again from
};

}  // namespace receiptd::rpc
