#include "follow/outcome_check.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "rpc/amend.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kBetweenComparisons = 200ms;
constexpr base::Duration kCompareAtLeastEvery = 2s;  // gaps below the agreed height are filled meanwhile
constexpr std::chrono::seconds kLongestHold{30};
constexpr std::size_t kRefutedAtOnce = 64;     // blocks; the rest is found again
constexpr std::size_t kAnswersHeld = 400;      // of trees, until their blocks are stored again
constexpr base::Height kBeginsWithin = 1'200;  // trees
constexpr unsigned kMostAttempts = 8;          // some four minutes
constexpr base::BackoffPolicy kAskOthersAgain{1s, 60s, 2.0, 0.2};

void take(rpc::TreeSource::Tree found, rpc::BlockContents::Amendment& amendment) {
    amendment.statuses.push_back(std::move(found.status));
    for (auto& body : found.extra_receipts) amendment.bodies.push_back(std::move(body));
}

}  // namespace

base::Task<void> OutcomeCheck::hold_alerts() {
    std::optional<std::chrono::seconds> hold;
    if (blocks_tell_outcomes_ && agreement_.among_several()) hold = kLongestHold;
    co_await store_.hold_alerts(hold);
}

base::Task<void> OutcomeCheck::run() {
    base::Wakeup wakeup(executor_, {&state_.heights.changed, &state_.stop.signal});
    base::Height compared_up_to = 0;
    base::SteadyTime compared_at{};
    while (!state_.stop.requested()) {
        const auto agreed = state_.heights.agreed();
        const auto now = state_.clock.steady();
        if (agreed > 0 && (agreed != compared_up_to || now >= compared_at + kCompareAtLeastEvery)) {
            const base::HeightRange all{0, agreed};
            co_await compare(all, agreed);
            compared_up_to = agreed;
            compared_at = now;
            co_await state_.pause(kBetweenComparisons);
        }
        co_await wakeup.wait_for(kCompareAtLeastEvery);
    }
}

base::Task<base::HeightSet> OutcomeCheck::compare_stored(base::HeightRange range) {
    return compare(range, state_.heights.agreed());
}

base::Task<base::HeightSet> OutcomeCheck::compare(base::HeightRange range, base::Height agreed) {
    std::size_t found = 0;
    base::Height from = range.from;
    bool is_last = false;
    base::HeightSet refuted_now;
    while (!is_last && found < kRefutedAtOnce && !state_.stop.requested()) {
        const auto compared = co_await store_.compare_outcomes(from, agreed);
        const auto here = compared.refuted.within(range);
        refuted_now.add(here);
        for (const auto& [first, last] : here.ranges())
            for (auto height = first; height <= last && found < kRefutedAtOnce; ++height, ++found)
                co_await refuted(height, agreed);
        if (compared.is_waited_for) state_.want_agreement();
        from = compared.next;
        is_last = compared.is_last || from > range.to;
    }
    const auto is_over = [&](const auto& attempt) {
        return !refuted_now.contains(attempt.first) && !state_.heights.is_being_corrected(attempt.first) &&
               state_.heights.stored(attempt.first);
    };
    if (is_last) std::erase_if(attempts_, is_over);
    co_return refuted_now;
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
    // Transactions of a block that is just being corrected are not found.
    const base::HeightRange below{height - std::min(height, kBeginsWithin), height};
    bool is_whole_below = heights.is_whole(below);
    auto wrong = co_await store_.false_outcomes(height, agreed);
    is_whole_below = is_whole_below && heights.is_whole(below);
    // Trees of which nothing is stored there are many, and seldom left out.
    const bool for_all = attempts.was_amended || wrong.trees.empty();
    auto answers = co_await ask(height, std::move(wrong), for_all);
    attempts.all_answered = for_all && is_whole_below && answers.all_answered;
    attempts.was_amended = answers.each_has_one;
    attempts.next_at = state_.clock.steady() + state_.wait_before(kAskOthersAgain, attempts.count);
    if (answers.each_has_one) heights.refute_outcomes(height, std::move(answers.amendment));
}

base::Task<void> OutcomeCheck::leave(base::Height height, std::string because) {
    log::warn("outcomes of a block are not those that the chain has: they stay, marked as not confirmed",
              {{"height", height}, {"because", because}});
    base::HeightSet one;
    one.add(height);
    co_await store_.leave_unconfirmed(std::move(one));
}

base::Task<OutcomeCheck::Answers> OutcomeCheck::ask(base::Height height, storage::FalseOutcomes wrong,
                                                    bool for_all) {
    Answers answers;
    answers.amendment.roots = std::move(wrong.roots);
    answers.amendment.stored = std::move(wrong.stored);
    for (const auto& tree : wrong.trees) {
        if (state_.stop.requested()) answers.each_has_one = answers.all_answered = false;
        if (!answers.each_has_one) break;
        co_await ask_for_stored(tree, answers);
    }
    if (!for_all || !answers.each_has_one) co_return std::move(answers);
    const auto others = co_await possible(height, wrong, answers);
    for (const auto& tree : others) {
        if (state_.stop.requested()) answers.each_has_one = answers.all_answered = false;
        if (!answers.each_has_one) break;
        co_await ask_for_possible(tree, answers);
    }
    co_return std::move(answers);
}

// Trees of which an outcome may have been left out of the block.
base::Task<std::vector<OutcomeCheck::Tree>> OutcomeCheck::possible(base::Height height,
                                                                   const storage::FalseOutcomes& wrong,
                                                                   Answers& answers) {
    auto possible = wrong.unfinished;
    const auto listed = co_await others_.blocks.fetch(height, rpc::Priority::gap, true);
    if (const auto* block = std::get_if<std::unique_ptr<rpc::BlockContents>>(&listed))
        (*block)->for_each_transaction([&](const chain::SignedTransaction& each) {
            possible.push_back({std::string(each.hash), std::string(each.signer_id)});
        });
    else
        answers.all_answered = false;
    std::set<std::string> asked;
    for (const auto& tree : wrong.trees) asked.insert(tree.tx_hash);
    std::erase_if(possible, [&](const Tree& tree) { return !asked.insert(tree.tx_hash).second; });
    co_return possible;
}

base::Task<rpc::TreeSource::TreeResult> OutcomeCheck::tree(const Tree& tree, std::string elsewhere_than) {
    rpc::TreeSource::Query query;
    query.tx_hash = tree.tx_hash;
    query.sender_id = tree.sender_id;
    query.priority = rpc::Priority::gap;
    query.elsewhere_than = std::move(elsewhere_than);
    return others_.trees.tree(std::move(query));
}

// Two hosts, because one of them may be the next liar.
base::Task<void> OutcomeCheck::ask_for_stored(const Tree& tree, Answers& answers) {
    std::string asked;
    for (const bool is_first : {true, false}) {
        auto answer = co_await this->tree(tree, asked);
        if (auto* found = std::get_if<rpc::TreeSource::Tree>(&answer)) {
            if (found->host == asked) co_return;  // no other one has a word
            asked = found->host;
            if (!found->complete) answers.all_answered = false;  // it may not have come to this block
            take(std::move(*found), answers.amendment);
            continue;
        }
        const auto* unknown = std::get_if<rpc::TreeSource::Unknown>(&answer);
        if (unknown != nullptr && !unknown->doubtful) co_return;  // the tree itself is invented
        answers.all_answered = false;
        if (is_first) answers.each_has_one = false;
        co_return;
    }
}

// Only a host that shows an outcome of the block says something about it.
base::Task<void> OutcomeCheck::ask_for_possible(const Tree& tree, Answers& answers) {
    std::string asked;
    for (int hosts = 0; hosts < 2; ++hosts) {
        auto answer = co_await this->tree(tree, asked);
        auto* found = std::get_if<rpc::TreeSource::Tree>(&answer);
        if (found == nullptr) answers.all_answered = false;
        if (found == nullptr || found->host == asked) co_return;
        asked = found->host;
        if (!rpc::proves_some(found->status.value, answers.amendment)) continue;
        take(std::move(*found), answers.amendment);
        co_return;
    }
}

}  // namespace receiptd::follow
