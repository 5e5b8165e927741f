#include "chain/tree/facts.hpp"
#include "decode_fixtures.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using testing::Changed;
using testing::error_of;
using testing::fixture;
using testing::OrderedJson;

// The chunk fixture's first transaction has one action of each kind, in this order.
constexpr ActionKind kKinds[] = {
    ActionKind::create_account,
    ActionKind::deploy_contract,
    ActionKind::function_call,
    ActionKind::transfer,
    ActionKind::stake,
    ActionKind::add_key,
    ActionKind::delete_key,
    ActionKind::delete_account,
    ActionKind::delegate,
    ActionKind::deploy_global_contract,
    ActionKind::deploy_global_contract,
    ActionKind::use_global_contract,
    ActionKind::use_global_contract,
    ActionKind::deterministic_state_init,
    ActionKind::transfer_to_gas_key,
    ActionKind::withdraw_from_gas_key,
    ActionKind::delegate_v2,
    ActionKind::universal_state_init,
    ActionKind::unknown,
};

std::string chunk_error(const Changed& json) { return error_of(decode_chunk(json.text())); }

// The error for a transaction whose only action is this one, below its place.
std::string action_error(const std::string& raw) {
    const std::string place = "transactions[1].actions[0]";
    const std::string error = chunk_error(Changed("chunk/full.json").set("/transactions/1/actions/0", raw));
    if (error.empty()) return error;
    EXPECT_EQ(error.substr(0, place.size()), place);
    return error.substr(place.size());
}

class DecodeActions : public ::testing::Test {
protected:
    void SetUp() override {
        auto decoded = decode_chunk(fixture("chunk/full.json"));
        ASSERT_TRUE(decoded) << error_of(decoded);
        chunk_.emplace(std::move(*decoded));
    }
    const SignedTransaction& transaction() const { return chunk_->value.transactions[0]; }
    std::optional<Decoded<Chunk>> chunk_;
};

TEST_F(DecodeActions, KnowsEachKindByName) {
    const auto& actions = transaction().actions;
    ASSERT_EQ(actions.size(), std::size(kKinds));
    for (std::size_t i = 0; i < actions.size(); ++i) EXPECT_EQ(actions[i].kind, kKinds[i]) << i;
    EXPECT_EQ(actions[10].name, "DeployGlobalContractByAccountId");
    EXPECT_EQ(actions[17].name, "UniversalStateInit");
}

TEST_F(DecodeActions, KeepsTheTextOfEachActionAndOfTheList) {
    const OrderedJson original = OrderedJson::parse(fixture("chunk/full.json"))["transactions"][0]["actions"];
    EXPECT_EQ(transaction().actions_json, original.dump());
    for (std::size_t i = 0; i < original.size(); ++i) {
        EXPECT_EQ(transaction().actions[i].json, original[i].dump());
    }
}

TEST_F(DecodeActions, ReadsWhatTheKindsHold) {
    const auto& actions = transaction().actions;
    EXPECT_EQ(actions[2].method_name, "ft_transfer");
    EXPECT_EQ(actions[2].args, "eyJhIjoxfQ==");
    EXPECT_EQ(actions[2].gas, 30000000000000);
    EXPECT_EQ(base::to_string(actions[2].deposit), "1");
    EXPECT_EQ(base::to_string(actions[3].deposit), "340282366920938463463374607431768211455");
    EXPECT_EQ(base::to_string(actions[4].deposit), "0");  // a stake is no deposit
    EXPECT_EQ(actions[7].beneficiary_id, "heir.near");
    EXPECT_EQ(base::to_string(actions[13].deposit), "11");
    EXPECT_EQ(base::to_string(actions[14].deposit), "12");
    EXPECT_EQ(base::to_string(actions[15].deposit), "0");
    EXPECT_EQ(base::to_string(actions[17].deposit), "15");
}

TEST_F(DecodeActions, ReadsWhoActsInAMetaTransaction) {
    const Action& first = transaction().actions[8];
    EXPECT_EQ(first.delegate_sender_id, "user.near");
    EXPECT_EQ(first.delegate_receiver_id, "token.near");
    ASSERT_EQ(first.delegate_actions.size(), 3);
    EXPECT_EQ(first.delegate_actions[0].kind, ActionKind::create_account);
    EXPECT_EQ(first.delegate_actions[0].json, R"({"CreateAccount":{}})");
    EXPECT_EQ(first.delegate_actions[1].method_name, "ft_transfer");
    EXPECT_EQ(base::to_string(first.delegate_actions[2].deposit), "5");
    const Action& second = transaction().actions[16];
    EXPECT_EQ(second.delegate_receiver_id, "dex.near");
    ASSERT_EQ(second.delegate_actions.size(), 1);
    EXPECT_EQ(base::to_string(second.delegate_actions[0].deposit), "14");
}

TEST_F(DecodeActions, ReadsTheTransactionAround) {
    EXPECT_EQ(transaction().signer_id, "alice.near");
    EXPECT_EQ(transaction().receiver_id, "bob.near");
    EXPECT_EQ(transaction().nonce, 7);
    EXPECT_EQ(transaction().signature, "ed25519:sig");
    EXPECT_EQ(transaction().hash.size(), 44);
    EXPECT_EQ(chunk_->value.transactions[1].actions_json, "[]");
}

TEST(DecodeTransaction, TellsWhichNonceOfAGasKeyItUses) {
    const auto decoded =
        decode_chunk(Changed("chunk/full.json").set("/transactions/1/nonce_index", "4").text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_EQ(decoded->value.transactions[0].nonce_index, std::nullopt);
    EXPECT_EQ(decoded->value.transactions[1].nonce_index, 4);
}

TEST(DecodeAction, KeepsWhitespaceInsideItsTextOnly) {
    const auto decoded = decode_chunk(
        Changed("chunk/full.json")
            .set("/transactions/1/actions", " [ {\"Transfer\" : {\"deposit\":\"1\"} } , \"New\" ] ")
            .text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    const auto& transaction = decoded->value.transactions[1];
    EXPECT_EQ(transaction.actions_json, "[ {\"Transfer\" : {\"deposit\":\"1\"} } , \"New\" ]");
    EXPECT_EQ(transaction.actions[0].json, "{\"Transfer\" : {\"deposit\":\"1\"} }");
    EXPECT_EQ(transaction.actions[1].json, "\"New\"");
    EXPECT_EQ(transaction.actions[1].kind, ActionKind::unknown);
}

TEST(DecodeAction, AFunctionCallNeedsAllItsMembers) {
    EXPECT_EQ(action_error(R"({"FunctionCall":{"args":"","gas":1,"deposit":"0"}})"),
              ".FunctionCall.method_name: missing");
    EXPECT_EQ(action_error(R"({"FunctionCall":{"method_name":"m","gas":1,"deposit":"0"}})"),
              ".FunctionCall.args: missing");
    EXPECT_EQ(
        action_error(
            R"({"FunctionCall":{"method_name":"m","args":"","gas":9223372036854775808,"deposit":"0"}})"),
        ".FunctionCall.gas: beyond bigint");
    EXPECT_EQ(action_error(R"("FunctionCall")"), ": not an object");
}

TEST(DecodeAction, MustBeANameOrAnObjectOfOneKey) {
    EXPECT_EQ(action_error("7"), ": neither a name nor an object");
    EXPECT_EQ(action_error("[]"), ": neither a name nor an object");
    EXPECT_EQ(action_error("{}"), ": not an object of one key");
    EXPECT_EQ(action_error(R"({"New":{},"Other":{}})"), ": not an object of one key");
    EXPECT_EQ(action_error("null"), ": neither a name nor an object");
}

TEST(DecodeAction, UnknownKindsMustBeSoundJson) {
    EXPECT_EQ(action_error(R"({"New":{"a":[1,"x\u0000",{"b":null}]}})"), "");
    EXPECT_EQ(action_error(R"({"New":{"a":[1,tru]}})"), ".New.a[1]: not a JSON value");
    EXPECT_EQ(action_error(R"({"New":{"a":01}})"), ".New.a: not a JSON value");
    EXPECT_EQ(action_error(R"({"New":{"a":"\q"}})"), ".New.a: unknown escape in a string");
    EXPECT_EQ(action_error(R"({"New":{"a":[1}})").substr(0, 4), ".New");
    EXPECT_EQ(action_error(R"({"Stake":{"stake":+1}})"), ".Stake.stake: not a JSON value");
    EXPECT_EQ(action_error(R"({"Transfer":{"deposit":"1","new":.5}})"), ".Transfer.new: not a JSON value");
}

TEST(DecodeAction, OfAnUnknownKindTheDepositIsThatOfItsRow) {
    for (const auto& [action, deposit] : std::initializer_list<std::pair<std::string, u128>>{
             {R"({"Newer":{"state":"AA==","deposit":"15"}})", 15},
             {R"({"Newer":{"deposit":15}})", 0},
             {R"({"Newer":{"deposit":"many"}})", 0},
             {R"({"Newer":{"inner":{"deposit":"15"}}})", 0},
             {R"({"Newer":["deposit"]})", 0},
             {R"("Newer")", 0}}) {
        const auto decoded =
            decode_chunk(Changed("chunk/full.json").set("/transactions/1/actions/0", action).text());
        ASSERT_TRUE(decoded) << action << error_of(decoded);
        EXPECT_EQ(deposit_of(decoded->value.transactions[1].actions), deposit) << action;
        EXPECT_EQ(stored_action_facts("[" + action + "]").deposit, deposit) << action;
    }
}

TEST(DecodeAction, ADelegateOfALaterVersionIsKeptRaw) {
    const auto decoded = decode_chunk(
        Changed("chunk/full.json")
            .set("/transactions/1/actions/0", R"({"DelegateV2":{"delegate_action":{"V9":{"to":1}}}})")
            .text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    const Action& action = decoded->value.transactions[1].actions[0];
    EXPECT_EQ(action.kind, ActionKind::delegate_v2);
    EXPECT_TRUE(action.delegate_sender_id.empty());
}

TEST(DecodeTransaction, AccountIdsHave2To64Bytes) {
    const auto signer = [](const std::string& id) {
        return chunk_error(Changed("chunk/full.json").set("/transactions/1/signer_id", "\"" + id + "\""));
    };
    EXPECT_EQ(signer("aa"), "");
    EXPECT_EQ(signer(std::string(64, 'a')), "");
    EXPECT_EQ(signer(""), "transactions[1].signer_id: not an account id");
    EXPECT_EQ(signer("a"), "transactions[1].signer_id: not an account id");
    EXPECT_EQ(signer(std::string(65, 'a')), "transactions[1].signer_id: not an account id");
    EXPECT_EQ(signer("a\\u0000b"), "transactions[1].signer_id: not an account id");
    EXPECT_EQ(chunk_error(Changed("chunk/full.json").set("/transactions/1/receiver_id", "\"b\"")),
              "transactions[1].receiver_id: not an account id");
}

TEST(DecodeTransaction, NamesTheMemberThatIsMissingOrTooLarge) {
    for (const std::string member : {"hash", "signer_id", "receiver_id", "public_key", "nonce", "actions"}) {
        EXPECT_EQ(chunk_error(Changed("chunk/full.json").remove("/transactions/0/" + member)),
                  "transactions[0]." + member + ": missing");
    }
    EXPECT_EQ(chunk_error(Changed("chunk/full.json").set("/transactions/0/nonce", "9223372036854775808")),
              "transactions[0].nonce: beyond bigint");
    EXPECT_EQ(chunk_error(Changed("chunk/full.json")
                              .remove("/transactions/0/priority_fee")
                              .remove("/transactions/0/signature")),
              "");
}

TEST(DecodeTransactionStatus, ReadsTheWholeTree) {
    const auto decoded = decode_transaction_status(fixture("tx_status/full.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    const TransactionStatus& status = decoded->value;
    EXPECT_EQ(status.final_execution_status, "FINAL");
    ASSERT_TRUE(status.transaction);
    EXPECT_EQ(status.transaction->signer_id, "alice.near");
    ASSERT_TRUE(status.transaction_outcome);
    EXPECT_EQ(status.transaction_outcome->id, status.transaction->hash);
    EXPECT_EQ(status.receipts_outcome.size(), 4);
    ASSERT_TRUE(status.receipts);
    EXPECT_EQ(status.receipts->size(), 3);
    ASSERT_TRUE(status.status);
    EXPECT_EQ(status.status->kind, StatusKind::failure);
}

TEST(DecodeTransactionStatus, WithoutReceiptsForTheMethodTx) {
    const auto decoded = decode_transaction_status(Changed("tx_status/full.json").remove("/receipts").text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_FALSE(decoded->value.receipts);
}

TEST(DecodeTransactionStatus, NothingIsKnownYet) {
    const auto decoded = decode_transaction_status_answer(fixture("tx_status/none.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_EQ(decoded->value.final_execution_status, "NONE");
    EXPECT_FALSE(decoded->value.transaction);
    EXPECT_FALSE(decoded->value.transaction_outcome);
    EXPECT_FALSE(decoded->value.status);
}

TEST(DecodeTransactionStatus, AStatusThatHasNotEndedIsNone) {
    const auto started = decode_transaction_status(fixture("tx_status/started.json"));
    ASSERT_TRUE(started) << error_of(started);
    EXPECT_TRUE(started->value.final_execution_status.empty());
    EXPECT_TRUE(started->value.transaction);
    EXPECT_FALSE(started->value.status);
    const auto waiting =
        decode_transaction_status(Changed("tx_status/started.json").set("/status", "\"NotStarted\"").text());
    ASSERT_TRUE(waiting);
    EXPECT_FALSE(waiting->value.status);
    const auto later =
        decode_transaction_status(Changed("tx_status/started.json").set("/status", "\"Paused\"").text());
    ASSERT_TRUE(later);
    ASSERT_TRUE(later->value.status);
    EXPECT_EQ(later->value.status->kind, StatusKind::unknown);
    EXPECT_EQ(later->value.status->json, "\"Paused\"");
}

TEST(DecodeTransactionStatus, SomethingElseIsAnError) {
    EXPECT_EQ(error_of(decode_transaction_status("{}")), "transaction: missing");
    EXPECT_EQ(error_of(decode_transaction_status(R"("7vwXAZVdwUEDHH7empUTNPNh7RvSDuoJUh1exshakH3u")")),
              "not an object");
}

}  // namespace
}  // namespace receiptd::chain
