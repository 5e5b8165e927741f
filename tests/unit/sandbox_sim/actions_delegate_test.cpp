#include "sandbox/sim/actions.hpp"

#include "chain/wire/delegate.hpp"
#include "sandbox/sim/fees.hpp"

#include "action_stage.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;
using testing::IsEmpty;
using testing::SizeIs;

// Bob's wishes, brought by a relayer.
struct Delegates : ActionStage {
    void SetUp() override {
        ActionStage::SetUp();
        delegate.sender_id = "bob.test";
        delegate.receiver_id = "alice.test";
        delegate.actions = {transfer(5)};
        delegate.nonce = 1;
        delegate.max_block_height = 200;
        delegate.public_key = public_of("bob.test");
    }
    wire::SignedDelegate signed_by(const char* key) {
        return {delegate, secret_of(key).sign(wire::delegate_hash(delegate).view())};
    }
    Result send(const char* key = "bob.test", const std::string& receiver = "bob.test") {
        return run("relayer.test", receiver, {{signed_by(key)}});
    }
    wire::SignedDelegateV2 v2(wire::TransactionNonce nonce, const char* key = "bob.test") {
        wire::DelegateActionV2 action;
        action.sender_id = delegate.sender_id;
        action.receiver_id = delegate.receiver_id;
        action.actions = delegate.actions;
        action.nonce = nonce;
        action.max_block_height = delegate.max_block_height;
        action.public_key = public_of(key);
        return {action, secret_of(key).sign(wire::delegate_hash(action).view())};
    }
    Json send_v2(wire::TransactionNonce nonce, const char* key = "bob.test") {
        return error_of("relayer.test", "bob.test", {{v2(nonce, key)}});
    }
    void give_key(const char* name, const wire::AccessKey& key) {
        change(state, kGenesis, [&](StateUpdate& u) { u.set_access_key("bob.test", public_of(name), key); });
    }
    std::uint64_t nonce_of(const char* key) { return state.access_key("bob.test", public_of(key))->nonce; }
    // With a key that may only call `run` of alice.
    Json send_with_call_key(std::vector<wire::Action> actions, const std::string& receiver = "alice.test") {
        give_key("call", call_key("alice.test", {"run"}));
        delegate.public_key = public_of("call");
        delegate.actions = std::move(actions);
        delegate.receiver_id = receiver;
        return send("call").error;
    }
    wire::DelegateAction delegate;
};

Json key_error(Json error) { return Json{{"DelegateActionAccessKeyError", std::move(error)}}; }
wire::Action call(const char* method, u128 deposit = 0) {
    return {wire::FunctionCall{method, {}, 7, deposit}};
}

TEST_F(Delegates, MakeAReceiptFromTheUserSignedByTheRelayer) {
    const Result result = send();
    EXPECT_TRUE(result.error.is_null());
    ASSERT_THAT(result.new_receipts, SizeIs(1));
    const Receipt& inner = result.new_receipts.front();
    const auto& body = std::get<ActionReceipt>(inner.body);
    EXPECT_EQ(inner.predecessor_id, "bob.test");
    EXPECT_EQ(inner.receiver_id, "alice.test");
    EXPECT_EQ(body.signer_id, "relayer.test");
    EXPECT_EQ(body.signer_public_key, public_of("relayer.test"));
    EXPECT_EQ(body.gas_price, 123U);
    EXPECT_EQ(body.actions, delegate.actions);
    EXPECT_THAT(body.output_data_receivers, IsEmpty());
    EXPECT_THAT(body.input_data_ids, IsEmpty());
    EXPECT_EQ(nonce_of("bob.test"), 1U);
}

TEST_F(Delegates, UseUpExactlyTheGasThatTheRelayerBought) {
    for (const std::string& receiver : {std::string("alice.test"), std::string("bob.test")}) {
        ++delegate.nonce;
        delegate.receiver_id = receiver;
        delegate.actions = {transfer(5), call("run", 3)};
        const std::vector<wire::Action> outer{{signed_by("bob.test")}};
        const Result result = send();
        ASSERT_TRUE(result.error.is_null());
        EXPECT_EQ(result.gas_burnt, send_fees(kProtocol, delegate.actions, "bob.test", receiver));
        const Gas inner = *purchased_gas(kProtocol, delegate.actions, receiver);
        EXPECT_EQ(result.gas_used, result.gas_burnt + inner);
        const Gas own = receipt_fee().exec + action_fee(kProtocol, outer.front(), "bob.test").exec;
        EXPECT_EQ(own + result.gas_used, *purchased_gas(kProtocol, outer, "bob.test"));
    }
}

TEST_F(Delegates, AreSignedByTheKeyTheyName) {
    EXPECT_EQ(send("alice.test").error, Json("DelegateActionInvalidSignature"));
    wire::SignedDelegate changed = signed_by("bob.test");
    changed.delegate_action.nonce = 2;
    EXPECT_EQ(error_of("relayer.test", "bob.test", {{changed}}), Json("DelegateActionInvalidSignature"));
}

TEST_F(Delegates, ExpireAfterTheirLastHeight) {
    block.height = 201;
    EXPECT_EQ(send().error, Json("DelegateActionExpired"));
}

TEST_F(Delegates, RunOnTheAccountOfTheirSender) {
    EXPECT_EQ(send("bob.test", "alice.test").error,
              (Json{{"DelegateActionSenderDoesNotMatchTxReceiver",
                     {{"sender_id", "bob.test"}, {"receiver_id", "alice.test"}}}}));
}

TEST_F(Delegates, NeedAKeyOfTheAccount) {
    delegate.public_key = public_of("stranger");
    EXPECT_EQ(send("stranger").error,
              key_error({{"AccessKeyNotFound",
                          {{"account_id", "bob.test"}, {"public_key", public_of("stranger").to_string()}}}}));
}

TEST_F(Delegates, NeedANonceAboveTheKeysAndBelowTheBound) {
    give_key("bob.test", full_access(7));
    delegate.nonce = 7;
    EXPECT_EQ(send().error, (Json{{"DelegateActionInvalidNonce", {{"delegate_nonce", 7}, {"ak_nonce", 7}}}}));
    delegate.nonce = 200'000'000;
    EXPECT_EQ(
        send().error,
        (Json{{"DelegateActionNonceTooLarge", {{"delegate_nonce", 200000000}, {"upper_bound", 200000000}}}}));
    delegate.nonce = 199'999'999;
    EXPECT_TRUE(send().error.is_null());
    EXPECT_EQ(nonce_of("bob.test"), 199'999'999U);
    EXPECT_TRUE(send().error.contains("DelegateActionInvalidNonce"));
}

TEST_F(Delegates, OfACallKeyCallWhatItMay) {
    EXPECT_TRUE(send_with_call_key({call("run")}).is_null());
    EXPECT_EQ(nonce_of("call"), 1U);
}

TEST_F(Delegates, OfACallKeyDoNothingElse) {
    EXPECT_EQ(send_with_call_key({transfer(1)}), key_error("RequiresFullAccess"));
    EXPECT_EQ(send_with_call_key({call("run"), call("run")}), key_error("RequiresFullAccess"));
    EXPECT_EQ(send_with_call_key({}), key_error("RequiresFullAccess"));
    EXPECT_EQ(send_with_call_key({call("run", 1)}), key_error("DepositWithFunctionCall"));
    EXPECT_EQ(
        send_with_call_key({call("run")}, "carol.test"),
        key_error({{"ReceiverMismatch", {{"tx_receiver", "carol.test"}, {"ak_receiver", "alice.test"}}}}));
    EXPECT_EQ(send_with_call_key({call("walk")}),
              key_error({{"MethodNameMismatch", {{"method_name", "walk"}}}}));
    EXPECT_EQ(nonce_of("call"), 0U);
}

TEST_F(Delegates, AreCheckedInOrder) {
    // All of it is wrong; each step repairs what was told.
    delegate.nonce = std::numeric_limits<std::uint64_t>::max();
    delegate.public_key = public_of("call");
    delegate.max_block_height = 1;
    EXPECT_EQ(send("bob.test", "alice.test").error, Json("DelegateActionInvalidSignature"));
    EXPECT_EQ(send("call", "alice.test").error, Json("DelegateActionExpired"));
    delegate.max_block_height = 500;
    EXPECT_TRUE(send("call", "alice.test").error.contains("DelegateActionSenderDoesNotMatchTxReceiver"));
    EXPECT_TRUE(send("call").error["DelegateActionAccessKeyError"].contains("AccessKeyNotFound"));
    give_key("call", call_key("carol.test"));
    EXPECT_TRUE(send("call").error.contains("DelegateActionNonceTooLarge"));
    delegate.nonce = 1;
    EXPECT_EQ(send("call").error, key_error("RequiresFullAccess"));
}

TEST_F(Delegates, OfVersion2TakeAPlainNonceOfAPlainKey) {
    EXPECT_TRUE(send_v2({4, std::nullopt}).is_null());
    EXPECT_EQ(nonce_of("bob.test"), 4U);
    EXPECT_TRUE(send_v2({4, std::nullopt}).contains("DelegateActionInvalidNonce"));
    EXPECT_EQ(send_v2({5, 0}), key_error("DelegateActionRequiresGasKey"));
}

TEST_F(Delegates, OfVersion2TakeANonceOfAGasKeysIndex) {
    give_key("gas", gas_key(0, 2));
    EXPECT_TRUE(send_v2({5, 1}, "gas").is_null());
    EXPECT_EQ(state.access_key("bob.test", public_of("gas"))->nonces, (std::vector<std::uint64_t>{0, 5}));
    EXPECT_EQ(send_v2({5, 1}, "gas"),
              (Json{{"DelegateActionInvalidNonce", {{"delegate_nonce", 5}, {"ak_nonce", 5}}}}));
    EXPECT_TRUE(send_v2({5, 0}, "gas").is_null());
}

TEST_F(Delegates, DoNotUseGasKeysWithoutOneOfTheirIndexes) {
    give_key("gas", gas_key(0, 2));
    EXPECT_EQ(send_v2({5, std::nullopt}, "gas"), key_error("DelegateActionRequiresNonGasKey"));
    EXPECT_EQ(send_v2({5, 2}, "gas"),
              (Json{{"DelegateActionInvalidNonceIndex", {{"nonce_index", 2}, {"num_nonces", 2}}}}));
    delegate.public_key = public_of("gas");
    EXPECT_EQ(send("gas").error, key_error("DelegateActionRequiresNonGasKey"));
}

TEST_F(Delegates, OfVersion2AreSignedWithTheirOwnPrefix) {
    wire::SignedDelegateV2 action = v2({4, std::nullopt});
    action.signature = signed_by("bob.test").signature;
    EXPECT_EQ(error_of("relayer.test", "bob.test", {{action}}), Json("DelegateActionInvalidSignature"));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
