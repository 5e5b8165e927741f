#include "alert/payload.hpp"

#include "support/read_file.hpp"
#include "unit/alert/swap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

std::string payload(const Cause& cause) { return make_payload(cause, Site{"mainnet", "", ""}); }

// The file holds the body as people read it; the body itself is compact.
void expect_golden(const std::string& name, const std::string& body) {
    const auto json = Json::parse(body);
    EXPECT_EQ(json.dump(), body);
    EXPECT_EQ(json.dump(2) + "\n", test::read_file(RECEIPTD_TEST_DATA "/alerts/" + name)) << name;
}

// A transaction of which nothing but a finding is known.
Cause cause_of(const std::string& kind) {
    Cause cause;
    cause.kind = kind;
    cause.tx_hash = "TX";
    auto& finding = cause.finding.emplace();
    finding.kind = kind;
    finding.tx_hash = "TX";
    return cause;
}

TEST(Payload, OfAFailedCallbackTellsTheBranch) {
    expect_golden("failed_callback.json", payload(Swap().cause));
}

TEST(Payload, StatesTheVerdictWhileARefundIsUnderWay) {
    Swap swap;
    swap.cause.tree.outcomes.back().receipt_ids = {"refund"};
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(data["verdict"], "callback_failed");
    EXPECT_TRUE(data["completed_height"].is_null());
}

TEST(Payload, HasNoVerdictWhileWhatRunsCanChangeIt) {
    Swap swap;
    auto& parts = swap.cause.tree;
    parts.receipts.back().input_data_ids.clear();
    parts.receipts.back().output_data_ids = {"e"};
    parts.outcomes[1].receipt_ids.push_back("r3");
    swap.receipt("r3", "app.near", "app.near", "finally").input_data_ids = {"e"};
    swap.cause.finding->handled.reset();
    swap.cause.finding->role = chain::Role::promise;
    expect_golden("open_tree.json", payload(swap.cause));
}

TEST(Payload, OfAYieldThatTimedOutTellsWhatBecameOfIt) {
    for (const bool handled : {true, false}) {
        Swap swap;
        swap.cause.kind = swap.cause.finding->kind = chain::kind::kYieldTimedOut;
        swap.cause.finding->handled = handled;
        swap.cause.finding->failure = {"yield_timed_out", {}};
        const auto body = Json::parse(payload(swap.cause));
        EXPECT_EQ(body["type"], "finding.yield_timed_out");
        EXPECT_EQ(body["data"]["summary"],
                  std::string("yield on_transfer of app.near was not resumed in time and ") +
                      (handled ? "went on" : "failed"));
    }
}

// The same hash was executed before, and succeeded.
Swap swap_of_a_second_execution() {
    Swap swap;
    swap.outcome("TX", chain::StatusKind::success_receipt_id, {"first"}, 50);
    swap.receipt("first", "alice.near", "app.near", "swap");
    swap.outcome("first", chain::StatusKind::success_value, {}, 51);
    auto& outcomes = swap.cause.tree.outcomes;
    std::rotate(outcomes.begin(), outcomes.end() - 2, outcomes.end());
    return swap;
}

TEST(Payload, OfASecondExecutionTellsThatOne) {
    const auto data = Json::parse(payload(swap_of_a_second_execution().cause))["data"];
    EXPECT_EQ(data["verdict"], "callback_failed");
    EXPECT_EQ(data["included_height"], 100);
    EXPECT_EQ(data["completed_height"], 103);
    EXPECT_EQ(data["failing_branch"].size(), 2);
}

TEST(Payload, OfASecondExecutionThatWasRefusedTellsThatOne) {
    Swap swap;
    swap.outcome("TX", chain::StatusKind::failure, {}, 200).failure = {"Expired", {}};
    auto& finding = *swap.cause.finding;
    finding.kind = swap.cause.kind = chain::kind::kFailedTransaction;
    finding.receipt_id.clear();
    finding.at.height = 200;
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(data["included_height"], 200);
    EXPECT_EQ(data["verdict"], "failed");
}

TEST(Payload, OfTheVerdictOfASecondExecutionTellsThatOne) {
    auto cause = swap_of_a_second_execution().cause;
    cause.kind = "verdict";
    cause.finding.reset();
    cause.told_json = R"({"verdict":"callback_failed","included_height":100})";
    EXPECT_EQ(Json::parse(payload(cause))["data"]["reason"], "contract_panic");
    cause.told_json = R"({"verdict":"succeeded","included_height":50})";
    EXPECT_TRUE(Json::parse(payload(cause))["data"]["reason"].is_null());
}

TEST(Payload, OfABatchTellsWhichActionFailed) {
    Swap swap;
    swap.cause.tree.receipts.back().action_names = {"CreateAccount", "Transfer", "AddKey"};
    swap.cause.tree.outcomes.back().failure = {"account_exists", "new.near is there", 0};
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(data["action_index"], 0);
    EXPECT_EQ(data["failing_branch"][1],
              "callback app.near → app.near on_transfer: failed at action 0 (CreateAccount): account_exists: "
              "new.near is there");
}

TEST(Payload, OfAFailureTellsTheFirstOneThatLedToIt) {
    Swap swap;
    auto& paid = swap.cause.tree.outcomes[2];
    paid.status = chain::StatusKind::failure;
    paid.failure = {"contract_panic", "balance is insufficient"};
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(
        data["summary"],
        "callback on_transfer of app.near failed: contract_panic: no such pool (src/lib.rs:7:5); because "
        "promise ft_transfer of token.near failed: contract_panic: balance is insufficient");
    EXPECT_EQ(data["root_cause"]["receipt_id"], "r1");
    EXPECT_EQ(data["root_cause"]["error_text"], "balance is insufficient");
    EXPECT_EQ(
        data["failing_branch"].back(),
        "because promise app.near → token.near ft_transfer: failed: contract_panic: balance is insufficient");
}

// The deposit that `parent` attached comes back to its sender.
void refund(Swap& swap, const std::string& parent, const std::string& to, chain::u128 amount) {
    const auto id = "refund-of-" + parent;
    for (auto& outcome : swap.cause.tree.outcomes)
        if (outcome.id == parent) outcome.receipt_ids.push_back(id);
    auto& receipt = swap.receipt(id, "system", to, "");
    receipt.signer_id = "system";
    receipt.deposit = amount;
    swap.outcome(id, chain::StatusKind::success_value, {}, 104);
}

constexpr chain::u128 kOneNear = chain::u128{1'000'000'000'000} * 1'000'000'000'000;

std::string summary_of(const Cause& cause) {
    return Json::parse(payload(cause))["data"]["summary"].get<std::string>();
}

const std::string kNoSuchPool =
    "callback on_transfer of app.near failed: contract_panic: no such pool (src/lib.rs:7:5)";

TEST(Payload, OfAFailureTellsWhatBecameOfTheMoney) {
    Swap swap;
    swap.cause.tree.transaction->deposit = 5 * kOneNear;
    refund(swap, "r2", "alice.near", 5 * kOneNear);
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(data["summary"], kNoSuchPool + "; 5 NEAR came back to alice.near");
    EXPECT_EQ(data["amounts"]["deposit"], "5000000000000000000000000");
    EXPECT_EQ(data["amounts"]["deposit_refunded"], "5000000000000000000000000");
    EXPECT_EQ(data["reason"], "contract_panic");
}

TEST(Payload, OfAFailureTellsOnlyTheMoneyOfThatFailure) {
    Swap swap;
    refund(swap, "r2", "alice.near", 1);
    EXPECT_EQ(summary_of(swap.cause), kNoSuchPool) << "one yoctoNEAR is no money";
    refund(swap, "r0", "bob.near", kOneNear);
    EXPECT_EQ(summary_of(swap.cause), kNoSuchPool) << "another receipt's";
}

TEST(Payload, OfATokenCallbackThatFailedTellsThatNoTokensCameBack) {
    Swap swap;
    for (auto& receipt : swap.cause.tree.receipts)
        if (receipt.receipt_id == "r2") receipt.method_name = "ft_resolve_transfer";
    EXPECT_EQ(summary_of(swap.cause), kNoSuchPool + "; no tokens of app.near came back");
}

TEST(Payload, OfAWatchTellsWhyItEndedAndWhatWasGivenWithIt) {
    auto cause = cause_of("dropped");
    cause.idempotency_key = "payment-7";
    cause.metadata_json = R"({"order":7})";
    cause.evidence_json = R"({"nonce":7})";
    cause.finding->signer_id = "alice.near";
    cause.finding->failure.error_class = "superseded";
    cause.finding->certainty = chain::Certainty{true, 0, {}};
    const auto data = Json::parse(payload(cause))["data"];
    EXPECT_EQ(data["summary"], "transaction TX of alice.near was dropped: superseded; nothing was moved");
    EXPECT_EQ(data["reason"], "superseded");
    EXPECT_EQ(data["evidence"]["nonce"], 7);
    EXPECT_EQ(data["idempotency_key"], "payment-7");
    EXPECT_EQ(data["metadata"]["order"], 7);
    EXPECT_TRUE(data["amounts"]["deposit"].is_null());
}

const std::string kCompleted =
    R"({"stage":"completed","from_stage":"executing","user_id":"alice.near","contract_id":"app.near",)"
    R"("method_name":"swap","verdict":"callback_failed","metadata":{"order":7},"evidence":{},"conclusive":true})";

TEST(Payload, OfAnEndTellsWhatBrokeWhereAndWhatBecameOfTheMoney) {
    Swap swap;
    refund(swap, "r2", "alice.near", 5 * kOneNear);
    swap.cause.kind = "completed";
    swap.cause.told_json = kCompleted;
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(data["summary"],
              "transaction of alice.near to app.near (swap) is completed: callback_failed: " + kNoSuchPool +
                  "; 5 NEAR came back to alice.near");
    EXPECT_EQ(data["root_cause"]["receipt_id"], "r2");
    EXPECT_EQ(data["root_cause"]["error_class"], "contract_panic");
    EXPECT_EQ(data["reason"], "contract_panic");
    EXPECT_EQ(data["conclusive"], true);
    EXPECT_EQ(data["metadata"]["order"], 7);
}

TEST(Payload, OfAnEndWithoutItsTreeTellsWhatWasKnown) {
    Cause cause;
    cause.kind = "completed";
    cause.tx_hash = "TX";
    cause.told_json = kCompleted;
    const auto data = Json::parse(payload(cause))["data"];
    EXPECT_EQ(data["summary"], "transaction of alice.near to app.near (swap) is completed: callback_failed");
    EXPECT_TRUE(data["root_cause"].is_null());
    EXPECT_TRUE(data["amounts"]["tokens_burnt"].is_null());
}

TEST(Payload, OfAnEndWithoutAVerdictTellsWhy) {
    Cause cause;
    cause.kind = "final";
    cause.tx_hash = "TX";
    cause.told_json =
        R"({"stage":"final","from_stage":"completed","user_id":"alice.near","contract_id":"app.near",)"
        R"("method_name":"swap","verdict":"","evidence":{"receipts":6,"error_class":"receipts_missing"}})";
    const auto data = Json::parse(payload(cause))["data"];
    EXPECT_TRUE(data["verdict"].is_null());
    EXPECT_EQ(data["reason"], "receipts_missing");
    EXPECT_EQ(data["summary"],
              "transaction of alice.near to app.near (swap) is final without a verdict: receipts_missing");
}

TEST(Payload, OfAnUndecidedTreeTellsWhyOnce) {
    auto cause = cause_of("undecided");
    cause.finding->signer_id = "alice.near";
    cause.finding->failure = {"receipts_missing", "nobody tells 5 receipts"};
    const auto data = Json::parse(payload(cause))["data"];
    EXPECT_EQ(data["summary"],
              "transaction TX of alice.near is undecided: receipts_missing: nobody tells 5 receipts");
    EXPECT_EQ(data["reason"], "receipts_missing");
}

TEST(Payload, OfAVerdictTellsTheFirstFailure) {
    Swap swap;
    swap.cause.kind = "verdict";
    swap.cause.told_json =
        R"({"verdict":"callback_failed","error_class":"contract_panic","error_text":"no","user_id":"alice.near",)"
        R"("contract_id":"app.near","method_name":"","root_cause_receipt_id":"r2"})";
    const auto data = Json::parse(payload(swap.cause))["data"];
    EXPECT_EQ(data["summary"],
              "transaction of alice.near to app.near was judged: callback_failed: " + kNoSuchPool);
    EXPECT_EQ(data["root_cause"]["method_name"], "on_transfer");
    EXPECT_FALSE(data.contains("root_cause_receipt_id"));
}

TEST(Payload, LinksBeginWithThePublicAddress) {
    const Swap swap;
    for (const char* address : {"https://receiptd.example.org/api", "https://receiptd.example.org/api/"})
        EXPECT_EQ(Json::parse(make_payload(swap.cause, Site{"mainnet", address, ""}))["data"]["links"]["api"],
                  "https://receiptd.example.org/api/v1/transactions/TX");
}

TEST(Payload, OfAnExpiredTransactionHasNoTree) {
    auto cause = cause_of("expired");
    auto& finding = *cause.finding;
    cause.alert_id = cause.finding_id = finding.finding_id = "expired:TX";
    finding.signer_id = "alice.near";
    finding.failure.error_class = "expired";
    finding.certainty = chain::Certainty{true, 0, {}};
    finding.at = {0, 1'700'000'000'000'000'000};
    expect_golden("expired.json", payload(cause));
}

TEST(Payload, OfACorrectionTellsWhatWasToldAndWhatIsTrue) {
    auto cause = cause_of("corrected");
    cause.finding->correction_json =
        R"({"told":{"stage":"forwarding_failed"},"true":{"stage":"included"},"why":"a block"})";
    const auto body = Json::parse(payload(cause));
    EXPECT_EQ(body["type"], "transaction.corrected");
    EXPECT_EQ(body["data"]["correction"]["told"]["stage"], "forwarding_failed");
    EXPECT_EQ(body["data"]["summary"], "what was told of transaction TX does not hold");
}

TEST(Payload, OfAStageTellsWhatItsOwnerGaveAlong) {
    Cause cause;
    cause.alert_id = "completed:TX";
    cause.kind = "completed";
    cause.tx_hash = "TX";
    cause.told_json =
        R"({"stage":"completed","verdict":"succeeded","method_name":"","metadata":{"order":7},"evidence":{}})";
    const auto body = Json::parse(payload(cause));
    EXPECT_EQ(body["type"], "transaction.completed");
    EXPECT_EQ(body["data"]["summary"], "transaction is completed: succeeded");
    EXPECT_EQ(body["data"]["metadata"]["order"], 7);
    EXPECT_TRUE(body["data"]["method_name"].is_null());
    EXPECT_EQ(body["data"]["links"]["page"], "/tx/TX");
}

TEST(Payload, TellsEachEndpointItsRules) {
    storage::DueDelivery delivery;
    const auto sent = [&] { return for_endpoint(R"({"type":"t"})", delivery); };
    EXPECT_EQ(sent(), R"({"type":"t"})") << "queued before there were rules";
    delivery.rules = {"payments@3", "default"};
    EXPECT_EQ(sent(), R"({"type":"t","rules":["payments@3","default"]})");
    delivery.group_id = 7;
    delivery.group_name = "group-3f";
    delivery.group_json = R"({"contract_id":"app.near"})";
    delivery.late = true;
    EXPECT_EQ(sent(), R"({"type":"t","rules":["payments@3","default"],"group_id":7,)"
                      R"("group_name":"group-3f","group":{"contract_id":"app.near"},"late":true})");
}

TEST(Payload, HasTheFirstAlertOfItsGroupWhereAsked) {
    storage::DueDelivery delivery;
    delivery.first_payload = R"({"type":"finding.failed_receipt"})";
    EXPECT_EQ(for_endpoint(R"({"type":"group.digest"})", delivery),
              R"({"type":"group.digest","first_alert":{"type":"finding.failed_receipt"}})");
}

TEST(Payload, LinksToTheExplorerOfTheConfiguration) {
    const Swap swap;
    const Site site{"mainnet", "", "https://explorer.example.org/txns/{tx_hash}?x=1"};
    EXPECT_EQ(Json::parse(make_payload(swap.cause, site))["data"]["links"]["explorer"],
              "https://explorer.example.org/txns/TX?x=1");
}

TEST(Payload, OfAForgottenFindingStillTellsWhatItCan) {
    Cause cause;
    cause.alert_id = cause.finding_id = "failed_receipt:r9";
    cause.kind = "failed_receipt";
    cause.alerted_at = base::WallTime(1'700'000'000s + 250ms);
    expect_golden("forgotten.json", payload(cause));
}

// A branch longer than is told, every receipt of it failed with this text.
std::string payload_of_deep_failure(const std::string& text) {
    Swap swap;
    for (int i = 0; i < 60; ++i) {
        const auto id = "r" + std::to_string(100 + i);
        swap.cause.tree.outcomes.back().receipt_ids = {id};
        swap.receipt(id, std::string(64, 'a'), std::string(64, 'b'), text);
        swap.outcome(id, chain::StatusKind::failure, {}, 200).failure = {"contract_panic", text};
    }
    swap.cause.finding->receipt_id = "r159";
    swap.cause.finding->failure.error_text = swap.cause.finding->method_name = text;
    swap.cause.finding->certainty = chain::Certainty{true, 0, {}};
    swap.cause.evidence_json = swap.cause.finding->correction_json =
        Json{{"host", std::string(1 << 20, '"')}}.dump();
    swap.cause.metadata_json = Json{{"note", std::string(4'000, 'm')}}.dump();
    return payload(swap.cause);
}

TEST(Payload, IsBoundedAndValidWhateverAContractSays) {
    for (const char* piece : {"\xff", "\x01", "\"", "ä", "\xe2\x80", "\n"}) {
        std::string text;
        for (int i = 0; i < 20'000; ++i) text += piece;
        const auto body = payload_of_deep_failure(text);
        EXPECT_LT(body.size(), 131'072U) << piece;
        ASSERT_TRUE(Json::accept(body));
        const auto data = Json::parse(body)["data"];
        EXPECT_EQ(data["failing_branch"].size(), 42U) << "with its cause";
        EXPECT_TRUE(data["evidence"]["cut"].is_string());
        EXPECT_TRUE(data["correction"]["cut"].is_string());
    }
}

}  // namespace
}  // namespace receiptd::alert
