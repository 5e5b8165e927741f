// From the first word of a transaction to its end.
#include "chain/tree/lifecycle.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace receiptd::chain {
namespace {

WatchedTransaction known_by_hash() {
    WatchedTransaction transaction;
    transaction.tx_hash = "TX";
    transaction.watched_since = 100;
    return transaction;
}
WatchedTransaction handed_in() {
    auto transaction = known_by_hash();
    transaction.nonce = 7;
    transaction.valid_until = 1000;
    transaction.block_hash = "BLOCK";
    transaction.block_hash_height = 899;
    return transaction;
}

TreeSeen finished(Verdict verdict = Verdict::succeeded) {
    TreeSeen seen;
    seen.included_at = ExecutedAt{110, 1};
    seen.initial_at = ExecutedAt{111, 2};
    seen.completed_at = ExecutedAt{115, 3};
    seen.settled_at = ExecutedAt{116, 4};
    seen.verdict = verdict;
    return seen;
}

NotIncludedUpTo not_in(BlockHeight height) {
    NotIncludedUpTo seen;
    seen.height = height;
    return seen;
}

class Life {
public:
    explicit Life(WatchedTransaction watched) : transaction(std::move(watched)) {}
    Life& sees(const Observation& observation) {
        for (auto& transition : step(state, transaction, observation, LifecycleRules()))
            transitions.push_back(std::move(transition));
        return *this;
    }
    std::string path() const {
        std::string text = "accepted";
        for (const auto& transition : transitions) text += " " + std::string(stage_name(transition.to));
        return text;
    }

    WatchedTransaction transaction;
    WatchState state;
    std::vector<Transition> transitions;
};

TEST(Lifecycle, GoesThroughEveryStageWithTheBlockThatProvesIt) {
    Life life(handed_in());
    life.sees(NoObjection{"regular"}).sees(finished());
    EXPECT_EQ(life.path(), "accepted pending included executing completed final");
    EXPECT_EQ(life.state.verdict, Verdict::succeeded);
    EXPECT_FALSE(life.transitions[0].at);
    EXPECT_EQ(life.transitions[0].evidence, R"({"host":"regular"})");
    EXPECT_EQ(life.transitions[1].at->height, 110u);
    EXPECT_EQ(life.transitions[4].at->height, 116u);
    EXPECT_EQ(life.transitions[3].evidence, R"({"receipts":0,"failed_receipts":0,"verdict":"succeeded"})");
}

TEST(Lifecycle, AFailedInitialReceiptNeverExecutes) {
    Life life(handed_in());
    auto seen = finished(Verdict::failed);
    seen.initial_at.reset();
    seen.decided_by = {"R"};
    life.sees(seen);
    EXPECT_EQ(life.path(), "accepted included completed final");
    EXPECT_NE(life.transitions[1].evidence.find(R"("decided_by":"R")"), std::string::npos);
}

TEST(Lifecycle, StagesAreNeverLeftBackwardsWhateverTheOrder) {
    std::vector<Observation> seen{NoObjection{"a"},   Refused{"invalid_nonce", "{}", "b"},
                                  NoRoute{"timeout"}, not_in(105),
                                  not_in(5000),       finished()};
    auto partly = finished();
    partly.completed_at.reset();
    partly.settled_at.reset();
    partly.verdict.reset();
    seen.push_back(partly);
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        std::shuffle(seen.begin(), seen.end(), random);
        Life life(handed_in());
        for (const auto& observation : seen) life.sees(observation);
        ASSERT_EQ(life.state.stage, Stage::final) << "what the chain proves wins: " << life.path();
        ASSERT_EQ(life.state.verdict, Verdict::succeeded);
        ASSERT_EQ(life.state.reason, "");
        for (const auto& transition : life.transitions)
            ASSERT_TRUE(transition.from < transition.to || is_end(transition.from)) << life.path();
    }
}

TEST(Lifecycle, ARefusalIsAnEndWithItsVariant) {
    Life life(handed_in());
    life.sees(Refused{"invalid_nonce", R"({"InvalidNonce":{"tx_nonce":7,"ak_nonce":9}})", "regular"});
    EXPECT_EQ(life.path(), "accepted rejected");
    EXPECT_EQ(life.state.reason, "invalid_nonce");
    EXPECT_EQ(life.transitions[0].evidence,
              R"({"host":"regular","error":{"InvalidNonce":{"tx_nonce":7,"ak_nonce":9}}})");
}

TEST(Lifecycle, NoRouteIsAnEndOnlyWhereNoHostTookIt) {
    Life life(handed_in());
    life.sees(NoRoute{"regular: connection refused"});
    EXPECT_EQ(life.path(), "accepted forwarding_failed");
    Life routed(handed_in());
    routed.sees(NoObjection{"other"}).sees(NoRoute{"regular: connection refused"});
    EXPECT_EQ(routed.path(), "accepted pending");
}

TEST(Lifecycle, AnEndThatTheChainTakesBackIsNamed) {
    Life life(handed_in());
    life.sees(NoRoute{"regular: timeout"}).sees(finished());
    EXPECT_EQ(life.path(), "accepted forwarding_failed included executing completed final");
    EXPECT_EQ(life.transitions[1].evidence,
              R"({"corrects":{"stage":"forwarding_failed","reason":"no_route"}})");
    EXPECT_EQ(life.transitions[2].evidence, "{}");
}

TEST(Lifecycle, ANonceThatWasUsedByAnotherSupersedes) {
    Life life(handed_in());
    auto seen = not_in(200);
    seen.key_nonce = 6;
    seen.key_height = 199;
    life.sees(seen);
    EXPECT_EQ(life.path(), "accepted");
    seen.key_nonce = 7;
    life.sees(seen);
    EXPECT_EQ(life.path(), "accepted dropped");
    EXPECT_EQ(life.state.reason, "superseded");
    EXPECT_EQ(life.transitions[0].evidence,
              R"({"not_included_up_to":200,"nonce":7,"access_key_nonce":7,"access_key_height":199})");
}

TEST(Lifecycle, AKeyThatIsGoneEndsWhatAKeyAddedLaterCannotCarry) {
    for (const bool has_no_account : {false, true}) {
        auto transaction = handed_in();
        transaction.nonce = 199'000'001;
        Life life(transaction);
        auto seen = not_in(200);
        seen.has_no_account = has_no_account;
        seen.key_missing_at = 199;
        life.sees(seen);
        EXPECT_EQ(life.path(), "accepted") << "added at height 200, the key begins at 199000000";
        seen.key_missing_at = 200;
        life.sees(seen);
        EXPECT_EQ(life.path(), "accepted dropped");
        EXPECT_EQ(life.state.reason, has_no_account ? "account_removed" : "key_removed");
        EXPECT_EQ(life.transitions[0].evidence,
                  std::string(R"({"not_included_up_to":200,"nonce":199000001,")") +
                      (has_no_account ? "account_missing_at" : "access_key_missing_at") + R"(":200})");
    }
}

TEST(Lifecycle, ExpiresWhenNoBlockMayIncludeItAnyMore) {
    Life life(handed_in());
    life.sees(not_in(999));
    EXPECT_EQ(life.path(), "accepted");
    life.sees(not_in(1000));
    EXPECT_EQ(life.path(), "accepted expired");
    EXPECT_EQ(life.transitions[0].evidence,
              R"({"not_included_up_to":1000,"valid_until":1000,)"
              R"("block_hash":"BLOCK","block_hash_height":899,"validity_blocks":100})");
    life = Life(handed_in());
    life.transaction.block_hash_height.reset();
    life.sees(not_in(1000));
    EXPECT_EQ(life.transitions[0].evidence, R"({"not_included_up_to":1000,"valid_until":1000})");
}

TEST(Lifecycle, WhereHeightsAreMissingNothingIsProvenAndItEndsWhenItsTimeIsOver) {
    for (const bool is_used : {false, true}) {
        Life life(handed_in());
        auto seen = not_in(999);
        seen.missing = "96-150, 160";
        if (is_used) seen.key_nonce = 7;
        life.sees(seen);
        EXPECT_EQ(life.path(), "accepted") << "the block that used its nonce may be its own";
        seen.height = 1000;
        life.sees(seen);
        EXPECT_EQ(life.path(), "accepted unknown");
        EXPECT_EQ(life.state.reason, "heights_missing");
        EXPECT_EQ(
            life.transitions[0].evidence,
            std::string(R"({"not_included_up_to":1000,"missing_heights":"96-150, 160","valid_until":1000,)"
                        R"("nonce":7)") +
                (is_used ? R"(,"access_key_nonce":7})" : "}"));
    }
}

TEST(Lifecycle, WhatTheHostsObjectedToIsInTheEvidenceOfItsExpiry) {
    Life life(handed_in());
    life.transaction.objection = R"({"error_class":"not_enough_balance"})";
    life.sees(not_in(1000));
    EXPECT_NE(life.transitions[0].evidence.find(R"("objection":{"error_class":"not_enough_balance"})"),
              std::string::npos);
}

class InvalidInABlock : public ::testing::Test {
protected:
    TreeSeen invalid() const {
        auto seen = finished(Verdict::failed);
        seen.initial_at.reset();
        seen.is_invalid = true;
        return seen;
    }
    Life& sees(Life& life, const TreeSeen& seen, BlockHeight looked_through) const {
        LifecycleRules rules;
        rules.looked_through = looked_through;
        for (auto& transition : step(life.state, life.transaction, seen, rules))
            life.transitions.push_back(std::move(transition));
        return life;
    }
};

TEST_F(InvalidInABlock, IsNoEndWhileAnotherBlockMayExecuteIt) {
    Life life(handed_in());
    EXPECT_EQ(sees(life, invalid(), 999).path(), "accepted");
    EXPECT_EQ(sees(life, finished(), 999).path(), "accepted included executing completed final");
    EXPECT_EQ(life.state.verdict, Verdict::succeeded);
}

TEST_F(InvalidInABlock, IsTheEndWhenNoBlockMayExecuteItAnyMore) {
    Life life(handed_in());
    EXPECT_EQ(sees(life, invalid(), 1000).path(), "accepted included completed final");
    life.state.confirmed = true;
    EXPECT_EQ(certainty(life.state, 1000).safe_to_resign_after_height, 0u);
}

TEST_F(InvalidInABlock, OfABareHashTheBlockThatHasItTellsHowLongThatIs) {
    Life life(known_by_hash());
    EXPECT_EQ(sees(life, invalid(), 110 + 86'399).path(), "accepted");
    EXPECT_EQ(sees(life, invalid(), 110 + 86'400).path(), "accepted included completed final");
}

TEST_F(InvalidInABlock, ATransactionThatPaidForGasHasUsedItsNonce) {
    Judgement judgement;
    judgement.transaction_failed = true;
    EXPECT_TRUE(tree_seen(judgement).is_invalid);
    judgement.gas_burnt = 1;
    EXPECT_FALSE(tree_seen(judgement).is_invalid) << "a gas key whose account cannot pay the deposit";
}

Certainty certain(Stage stage, bool without_effect, std::optional<BlockHeight> valid_until, bool confirmed) {
    WatchState state;
    state.stage = stage;
    state.without_effect = without_effect;
    state.confirmed = confirmed;
    return certainty(state, valid_until);
}

TEST(Certainty, OnlyAProofIsConclusive) {
    for (const auto stage : {Stage::rejected, Stage::dropped, Stage::expired}) {
        EXPECT_TRUE(certain(stage, false, 1000, true).conclusive);
        EXPECT_EQ(certain(stage, false, 1000, true).safe_to_resign_after_height, 0u);
    }
    EXPECT_FALSE(certain(Stage::unknown, false, 1000, true).conclusive);
    EXPECT_FALSE(certain(Stage::unknown, false, 1000, true).safe_to_resign_after_height)
        << "it may be executed in a block that nobody showed";
    for (const auto stage : {Stage::accepted, Stage::pending, Stage::forwarding_failed}) {
        EXPECT_FALSE(certain(stage, false, 1000, true).conclusive);
        EXPECT_EQ(certain(stage, false, 1000, true).safe_to_resign_after_height, 1000u);
        EXPECT_FALSE(certain(stage, false, {}, true).safe_to_resign_after_height)
            << "its block hash is not known";
    }
}

TEST(Certainty, OutcomesThatAreNotConfirmedProveNothing) {
    for (const auto stage : {Stage::executing, Stage::completed, Stage::final}) {
        EXPECT_FALSE(certain(stage, true, 1000, false).conclusive);
        EXPECT_FALSE(certain(stage, true, 1000, false).safe_to_resign_after_height)
            << "it may have been executed";
    }
}

TEST(Certainty, WhatIsExecutedIsNeverSignedAnew) {
    for (const auto stage : {Stage::included, Stage::executing, Stage::completed, Stage::final}) {
        EXPECT_TRUE(certain(stage, false, 1000, true).conclusive);
        EXPECT_FALSE(certain(stage, false, 1000, true).safe_to_resign_after_height);
    }
    EXPECT_EQ(certain(Stage::final, true, 1000, true).safe_to_resign_after_height, 0u) << "none of it was";
}

TEST(Certainty, OfAFailedTransactionDependsOnWhetherItsInitialReceiptDidSomething) {
    for (const bool initial_succeeded : {false, true}) {
        Life life(handed_in());
        TreeSeen seen;
        seen.included_at = ExecutedAt{110, 0};
        if (initial_succeeded) seen.initial_at = ExecutedAt{111, 0};
        seen.completed_at = seen.settled_at = ExecutedAt{113, 0};
        seen.verdict = Verdict::failed;
        life.sees(seen);
        EXPECT_EQ(life.state.stage, Stage::final);
        EXPECT_EQ(life.state.without_effect, !initial_succeeded) << "what it returned may have failed alone";
    }
}

TEST(Lifecycle, OfAHashAloneNothingIsLearnedUntilItsWindowIsOver) {
    Life life(known_by_hash());
    auto seen = not_in(86'510);
    seen.key_nonce = 1'000'000;
    seen.asked = "archival: UNKNOWN_TRANSACTION";
    life.sees(seen);
    EXPECT_EQ(life.path(), "accepted");
    seen.height = 86'511;
    life.sees(seen);
    EXPECT_EQ(life.path(), "accepted unknown");
    EXPECT_EQ(life.transitions[0].evidence,
              R"({"not_included_up_to":86511,"asked":"archival: UNKNOWN_TRANSACTION","watched_since":100})");
}

TEST(Lifecycle, NamesItsStages) {
    for (const auto stage : {Stage::accepted, Stage::forwarding_failed, Stage::unknown})
        EXPECT_EQ(parse_stage(stage_name(stage)), stage);
    EXPECT_FALSE(parse_stage("gone"));
}

TEST(Lifecycle, EvidenceIsJsonWhateverHostsSay) {
    EXPECT_EQ(Evidence().text("a\"", "x\n\\").number("n", 5).json("j", "[1]").to_json(),
              R"({"a\"":"x\n\\","n":5,"j":[1]})");
}

TEST(Lifecycle, EveryStageOnTheWayCanBeStuckAndNoEndCan) {
    for (const auto stage :
         {Stage::accepted, Stage::pending, Stage::included, Stage::executing, Stage::completed})
        EXPECT_TRUE(stuck_after(stage, StuckRules()));
    for (const auto stage : {Stage::final, Stage::dropped}) EXPECT_FALSE(stuck_after(stage, StuckRules()));
}

}  // namespace
}  // namespace receiptd::chain
