#include "chain/tree/effect.hpp"
#include "chain/tree/live_trees.hpp"

#include "chain_builder.hpp"
#include "tree_story.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::executed;
using testing::Story;
using testing::transaction;

TEST(TokenFlows, AreToldByTheCallbacksOfTheStandards) {
    EXPECT_EQ(token_flow("ft_resolve_transfer", R"({"amount":"100"})", R"("60")"), (TokenFlow{60, 40}));
    EXPECT_EQ(token_flow("ft_resolve_transfer", R"({"amount":"100"})", R"("100")"), (TokenFlow{100, 0}));
    EXPECT_EQ(token_flow("nft_resolve_transfer", "{}", "true"), (TokenFlow{1, 0}));
    EXPECT_EQ(token_flow("nft_resolve_transfer", "{}", "false"), (TokenFlow{0, 1}));
    EXPECT_EQ(token_flow("mt_resolve_transfer", R"({"amounts":["10","5"]})", R"(["10","0"])"),
              (TokenFlow{10, 5}));
}

TEST(TokenFlows, WhatIsNotAsTheStandardHasItTellsNothing) {
    EXPECT_EQ(token_flow("ft_resolve_transfer", R"({"amount":"100"})", R"("101")"), std::nullopt);
    EXPECT_EQ(token_flow("ft_resolve_transfer", R"({"amount":"100"})", ""), std::nullopt);
    EXPECT_EQ(token_flow("ft_resolve_transfer", R"({"amount":100})", R"("60")"), std::nullopt);
    EXPECT_EQ(token_flow("ft_resolve_transfer", "no json", R"("60")"), std::nullopt);
    EXPECT_EQ(token_flow("nft_resolve_transfer", "{}", R"("60")"), std::nullopt);
    EXPECT_EQ(token_flow("mt_resolve_transfer", R"({"amounts":["10",5]})", R"(["10","0"])"), std::nullopt);
    EXPECT_FALSE(is_token_callback("resolve_transfer"));
}

TEST(TokenFlows, AreRefundedInFullOrInPart) {
    EXPECT_EQ(effect_of({100, 0}), std::nullopt);
    EXPECT_EQ(effect_of({60, 40}), Effect::refunded_in_part);
    EXPECT_EQ(effect_of({0, 100}), Effect::refunded);
    EXPECT_EQ(parse_effect(effect_name(Effect::refunded_in_part)), Effect::refunded_in_part);
}

// A token transfer call of 100 whose receiver fails or not, and of which that much is kept.
Story transfer_of(const char* kept, bool receiver_fails) {
    Story story;
    story.receipt("r0", "alice", "token");
    story.returns("r0", "settle", {"call", "settle"});
    story.receipt("call", "token", "dex", {}, {"d"});
    receiver_fails ? story.fails("call") : story.ok("call");
    auto& settle = story.receipt("settle", "token", "token", {"d"});
    settle.method_name = "ft_resolve_transfer";
    settle.token_args = R"({"amount":"100"})";
    story.ok("settle");
    std::get<OutcomeFacts>(story.parts.back()).value = kept;
    std::get<OutcomeFacts>(story.parts.back()).speaks = true;
    return story;
}

TEST(TokenFlows, TokensThatAReceiverGaveBackAreAFindingThoughNothingFailed) {
    const auto tree = transfer_of(R"("60")", false).judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_EQ(tree.effect, Effect::refunded_in_part);
    ASSERT_EQ(tree.other_findings.size(), 1u);
    const auto& finding = tree.other_findings[0];
    EXPECT_EQ(finding.finding_id, "tokens_returned:settle");
    EXPECT_EQ(finding.contract_id, "token");
    EXPECT_EQ(finding.flow, (TokenFlow{60, 40}));
    EXPECT_EQ(finding.effect, Effect::refunded_in_part);
    EXPECT_EQ(transfer_of(R"("0")", false).judge().effect, Effect::refunded);
    EXPECT_TRUE(transfer_of(R"("100")", false).judge().other_findings.empty());
    EXPECT_EQ(transfer_of(R"("100")", false).judge().effect, std::nullopt);
}

TEST(TokenFlows, WhatComesBackOfAFailureIsTheFailuresEffect) {
    const auto tree = transfer_of(R"("0")", true).judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(tree.effect, Effect::refunded);
    EXPECT_TRUE(tree.other_findings.empty());
    EXPECT_EQ(tree.failures.at(0).finding.effect, Effect::refunded);
}

// TX -> A [ft_resolve_transfer of 100, of which 60 are kept], told by blocks.
TEST(TokenFlows, AreToldWhileBlocksGoBy) {
    LiveTrees live;
    const auto sent = transaction("TX", "alice.near", "token.near", "A");
    live.transaction(sent.transaction, *sent.outcome, {10, 0});
    auto settle = executed(action_receipt("A", "token.near", "token.near", "alice.near"));
    Action call;
    call.kind = ActionKind::function_call;
    call.method_name = "ft_resolve_transfer";
    call.args = "eyJhbW91bnQiOiIxMDAifQ==";  // {"amount":"100"}
    settle.receipt.actions = {call};
    settle.outcome.status.success_value = "IjYwIg==";  // "60"
    live.executed("TX", {"", settle.receipt, settle.outcome, Role::initial}, {11, 0});
    const auto decided = live.end_of_block();
    ASSERT_EQ(decided.results.size(), 1u);
    EXPECT_EQ(decided.results[0].effect, Effect::refunded_in_part);
    ASSERT_EQ(decided.findings.size(), 1u);
    EXPECT_EQ(decided.findings[0].finding_id, "tokens_returned:A");
    EXPECT_EQ(decided.findings[0].tx_hash, "TX");
    EXPECT_EQ(decided.findings[0].signer_id, "alice.near");
    EXPECT_EQ(decided.findings[0].flow, (TokenFlow{60, 40}));
}

}  // namespace
}  // namespace receiptd::chain
