#include "follow/outcome_check.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "metrics/registry.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kBetweenComparisons = 200ms;
constexpr base::Duration kCompareAtLeastEvery = 2s;  // gaps below the agreed height are filled meanwhile
constexpr std::chrono::seconds kLongestHold{30};
constexpr std::size_t kRefutedAtOnce = 64;  // blocks; the rest is found again

}  // namespace

base::Task<void> OutcomeCheck::run() {
    base::Wakeup wakeup(executor_, {&state_.heights.changed, &state_.stop.signal});
    std::optional<std::chrono::seconds> hold;
    if (blocks_tell_outcomes_ && agreement_.among_several()) hold = kLongestHold;
    co_await store_.hold_alerts(hold);
    base::Height compared_up_to = 0;
    base::SteadyTime compared_at{};
    while (!state_.stop.requested()) {
        const auto agreed = state_.heights.agreed();
        const auto now = state_.clock.steady();
        if (agreed > 0 && (agreed != compared_up_to || now >= compared_at + kCompareAtLeastEvery)) {
            co_await compare(agreed);
            compared_up_to = agreed;
            compared_at = now;
            co_await state_.pause(kBetweenComparisons);
        }
        co_await wakeup.wait_for(kCompareAtLeastEvery);
    }
}

base::Task<void> OutcomeCheck::compare(base::Height agreed) {
    std::size_t found = 0;
    base::Height from = 0;
    bool is_last = false;
    while (!is_last && found < kRefutedAtOnce && !state_.stop.requested()) {
        const auto compared = co_await store_.compare_outcomes(from, agreed);
        for (const auto& range : compared.refuted.ranges())
            for (auto height = range.from; height <= range.to && found < kRefutedAtOnce; ++height, ++found)
                co_await refuted(height, agreed);
        if (compared.is_waited_for) state_.want_agreement();
        from = compared.next;
        is_last = compared.is_last;
    }
}

// Outcomes that were had from other hosts and differ all the same stay as they are.
base::Task<void> OutcomeCheck::refuted(base::Height height, base::Height agreed) {
    if (state_.heights.is_being_corrected(height)) co_return;
    const bool tried = state_.heights.was_corrected(height);
    if (!tried && agreement_.among_several()) {
        state_.series.false_outcome_blocks.Increment();
        auto wrong = co_await store_.false_outcomes(height, agreed);
        state_.heights.refute_outcomes(height, std::move(wrong));
        co_return;
    }
    log::warn("outcomes of a block are not those that the chain has: they stay, marked as not confirmed",
              {{"height", height},
               {"because", tried ? "no other host has told them" : "no other host is configured"}});
    base::HeightSet one;
    one.add(height);
    co_await store_.leave_unconfirmed(std::move(one));
}

}  // namespace receiptd::follow
