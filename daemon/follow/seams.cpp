#include "follow/seams.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "chain/tree/facts.hpp"
#include "follow/commit_listener.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::follow {
namespace {

// Heights above the seam. Along the head somebody waits for what crosses it to be judged.
constexpr base::Height kFirstClosingAlongHead = 4;
constexpr base::Height kClosingAlongHead = 64;
constexpr base::Height kFirstClosingOfRange = 64;
constexpr base::Height kNever = std::numeric_limits<base::Height>::max();

base::HeightSet with_outcomes(const storage::Coverage& stored) {
    auto heights = stored.covered;
    heights.subtract(stored.without_outcomes);
    return heights;
}

}  // namespace

std::vector<base::Height> outcomes_end_at(const storage::Coverage& stored, base::HeightRange stretch) {
    const auto whole = with_outcomes(stored);
    auto others = stored.covered;
    others.subtract(whole);
    std::vector<base::Height> found;
    for (const auto& range : others.ranges()) {
        const bool near =
            range.from + chain::kSeamReach >= stretch.from && range.from <= stretch.to + chain::kSeamReach;
        if (near && !whole.within(chain::reach_below(range.from)).empty()) found.push_back(range.from);
    }
    return found;
}

base::Task<void> Seams::go_on_above(base::Height last) {
    if (settings_.whole_blocks) {
        const base::HeightRange seam{last, last};
        co_await adopt(seam, state_.news_since(false));
        co_return;
    }
    const auto whole = with_outcomes(state_.heights.coverage());
    const base::HeightRange end{last + 1, last + 1};
    if (!whole.within(chain::reach_below(end.from)).empty()) co_await take_over_below(end);
}

base::Task<void> Seams::adopt(base::HeightRange around, chain::NewsSince news_since) {
    try {
        co_await stores_.orphans.adopt_orphans(around);
        const auto settled = co_await stores_.trees.settle_trees(around, news_since);
        if (state_.listener) state_.listener->settled(settled);
    } catch (const storage::StorageRefused& e) {
        log::error(
            "the database does not take what was judged where two ranges meet: these trees stay without a "
            "result",
            {{"heights", base::HeightSet(around).to_multirange()}, {"reason", e.what()}});
    }
}

base::Task<void> Seams::look_across(base::Height from, bool history) {
    if (settings_.whole_blocks) co_await stores_.trees.make_late_across(from, history);
}

base::Task<void> Seams::judge_late() {
    for (const bool history : {false, true}) {
        bool more = true;
        while (more) {
            const auto late = co_await stores_.trees.judge_late_trees(history, state_.news_since(history));
            if (state_.listener) state_.listener->settled(late.decided);
            more = late.more;
        }
    }
}

base::Task<void> Seams::judge_at_the_end() {
    co_await stores_.trees.hurry_late_trees();
    co_await judge_late();
}

// Another daemon may have stored heights meanwhile: the database knows.
base::Task<void> Seams::take_over(base::HeightRange stretch) {
    const auto stored = co_await stores_.blocks.load_coverage();
    const auto found = outcomes_end_at(stored, stretch);
    if (found.empty()) co_return;
    const base::HeightRange ends{found.front(), found.back()};
    co_await take_over_below(ends);
}

// All at once: where a service fails every few blocks, there are hundreds of ends within the reach of a tree.
base::Task<void> Seams::take_over_below(base::HeightRange ends) {
    const auto placed = co_await stores_.trees.take_over_trees(ends);
    if (placed == 0) co_return;
    log::info("trees go on where blocks tell no outcomes: they are fetched",
              {{"from", ends.from}, {"to", ends.to}, {"trees", placed}});
    if (taken_over_) taken_over_();
}

base::Task<void> Seams::close_pending(std::chrono::seconds untouched_for) {
    const auto pending = co_await stores_.orphans.pending_seams(untouched_for);
    for (const auto& seam : pending) {
        const auto news = state_.news_since(seam.history);
        const base::HeightRange begin{seam.from, seam.from}, end{seam.to + 1, seam.to + 1};
        const base::HeightRange stretch{seam.from, seam.to};
        co_await adopt(begin, news);
        co_await adopt(end, news);
        co_await look_across(end.from, seam.history);
        co_await take_over(stretch);
        co_await forget(seam);
    }
}

base::Task<void> Seams::forget(chain::Seam seam) { return stores_.orphans.forget_seam(seam); }

base::Task<void> Seams::hold_scope(chain::Lineage& lineage, base::Height from) {
    if (!settings_.whole_blocks || !settings_.accounts) co_return;
    const auto ids = co_await stores_.orphans.announced_below(from);
    lineage.hold_in_scope(ids);
}

RunSeams::RunSeams(Seams& seams, State& state, chain::Lineage& lineage, Settings settings)
    : seams_(seams),
      state_(state),
      lineage_(lineage),
      settings_(settings),
      latest_(settings.from),
      due_at_(settings.from + first_wait()) {}

base::Task<void> RunSeams::begin_at(base::Height next) {
    latest_ = next;
    due_at_ = next + first_wait();
    co_await seams_.hold_scope(lineage_, next);
}

base::Task<void> RunSeams::leave_at(base::Height next) {
    if (next > latest_) co_await seams_.look_across(next, settings_.history);
}

base::Task<void> RunSeams::close_when_due(base::Height next) {
    if (!due(next)) co_return;
    const auto done = due_at_ - latest_;
    const bool for_good = !seams_.whole_blocks() || done >= chain::kSeamReach;
    due_at_ = for_good ? kNever : due_at_ + std::min(done * 3, longest_wait());
    co_await close(settings_.from);
}

base::Task<void> RunSeams::close_all(base::Height next) {
    co_await close(settings_.from);
    if (next > settings_.from) co_await close(next);
}

std::optional<chain::Seam> RunSeams::seam_up_to(base::Height last) {
    if (!settings_.bounded && due_at_ == kNever) return std::nullopt;
    const chain::Seam seam{latest_, last, settings_.history};
    remembered_[latest_] = seam;
    return seam;
}

bool RunSeams::done() const { return !settings_.bounded && due_at_ == kNever && !remembered_.empty(); }

base::Task<void> RunSeams::forget() {
    const auto seams = std::exchange(remembered_, {});
    for (const auto& [from, seam] : seams) co_await seams_.forget(seam);
}

base::Height RunSeams::first_wait() const {
    return settings_.bounded ? kFirstClosingOfRange : kFirstClosingAlongHead;
}

base::Height RunSeams::longest_wait() const {
    return settings_.bounded ? chain::kSeamReach * 4 : kClosingAlongHead;
}

// Inside a run the lineage knows every parent. A seam without neighbours has nothing to look for.
base::Task<void> RunSeams::close(base::Height seam) {
    const base::HeightRange around{seam, std::max(seam, latest_)};
    const auto beyond =
        seam == settings_.from ? chain::reach_below(seam) : base::HeightRange{seam, seam + chain::kSeamReach};
    const auto neighbours = state_.heights.coverage().covered.within(beyond);
    const bool leapt = latest_ > settings_.from;
    if (seams_.whole_blocks() && (!neighbours.empty() || leapt))
        co_await seams_.adopt(around, state_.news_since(settings_.history));
    if (seam != settings_.from && !neighbours.empty()) co_await seams_.look_across(seam, settings_.history);
    co_await seams_.judge_late();
    co_await seams_.take_over(around);
}

}  // namespace receiptd::follow
