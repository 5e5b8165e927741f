// The state that the follower's loops share (one thread), by subject; status and readyz show it.
#pragma once

#include "base/backoff.hpp"
#include "base/chance.hpp"
#include "base/clock.hpp"
#include "base/event.hpp"
#include "base/task.hpp"
#include "chain/rows/new_kinds.hpp"
#include "follow/block_times.hpp"
#include "follow/head.hpp"
#include "follow/heights.hpp"
#include "metrics/follow_series.hpp"
#include "storage/tree_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace receiptd::follow {

class CommitListener;

// Most trees are complete within seconds, a promise yield within 200 blocks.
inline constexpr std::chrono::minutes kTreesOverdue{10};

struct TreeCounts {
    base::Signal changed;
    std::uint64_t pending = 0;
    storage::OverdueTrees overdue;  // pending for longer than kTreesOverdue
    bool late = false;              // some were stored as late since these were judged
};

// Ends the loops: for good, or for the turn of a daemon that leads, or leads no more.
class Stop {
public:
    bool requested() const { return for_good_ || turn_over_; }
    bool for_good() const { return for_good_; }
    void request() {
        for_good_ = true;
        signal.notify_all();
    }
    void end_turn() {
        turn_over_ = true;
        signal.notify_all();
    }
    void begin_turn() { turn_over_ = false; }
    base::Signal signal;

private:
    bool for_good_ = false;
    bool turn_over_ = false;
};

// Blocks and outcomes that the source left out since the start, and other hosts had.
class LeftOut {
public:
    void block(base::Height height, base::SteadyTime now) { ++blocks_, last_ = height, at_ = now; }
    void outcomes(std::uint64_t count, base::Height height, base::SteadyTime now) {
        outcomes_ += count, last_ = height, at_ = now;
    }
    // Empty: nothing lately.
    std::string in_words(base::SteadyTime now) const;

private:
    std::uint64_t blocks_ = 0;
    std::uint64_t outcomes_ = 0;
    base::Height last_ = 0;
    base::SteadyTime at_{};
};

// Names of the chain that this version does not know.
class NewKindsSeen {
public:
    // Says each once.
    void saw(const chain::NewKinds& kinds, base::SteadyTime now);
    // Empty: none in the last day.
    std::string in_words(base::SteadyTime now) const;

private:
    std::map<chain::NewKinds::Name, base::SteadyTime> last_seen_;
};

struct State {
    State(metrics::FollowSeries& metric_series, const base::Clock& system_clock)
        : series(metric_series),
          clock(system_clock),
          head(metric_series, system_clock),
          heights(metric_series) {}

    metrics::FollowSeries& series;
    const base::Clock& clock;
    Head head;
    Heights heights;
    BlockTimes times;
    TreeCounts trees;
    Stop stop;
    LeftOut left_out;
    NewKindsSeen new_kinds;
    // Why nothing is stored above the tip: the hosts do not agree. Empty: they do, or nobody has asked them.
    std::string disagreement;
    // Why the hosts do not confirm what is stored above heights.agreed(); empty: they do, or nobody has asked
    // them.
    const std::string& unconfirmed() const { return unconfirmed_; }
    void set_unconfirmed(std::string why);
    // Why the clock of this machine must be wrong: the hosts agree on blocks far ahead of it. Empty: it need
    // not be.
    std::string wrong_clock;
    bool agreement_wanted = false;       // by want_agreement(), since the hosts were asked last
    CommitListener* listener = nullptr;  // told of what is committed
    // Called with heights whose rows are gone: whoever remembers something of them forgets it.
    std::function<void(const base::HeightSet&)> on_lost;
    // The questions of alert rules about receipts now; null: there are none.
    std::function<std::shared_ptr<const chain::Interest>()> interest = [] { return nullptr; };

    // heights.agreed() is to reach the tip soon.
    void want_agreement();
    // Uniform in [0, 1); not the same in two daemons.
    std::function<double()> chance = base::chance;
    // The wait before the next attempt, after so many.
    base::Duration wait_before(const base::BackoffPolicy& policy, unsigned attempts) const {
        return base::backoff_delay(policy, attempts, chance());
    }
    // Until the time has passed, or stop is requested.
    base::Task<void> pause(base::Duration delay);
    // The earlier of the wall clock and the newest block known: neither makes anything older than it is.
    base::WallTime chain_now() const;
    // Events older than the database, or than a week, are history, and so is the range of a `backfill`.
    chain::NewsSince news_since(bool backfill) const;
    // The same for what happens from this block on. Its own time alone makes nothing old: the median time of
    // the last stored blocks must be old, too, as far as they are remembered.
    chain::NewsSince news_from(const chain::BlockRef& block, bool backfill) const;
    // Blocks up to this height are final: stored, or confirmed.
    base::Height final_height() const;
    // Whether the newest final block is stored, or nearly.
    bool is_at_head(base::Height lag) const;

private:
    std::string unconfirmed_;
};

}  // namespace receiptd::follow
