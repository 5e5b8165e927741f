// Follower's work on ranges of the past.
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "follow/follower.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookForAbandoned = 30s;
constexpr auto kReportEvery = 10s;  // also renews the lease
constexpr auto kSeamAbandoned = 60s;
constexpr auto kAgreementWithin = 30s;
constexpr auto kCompareAgain = 500ms;

}  // namespace

base::Task<void> Follower::resume_backfills() {
    auto look_at = state_.clock.steady();
    base::Wakeup stopping(executor_, {&state_.stop.signal});
    while (!state_.stop.requested()) {
        if (state_.clock.steady() >= look_at) {
            auto abandoned = co_await stores_.backfills.claim_abandoned_backfills();
            for (auto& order : abandoned) {
                if (order.accounts.empty() && !order.replaces)
                    runs_.spawn(guard(run_backfill(std::move(order))));
                else
                    runs_.spawn(guard(run_refetch(std::move(order))));
            }
            co_await seams_.close_pending(kSeamAbandoned);
            look_at = state_.clock.steady() + kLookForAbandoned;
        }
        co_await stopping.wait_for(1s);
    }
}

base::Task<void> Follower::run_backfill(storage::BackfillProgress backfill) {
    const auto id = backfill.id;
    log::info(
        "backfill started",
        {{"from", backfill.range.from}, {"to", backfill.range.to}, {"missing", backfill.missing.size()}});
    base::TaskGroup reporting(executor_);
    reporting.spawn(report_backfill(id, backfill.missing));
    auto untried = backfill.missing;
    bool broken = false;
    while (!untried.empty() && !state_.stop.requested() && !broken) {
        // A refused batch leaves heights over if another daemon stored a part of it, hence the loop.
        const auto range = untried.ranges().front();
        RunSettings settings{range.from, range.to, rpc::Priority::backfill, engine_.patience};
        Run run(engine_, settings);
        const auto end = co_await run.run();
        broken = end.broken.has_value();
        untried.subtract(state_.heights.coverage().covered);
        untried.subtract(state_.heights.given_up());
        untried.subtract(state_.heights.coverage().skipped_by_operator);
    }
    reporting.cancel();
    co_await reporting.join();
    auto missing = backfill.missing;
    missing.subtract(state_.heights.coverage().covered);
    if (!untried.empty()) {
        co_await stores_.backfills.release_backfill(id);
        co_return;
    }
    // Missing heights are recorded as gaps and retried beside the head for ever.
    co_await stores_.backfills.finish_backfill(id);
    log::info("backfill finished",
              {{"from", backfill.range.from}, {"to", backfill.range.to}, {"gaps_left", missing.size()}});
}

// Where no run follows the head. False: nothing of the range is refuted by what the other hosts tell now.
base::Task<bool> Follower::remove_refuted(base::HeightRange range) {
    if (!outcome_check_) co_return false;
    auto& heights = state_.heights;
    co_await wait_for_agreement(range);
    while (!state_.stop.requested()) {
        const auto refuted = co_await outcome_check_->compare_stored(range);
        if (heights.refuted() || heights.has_false_outcomes()) {
            RunSettings settings{range.from, range.to, rpc::Priority::backfill, engine_.patience};
            settings.removes_refuted = true;
            Run run(engine_, settings);
            co_await run.run();
            co_return true;
        }
        if (refuted.empty()) co_return false;
        co_await state_.pause(kCompareAgain);
    }
    co_return false;
}

base::Task<void> Follower::wait_for_agreement(base::HeightRange range) {
    base::Wakeup wakeup(executor_, {&state_.heights.changed, &state_.stop.signal});
    const auto until = state_.clock.steady() + kAgreementWithin;
    const auto& heights = state_.heights;
    while (!state_.stop.requested() && state_.clock.steady() < until) {
        const auto& tip = heights.tip();
        if (!tip || heights.refuted() || heights.agreed() >= std::min(tip->height, range.to)) co_return;
        state_.want_agreement();
        co_await wakeup.wait_for(500ms);
    }
}

base::Task<void> Follower::report_backfill(std::int64_t id, base::HeightSet missing) {
    const auto total = missing.size();
    return report_order(id, total, [this, missing = std::move(missing)]() mutable {
        missing.subtract(state_.heights.coverage().covered);
        return missing.size();
    });
}

// Until it is cancelled.
base::Task<void> Follower::report_order(std::int64_t id, std::uint64_t total,
                                        std::function<std::uint64_t()> left_now) {
    base::asio::steady_timer timer(executor_);
    auto left_before = total;
    while (true) {
        co_await base::sleep_on(timer, kReportEvery);
        co_await stores_.backfills.renew_backfill(id);
        const auto left = left_now();
        total = std::max(total, left);  // it may go on above
        const auto done = left_before > left ? left_before - left : 0;
        const double rate = static_cast<double>(done) / std::chrono::duration<double>(kReportEvery).count();
        left_before = left;
        char per_second[32];
        std::snprintf(per_second, sizeof per_second, "%.1f", rate);
        log::info("backfill",
                  {{"done", total - left},
                   {"of", total},
                   {"blocks_per_second", std::string(per_second)},
                   {"eta_seconds", rate > 0 ? static_cast<std::int64_t>(static_cast<double>(left) / rate)
                                            : std::int64_t{-1}}});
    }
}

}  // namespace receiptd::follow
