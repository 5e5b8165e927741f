// Follower's search for gaps, and their repair; and for trees that went on out of its sight.
#include "base/log.hpp"
#include "follow/follower.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr base::BackoffPolicy kRetryUnavailable{5s, 600s, 2.0, 0.2};
constexpr base::Height kRepairAtOnce = 256;
constexpr base::Duration kReadCoverageEvery = 60s;
constexpr base::Duration kJudgeLateEvery = 5s;
constexpr base::Duration kFindLateEvery = 1h;  // it looks for every orphan

}  // namespace

// A failover or a restore takes heights away, and so does `receiptd repair`: they become gaps.
base::Task<void> Follower::find_lost_heights() {
    base::Wakeup wakeup(executor_, {&state_.heights.changed, &state_.stop.signal});
    auto seen = stores_.blocks.reconnects();
    auto due_at = state_.clock.steady() + kReadCoverageEvery;
    while (!state_.stop.requested()) {
        co_await wakeup.wait_for(1s);
        if (stores_.blocks.reconnects() == seen && state_.clock.steady() < due_at) continue;
        seen = stores_.blocks.reconnects();
        due_at = state_.clock.steady() + kReadCoverageEvery;
        co_await read_coverage_again();
    }
}

base::Task<void> Follower::read_coverage_again() {
    const auto before = state_.heights.coverage().covered;
    auto read = co_await stores_.blocks.load_coverage();
    const auto newest = co_await stores_.blocks.newest_blocks(1);
    auto lost = before;
    lost.subtract(read.covered);
    if (!lost.empty())
        log::error("the database has lost heights (failover, restore, repair): they are fetched again",
                   {{"heights", lost.to_multirange()}});
    for (const auto& range : lost.ranges()) co_await stores_.blocks.want(range);
    state_.heights.read_again(before, std::move(read), tip_of(newest));
    if (!lost.empty()) forget(lost);
}

// Late trees of this daemon are judged at once; kJudgeLateEvery is for those that are looked at again, or
// that a dead daemon left.
base::Task<void> Follower::judge_late_trees() {
    auto look_at = state_.clock.steady();
    auto find_at = look_at;
    base::Wakeup stopping(executor_, {&state_.stop.signal});
    while (!state_.stop.requested()) {
        const auto now = state_.clock.steady();
        if (now >= find_at) {
            find_at = now + kFindLateEvery;
            co_await stores_.trees.find_late_trees();
        }
        if (std::exchange(state_.trees.late, false) || now >= look_at) {
            look_at = now + kJudgeLateEvery;
            co_await seams_.judge_late();
        }
        co_await stopping.wait_for(1s);
    }
}

std::optional<base::HeightRange> Follower::due_gap() const {
    const auto& heights = state_.heights;
    auto gaps = heights.gaps();
    if (gaps.empty() || heights.begins_again()) return std::nullopt;
    gaps.subtract(heights.in_flight());
    if (state_.head.block()) gaps.subtract({state_.head.height() + 1, base::kTopHeight});
    const auto now = state_.clock.steady();
    for (const auto& [height, at] : retry_at_)
        if (at > now) gaps.subtract({height, height});
    if (const auto& broken = heights.broken()) {  // blocks above may belong to the fork
        const auto fitting = heights.coverage().covered.ranges();
        const auto next = std::find_if(fitting.begin(), fitting.end(),
                                       [&](const auto& range) { return range.from > broken->height; });
        const auto end = next == fitting.end() ? base::kTopHeight : next->from;
        gaps.subtract({broken->height + 1, end});
    }
    const auto& busy = heights.in_flight();
    for (const auto& [from, to] : gaps.ranges()) {
        const bool waits = busy.contains(to + 1) || (from > 0 && busy.contains(from - 1));
        if (!waits) return base::HeightRange{from, std::min(to, from + kRepairAtOnce - 1)};
    }
    return std::nullopt;  // every gap waits for a neighbour in flight
}

base::Task<void> Follower::repair_gaps() {
    base::Wakeup wakeup(executor_, {&state_.head.moved, &state_.heights.changed, &state_.stop.signal});
    // Heights given up in this life wait their turn; those of an earlier one are tried at once.
    while (!state_.stop.requested()) {
        for (const auto& [height, record] : state_.heights.unavailable())
            if (retry_at_.count(height) == 0 && state_.heights.given_up().contains(height))
                retry_at_[height] =
                    state_.clock.steady() + state_.wait_before(kRetryUnavailable, record.attempts);
        const auto gap = state_.head.block() || source_.waits_for_next() ? due_gap() : std::nullopt;
        if (gap)
            co_await repair(*gap);
        else
            co_await wakeup.wait_for(1s);
    }
}

base::Task<void> Follower::repair(base::HeightRange range) {
    const auto& unavailable = state_.heights.unavailable();
    const bool tried_before = unavailable.count(range.from) > 0;
    RunSettings settings{range.from, range.to, rpc::Priority::gap,
                         tried_before ? base::Duration(0) : engine_.patience};
    Run run(engine_, settings);
    co_await run.run();
    for (auto height = range.from; height <= range.to; ++height) {
        const auto record = unavailable.find(height);
        if (record == unavailable.end())
            retry_at_.erase(height);
        else
            retry_at_[height] =
                state_.clock.steady() + state_.wait_before(kRetryUnavailable, record->second.attempts);
    }
}

}  // namespace receiptd::follow
