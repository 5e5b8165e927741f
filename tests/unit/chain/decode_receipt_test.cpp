#include "decode_fixtures.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using testing::Changed;
using ::testing::ElementsAre;
using testing::error_of;
using testing::fixture;
using testing::OrderedJson;

std::string listed_receipt(std::size_t index, const char* list = "receipts") {
    return OrderedJson::parse(fixture("chunk/full.json"))[list][index].dump();
}

// The receipt of the chunk fixture, with one place changed.
std::string receipt_error(const std::string& pointer, const std::string& raw) {
    auto json = OrderedJson::parse(listed_receipt(0));
    json[OrderedJson::json_pointer(pointer)] = OrderedJson::parse(raw);
    return error_of(decode_receipt(json.dump()));
}

TEST(DecodeReceipt, ReadsAnActionReceipt) {
    const std::string json = listed_receipt(0);
    const auto decoded = decode_receipt(json);
    ASSERT_TRUE(decoded) << error_of(decoded);
    const Receipt& receipt = decoded->value;
    EXPECT_EQ(receipt.kind, ReceiptKind::action);
    EXPECT_EQ(receipt.predecessor_id, "alice.near");
    EXPECT_EQ(receipt.receiver_id, "bob.near");
    EXPECT_EQ(receipt.signer_id, "alice.near");
    EXPECT_TRUE(receipt.signer_public_key.starts_with("ed25519:"));
    EXPECT_EQ(base::to_string(receipt.gas_price), "103000000");
    ASSERT_EQ(receipt.output_data_receivers.size(), 1);
    EXPECT_EQ(receipt.output_data_receivers[0].receiver_id, "cb.near");
    EXPECT_EQ(receipt.input_data_ids.size(), 1);
    ASSERT_EQ(receipt.actions.size(), 1);
    EXPECT_EQ(receipt.actions_json, "[" + std::string(receipt.actions[0].json) + "]");
    EXPECT_FALSE(receipt.is_promise_yield);
    EXPECT_TRUE(receipt.refund_to.empty());
    EXPECT_EQ(receipt.json, OrderedJson::parse(json)["receipt"].dump());
}

TEST(DecodeReceipt, ReadsAYieldAndItsRefundAccount) {
    const auto decoded = decode_transaction_status(fixture("tx_status/full.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    const Receipt& yielded = decoded->value.receipts->at(2);
    EXPECT_TRUE(yielded.is_promise_yield);
    EXPECT_EQ(yielded.refund_to, "alice.near");
    EXPECT_EQ(decoded->value.receipts->at(1).predecessor_id, kSystemAccount);
}

TEST(DecodeReceipt, ReadsDataAndFailedPromises) {
    const auto value = decode_receipt(listed_receipt(1));
    const auto failed = decode_receipt(listed_receipt(2));
    ASSERT_TRUE(value && failed);
    EXPECT_EQ(value->value.kind, ReceiptKind::data);
    EXPECT_EQ(value->value.data, "dHJ1ZQ==");
    EXPECT_FALSE(value->value.is_promise_resume);
    EXPECT_EQ(failed->value.kind, ReceiptKind::data);
    EXPECT_FALSE(failed->value.data);
    EXPECT_TRUE(failed->value.is_promise_resume);
    EXPECT_EQ(failed->value.data_id.size(), 44);
}

TEST(DecodeReceipt, AnEmptyValueIsNoFailure) {
    auto json = OrderedJson::parse(listed_receipt(1));
    json["receipt"]["Data"]["data"] = "";
    const auto decoded = decode_receipt(json.dump());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->value.data, "");
}

TEST(DecodeReceipt, KeepsKindsItDoesNotKnow) {
    const auto distribution = decode_receipt(listed_receipt(3));
    const auto unknown = decode_receipt(listed_receipt(4));
    ASSERT_TRUE(distribution && unknown);
    EXPECT_EQ(distribution->value.kind, ReceiptKind::global_contract_distribution);
    EXPECT_EQ(unknown->value.kind, ReceiptKind::unknown);
    EXPECT_EQ(unknown->value.json, R"({"Brand":{"new":[1]}})");
}

TEST(DecodeReceipt, ReadsTheResultInsideItsEnvelope) {
    EXPECT_TRUE(decode_receipt_answer(R"({"id":1,"result":)" + listed_receipt(0) + "}"));
}

TEST(DecodeReceipt, SaysWhatIsWrong) {
    EXPECT_EQ(receipt_error("/receipt_id", "\"short\""), "receipt_id: not a hash");
    EXPECT_EQ(receipt_error("/predecessor_id", "\"a\""), "predecessor_id: not an account id");
    EXPECT_EQ(receipt_error("/receiver_id", "null"), "receiver_id: missing");
    EXPECT_EQ(receipt_error("/receipt", "null"), "receipt: missing");
    EXPECT_EQ(receipt_error("/receipt", "\"Action\""), "receipt: not an object");
    EXPECT_EQ(receipt_error("/receipt", R"({"Data":{}})"), "receipt.Data.data_id: missing");
    EXPECT_EQ(receipt_error("/receipt/Action/signer_id", "null"), "receipt.Action.signer_id: missing");
    EXPECT_EQ(receipt_error("/receipt/Action/actions", "{}"), "receipt.Action.actions: not an array");
    EXPECT_EQ(receipt_error("/receipt/Action/input_data_ids/0", "1"),
              "receipt.Action.input_data_ids[0]: not a string");
    EXPECT_EQ(receipt_error("/receipt/Action/output_data_receivers/0", "{}"),
              "receipt.Action.output_data_receivers[0].data_id: missing");
    EXPECT_EQ(receipt_error("/receipt/Action/is_promise_yield", "1"),
              "receipt.Action.is_promise_yield: not a boolean");
}

class DecodeOutcome : public ::testing::Test {
protected:
    static std::string error(const std::string& place, const std::string& raw) {
        return error_of(decode_transaction_status(
            Changed("tx_status/full.json").set("/transaction_outcome" + place, raw).text()));
    }
};

TEST_F(DecodeOutcome, ReadsProofLogsAndChildren) {
    const auto decoded = decode_transaction_status(fixture("tx_status/full.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    const Outcome& outcome = decoded->value.receipts_outcome[0];
    EXPECT_EQ(outcome.executor_id, "bob.near");
    EXPECT_EQ(outcome.gas_burnt, 424555062500);
    EXPECT_EQ(base::to_string(outcome.tokens_burnt), "42455506250000000000");
    ASSERT_EQ(outcome.proof.size(), 2);
    EXPECT_TRUE(outcome.proof[0].left);
    EXPECT_FALSE(outcome.proof[1].left);
    EXPECT_THAT(outcome.logs, ElementsAre(R"(EVENT_JSON:{"standard":"nep141"})", "plain", "tab\t"));
    EXPECT_THAT(outcome.receipt_ids, ElementsAre(decoded->value.receipts_outcome[1].id));
}

TEST_F(DecodeOutcome, TellsTheKindsOfStatusApart) {
    const auto decoded = decode_transaction_status(fixture("tx_status/full.json"));
    ASSERT_TRUE(decoded);
    const auto& outcomes = decoded->value.receipts_outcome;
    const ExecutionStatus& converted = decoded->value.transaction_outcome->status;
    EXPECT_EQ(converted.kind, StatusKind::success_receipt_id);
    EXPECT_EQ(converted.success_receipt_id, outcomes[0].id);
    EXPECT_EQ(outcomes[0].status.kind, StatusKind::failure);
    EXPECT_EQ(OrderedJson::parse(outcomes[0].status.failure_json)["ActionError"]["index"], 0);
    EXPECT_TRUE(outcomes[0].status.json.empty());
    EXPECT_EQ(outcomes[1].status.kind, StatusKind::success_value);
    EXPECT_EQ(outcomes[1].status.success_value, "");
    EXPECT_EQ(outcomes[2].status.kind, StatusKind::unknown);
    EXPECT_EQ(outcomes[3].status.kind, StatusKind::unknown);
    EXPECT_EQ(outcomes[3].status.json, R"({"SuccessSoon":{"in":[1,2]}})");
}

TEST_F(DecodeOutcome, AFailureMayBeAnyJson) {
    const auto failure = [](const std::string& raw) {
        const auto decoded = decode_transaction_status(
            Changed("tx_status/full.json")
                .set("/transaction_outcome/outcome/status", "{\"Failure\": " + raw + " }")
                .text());
        return decoded ? std::string(decoded->value.transaction_outcome->status.failure_json)
                       : error_of(decoded);
    };
    EXPECT_EQ(failure("\"Expired\""), "\"Expired\"");
    EXPECT_EQ(failure("[1 , 2]"), "[1 , 2]");
    EXPECT_EQ(failure("0.5"), "0.5");
    EXPECT_EQ(failure("{}"), "{}");
    EXPECT_EQ(failure("{\"a\":1 2}").substr(0, 43), "transaction_outcome.outcome.status.Failure:");
}

TEST_F(DecodeOutcome, OldAnswersLackTokensAndExecutor) {
    const auto decoded = decode_transaction_status(Changed("tx_status/full.json")
                                                       .remove("/transaction_outcome/outcome/tokens_burnt")
                                                       .remove("/transaction_outcome/outcome/executor_id")
                                                       .text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_TRUE(decoded->value.transaction_outcome->executor_id.empty());
}

TEST_F(DecodeOutcome, SaysWhatIsWrong) {
    const std::string at = "transaction_outcome.";
    EXPECT_EQ(error("/id", "\"x\""), at + "id: not a hash");
    EXPECT_EQ(error("/block_hash", "null"), at + "block_hash: missing");
    EXPECT_EQ(error("/proof/1/direction", "\"Up\""), at + "proof[1].direction: neither Left nor Right");
    EXPECT_EQ(error("/outcome", "[]"), at + "outcome: not an object");
    EXPECT_EQ(error("/outcome/receipt_ids/0", "\"no\""), at + "outcome.receipt_ids[0]: not a hash");
    EXPECT_EQ(error("/outcome/logs", "[\"a\",7]"), at + "outcome.logs[1]: not a string");
    EXPECT_EQ(error("/outcome/executor_id", '"' + std::string(6'000, 'a') + '"'),
              at + "outcome.executor_id: not an account id");
    EXPECT_EQ(error("/outcome/gas_burnt", "9223372036854775808"), at + "outcome.gas_burnt: beyond bigint");
    EXPECT_EQ(error("/outcome/status", "{}"), at + "outcome.status: not an object of one key");
    EXPECT_EQ(error("/outcome/status", "{\"SuccessValue\":1}"),
              at + "outcome.status.SuccessValue: not a string");
    EXPECT_EQ(error("/outcome/status", "{\"SuccessReceiptId\":\"\"}"),
              at + "outcome.status.SuccessReceiptId: not a hash");
}

}  // namespace
}  // namespace receiptd::chain
