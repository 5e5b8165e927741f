#include "follow/silent_trees.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "chain/tree/lineage.hpp"

#include <algorithm>

namespace receiptd::follow {
namespace {

constexpr base::Height kHeightsAtOnce = 500;
constexpr unsigned kTreesAtOnce = 16;  // once a second

}  // namespace

base::HeightSet SilentTrees::due() const {
    const auto& stored = state_.heights.coverage();
    auto known = stored.covered;
    known.add(state_.heights.given_up());
    base::HeightSet due;
    for (const auto& [from, to] : known.ranges())
        if (to >= from + kSilence) due.add({from, to - kSilence});
    due.subtract(stored.without_outcomes);
    return due;
}

base::Task<unsigned> SilentTrees::look(base::HeightRange range) {
    auto due = this->due();
    const auto last = due.last();
    if (!last) co_return 0;
    // An earlier life has looked at the rest.
    if (!looked_at_) looked_at_ = due.within({0, *last - std::min(*last, chain::kSeamReach)});
    due.subtract(*looked_at_);
    const auto here = due.within(range);
    if (here.empty()) co_return 0;
    const auto next = here.ranges().front();
    const base::HeightRange some{next.from, std::min(next.to, next.from + kHeightsAtOnce - 1)};
    const auto placed = co_await store_.place_silent_trees(some, kTreesAtOnce);
    if (placed < kTreesAtOnce) looked_at_->add(some);
    if (placed > 0)
        log::info("no block has brought the rest of trees: the JSON-RPC hosts are asked for them",
                  {{"from", some.from}, {"to", some.to}, {"trees", placed}});
    co_return placed;
}

void SilentTrees::forget(const base::HeightSet& lost) {
    if (looked_at_) looked_at_->subtract(lost);
}

}  // namespace receiptd::follow
