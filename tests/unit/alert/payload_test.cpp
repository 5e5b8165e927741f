#include "alert/payload.hpp"
#include "alert/words.hpp"

#include "support/read_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// alice calls app.swap; that calls token.ft_transfer and awaits it with app.on_transfer, which panics.
class Swap {
public:
    Swap() {
        chain::TransactionFacts transaction;
        transaction.tx_hash = "TX";
        transaction.signer_id = "alice.near";
        transaction.receiver_id = "app.near";
        cause.tree.transaction = transaction;
        outcome("TX", chain::StatusKind::success_receipt_id, {"r0"}, 100);
        receipt("r0", "alice.near", "app.near", "swap");
        outcome("r0", chain::StatusKind::success_receipt_id, {"r1", "r2"}, 101);
        receipt("r1", "app.near", "token.near", "ft_transfer").output_data_ids = {"d"};
        outcome("r1", chain::StatusKind::success_value, {}, 102);
        receipt("r2", "app.near", "app.near", "on_transfer").input_data_ids = {"d"};
        chain::DataFacts data;
        data.data_id = "d";
        cause.tree.data.push_back(data);
        outcome("r2", chain::StatusKind::failure, {}, 103).failure = {"contract_panic",
                                                                      "no such pool (src/lib.rs:7:5)"};

        cause.alert_id = cause.finding_id = "failed_receipt:r2";
        cause.kind = "failed_receipt";
        cause.tx_hash = "TX";
        cause.alerted_at = base::WallTime(1'700'000'000s + 250ms);
        chain::Finding finding;
        finding.finding_id = cause.alert_id;
        finding.kind = cause.kind;
        finding.tx_hash = "TX";
        finding.receipt_id = "r2";
        finding.role = chain::Role::callback;
        finding.handled = false;
        finding.contract_id = "app.near";
        finding.method_name = "on_transfer";
        finding.signer_id = "alice.near";
        finding.failure.error_class = "contract_panic";
        finding.failure.error_text = "no such pool (src/lib.rs:7:5)";
        finding.at = {103, 1'700'000'000'123'456'000};
        cause.finding = finding;
    }

    chain::ReceiptFacts& receipt(const std::string& id, const std::string& from, const std::string& to,
                                 const std::string& method) {
        chain::ReceiptFacts facts;
        facts.receipt_id = id;
        facts.predecessor_id = from;
        facts.receiver_id = to;
        facts.signer_id = "alice.near";
        facts.method_name = method;
        return cause.tree.receipts.emplace_back(std::move(facts));
    }

    chain::OutcomeFacts& outcome(const std::string& id, chain::StatusKind status,
                                 std::vector<std::string> children, chain::BlockHeight height) {
        chain::OutcomeFacts facts;
        facts.id = id;
        facts.status = status;
        facts.receipt_ids = std::move(children);
        facts.at = chain::ExecutedAt{height, height * 1'000'000'000};
        return cause.tree.outcomes.emplace_back(std::move(facts));
    }

    Cause cause;
};

std::string payload(const Cause& cause) { return make_payload(cause, Site{"mainnet", "", ""}); }

// The file holds the body as people read it; the body itself is compact.
void expect_golden(const std::string& name, const std::string& body) {
    const auto json = Json::parse(body);
    EXPECT_EQ(json.dump(), body);
    EXPECT_EQ(json.dump(2) + "\n", test::read_file(RECEIPTD_TEST_DATA "/alerts/" + name)) << name;
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

TEST(Payload, LinksBeginWithThePublicAddress) {
    const Swap swap;
    for (const char* address : {"https://receiptd.example.org/api", "https://receiptd.example.org/api/"})
        EXPECT_EQ(Json::parse(make_payload(swap.cause, Site{"mainnet", address, ""}))["data"]["links"]["api"],
                  "https://receiptd.example.org/api/v1/transactions/TX");
}

TEST(Payload, OfAnExpiredTransactionHasNoTree) {
    Cause cause;
    cause.alert_id = cause.finding_id = "expired:TX";
    cause.kind = "expired";
    cause.tx_hash = "TX";
    chain::Finding finding;
    finding.finding_id = cause.alert_id;
    finding.kind = cause.kind;
    finding.tx_hash = "TX";
    finding.signer_id = "alice.near";
    finding.failure.error_class = "expired";
    finding.certainty = chain::Certainty{true, 0, {}};
    finding.at = {0, 1'700'000'000'000'000'000};
    cause.finding = finding;
    expect_golden("expired.json", payload(cause));
}

TEST(Payload, OfACorrectionTellsWhatWasToldAndWhatIsTrue) {
    Cause cause;
    cause.kind = "corrected";
    cause.tx_hash = "TX";
    chain::Finding finding;
    finding.kind = cause.kind;
    finding.tx_hash = "TX";
    finding.correction_json =
        R"({"told":{"stage":"forwarding_failed"},"true":{"stage":"included"},"why":"a block"})";
    cause.finding = finding;
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
    EXPECT_EQ(body["data"]["metadata"]["order"], 7);
    EXPECT_TRUE(body["data"]["method_name"].is_null());
    EXPECT_EQ(body["data"]["links"]["page"], "/tx/TX");
}

TEST(Payload, TellsEachEndpointItsRules) {
    EXPECT_EQ(with_rules(R"({"type":"t"})", {"payments@3", "default"}),
              R"({"type":"t","rules":["payments@3","default"]})");
    EXPECT_EQ(with_rules(R"({"type":"t"})", {}), R"({"type":"t"})") << "queued before there were rules";
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
    return payload(swap.cause);
}

TEST(Payload, IsBoundedAndValidWhateverAContractSays) {
    for (const char* piece : {"\xff", "\x01", "\"", "ä", "\xe2\x80", "\n"}) {
        std::string text;
        for (int i = 0; i < 20'000; ++i) text += piece;
        const auto body = payload_of_deep_failure(text);
        EXPECT_LT(body.size(), 131'072U) << piece;
        ASSERT_TRUE(Json::accept(body));
        EXPECT_EQ(Json::parse(body)["data"]["failing_branch"].size(), 42U) << "with its cause";
    }
}

TEST(Words, SummaryIsOneSentenceForEveryKind) {
    chain::Finding finding;
    finding.tx_hash = "TX";
    finding.signer_id = "alice.near";
    finding.failure.error_class = "superseded";
    const std::pair<const char*, const char*> cases[] = {
        {"failed_transaction", "transaction TX of alice.near failed: superseded"},
        {"rejected", "transaction TX of alice.near was refused: superseded"},
        {"forwarding_failed", "no host took transaction TX of alice.near: superseded"},
        {"dropped", "transaction TX of alice.near was dropped: superseded"},
        {"expired", "transaction TX of alice.near expired: superseded"},
        {"stuck", "transaction TX of alice.near is stuck: superseded"},
        {"unknown", "nothing was learned of transaction TX of alice.near: superseded"}};
    for (const auto& [kind, words] : cases) {
        finding.kind = kind;
        EXPECT_EQ(summary(finding), words);
    }
}

TEST(Words, OfTokensThatCameBackTellHowMany) {
    chain::Finding finding;
    finding.kind = "tokens_returned";
    finding.contract_id = "token.near";
    finding.signer_id = "alice.near";
    finding.flow = chain::TokenFlow{60, 40};
    EXPECT_EQ(summary(finding), "token.near gave tokens back that alice.near sent: 40 returned, 60 kept");
}

TEST(Words, LongBranchLosesItsMiddle) {
    chain::Judgement tree;
    for (int i = 0; i < 5'000; ++i) {
        chain::JudgedReceipt receipt;
        receipt.receipt_id = "r" + std::to_string(i);
        if (i > 0) receipt.parent_receipt_id = "r" + std::to_string(i - 1);
        receipt.receiver_id = "c" + std::to_string(i);
        tree.receipts.push_back(receipt);
    }
    const auto lines = branch_in_words(tree, "r4999");
    ASSERT_EQ(lines.size(), 41U);
    EXPECT_THAT(lines.front(), HasSubstr("c0"));
    EXPECT_EQ(lines[20], "… 4960 receipts more …");
    EXPECT_THAT(lines.back(), HasSubstr("c4999"));
    EXPECT_THAT(branch_in_words(tree, "elsewhere"), ElementsAre());
}

TEST(Words, ACircleIsNoBranch) {
    chain::Judgement tree;
    tree.receipts.resize(2);
    tree.receipts[0].receipt_id = tree.receipts[1].parent_receipt_id = "a";
    tree.receipts[1].receipt_id = tree.receipts[0].parent_receipt_id = "b";
    EXPECT_THAT(branch_in_words(tree, "a"), ElementsAre());
}

}  // namespace
}  // namespace receiptd::alert
