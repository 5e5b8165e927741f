// Follower's work on accounts that stored heights lack.
#include "base/joined.hpp"
#include "base/log.hpp"
#include "follow/follower.hpp"
#include "follow/standstill.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr auto kBlocksComeWithin = 2s;
constexpr auto kFilledTreeComesWithin = 5s;
constexpr auto kFilledReceiptIsPlacedWithin = 30s;

struct Registered {
    Registered(std::vector<AccountFill*>& of, AccountFill& one) : fills(of), fill(one) {
        fills.push_back(&fill);
    }
    ~Registered() { std::erase(fills, &fill); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;
    std::vector<AccountFill*>& fills;
    AccountFill& fill;
};

}  // namespace

std::uint64_t Follower::left_to_fill() const {
    return std::accumulate(fills_.begin(), fills_.end(), std::uint64_t{0},
                           [](auto sum, const auto* fill) { return sum + fill->left(); });
}

base::Task<Follower::End> Follower::fill(std::vector<std::string> accounts,
                                         std::optional<base::HeightRange> range) {
    not_filled_.emplace();
    return to_its_end(fill_in(std::move(accounts), range), range.value_or(base::kAllHeights));
}

base::Task<void> Follower::fill_in(std::vector<std::string> accounts,
                                   std::optional<base::HeightRange> range) {
    co_await prepare();
    start_loops(false);
    co_await know_head();
    co_await know_time();
    const auto lacking = co_await accounts_->lacking(accounts);
    if (!lacking.not_followed.empty())
        throw std::runtime_error("not followed: " + base::joined(lacking.not_followed) +
                                 "; add it to follow.accounts first");
    const auto asked = range.value_or(base::kAllHeights);
    const auto heights = lacking.heights.within(asked);
    if (heights.empty() && !lacking.reach_above) co_return;
    // Heights that were stored with the accounts are not filled.
    const auto to = std::min(asked.to, lacking.since > 0 ? lacking.since - 1 : 0);
    const base::HeightRange ordered{std::min(heights.first().value_or(to), to), to};
    auto order = co_await stores_.backfills.claim_fill(ordered, std::move(accounts));
    if (order.leased) throw std::runtime_error("another process is filling these accounts right now");
    if (trees_) trees_->prefer(ordered);
    co_await run_fill(std::move(order));
    co_await wait_until_trees_are_placed(ordered);
}

base::Task<void> Follower::run_fill(storage::BackfillProgress order) {
    if (accounts_ == nullptr) co_return;
    log::info(
        "filling accounts",
        {{"accounts", base::joined(order.accounts)}, {"from", order.range.from}, {"to", order.range.to}});
    AccountFill fill(engine_, *accounts_, {order.accounts, order.range});
    const Registered registered(fills_, fill);
    base::TaskGroup reporting(executor_);
    reporting.spawn(report_order(order.id, order.range.size(), [this] { return left_to_fill(); }));
    co_await fill.run();
    while (fill.goes_on_above() && follows_ && !state_.stop.requested()) {
        co_await state_.pause(kBlocksComeWithin);
        co_await fill.run();
    }
    reporting.cancel();
    co_await reporting.join();
    if (not_filled_) not_filled_->add(fill.not_had());
    fill_goes_on_ = fill.goes_on_above();
    if (state_.stop.requested() || fill.goes_on_above()) {
        co_await stores_.backfills.release_backfill(order.id);
        co_return;
    }
    co_await stores_.backfills.finish_backfill(order.id);
    const base::HeightRange around = order.range;
    co_await seams_.look_across(around.to + 1, true);
    co_await seams_.adopt(around, state_.news_since(true));
    co_await seams_.judge_late();
    log::info("accounts are filled",
              {{"accounts", base::joined(order.accounts)}, {"not_had", fill.not_had().size()}});
}

// Trees and receipts that blocks without outcomes have named.
base::Task<void> Follower::wait_until_trees_are_placed(base::HeightRange range) {
    Standstill trees_stand_still(engine_.patience + kFilledTreeComesWithin);
    Standstill placing_stands_still(engine_.patience + kFilledReceiptIsPlacedWithin);
    base::Wakeup wakeup(executor_, {&state_.trees.changed, &state_.stop.signal});
    while (trees_ && !state_.stop.requested()) {
        const auto now = state_.clock.steady();
        pending_trees_ = co_await stores_.trees.pending_tree_count(range);
        bool done = (pending_trees_ == 0 && !trees_->writing()) ||
                    (trees_stand_still.reached_with(pending_trees_, now) && !trees_->comparing());
        if (done && unplaced_receipts_) {
            unplaced_ = co_await unplaced_receipts_->waiting_in(range);
            done = unplaced_ == 0 || placing_stands_still.reached_with(unplaced_, now);
        } else {
            placing_stands_still.begin_anew();
        }
        if (done) break;
        co_await wakeup.wait_for(500ms);
    }
    if (!state_.stop.requested()) co_await seams_.judge_at_the_end();
}

}  // namespace receiptd::follow
