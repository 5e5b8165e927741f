// Reports of transactions that looked well, or not, and of failures that nobody noticed.
#include "museum/stage.hpp"

#include "chain/json/decode.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "chain/wire/delegate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace receiptd::museum {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Ends = std::vector<std::string>;

// script.sandbox calls a method that is not there; `callback` awaits it.
std::string awaited_failure(const std::string& callback) {
    return R"([{"call":{"account":"receiver.sandbox","method":"nope","as":"a"}},{"then":{"after":"a","run":)" +
           callback + R"(,"as":"b"}},{"return":"ok"}])";
}

TEST(Verdicts, AFailedCallbackIsSeenUnderNearsSuccess) {
    Stage stage;
    const auto hash = stage.run(awaited_failure(R"(["fail_if_promise_failed"])"));
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "callback_failed, NEAR says success");
    EXPECT_THAT(stored.findings(hash), ElementsAre("failed_receipt callback not handled: contract_panic",
                                                   "failed_receipt promise not handled: method_not_found"));
}

TEST(Verdicts, EachReceiptHasItsOwnStatus) {
    Stage stage;
    const auto hash = stage.run(awaited_failure(R"(["fail_if_promise_failed"])"));
    stage.blocks(20);
    std::map<std::string, std::string> statuses;
    for (const auto& row : stage.stored().rows(Table::receipts, hash))
        if (*row["role"] != "refund") statuses[*row["role"]] = *row["status"];
    EXPECT_EQ(statuses, (std::map<std::string, std::string>{
                            {"initial", "success_value"}, {"promise", "failure"}, {"callback", "failure"}}));
}

TEST(Verdicts, AFailureThatItsCallbackSaysNothingOfIsSwallowed) {
    Stage stage;
    const auto silent = stage.run(awaited_failure("[]"));
    const auto told = stage.run(awaited_failure(R"(["log_promise_results"])"));
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(silent), "succeeded_with_handled_failure, NEAR says success, swallowed");
    EXPECT_EQ(stored.end(told), "succeeded_with_handled_failure, NEAR says success, told");
}

TEST(Verdicts, ABatchIsNoBetterThanItsWorstCall) {
    Stage stage;
    const std::string value = R"([{"return":"ok"}])";
    const std::string fails = R"([{"call":{"account":"receiver.sandbox","method":"nope","as":"a"}})";
    const auto batch = [&](const std::string& first, const std::string& last) {
        return stage.send("alice.sandbox", "script.sandbox",
                          {call("run", first, 100), call("run", last, 100)});
    };
    const auto promise = batch(fails + "]", value);
    const auto callback = batch(awaited_failure(R"(["fail_if_promise_failed"])"), value);
    const auto returned = batch(value, fails + R"(,{"return_promise":"a"}])");
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(promise), "receipt_failed, NEAR says success");
    EXPECT_EQ(stored.end(callback), "callback_failed, NEAR says success");
    EXPECT_EQ(stored.end(returned), "failed, NEAR says failure");
}

TEST(Verdicts, AStakeThatNobodyAwaitsIsNoSuccess) {
    Stage stage;
    const auto key = stage.key_of("alice.sandbox").public_key().to_string();
    const auto hash =
        stage.run(R"([{"batch":{"account":"@self","actions":[{"stake":{"amount":"1","public_key":")" + key +
                  R"("}}]}},{"return":"ok"}])");
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "receipt_failed, NEAR says success");
    EXPECT_THAT(stored.findings(hash),
                ElementsAre("failed_receipt detached not handled: insufficient_stake"));
}

TEST(Verdicts, AYieldThatNobodyResumesIsUnderWayAndThenAFinding) {
    Stage stage;
    const auto hash = stage.send("alice.sandbox", "yield.sandbox", {call("request", R"({"id":"a"})", 100)});
    stage.blocks(5);
    EXPECT_THAT(stage.stored().rows(Table::transaction_results), IsEmpty());
    EXPECT_THAT(stage.stored().findings(hash), IsEmpty());
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "succeeded, NEAR says success");
    EXPECT_THAT(stored.findings(hash), ElementsAre("yield_timed_out callback handled: yield_timed_out"));
}

TEST(Verdicts, OfSeveralYieldsEachThatTimedOutIsAFinding) {
    Stage stage;
    const auto hash = stage.send("alice.sandbox", "yield.sandbox",
                                 {call("request", R"({"id":"a"})", 90), call("request", R"({"id":"b"})", 90),
                                  call("request", R"({"id":"c"})", 90)});
    stage.blocks(3);
    stage.send("bob.sandbox", "yield.sandbox", {call("respond", R"({"id":"b","value":1})", 50)});
    stage.blocks(25);
    EXPECT_EQ(stage.stored().findings(hash).size(), 2u);
}

TEST(Verdicts, AShardThatIsCongestedForThirtyBlocksCostsNoTreeItsVerdict) {
    Stage stage;
    stage.ledger().congest(stage.ledger().shard_of_account("script.sandbox"), 30);
    std::vector<std::string> hashes;
    for (int i = 0; i < 10; ++i) hashes.push_back(stage.run(awaited_failure(R"(["log_promise_results"])")));
    stage.blocks(20);
    EXPECT_LT(stage.stored().rows(Table::transaction_results).size(), hashes.size())
        << "receipts are delayed";
    stage.blocks(40);
    const auto stored = stage.stored();
    for (const auto& hash : hashes)
        EXPECT_EQ(stored.end(hash), "succeeded_with_handled_failure, NEAR says success, told");
}

TEST(Verdicts, AnOwnReceiptThatRunsFiveBlocksLaterCounts) {
    Stage stage;
    const auto hash = stage.send("alice.sandbox", "alice.sandbox", {{wire::Transfer{1}}});
    stage.blocks(20);
    std::map<std::size_t, std::deque<Json>> held;  // outcomes of the last five blocks, by shard
    const auto stored = stage.stored([&](Json& block) {
        auto& shards = block.at("shards");
        for (std::size_t i = 0; i < shards.size(); ++i) {
            auto& outcomes = shards[i]["receipt_execution_outcomes"];
            held[i].push_back(outcomes);
            outcomes = held[i].size() > 5 ? held[i].front() : Json::array();
            if (held[i].size() > 5) held[i].pop_front();
        }
    });
    EXPECT_EQ(stored.end(hash), stage.stored().end(hash));
    EXPECT_EQ(std::stoull(*stored.result(hash)["completed_height"]),
              std::stoull(*stage.stored().result(hash)["completed_height"]) + 5);
}

// An answer of `tx_status` while a tree is under way, changed.
chain::Judgement judged(Stage& stage, const std::string& hash, const std::function<void(Json&)>& change) {
    auto answer = Json::parse(stage.ledger().transaction(hash, stage.ledger().tip())->json_with_receipts);
    change(answer);
    const auto decoded = chain::decode_transaction_status(answer.dump());
    if (!decoded) throw std::runtime_error(decoded.error().to_string());
    const auto executed = [](const chain::Outcome&) {
        return std::optional(chain::Execution{chain::ExecutedAt{}});
    };
    return chain::tree_of(decoded->value, {}, executed).judge();
}

TEST(Verdicts, AnAnswerThatSaysIncludedForEverIsNoEnd) {
    Stage stage;
    const auto hash = stage.run(awaited_failure("[]"));
    stage.blocks(20);
    const auto tree = judged(stage, hash, [](Json& answer) {
        answer["final_execution_status"] = "INCLUDED";
        answer["receipts_outcome"] = Json::array();
        answer["status"] = "Started";
    });
    EXPECT_TRUE(tree.included);
    EXPECT_FALSE(tree.completed);
    EXPECT_FALSE(tree.verdict);
}

TEST(Verdicts, AnAnswerThatSaysStartedAndExecutedIsUnderWay) {
    Stage stage;
    const auto hash = stage.send("alice.sandbox", "yield.sandbox", {call("request", R"({"id":"a"})", 100)});
    stage.blocks(5);
    const auto tree = judged(stage, hash, [](Json& answer) {
        EXPECT_EQ(answer.at("status"), "Started");
        answer["final_execution_status"] = "EXECUTED";
    });
    EXPECT_TRUE(tree.initial_succeeded);
    EXPECT_FALSE(tree.completed);
    EXPECT_FALSE(tree.verdict);
}

TEST(Verdicts, AHashThatWasExecutedTwiceHasTwoResults) {
    Stage stage;
    const auto hash = stage.send("alice.sandbox", "bob.sandbox", {{wire::Transfer{1}}});
    stage.blocks(10);
    ASSERT_TRUE(stage.ledger().execute_again(hash, false));
    stage.blocks(10);
    const auto results = stage.stored().rows(Table::transaction_results, hash);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_NE(results[0]["included_height"], results[1]["included_height"]);
    for (const auto& result : results) EXPECT_EQ(result["verdict"], "succeeded");
}

TEST(Verdicts, WhoDeletesItsOwnKeyHasSucceeded) {
    Stage stage;
    const auto hash = stage.send("carol.sandbox", "carol.sandbox",
                                 {{wire::DeleteKey{stage.key_of("carol.sandbox").public_key()}}});
    stage.blocks(10);
    EXPECT_EQ(stage.stored().end(hash), "succeeded, NEAR says success");
}

TEST(Verdicts, WhoIsNamedByAForgedDelegateActionIsNotCharged) {
    Stage stage;
    wire::DelegateAction forged;
    forged.sender_id = "carol.sandbox";
    forged.receiver_id = "receiver.sandbox";
    forged.nonce = 1;
    forged.max_block_height = stage.ledger().tip() + 100;
    forged.public_key = stage.key_of("carol.sandbox").public_key();
    const auto signature = stage.key_of("bob.sandbox").sign(wire::delegate_hash(forged).view());
    const auto hash =
        stage.send("relayer.sandbox", "carol.sandbox", {{wire::SignedDelegate{forged, signature}}});
    stage.blocks(10);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "failed, NEAR says failure");
    const auto result = stored.result(hash);
    EXPECT_EQ(result["error_class"], "delegate_invalid_signature");
    EXPECT_EQ(result["signer_id"], "relayer.sandbox");
    EXPECT_FALSE(result["user_id"]);
    ASSERT_EQ(stored.batch.disowned.size(), 1u);
    EXPECT_EQ(stored.batch.disowned[0].claimed_user_id, "carol.sandbox");
}

}  // namespace
}  // namespace receiptd::museum
