// A run where hosts deny, or where a block does not fit: the hosts decide together.
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "follow/pipeline.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr auto kParentRetry = std::chrono::milliseconds(100);
constexpr unsigned kParentAsks = 3;  // a host may lag behind the one that told the child
constexpr unsigned kMisfitsOfHosts = 5;
constexpr base::BackoffPolicy kSetback{std::chrono::milliseconds(200), std::chrono::seconds(5), 2.0, 0.2};

}  // namespace

base::Task<base::Height> Run::deny() {
    continuity_.denied(next_);
    if (!follows_head() || continuity_.undecided() < reach_) co_return next_ + 1;
    const auto told = engine_.state.head.block();
    if (!told || told->height <= next_) co_return co_await go_back();  // what led here was false
    const auto agreed = co_await engine_.agreement.on(*told);
    if (agreed == Told::yes) {
        reach_ *= 4;
        co_return next_ + 1;
    }
    engine_.agreement.hold_up();
    if (agreed == Told::no) engine_.agreement.doubt_head();
    co_return co_await go_back();
}

// Where the run goes on instead of taking this block; nullopt: it fits, and is linked to the stored ones or
// told by the hosts.
base::Task<std::optional<base::Height>> Run::turned_away(const chain::BlockRef& block,
                                                         const std::string& host) {
    if (auto misfit = continuity_.misfit(block)) co_return co_await resolve(std::move(*misfit), host);
    if (!follows_head() || continuity_.links(block) || block.hash == settings_.agreed_hash)
        co_return std::nullopt;
    const bool is_ours = co_await is_of_this_chain(block, host);
    if (is_ours) co_return std::nullopt;
    co_return co_await go_back();
}

// Along the head a block counts whose parent is the last one. Another one may come too early, since a host
// lags; or a host has invented it.
base::Task<bool> Run::is_of_this_chain(const chain::BlockRef& block, const std::string& host) {
    const auto parent = block.prev_height.value_or(block.height - 1);
    const bool may_come = continuity_.last() && parent >= settings_.from;
    for (unsigned asked = 0; may_come && asked < kParentAsks && !engine_.state.stop.requested(); ++asked) {
        const auto result = co_await engine_.source.fetch(parent, settings_.priority, false);
        if (std::holds_alternative<std::unique_ptr<rpc::BlockContents>>(result)) co_return false;
        co_await engine_.state.pause(kParentRetry);
    }
    const auto told = co_await engine_.agreement.on(block);
    const bool is_first = engine_.state.heights.coverage().covered.empty();
    if (is_first && co_await engine_.agreement.begins_alone(block, told)) co_return true;
    if (told != Told::yes) engine_.agreement.hold_up();
    if (told == Told::no) engine_.agreement.doubt(host);
    co_return told == Told::yes;
}

// Along the head to the last block that is sure; after a pause, longer each time in a row.
base::Task<base::Height> Run::go_back() {
    co_await engine_.state.pause(engine_.state.wait_before(kSetback, ++setbacks_));
    if (!follows_head()) co_return next_;
    continuity_.forget_denied();
    faults_.clear();
    const auto above_last = continuity_.last() ? continuity_.last()->height + 1 : settings_.from;
    co_return std::max(above_last, settings_.from);
}

// The hosts decide which of two blocks that do not fit is wrong. Where they do not, the range waits.
base::Task<base::Height> Run::resolve(Continuity::Misfit misfit, std::string host) {
    Agreement::Judgement judgement;
    judgement.wrong = Wrong::offered;
    judgement.said = host + " contradicts itself";
    if (misfit.known) judgement = co_await engine_.agreement.about_stored(*misfit.known);
    const auto why = misfit.why + "; " + judgement.said;
    if (judgement.wrong == Wrong::offered && setbacks_ < kMisfitsOfHosts) {
        log::warn("a host told a block that does not fit the chain", {{"host", host}, {"why", why}});
        engine_.agreement.doubt(host);
        co_return co_await go_back();
    }
    if (judgement.wrong == Wrong::stored) {
        Refuted refuted{*misfit.known, why, judgement.telling_stored};
        co_return co_await remove_stored(std::move(refuted));
    }
    broken_ = why;
    log::error("the chain does not fit what is stored: this range stops here and stores nothing of it",
               {{"height", next_}, {"why", why}});
    engine_.state.heights.set_broken(next_, why);
    co_await give_up(next_, "broken_chain", why);
    co_return next_;
}

base::Task<void> Run::remove_refuted() {
    auto refuted = *engine_.state.heights.take_refuted();
    const auto stored = co_await engine_.stores.blocks.stored_block_below(refuted.block.height + 1);
    if (stored && stored->hash == refuted.block.hash) next_ = co_await remove_stored(std::move(refuted));
}

// The hosts agree on these blocks: only what they were told with is false.
base::Task<void> Run::remove_false_outcomes() {
    co_await flush();
    co_await engine_.writers.drain();
    removed_ = true;
    auto& heights = engine_.state.heights;
    base::HeightSet missing;
    auto left = heights.take_false_outcomes();
    std::exception_ptr failure;
    try {
        while (const auto height = left.first()) {
            const auto removed = co_await engine_.stores.blocks.remove_block(*height);
            left.subtract({*height, *height});
            missing.add(removed);
            engine_.state.on_lost(removed);
            log::error("outcomes of a stored block were not the chain's: its rows are removed",
                       {{"height", *height}});
        }
    } catch (...) {
        failure = std::current_exception();
        heights.forget_answers(left);
    }
    heights.learn_to_be_stored_again(missing);
    if (failure) std::rethrow_exception(failure);
    if (!missing.empty()) next_ = std::min(next_, *missing.first());
}

// The blocks linked above it that the hosts tell against go, too. No other run fills the gap before.
base::Task<base::Height> Run::remove_stored(Refuted refuted) {
    co_await flush();
    co_await engine_.writers.drain();
    removed_ = true;
    auto& blocks = engine_.stores.blocks;
    const auto lowest = refuted.block.height;
    base::HeightSet missing;
    while (true) {
        const auto& block = refuted.block;
        const auto removed = co_await blocks.remove_block(block.height);
        missing.add(removed);
        engine_.state.on_lost(removed);
        if (!refuted.with_all_above)
            log::error("a stored block was not of this chain: its rows are removed and fetched again",
                       {{"height", block.height}, {"hash", block.hash}, {"why", refuted.why}});
        for (const auto& host : refuted.told_by) engine_.agreement.doubt(host);
        auto above = co_await blocks.stored_block_above(block.height);
        if (!above || engine_.state.stop.requested()) break;
        if (refuted.with_all_above) {
            refuted.block = std::move(*above);
            continue;
        }
        if (above->prev_hash != block.hash) break;
        auto judgement = co_await engine_.agreement.about_stored(*above);
        if (judgement.wrong != Wrong::stored) break;
        refuted = {std::move(*above), std::move(judgement.said), std::move(judgement.telling_stored)};
    }
    auto& heights = engine_.state.heights;
    auto tip = heights.tip();
    if (!tip || tip->height <= refuted.block.height) tip = co_await blocks.stored_block_below(lowest);
    heights.learn_removed(missing, std::move(tip));
    engine_.state.head.fall_back(heights.tip());
    co_return missing.empty() ? next_ : std::min(next_, missing.ranges().front().from);
}

}  // namespace receiptd::follow
