#include "chain/tree/silence.hpp"

#include "chain/tree/live_trees.hpp"

#include "chain_builder.hpp"
#include "tree_story.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::executed;
using testing::failed;
using testing::Story;
using testing::transaction;

// app.swap calls dex.swap, which fails; `seen` awaits it and spawns these.
Story seen_failure(std::vector<std::string> children) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "seen"});
    story.receipt("call", "app", "dex", {}, {"d"});
    story.fails("call");
    story.receipt("seen", "app", "app", {"d"});
    story.ok("seen", std::move(children));
    return story;
}

const Finding& finding_of_call(const Judgement& tree) { return tree.failures.at(0).finding; }

TEST(Silence, AFailureThatItsCallbackSaysNothingOfIsSwallowed) {
    auto story = seen_failure({"refund"});
    EXPECT_FALSE(finding_of_call(story.judge()).effect) << "it may be no refund";
    story.receipt("refund", "system", "alice");
    EXPECT_EQ(story.judge().effect, Effect::swallowed) << "only refunds can be missing";
    story.ok("refund");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(finding_of_call(tree).effect, Effect::swallowed);
    EXPECT_EQ(tree.effect, Effect::swallowed);
}

TEST(Silence, AFailureThatItsCallbackLogsOrGoesOnFromIsTold) {
    auto logging = seen_failure({});
    logging.logs();
    EXPECT_EQ(finding_of_call(logging.judge()).effect, Effect::told);
    EXPECT_EQ(logging.judge().effect, Effect::told);
    auto going_on = seen_failure({"pay"});
    going_on.receipt("pay", "app", "token");
    EXPECT_FALSE(finding_of_call(going_on.judge()).effect);
    going_on.ok("pay");
    EXPECT_EQ(finding_of_call(going_on.judge()).effect, Effect::told);
}

TEST(Silence, AFailureThatNobodyHandledHasNoEffect) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call"});
    story.receipt("call", "app", "dex");
    story.fails("call");
    EXPECT_FALSE(finding_of_call(story.judge()).effect);
    EXPECT_FALSE(story.judge().effect);
}

TEST(Silence, ALogAValueOrAnotherReceiptSpeaks) {
    Outcome outcome;
    EXPECT_FALSE(speaks(outcome));
    outcome.status.success_value = kNullInBase64;
    EXPECT_FALSE(speaks(outcome));
    outcome.status.success_value = "IiI=";  // ""
    EXPECT_TRUE(speaks(outcome));
    outcome.status = {};
    outcome.status.success_receipt_id = "next";
    EXPECT_TRUE(speaks(outcome));
    outcome.status = {};
    outcome.logs = {""};
    EXPECT_TRUE(speaks(outcome));
}

// TX -> A -> P (fails), C (awaits P) -> F (refund, burnt)
TEST(Silence, WhileBlocksGoByTheFindingWaitsForTheRefund) {
    LiveTrees live;
    const auto sent = transaction("TX", "alice", "app", "A");
    live.transaction(sent.transaction, *sent.outcome, {10, 0});
    const auto initial = executed(action_receipt("A", "alice", "app", "alice"), {"P", "C"});
    live.executed("TX", {"", initial.receipt, initial.outcome, Role::initial, OnResultChain::yes}, {11, 0});
    auto promise = executed(action_receipt("P", "app", "dex", "alice"));
    promise.receipt.output_data_receivers = {{"d", "app"}};
    promise.outcome = failed(promise.outcome);
    live.executed("TX", {"A", promise.receipt, promise.outcome, Role::promise}, {12, 0});
    auto callback = executed(action_receipt("C", "app", "app", "alice"), {"F"});
    callback.receipt.input_data_ids = {"d"};
    live.executed("TX", {"A", callback.receipt, callback.outcome, Role::callback}, {13, 0});
    EXPECT_TRUE(live.end_of_block().findings.empty());
    auto refund = executed(action_receipt("F", "system", "alice", "alice"));
    refund.outcome = failed(refund.outcome);
    Action transfer;
    transfer.deposit = 5;
    refund.receipt.actions = {transfer};
    live.executed("TX", {"C", refund.receipt, refund.outcome, Role::refund}, {14, 0});
    const auto decided = live.end_of_block();
    ASSERT_EQ(decided.findings.size(), 2u);
    EXPECT_EQ(decided.findings[0].finding_id, "failed_receipt:P");
    EXPECT_EQ(decided.findings[0].effect, Effect::swallowed);
    EXPECT_EQ(decided.findings[1].finding_id, "burnt_tokens:F");
    EXPECT_EQ(decided.findings[1].burnt, 5u);
    EXPECT_EQ(decided.results.at(0).effect, Effect::tokens_lost) << "which is worse";
}

}  // namespace
}  // namespace receiptd::chain
