// Facts learned about one host from its answers: how far back it reaches, how far ahead it is, which methods
// it does not offer, which shards it does not track. Pure.
#pragma once

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "chain/json/model.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rpc {

inline constexpr base::Duration kUnsupportedFor = std::chrono::minutes(10);
inline constexpr base::BackoffPolicy kDoubtedFor{std::chrono::seconds(5), std::chrono::minutes(10), 2.0, 0.2};
inline constexpr base::Duration kUntrackedFor = std::chrono::minutes(10);  // then it is asked again
inline constexpr std::size_t kMostUntracked = 64;                          // networks have fewer shards
// Misses in blocks of different heights, none answered between them: one alone may be a node behind the same
// name that lags, or a transaction that never got an outcome.
inline constexpr unsigned kMissesToBelieve = 3;

class HostMemory {
public:
    // The host answered with something that lives at `height`.
    void holds(chain::BlockHeight height);
    // The host does not know what another host has at `height`. Near the known head that is lag,
    // and above a height that it holds it is a hole or a retention that moved on: no horizon.
    void lacks(chain::BlockHeight height, std::optional<chain::BlockHeight> known_head);
    // The host says itself which block is its earliest.
    void reaches_back_to(chain::BlockHeight earliest);
    std::optional<chain::BlockHeight> said_earliest() const { return said_earliest_; }
    // The host says itself that `height` is garbage collected.
    void collected(chain::BlockHeight height);
    void tell_head(chain::BlockHeight height);
    // It tells things that are not of this chain: its head is forgotten, and for kDoubtedFor, longer each
    // time in a row, none is believed.
    void doubt(base::SteadyTime now, double chance);
    bool doubted(base::SteadyTime now) const { return now < doubted_until_; }

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
    std::vector<std::string> unsupported(base::SteadyTime now) const;
    // As its status tells it. A host that was upgraded is asked for all methods again.
    void runs(const std::string& version);

    // The host lacks something of the shard in the block at `height`, where it should have it. True when that
    // makes it one that does not track the shard.
    bool misses(chain::ShardId shard_id, chain::BlockHeight height, base::SteadyTime now);
    // The host says itself that it does not track the shard. True if that was not known.
    bool denies(chain::ShardId shard_id, base::SteadyTime now);
    void tracks(chain::ShardId shard_id) { shards_.erase(shard_id); }
    // True for kUntrackedFor after the last miss.
    bool lacks_shard(chain::ShardId shard_id, base::SteadyTime now) const;
    std::vector<chain::ShardId> untracked_shards(base::SteadyTime now) const;

private:
    std::optional<chain::BlockHeight> said_earliest_;
    std::optional<chain::BlockHeight> lowest_held_;
    std::optional<chain::BlockHeight> highest_pruned_;
    std::optional<chain::BlockHeight> head_;
    unsigned doubts_ = 0;
    base::SteadyTime doubted_until_{};
    std::string version_;
    std::map<std::string, base::SteadyTime, std::less<>> unsupported_;  // method -> ask again from
    struct Misses {
        unsigned count = 0;
        chain::BlockHeight height = 0;
        base::SteadyTime until{};
    };
    std::map<chain::ShardId, Misses> shards_;
};

}  // namespace receiptd::rpc
