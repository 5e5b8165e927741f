// Trees of which the outcomes are all known, and not all receipts (docs/verdicts.md "What is not known").
#include "chain/tree/lifecycle.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "chain/tree/text.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace receiptd::chain {
namespace {

using testing::find;
using testing::Parts;
using testing::random_story;
using testing::Story;

// As on a chain on which gas costs something: only what `system` made burns nothing.
Parts paid(Parts parts) {
    for (auto& part : parts)
        if (auto* outcome = std::get_if<OutcomeFacts>(&part))
            outcome->tokens_burnt = outcome->id.starts_with("refund") ? 0 : 5;
    return parts;
}

Parts without(Parts parts, const std::vector<std::string>& receipt_ids) {
    std::erase_if(parts, [&](const auto& part) {
        const auto* body = std::get_if<ReceiptFacts>(&part);
        return body &&
               std::find(receipt_ids.begin(), receipt_ids.end(), body->receipt_id) != receipt_ids.end();
    });
    return parts;
}

Decided decided_of(const Judgement& tree, bool in_vain = false) {
    TransactionFacts transaction;
    transaction.tx_hash = "TX";
    return decided(transaction, tree, in_vain);
}

// A promise that failed, and a callback that looked on.
Story handled_failure() {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "settle", "refund0"});
    story.receipt("call", "app", "other", {}, {"d"});
    story.fails("call", {"refund1"});
    story.receipt("settle", "app", "app", {"d"});
    story.ok("settle");
    story.receipt("refund0", "system", "alice");
    story.ok("refund0");
    story.receipt("refund1", "system", "app");
    story.ok("refund1");
    return story;
}

TEST(ReceiptsMissing, AFailureThatIsNotKnownHasNoRoleAndNobodyIsToldThatItIsUnhandled) {
    const auto tree = Story::judge(paid(without(handled_failure().parts, {"call"})));
    EXPECT_FALSE(tree.verdict);
    EXPECT_FALSE(tree.certain_verdict);
    EXPECT_TRUE(tree.undecided);
    EXPECT_TRUE(tree.settled);
    EXPECT_EQ(find(tree, "call").role, std::nullopt);
    EXPECT_EQ(find(tree, "call").handling, Handling::undecided);
    EXPECT_EQ(tree.missing_receipts, std::vector<std::string>{"call"});
    EXPECT_TRUE(decided_of(tree).empty());
}

TEST(ReceiptsMissing, SoDoesOneWhoseAwaitingReceiptIsNotKnown) {
    const auto tree = Story::judge(paid(without(handled_failure().parts, {"settle"})));
    EXPECT_FALSE(tree.verdict);
    EXPECT_EQ(find(tree, "call").handling, Handling::undecided);
    EXPECT_TRUE(decided_of(tree).empty());
}

TEST(ReceiptsMissing, ARefundIsKnownByItsOutcomeAndItsParent) {
    const auto tree = Story::judge(paid(without(handled_failure().parts, {"refund0", "refund1"})));
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(find(tree, "refund0").role, Role::refund);
    EXPECT_EQ(find(tree, "refund1").role, Role::refund);
    EXPECT_TRUE(find(tree, "refund0").is_from_system());
    EXPECT_FALSE(tree.undecided);
    EXPECT_EQ(tree.missing_receipts.size(), 2u) << "how much came back is not known";
    EXPECT_EQ(render_tree("TX", std::nullopt, tree).find("deposit refund"), std::string::npos)
        << "nor whether it is gas or a deposit";
}

TEST(ReceiptsMissing, MoneyIsNotKnownWhereAnyReceiptIsNot) {
    const auto whole = decided_of(Story::judge(paid(handled_failure().parts)));
    ASSERT_EQ(whole.results.size(), 1u);
    EXPECT_TRUE(whole.results[0].money_is_known);
    EXPECT_TRUE(whole.results[0].effect);
    const auto in_part = decided_of(Story::judge(paid(without(handled_failure().parts, {"refund1"}))));
    ASSERT_EQ(in_part.results.size(), 1u);
    EXPECT_EQ(in_part.results[0].verdict, whole.results[0].verdict);
    EXPECT_FALSE(in_part.results[0].money_is_known);
    EXPECT_FALSE(in_part.results[0].effect) << "the refund that is not known may be all of the deposit";
}

TEST(ReceiptsMissing, WhereGasIsFreeOnlyTheChildOfAFailureIsARefund) {
    const auto tree = Story::judge(without(handled_failure().parts, {"refund0", "refund1"}));
    EXPECT_EQ(find(tree, "refund0").role, std::nullopt);
    EXPECT_EQ(find(tree, "refund1").role, Role::refund);
}

TEST(ReceiptsMissing, NothingThatFailedNeedsNone) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call"});
    story.ok("call");
    const auto tree = Story::judge(paid(story.parts));
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_EQ(find(tree, "call").role, std::nullopt);
}

TEST(ReceiptsMissing, AResultOfTheTransactionThatFailedMayBeACallback) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "last", {"call", "last"});
    story.receipt("call", "app", "other", {}, {"d"});
    story.ok("call");
    story.fails("last");
    EXPECT_FALSE(Story::judge(paid(story.parts)).verdict);
    story.receipt("last", "app", "app", {"d"});
    EXPECT_EQ(Story::judge(paid(story.parts)).verdict, Verdict::callback_failed);
}

TEST(ReceiptsMissing, AskedForInVainTheyAreOneFindingWithWhatIsCertain) {
    const auto tree = Story::judge(paid(without(handled_failure().parts, {"settle"})));
    const auto told = decided_of(tree, true);
    EXPECT_TRUE(told.results.empty());
    ASSERT_EQ(told.findings.size(), 1u);
    EXPECT_EQ(told.findings[0].kind, kind::kUndecided);
    EXPECT_EQ(told.findings[0].finding_id, "undecided:TX");
    EXPECT_EQ(told.findings[0].handled, std::nullopt);
    EXPECT_EQ(told.findings[0].failure.error_class, kReceiptsMissing);
    EXPECT_NE(told.findings[0].failure.error_text.find("call of other (contract_panic)"), std::string::npos);
    EXPECT_TRUE(decided_of(handled_failure().judge(), true).findings[0].kind == kind::kFailedReceipt);
}

TEST(ReceiptsMissing, AWatchWaitsAndSaysWhy) {
    const auto tree = Story::judge(paid(without(handled_failure().parts, {"settle"})));
    WatchState state;
    step(state, {}, tree_seen_so_far(tree), {});
    EXPECT_EQ(state.stage, Stage::executing);
    EXPECT_EQ(state.reason, kReceiptsMissing);
    step(state, {}, tree_seen(tree), {});
    EXPECT_EQ(state.stage, Stage::final);
    EXPECT_EQ(state.verdict, std::nullopt);
    EXPECT_EQ(state.reason, kReceiptsMissing);
}

// Whatever is left out: what is said is true.
TEST(ReceiptsMissing, NothingIsSaidThatTheWholeTreeDoesNotSay) {
    std::mt19937 random(43);
    std::size_t open = 0;
    std::size_t certain = 0;
    for (int round = 0; round < 400; ++round) {
        const auto parts = paid(random_story(random).parts);
        const auto whole = Story::judge(parts);
        if (!whole.settled) continue;
        std::vector<std::string> gone;
        for (const auto& receipt : whole.receipts)
            if (receipt.role != Role::initial && random() % 3 == 0) gone.push_back(receipt.receipt_id);
        const auto tree = Story::judge(without(parts, gone));
        if (tree.verdict) {
            ASSERT_EQ(tree.verdict, whole.verdict) << "round " << round;
        }
        for (const auto& receipt : tree.receipts) {
            const auto& truth = find(whole, receipt.receipt_id);
            if (receipt.role) {
                ASSERT_EQ(receipt.role, truth.role) << "round " << round;
            }
            if (receipt.handling != Handling::undecided) {
                ASSERT_EQ(receipt.handling, truth.handling) << "round " << round;
            }
        }
        tree.verdict ? ++certain : ++open;
    }
    EXPECT_GT(open, 20u);
    EXPECT_GT(certain, 40u);
}

}  // namespace
}  // namespace receiptd::chain
