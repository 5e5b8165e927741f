#include "follow/seams.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "follow/commit_listener.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr base::Height kFirstClosing = 4;  // heights above the seam
constexpr base::Height kClosingAlongHead = 64;
constexpr base::Height kNever = std::numeric_limits<base::Height>::max();

}  // namespace

base::Task<void> Seams::close(base::HeightRange around, chain::NewsSince news_since) {
    try {
        co_await orphans_.adopt_orphans(around);
        const auto settled = co_await trees_.settle_trees(around, news_since);
        if (state_.listener) state_.listener->settled(settled);
    } catch (const storage::StorageRefused& e) {
        log::error(
            "the database does not take what was judged where two ranges meet: these trees stay without a "
            "result",
            {{"heights", base::HeightSet(around).to_multirange()}, {"reason", e.what()}});
    }
}

base::Task<void> Seams::close_pending(std::chrono::seconds untouched_for) {
    const auto pending = co_await orphans_.pending_seams(untouched_for);
    for (const auto& seam : pending) {
        const auto news = state_.news_since(seam.history);
        const base::HeightRange begin{seam.from, seam.from}, end{seam.to + 1, seam.to + 1};
        co_await close(begin, news);
        co_await close(end, news);
        co_await forget(seam);
    }
}

base::Task<void> Seams::forget(chain::Seam seam) { return orphans_.forget_seam(seam); }

base::Task<void> Seams::hold_scope(chain::Lineage& lineage, base::Height from) {
    if (!accounts_) co_return;
    const auto ids = co_await orphans_.announced_below(from);
    lineage.hold_in_scope(ids);
}

RunSeams::RunSeams(Seams* seams, State& state, chain::Lineage& lineage, Settings settings)
    : seams_(seams),
      state_(state),
      lineage_(lineage),
      settings_(settings),
      latest_(settings.from),
      due_at_(seams ? settings.from + kFirstClosing : kNever) {}

base::Task<void> RunSeams::begin_at(base::Height next) {
    latest_ = next;
    if (!seams_) co_return;
    due_at_ = next + kFirstClosing;
    co_await seams_->hold_scope(lineage_, next);
}

base::Task<void> RunSeams::close_when_due(base::Height next) {
    if (next < due_at_) co_return;
    const auto done = due_at_ - latest_;
    due_at_ = done >= lineage_.window() ? kNever : due_at_ + std::min(done * 3, longest_wait());
    co_await close(settings_.from);
}

base::Task<void> RunSeams::close_all(base::Height next) {
    co_await close(settings_.from);
    if (next > settings_.from) co_await close(next);
}

std::optional<chain::Seam> RunSeams::seam_up_to(base::Height last) {
    if (!seams_ || (!settings_.bounded && due_at_ == kNever)) return std::nullopt;
    const chain::Seam seam{latest_, last, settings_.history};
    remembered_[latest_] = seam;
    return seam;
}

bool RunSeams::done() const { return !settings_.bounded && due_at_ == kNever && !remembered_.empty(); }

base::Task<void> RunSeams::forget() {
    const auto seams = std::exchange(remembered_, {});
    for (const auto& [from, seam] : seams) co_await seams_->forget(seam);
}

// Along the head somebody waits for what crosses the seam to be judged.
base::Height RunSeams::longest_wait() const {
    return settings_.bounded ? lineage_.window() * 4 : kClosingAlongHead;
}

// Inside a run the lineage knows every parent. A seam without neighbours has nothing to look for.
base::Task<void> RunSeams::close(base::Height seam) {
    const auto window = lineage_.window();
    base::HeightRange beyond{seam, seam + window};
    if (seam == settings_.from) beyond = {seam > window ? seam - window : 0, seam > 0 ? seam - 1 : 0};
    const auto neighbours = state_.heights.coverage().covered.within(beyond);
    const bool leapt = latest_ > settings_.from;
    if (!seams_ || (neighbours.empty() && !leapt)) co_return;
    const base::HeightRange around{seam, std::max(seam, latest_)};
    co_await seams_->close(around, state_.news_since(settings_.history));
}

}  // namespace receiptd::follow
