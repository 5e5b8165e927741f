// Follower's work on stored heights that are fetched again: for accounts that they lack, or to replace them.
#include "base/joined.hpp"
#include "base/log.hpp"
#include "chain/tree/facts.hpp"
#include "follow/account_fill.hpp"
#include "follow/follower.hpp"
#include "follow/reindex.hpp"
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
    Registered(std::vector<Refetch*>& of, Refetch& one) : all(of), refetch(one) { all.push_back(&refetch); }
    ~Registered() { std::erase(all, &refetch); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;
    std::vector<Refetch*>& all;
    Refetch& refetch;
};

}  // namespace

std::uint64_t Follower::left_to_refetch() const {
    return std::accumulate(refetches_.begin(), refetches_.end(), std::uint64_t{0},
                           [](auto sum, const auto* refetch) { return sum + refetch->left(); });
}

base::Task<Follower::End> Follower::fill(std::vector<std::string> accounts,
                                         std::optional<base::HeightRange> range) {
    not_had_.emplace();
    return to_its_end(fill_in(std::move(accounts), range), range.value_or(base::kAllHeights));
}

base::Task<Follower::End> Follower::reindex(base::HeightRange range) {
    not_had_.emplace();
    return to_its_end(replace_in(range), range);
}

base::Task<void> Follower::start_refetching() {
    co_await prepare();
    start_loops(false);
    co_await know_head();
    co_await know_time();
}

base::Task<void> Follower::fill_in(std::vector<std::string> accounts,
                                   std::optional<base::HeightRange> range) {
    co_await start_refetching();
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
    co_await run_refetch(std::move(order));
    co_await wait_until_trees_are_placed(ordered);
}

base::Task<void> Follower::replace_in(base::HeightRange range) {
    co_await start_refetching();
    auto order = co_await stores_.backfills.claim_reindex(range);
    if (order.leased) throw std::runtime_error("another process is working on this range right now");
    const auto touched = chain::with_reach_below(order.range);
    if (trees_) trees_->prefer(touched);
    co_await run_refetch(std::move(order));
    co_await wait_until_trees_are_placed(touched);
}

std::unique_ptr<Refetch> Follower::refetch_for(const storage::BackfillProgress& order) {
    if (order.replaces) return std::make_unique<Reindex>(engine_, *accounts_, *reindex_, order.id);
    return std::make_unique<AccountFill>(engine_, *accounts_,
                                         AccountFill::Order{order.accounts, order.range});
}

base::Task<void> Follower::run_refetch(storage::BackfillProgress order) {
    if (accounts_ == nullptr) co_return;
    log::info(
        order.replaces ? "fetching stored heights again" : "filling accounts",
        {{"accounts", base::joined(order.accounts)}, {"from", order.range.from}, {"to", order.range.to}});
    const auto refetch = refetch_for(order);
    const Registered registered(refetches_, *refetch);
    base::TaskGroup reporting(executor_);
    reporting.spawn(report_order(order.id, order.range.size(), [this] { return left_to_refetch(); }));
    co_await refetch->run();
    while (refetch->goes_on_above() && follows_ && !state_.stop.requested()) {
        co_await state_.pause(kBlocksComeWithin);
        co_await refetch->run();
    }
    if (!state_.stop.requested() && !refetch->goes_on_above()) co_await judge_refetched(order);
    reporting.cancel();
    co_await reporting.join();
    if (not_had_) not_had_->add(refetch->not_had());
    fill_goes_on_ = refetch->goes_on_above();
    if (state_.stop.requested() || refetch->goes_on_above()) {
        co_await stores_.backfills.release_backfill(order.id);
        co_return;
    }
    co_await stores_.backfills.finish_backfill(order.id);
    log::info(order.replaces ? "stored heights are replaced" : "accounts are filled",
              {{"accounts", base::joined(order.accounts)}, {"not_had", refetch->not_had().size()}});
}

// Trees that cross the ends of the range, and those of which other rows were judged before.
base::Task<void> Follower::judge_refetched(const storage::BackfillProgress& order) {
    co_await seams_.look_across(order.range.to + 1, true);
    co_await seams_.adopt(order.range, state_.news_since(true));
    co_await seams_.judge_late();
    if (!order.replaces) co_return;
    const base::HeightSet replaced(order.range);
    if (silent_trees_) silent_trees_->forget(replaced);
    co_await seams_.take_over(order.range);
    const auto touched = chain::with_reach_below(order.range);
    if (!seams_.whole_blocks()) co_await reindex_->fetch_lacking(touched);
    co_await reindex_->judge_again(touched);
    if (trees_) trees_->wake();
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
