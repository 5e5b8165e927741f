#include "follow/confirmation.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

constexpr base::Height kEvery = 16;  // heights: one question more for each host in 16 blocks
constexpr auto kAtLeastEvery = std::chrono::seconds(10);
constexpr auto kSoon = std::chrono::seconds(2);  // where something waits for it
// Two hosts that have no block at a height may lag, or it is skipped: the blocks above tell.
constexpr unsigned kLookedAt = 4;

}  // namespace

Confirmation::Confirmation(base::asio::any_io_executor executor, Agreement& agreement,
                           storage::BlockStore& blocks, State& state)
    : executor_(std::move(executor)), agreement_(agreement), blocks_(blocks), state_(state) {}

base::Task<void> Confirmation::run() {
    asked_about_ = 0;
    base::Wakeup wakeup(executor_, {&state_.heights.changed, &state_.stop.signal});
    while (!state_.stop.requested()) {
        const auto tip = state_.heights.tip();
        if (tip && is_due(*tip)) {
            state_.agreement_wanted = false;
            co_await ask_about(*tip);
            asked_about_ = tip->height;
            asked_at_ = state_.clock.steady();
            continue;
        }
        if (state_.agreement_wanted)
            co_await wakeup.wait_for(kSoon);
        else
            co_await wakeup.wait_for(kAtLeastEvery);
    }
}

bool Confirmation::is_due(const chain::BlockRef& tip) const {
    if (tip.height <= state_.heights.agreed()) return false;
    if (state_.agreement_wanted && state_.clock.steady() >= asked_at_ + kSoon) return true;
    return !agreement_.among_several() || tip.height >= asked_about_ + kEvery ||
           state_.clock.steady() >= asked_at_ + kAtLeastEvery;
}

base::Task<void> Confirmation::ask_about(chain::BlockRef tip) {
    if (!agreement_.among_several()) {
        state_.times.agree_on(tip);
        state_.heights.agree_up_to(tip.height);
        co_return;
    }
    const auto told = co_await agreement_.on(tip);
    if (told == Told::yes) {
        state_.heights.agree_up_to(tip.height);
        state_.set_unconfirmed("");
        co_return co_await agreement_.end_one_host();
    }
    auto unconfirmed = co_await lowest_unconfirmed(std::move(tip));
    co_await look_for_contradiction(std::move(unconfirmed));
}

base::Task<chain::BlockRef> Confirmation::lowest_unconfirmed(chain::BlockRef tip) {
    auto sure = state_.heights.agreed();
    auto unconfirmed = std::move(tip);
    while (sure + 1 < unconfirmed.height && !state_.stop.requested()) {
        const auto middle = sure + (unconfirmed.height - sure) / 2;
        auto block = co_await blocks_.stored_block_below(middle + 1);
        Agreement::Judgement judgement;
        if (block && block->height > sure) judgement = co_await agreement_.about_stored(*block);
        if (judgement.told == Told::yes) state_.heights.agree_up_to(block->height);
        if (judgement.spoken_against && judgement.told != Told::yes)
            unconfirmed = std::move(*block);
        else
            sure = middle;
    }
    co_return unconfirmed;
}

base::Task<void> Confirmation::look_for_contradiction(chain::BlockRef unconfirmed) {
    std::optional<chain::BlockRef> block = std::move(unconfirmed);
    for (unsigned looked = 0; block && looked < kLookedAt && !state_.stop.requested(); ++looked) {
        auto judgement = co_await agreement_.about_stored(*block);
        if (looked == 0)
            state_.set_unconfirmed("block " + std::to_string(block->height) + " (" + block->hash +
                                   ") and those above are not told by two hosts: " + judgement.said);
        if (judgement.contradicted) {
            state_.heights.refute(
                {std::move(*block), std::move(judgement.said), std::move(judgement.telling_stored)});
            co_return;
        }
        const auto since = state_.heights.coverage().one_host_since;
        if (judgement.opposed && since && state_.heights.agreed() < *since)
            co_return co_await begin_again(*since, judgement.said);
        block = co_await blocks_.stored_block_above(block->height);
    }
}

// Which of the two is right, nobody can tell: neither is doubted.
base::Task<void> Confirmation::begin_again(base::Height since, const std::string& because) {
    auto first = co_await blocks_.stored_block_above(since - 1);
    if (!first) co_return;
    log::error(
        "a second host contradicts the one by whose word the database began: its blocks are removed, "
        "and fetched when hosts agree",
        {{"since", since}, {"because", because}});
    state_.heights.refute({std::move(*first), because, {}, true});
}

}  // namespace receiptd::follow
