// A yield that nobody resumed in time is a finding; its resume tells that, and nothing else does.
#include "chain/tree/sentences.hpp"
#include "tree_story.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::find;
using testing::Story;

Story yielding() {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"yield"});
    story.receipt("yield", "app", "app", {"y"}).is_promise_yield = true;
    return story;
}

TEST(Yields, ThatTimedOutAreFindingsThoughNothingFailed) {
    auto story = yielding();
    story.data("y", true, true);
    story.ok("yield");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "yield").yield_timed_out, true);
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    ASSERT_EQ(tree.other_findings.size(), 1u);
    const auto& finding = tree.other_findings[0];
    EXPECT_EQ(finding.finding_id, "yield_timed_out:yield");
    EXPECT_EQ(finding.failure.error_class, "yield_timed_out");
    EXPECT_EQ(finding.contract_id, "app");
    EXPECT_EQ(finding.role, Role::callback);
    EXPECT_EQ(finding.handled, true);
}

TEST(Yields, ThatTimedOutAndPanickedAreCallbacksThatFailed) {
    auto story = yielding();
    story.data("y", true, true);
    story.fails("yield");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::callback_failed);
    ASSERT_EQ(tree.other_findings.size(), 1u);
    EXPECT_EQ(tree.other_findings[0].handled, false);
}

TEST(Yields, ThatWereResumedAreNoFindingsHoweverLate) {
    auto story = yielding();
    story.data("y", false, true);
    story.height += 100'000;
    story.ok("yield");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "yield").yield_timed_out, false);
    EXPECT_TRUE(tree.other_findings.empty());
}

TEST(Yields, HowTheyEndedIsNotKnownWithoutTheirResume) {
    auto story = yielding();
    story.height += 100'000;
    story.ok("yield");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "yield").yield_timed_out, std::nullopt);
    EXPECT_TRUE(tree.other_findings.empty());
    EXPECT_EQ(timeouts_in_words(tree), "1 yield may have timed out");
}

TEST(Yields, ThatTimedOutAreToldBeforeTheirTreeIsSettled) {
    auto story = yielding();
    story.data("y", true, true);
    story.ok("yield", {"more"});
    TransactionFacts transaction;
    transaction.tx_hash = "TX";
    const auto decided = chain::decided(transaction, story.judge());
    EXPECT_TRUE(decided.results.empty());
    ASSERT_EQ(decided.findings.size(), 1u);
    EXPECT_EQ(decided.findings[0].kind, kind::kYieldTimedOut);
}

}  // namespace
}  // namespace receiptd::chain
