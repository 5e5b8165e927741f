// The state that the follower's loops share (one thread), by subject; status and readyz show it.
#pragma once

#include "base/clock.hpp"
#include "base/event.hpp"
#include "follow/head.hpp"
#include "follow/heights.hpp"
#include "metrics/follow_series.hpp"
#include "storage/tree_store.hpp"

#include <chrono>
#include <cstdint>

namespace receiptd::follow {

class CommitListener;

// Most trees are complete within seconds, a promise yield within 200 blocks.
inline constexpr std::chrono::minutes kTreesOverdue{10};

struct TreeCounts {
    base::Signal changed;
    std::uint64_t pending = 0;
    storage::OverdueTrees overdue;  // pending for longer than kTreesOverdue
};

class Stop {
public:
    bool requested() const { return requested_; }
    void request() {
        requested_ = true;
        signal.notify_all();
    }
    base::Signal signal;

private:
    bool requested_ = false;
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
    TreeCounts trees;
    Stop stop;
    CommitListener* listener = nullptr;  // told of what is committed

    // Events since then are news, however late they are stored: people are told of findings. Events older
    // than the database, or in the range of a backfill, are history.
    base::WallTime news_since() const;
    // Blocks up to this height are final: stored, or confirmed.
    base::Height final_height() const;
    // Whether the newest final block is stored, or nearly.
    bool is_at_head(base::Height lag) const;
};

}  // namespace receiptd::follow
