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
constexpr std::size_t kAnswersHeld = 400;   // of trees, until their blocks are stored again
constexpr unsigned kMostAttempts = 8;       // some four minutes
constexpr base::BackoffPolicy kAskOthersAgain{1s, 60s, 2.0, 0.2};

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
    base::HeightSet refuted_now;
    while (!is_last && found < kRefutedAtOnce && !state_.stop.requested()) {
        const auto compared = co_await store_.compare_outcomes(from, agreed);
        refuted_now.add(compared.refuted);
        for (const auto& range : compared.refuted.ranges())
            for (auto height = range.from; height <= range.to && found < kRefutedAtOnce; ++height, ++found)
                co_await refuted(height, agreed);
        if (compared.is_waited_for) state_.want_agreement();
        from = compared.next;
        is_last = compared.is_last;
    }
    const auto is_over = [&](const auto& attempt) {
        return !refuted_now.contains(attempt.first) && !state_.heights.is_being_corrected(attempt.first) &&
               state_.heights.stored(attempt.first);
    };
    if (is_last) std::erase_if(attempts_, is_over);
}

// A host that does not answer has not said that the outcomes are true: it is asked again.
base::Task<void> OutcomeCheck::refuted(base::Height height, base::Height agreed) {
    auto& heights = state_.heights;
    if (heights.is_being_corrected(height) || heights.answers_held() >= kAnswersHeld) co_return;
    if (!agreement_.among_several()) co_return co_await leave(height, "no other host is configured");
    auto& attempts = attempts_[height];
    if (attempts.all_answered) co_return co_await leave(height, "no other host gives other ones");
    if (attempts.count >= kMostAttempts) co_return co_await leave(height, "other hosts did not answer");
    if (state_.clock.steady() < attempts.next_at) co_return;
    if (attempts.count++ == 0) state_.series.false_outcome_blocks.Increment();
    auto answers = co_await ask(co_await store_.false_outcomes(height, agreed));
    attempts.all_answered = answers.all_answered;
    attempts.next_at = state_.clock.steady() + base::backoff_delay(kAskOthersAgain, attempts.count, 0.5);
    if (answers.each_has_one) heights.refute_outcomes(height, std::move(answers.amendment));
}

base::Task<void> OutcomeCheck::leave(base::Height height, std::string because) {
    log::warn("outcomes of a block are not those that the chain has: they stay, marked as not confirmed",
              {{"height", height}, {"because", because}});
    base::HeightSet one;
    one.add(height);
    co_await store_.leave_unconfirmed(std::move(one));
}

base::Task<OutcomeCheck::Answers> OutcomeCheck::ask(storage::FalseOutcomes wrong) {
    Answers answers;
    answers.amendment.roots = std::move(wrong.roots);
    for (const auto& tree : wrong.trees) {
        if (state_.stop.requested()) answers.each_has_one = answers.all_answered = false;
        if (!answers.each_has_one) break;
        co_await ask(tree, answers);
    }
    co_return std::move(answers);
}

// Two hosts, because one of them may be the next liar.
base::Task<void> OutcomeCheck::ask(const storage::FalseOutcomes::Tree& tree, Answers& answers) {
    std::string asked;
    for (const bool is_first : {true, false}) {
        rpc::TreeSource::Query query;
        query.tx_hash = tree.tx_hash;
        query.sender_id = tree.sender_id;
        query.priority = rpc::Priority::gap;
        query.elsewhere_than = asked;
        auto answer = co_await trees_.tree(std::move(query));
        if (auto* found = std::get_if<rpc::TreeSource::Tree>(&answer)) {
            if (found->host == asked) co_return;  // no other one has a word
            asked = found->host;
            if (!found->complete) answers.all_answered = false;  // it may not have come to this block
            answers.amendment.statuses.push_back(std::move(found->status));
            continue;
        }
        const auto* unknown = std::get_if<rpc::TreeSource::Unknown>(&answer);
        if (unknown != nullptr && !unknown->doubtful) co_return;  // the tree itself is invented
        answers.all_answered = false;
        if (is_first) answers.each_has_one = false;
        co_return;
    }
}

}  // namespace receiptd::follow
