#include "watch/transaction_json.hpp"
#include "unit/chain/tree_story.hpp"
#include "watch/submission.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace receiptd::watch {
namespace {

using chain::testing::Story;
using Json = nlohmann::json;

storage::StoredTree facts_of(const Story& story) {
    storage::StoredTree tree;
    for (const auto& part : story.parts) {
        if (const auto* transaction = std::get_if<chain::TransactionFacts>(&part))
            tree.transaction = *transaction;
        if (const auto* receipt = std::get_if<chain::ReceiptFacts>(&part)) tree.receipts.push_back(*receipt);
        if (const auto* outcome = std::get_if<chain::OutcomeFacts>(&part)) tree.outcomes.push_back(*outcome);
        if (const auto* data = std::get_if<chain::DataFacts>(&part)) tree.data.push_back(*data);
    }
    return tree;
}

Json told(const TransactionView& view) { return Json::parse(transaction_json(view)); }

Story failed_callback() {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"p", "c"});
    story.receipt("p", "app", "token", {}, {"d"});
    story.ok("p");
    story.data("d");
    story.receipt("c", "app", "app", {"d"});
    story.fails("c");
    return story;
}

TEST(TransactionJson, ATransactionThatNobodyKnows) {
    const auto view = transaction_view({"TX", std::nullopt, {}, {}, {}});
    EXPECT_FALSE(view.known());
    EXPECT_EQ(
        transaction_json(view),
        R"({"tx_hash":"TX","trace_id":"536939ed0e78c5b5d2ee7e26767bbad6","sender_id":null,"user_id":null,"claimed_user_id":null,"idempotency_key":null,"metadata":null,"source":"database","stage":null,"final":null,"verdict":null,"near_status":null,"reason":null,)"
        R"("conclusive":null,"safe_to_resign_after_height":null,"safe_to_resign_estimated_at":null,)"
        R"("evidence":null,"stages":[],"findings":[],"global_contracts":[],"tree":null,"other_executions":[],"pruned":null})");
}

TEST(TransactionJson, TellsHowFarGlobalContractsHaveCome) {
    auto facts = facts_of(failed_callback());
    facts.contracts = {{"R", "", "app.near", 2, 4}, {"R", "hash", "", 1, std::nullopt}};
    const auto told = transaction_json(transaction_view({"TX", std::nullopt, {}, facts, {}}));
    EXPECT_THAT(
        told,
        ::testing::HasSubstr(
            R"("global_contracts":[{"receipt_id":"R","contract_hash":null,"contract_account_id":"app.near","shards_with_it":2,"shards":4},)"
            R"({"receipt_id":"R","contract_hash":"hash","contract_account_id":null,"shards_with_it":1,"shards":null}])"));
}

TEST(TransactionJson, AWatchThatEndedWithoutATree) {
    storage::Watch watch;
    watch.tx_hash = watch.transaction.tx_hash = "TX";
    watch.sender_id = "alice";
    watch.state.stage = chain::Stage::dropped;
    watch.state.reason = "superseded";
    watch.evidence_json = R"({"nonce":7,"access_key_nonce":9})";
    watch.idempotency_key = "pay-7";
    watch.metadata_json = R"({"order":7})";
    storage::StoredTransition dropped;
    dropped.transition = {chain::Stage::pending, chain::Stage::dropped, std::nullopt, watch.evidence_json};
    watch.certainty = dropped.certainty = chain::certainty(watch.state, {});
    dropped.learned_at = base::WallTime(std::chrono::milliseconds(1'700'000'000'123));
    EXPECT_EQ(
        transaction_json(transaction_view({"TX", watch, {dropped}, {}, {}})),
        R"({"tx_hash":"TX","trace_id":"536939ed0e78c5b5d2ee7e26767bbad6","sender_id":"alice","user_id":null,"claimed_user_id":null,"idempotency_key":"pay-7","metadata":{"order":7},"source":"database","stage":"dropped","final":null,"verdict":null,"near_status":null,"reason":"superseded",)"
        R"("conclusive":true,"safe_to_resign_after_height":0,"safe_to_resign_estimated_at":null,)"
        R"("evidence":{"nonce":7,"access_key_nonce":9},"stages":[{"from":"pending","to":"dropped",)"
        R"("at":"2023-11-14T22:13:20.123Z","block_height":null,"block_time":null,)"
        R"("conclusive":true,"safe_to_resign_after_height":0,"safe_to_resign_estimated_at":null,"final":null,"inclusion_id":null,)"
        R"("evidence":{"nonce":7,"access_key_nonce":9}}],"findings":[],"global_contracts":[],"tree":null,"other_executions":[],"pruned":null})");
}

TEST(TransactionJson, WithoutAWatchTheTreeTellsStageVerdictAndReason) {
    const auto json = told(transaction_view({"TX", std::nullopt, {}, facts_of(failed_callback()), {}}));
    EXPECT_EQ(json["sender_id"], "alice");
    EXPECT_EQ(json["user_id"], "alice");
    EXPECT_EQ(json["stage"], "final");
    EXPECT_EQ(json["verdict"], "callback_failed");
    EXPECT_EQ(json["reason"], "contract_panic");
    std::vector<std::string> stages;
    for (const auto& stage : json["stages"]) stages.push_back(stage["to"]);
    EXPECT_THAT(stages, ::testing::ElementsAre("included", "executing", "completed", "final"));
    EXPECT_TRUE(json["stages"][0]["at"].is_null());
    EXPECT_EQ(json["tree"]["decided_by"], Json::array({"c"}));
}

TEST(TransactionJson, ReceiptsAreNested) {
    const auto json = told(transaction_view({"TX", std::nullopt, {}, facts_of(failed_callback()), {}}));
    const auto& roots = json["tree"]["receipts"];
    ASSERT_EQ(roots.size(), 1);
    EXPECT_EQ(roots[0]["receipt_id"], "r0");
    ASSERT_EQ(roots[0]["children"].size(), 2);
    const auto& callback = roots[0]["children"][1];
    EXPECT_EQ(callback["role"], "callback");
    EXPECT_EQ(callback["status"], "failure");
    EXPECT_EQ(callback["handled"], false);
    EXPECT_EQ(callback["error_text"], "no");
    EXPECT_EQ(json["tree"]["totals"]["tokens_burnt"], "0");
    EXPECT_EQ(json["tree"]["totals"]["failed_receipts"], 1);
}

// The first succeeds, the second fails.
storage::StoredTree executed_twice() {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"r1"});
    story.receipt("r1", "app", "token");
    story.ok("r1");
    story.returns("TX", "again0", {"again0"});
    story.receipt("again0", "alice", "app");
    story.ok("again0", {"again1"});
    story.receipt("again1", "app", "token");
    story.fails("again1");
    return facts_of(story);
}

std::vector<std::string> receipts_of(const Json& tree) {
    std::vector<std::string> ids;
    for (const auto& receipt : tree["receipts"]) {
        ids.push_back(receipt["receipt_id"]);
        for (const auto& child : receipt["children"]) ids.push_back(child["receipt_id"]);
    }
    for (const auto& receipt : tree["more"]) ids.push_back(receipt["receipt_id"]);
    return ids;
}

TEST(TransactionJson, EachExecutionOfAHashHasItsTree) {
    const auto json = told(transaction_view({"TX", std::nullopt, {}, executed_twice(), {}}));
    EXPECT_THAT(receipts_of(json["tree"]), ::testing::ElementsAre("r0", "r1"));
    EXPECT_EQ(json["tree"]["verdict"], "succeeded");
    ASSERT_EQ(json["other_executions"].size(), 1);
    const auto& other = json["other_executions"][0];
    EXPECT_THAT(receipts_of(other), ::testing::ElementsAre("again0", "again1"));
    EXPECT_EQ(other["heights"]["included"], 104);
    EXPECT_EQ(other["totals"]["failed_receipts"], 1);
}

TEST(TransactionJson, AReceiptChoosesTheExecutionThatIsShown) {
    auto view = transaction_view({"TX", std::nullopt, {}, executed_twice(), {}});
    show_execution_with(view, "again1");
    const auto json = told(view);
    EXPECT_THAT(receipts_of(json["tree"]), ::testing::ElementsAre("again0", "again1"));
    EXPECT_EQ(json["stages"][0]["block_height"], 104);
    EXPECT_THAT(receipts_of(json["other_executions"][0]), ::testing::ElementsAre("r0", "r1"));
    show_execution_with(view, "r1");
    EXPECT_EQ(told(view)["tree"]["heights"]["included"], 101);
    show_execution_with(view, "unknown");
    EXPECT_EQ(told(view)["tree"]["heights"]["included"], 101);
}

storage::UntoldListing listing(chain::BlockHeight height, std::string reason = {}) {
    return {chain::ExecutedAt{height, 1'769'860'800'000'000'000}, std::move(reason)};
}

TEST(TransactionJson, AListingWhoseOutcomeNoHostTellsIsAnExecutionWithoutAVerdict) {
    auto stored = executed_twice();
    stored.untold = {listing(90), listing(110, "hosts give another execution")};
    const auto json = told(transaction_view({"TX", std::nullopt, {}, stored, {}}));
    EXPECT_EQ(json["tree"]["heights"]["included"], 101);
    const auto& others = json["other_executions"];
    ASSERT_EQ(others.size(), 3);
    EXPECT_TRUE(others[0]["reason"].is_null());
    EXPECT_EQ(others[1]["heights"]["included"], 90);
    EXPECT_TRUE(others[1]["verdict"].is_null());
    EXPECT_EQ(others[2]["heights"]["included"], 110);
    EXPECT_TRUE(others[2]["verdict"].is_null());
    EXPECT_EQ(others[2]["reason"], "hosts give another execution");
}

TEST(TransactionJson, OfListingsWithoutAnOutcomeTheFirstIsTheTree) {
    storage::StoredTree stored;
    stored.transaction.emplace().signer_id = "alice";
    stored.listed_at = listing(90).at;
    stored.untold = {listing(90), listing(110)};
    const auto view = transaction_view({"TX", std::nullopt, {}, stored, {}});
    const auto json = told(view);
    EXPECT_EQ(json["tree"]["heights"]["included"], 90);
    ASSERT_EQ(json["other_executions"].size(), 1);
    EXPECT_EQ(json["other_executions"][0]["heights"]["included"], 110);
    EXPECT_EQ(why_no_verdict(*view.tree), "in block 90, and no host tells its outcome yet");
}

TEST(TransactionJson, AnOpenTreeStandsForTheListingOfItsBlock) {
    storage::StoredTree stored;
    stored.transaction.emplace().signer_id = "alice";
    stored.listed_at = listing(90).at;
    stored.untold = {listing(90), listing(110)};
    auto view = transaction_view({"TX", std::nullopt, {}, stored, {}});
    OpenTree open;
    open.tree.included = true;
    open.tree.included_at = listing(110).at;
    add_open_tree(view, std::move(open));
    const auto json = told(view);
    EXPECT_EQ(json["tree"]["heights"]["included"], 110);
    ASSERT_EQ(json["other_executions"].size(), 1);
    EXPECT_EQ(json["other_executions"][0]["heights"]["included"], 90);
}

// The host tells the other one, which is stored already.
TEST(TransactionJson, AnExecutionThatIsUnderWayIsNotReplacedByTheOther) {
    auto stored = executed_twice();
    std::erase_if(stored.outcomes, [](const auto& outcome) { return outcome.id == "r1"; });
    auto view = transaction_view({"TX", std::nullopt, {}, stored, {}});
    ASSERT_TRUE(is_open(view));
    OpenTree open;
    open.tree = view.other_executions.at(0);
    add_open_tree(view, std::move(open));
    EXPECT_EQ(told(view)["tree"]["receipts"][0]["receipt_id"], "r0");
}

TEST(TransactionJson, WhatIsPendingSaysWhatItWaitsFor) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"p", "c"});
    story.receipt("p", "app", "token", {}, {"d"});
    story.receipt("c", "app", "app", {"d"});
    const auto json = told(transaction_view({"TX", std::nullopt, {}, facts_of(story), {}}));
    EXPECT_EQ(json["stage"], "executing");
    EXPECT_TRUE(json["verdict"].is_null());
    const auto& children = json["tree"]["receipts"][0]["children"];
    EXPECT_EQ(children[0]["waiting"], "execution");
    EXPECT_EQ(children[1]["waiting"], "data");
    EXPECT_EQ(children[1]["missing_data_ids"], Json::array({"d"}));
    EXPECT_TRUE(children[1]["gas_burnt"].is_null());
}

TEST(TransactionJson, VeryDeepTreesAreListedFlatBelowALevel) {
    Story story;
    constexpr int kDeep = 3'000;
    for (int i = 0; i < kDeep; ++i) {
        story.receipt("r" + std::to_string(i), "alice", "app");
        story.ok("r" + std::to_string(i), i + 1 < kDeep
                                              ? std::vector<std::string>{"r" + std::to_string(i + 1)}
                                              : std::vector<std::string>{});
    }
    const auto json = told(transaction_view({"TX", std::nullopt, {}, facts_of(story), {}}));
    EXPECT_EQ(json["tree"]["more"].size(), kDeep - kMostNested);
    EXPECT_EQ(json["tree"]["more"][0]["parent_receipt_id"], "r63");
}

TEST(TransactionJson, FindingsAreToldAsTheyHappened) {
    chain::Finding earlier, later;
    earlier.finding_id = "failed_receipt:a";
    later.finding_id = "failed_receipt:b";
    const auto json = told(transaction_view({"TX", std::nullopt, {}, {}, {later, earlier}}));
    EXPECT_EQ(json["findings"][0]["finding_id"], "failed_receipt:a");
    EXPECT_EQ(json["findings"][1]["finding_id"], "failed_receipt:b");
}

TEST(TransactionJson, FindingsOfATreeThatIsNotStored) {
    const auto view = transaction_view({"TX", std::nullopt, {}, facts_of(failed_callback()), {}});
    const auto findings = chain::decided(*view.transaction, *view.tree).findings;
    ASSERT_EQ(findings.size(), 1);
    EXPECT_EQ(findings[0].finding_id, "failed_receipt:c");
    const auto json = Json::parse(finding_json(findings[0]));
    EXPECT_EQ(json["role"], "callback");
    EXPECT_EQ(json["handled"], false);
}

TEST(TransactionJson, TextsThatAreNoUtf8AreReplaced) {
    chain::Finding finding;
    finding.failure.error_text = "bad \xff byte";
    EXPECT_EQ(Json::parse(finding_json(finding))["error_text"], "bad \xef\xbf\xbd byte");
}

TEST(TransactionJson, AWatchInAList) {
    storage::Watch watch;
    watch.tx_hash = "TX";
    watch.sender_id = "alice";
    watch.origin = storage::WatchOrigin::submission;
    watch.transaction.nonce = 18'446'744'073'709'551'615U;
    watch.certainty = {false, 4'000, base::WallTime(std::chrono::seconds(90))};
    watch.transaction.objection = R"({"error_class":"not_enough_balance"})";
    const auto json = Json::parse(watch_json(watch));
    EXPECT_EQ(json["nonce"], "18446744073709551615");
    EXPECT_EQ(json["conclusive"], false);
    EXPECT_EQ(json["safe_to_resign_after_height"], 4'000);
    EXPECT_EQ(json["safe_to_resign_estimated_at"], "1970-01-01T00:01:30.000Z");
    EXPECT_EQ(json["objection"]["error_class"], "not_enough_balance");
    EXPECT_EQ(json["origin"], "submission");
    EXPECT_EQ(json["created_at"], "1970-01-01T00:00:00.000Z");
}

TEST(TransactionJson, ASubmission) {
    Submitted submitted;
    submitted.tx_hash = "TX";
    submitted.sender_id = "alice";
    submitted.stage = chain::Stage::pending;
    submitted.valid_until = 7;
    EXPECT_EQ(submitted_json(submitted), R"({"tx_hash":"TX","sender_id":"alice","stage":"pending",)"
                                         R"("conclusive":false,"safe_to_resign_after_height":null,)"
                                         R"("safe_to_resign_estimated_at":null,)"
                                         R"("existing":false,"valid_until":7,"note":null})");
}

}  // namespace
}  // namespace receiptd::watch
