// State of the follower: shared by its loops (one thread), shown by status and readyz.
#pragma once

#include "base/clock.hpp"
#include "base/event.hpp"
#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "metrics/follow_series.hpp"
#include "storage/block_store.hpp"
#include "storage/tree_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace receiptd::follow {

class CommitListener;

// Most trees are complete within seconds, a promise yield within 200 blocks.
inline constexpr std::chrono::minutes kTreesOverdue{10};

struct State {
    State(base::asio::any_io_executor executor, metrics::FollowSeries& metric_series,
          const base::Clock& system_clock)
        : changed(std::move(executor)), series(metric_series), clock(system_clock) {}

    base::Event changed;  // coverage, head or stop
    metrics::FollowSeries& series;
    const base::Clock& clock;

    std::optional<chain::BlockRef> head;  // newest final block known
    base::SteadyTime head_seen_at{};
    std::optional<chain::BlockRef> committed;  // highest block committed since start or found stored
    storage::Coverage coverage;                // as committed
    base::HeightSet in_flight;                 // some loop is working on these
    // Claimed by a run with an end that has not come to it: stored, maybe, but its seams are not looked at.
    base::HeightSet unsettled;
    std::map<base::Height, storage::UnavailableHeight> unavailable;
    base::HeightSet given_up;  // of these, the ones tried since start
    struct Broken {
        base::Height height = 0;
        std::string why;
    };
    std::optional<Broken> broken;  // a range is stopped: a block does not fit the chain
    std::uint64_t pending_trees = 0;
    storage::OverdueTrees overdue_trees;  // pending for longer than kTreesOverdue
    CommitListener* listener = nullptr;   // told of what is committed
    bool places_receipts = false;         // receipts may be stored before their tree is known
    bool stopping = false;

    // Events since then are news, however late they are stored: people are told of findings. Events older
    // than the database, or in the range of a backfill, are history.
    base::WallTime news_since() const;

    void learn_head(const chain::BlockRef& block);
    void learn_committed(const chain::RowBatch& batch);
    // `batch` was refused: part of it is among that.
    void learn_stored_by_others(storage::Coverage stored, const chain::RowBatch& batch);
    void learn_unavailable(const storage::UnavailableHeight& height);
    void set_broken(base::Height height, std::string why);
    void stop();
    void publish_gaps();

private:
    void learn_stored(const chain::BlockRef& block);
    void forget_faults_of(const base::HeightSet& covered);
};

}  // namespace receiptd::follow
