#include "sandbox/sim/validate.hpp"

#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/storage_usage.hpp"

#include "records.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;

constexpr u128 kPriceOfGas = 100'000'000;
constexpr Height kHeight = 200;
const ValidationContext kContext{kProtocol, kPriceOfGas, kHeight};

wire::Transaction transfer_by(const std::string& signer, std::uint64_t nonce = 1, u128 deposit = 1) {
    wire::Transaction transaction;
    transaction.signer_id = signer;
    transaction.public_key = public_of(signer);
    transaction.nonce.nonce = nonce;
    transaction.receiver_id = "bob.test";
    transaction.actions = {{wire::Transfer{deposit}}};
    return transaction;
}

wire::SignedTransaction signed_by(const std::string& key, wire::Transaction transaction) {
    wire::SignedTransaction result;
    result.signature = secret_of(key).sign(wire::transaction_hash(transaction).view());
    result.transaction = std::move(transaction);
    return result;
}

wire::Transaction call_with(const std::string& key, std::string method = "run", u128 deposit = 0) {
    wire::Transaction transaction = transfer_by("alice.test");
    transaction.public_key = public_of(key);
    transaction.actions = {{wire::FunctionCall{std::move(method), {}, 1'000'000, deposit}}};
    return transaction;
}

Json access_key_error(const char* name, Json payload) {
    return Json{{"InvalidAccessKeyError", {{name, std::move(payload)}}}};
}

struct AgainstState : testing::Test {
    void SetUp() override { make_account(state, "alice.test"); }
    // The word of the check; charging must say the same, and nothing may change unless all is well.
    Json judge(const wire::Transaction& transaction, const ValidationContext& context = kContext) {
        const wire::SignedTransaction signed_transaction{transaction, {}};
        const CryptoHash root = state.root();
        const auto error = check_against_state(signed_transaction, {state}, context);
        StateUpdate update(state);
        const StateCharge charge = charge_transaction(update, signed_transaction, context);
        const auto* refused = std::get_if<Json>(&charge);
        EXPECT_EQ(error.value_or(Json()), refused ? *refused : Json());
        if (error) update.commit(kHeight);
        EXPECT_EQ(state.root(), root);
        return error.value_or(Json());
    }
    void add_key(const char* name, const wire::AccessKey& key) {
        change(state, kGenesis,
               [&](StateUpdate& u) { u.set_access_key("alice.test", public_of(name), key); });
    }
    void set_amount(u128 amount) {
        change(state, kGenesis, [&](StateUpdate& u) { u.set_account("alice.test", account_with(amount)); });
    }
    State state;
};

// --- Without state ---

TEST(Validation, AGoodTransactionIsValid) {
    EXPECT_FALSE(check_actions_size_signature(signed_by("alice.test", transfer_by("alice.test")), kContext));
}

TEST(Validation, ASignatureByAnotherKeyOrOfOtherBytesIsInvalid) {
    wire::SignedTransaction foreign = signed_by("bob.test", transfer_by("alice.test"));
    EXPECT_EQ(check_actions_size_signature(foreign, kContext), Json("InvalidSignature"));
    wire::SignedTransaction changed = signed_by("alice.test", transfer_by("alice.test"));
    changed.transaction.nonce.nonce = 2;
    EXPECT_EQ(check_actions_size_signature(changed, kContext), Json("InvalidSignature"));
}

TEST(Validation, AnMlDsaSignatureIsNeverTakenForValid) {
    wire::SignedTransaction transaction{transfer_by("alice.test"), {}};
    transaction.transaction.public_key = *PublicKey::from_raw(chain::KeyType::ml_dsa_65, Bytes(1952));
    transaction.signature = *chain::Signature::from_raw(chain::KeyType::ml_dsa_65, Bytes(3309));
    EXPECT_EQ(check_actions_size_signature(transaction, kContext), Json("InvalidSignature"));
}

TEST(Validation, ATransactionLargerThanTheLimitIsToldItsSize) {
    wire::Transaction transaction = transfer_by("alice.test");
    transaction.actions = {{wire::DeployContract{Bytes(kMaxTransactionBytes)}}};
    const std::uint64_t size = wire::encode(transaction).size();
    EXPECT_EQ(check_actions_size_signature(signed_by("alice.test", transaction), kContext),
              (Json{{"TransactionSizeExceeded", {{"size", size}, {"limit", 1572864}}}}));
    transaction.actions = {{wire::DeployContract{Bytes(2 * kMaxTransactionBytes - size)}}};
    EXPECT_EQ(wire::encode(transaction).size(), kMaxTransactionBytes);
    EXPECT_FALSE(check_actions_size_signature(signed_by("alice.test", transaction), kContext));
}

TEST(Validation, ACostBeyond128BitsOverflows) {
    const auto transaction = signed_by("alice.test", transfer_by("alice.test", 1, ~u128{0}));
    EXPECT_EQ(check_actions_size_signature(transaction, kContext), Json("CostOverflow"));
}

TEST(Validation, ActionsComeBeforeSizeAndSizeBeforeSignatureAndSignatureBeforeCost) {
    wire::Transaction large = transfer_by("alice.test");
    large.actions = {{wire::DeployContract{Bytes(kMaxTransactionBytes)}}};
    EXPECT_TRUE(check_actions_size_signature(signed_by("bob.test", large), kContext)
                    ->contains("TransactionSizeExceeded"));
    large.actions.push_back({wire::FunctionCall{"run", {}, 0, 0}});
    EXPECT_EQ(check_actions_size_signature(signed_by("bob.test", large), kContext),
              (Json{{"ActionsValidation", "FunctionCallZeroAttachedGas"}}));
    EXPECT_EQ(
        check_actions_size_signature(signed_by("bob.test", transfer_by("alice.test", 1, ~u128{0})), kContext),
        Json("InvalidSignature"));
}

// --- Against state: who signs ---

TEST_F(AgainstState, AnAccountThatDoesNotExistCannotSign) {
    EXPECT_EQ(judge(transfer_by("nobody.test")),
              (Json{{"SignerDoesNotExist", {{"signer_id", "nobody.test"}}}}));
}

TEST_F(AgainstState, AKeyThatTheAccountDoesNotHaveIsNotFound) {
    wire::Transaction transaction = transfer_by("alice.test");
    transaction.public_key = public_of("stranger");
    EXPECT_EQ(judge(transaction),
              access_key_error("AccessKeyNotFound", {{"account_id", "alice.test"},
                                                     {"public_key", public_of("stranger").to_string()}}));
}

TEST_F(AgainstState, APlainKeyHasNoIndexedNonces) {
    wire::Transaction transaction = transfer_by("alice.test");
    transaction.nonce.nonce_index = 0;
    EXPECT_EQ(judge(transaction),
              access_key_error("AccessKeyNotFound", {{"account_id", "alice.test"},
                                                     {"public_key", public_of("alice.test").to_string()}}));
}

// --- Nonces ---

TEST_F(AgainstState, ANonceMustBeAboveTheKeys) {
    add_key("alice.test", full_access(7));
    const auto invalid = [](std::uint64_t nonce) {
        return Json{{"InvalidNonce", {{"tx_nonce", nonce}, {"ak_nonce", 7}}}};
    };
    EXPECT_EQ(judge(transfer_by("alice.test", 6)), invalid(6));
    EXPECT_EQ(judge(transfer_by("alice.test", 7)), invalid(7));
    EXPECT_TRUE(judge(transfer_by("alice.test", 8)).is_null());
    EXPECT_TRUE(judge(transfer_by("alice.test", 80)).is_null());
}

TEST_F(AgainstState, AStrictNonceMustBeTheNextOne) {
    add_key("alice.test", full_access(7));
    wire::Transaction transaction = transfer_by("alice.test", 9);
    transaction.version = wire::TransactionVersion::v1;
    transaction.nonce_mode = wire::NonceMode::strict;
    EXPECT_EQ(judge(transaction), (Json{{"InvalidNonce", {{"tx_nonce", 9}, {"ak_nonce", 7}}}}));
    transaction.nonce.nonce = 7;
    EXPECT_EQ(judge(transaction), (Json{{"InvalidNonce", {{"tx_nonce", 7}, {"ak_nonce", 7}}}}));
    transaction.nonce.nonce = 8;
    EXPECT_TRUE(judge(transaction).is_null());
}

TEST_F(AgainstState, AStrictNonceHasNoSuccessorAtTheEnd) {
    const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    add_key("alice.test", full_access(last));
    wire::Transaction transaction = transfer_by("alice.test", 0);
    transaction.nonce_mode = wire::NonceMode::strict;
    EXPECT_EQ(judge(transaction), (Json{{"InvalidNonce", {{"tx_nonce", 0}, {"ak_nonce", last}}}}));
}

TEST_F(AgainstState, ANonceMustBeBelowAMillionTimesTheHeight) {
    EXPECT_EQ(judge(transfer_by("alice.test", 200'000'000)),
              (Json{{"NonceTooLarge", {{"tx_nonce", 200000000}, {"upper_bound", 200000000}}}}));
    EXPECT_TRUE(judge(transfer_by("alice.test", 199'999'999)).is_null());
}

// --- Money ---

TEST_F(AgainstState, ABalanceMustCoverGasAndDepositsToTheYocto) {
    const wire::Transaction transaction = transfer_by("alice.test", 1, kOneToken);
    const u128 cost = transaction_cost(kProtocol, transaction, kPriceOfGas)->total;
    EXPECT_EQ(cost, kOneToken + 11 * u128{223182562500} * kPriceOfGas);
    set_amount(cost - 1);
    EXPECT_EQ(
        judge(transaction),
        (Json{{"NotEnoughBalance",
               {{"signer_id", "alice.test"}, {"balance", decimal(cost - 1)}, {"cost", decimal(cost)}}}}));
    set_amount(cost);
    EXPECT_TRUE(judge(transaction).is_null());
}

TEST_F(AgainstState, AnAllowanceMustCoverTheCost) {
    const wire::Transaction transaction = call_with("call");
    const u128 cost = transaction_cost(kProtocol, transaction, kPriceOfGas)->total;
    add_key("call", call_key("bob.test", {}, cost - 1));
    EXPECT_EQ(judge(transaction),
              access_key_error("NotEnoughAllowance", {{"account_id", "alice.test"},
                                                      {"public_key", public_of("call").to_string()},
                                                      {"allowance", decimal(cost - 1)},
                                                      {"cost", decimal(cost)}}));
    add_key("call", call_key("bob.test", {}, cost));
    EXPECT_TRUE(judge(transaction).is_null());
}

TEST_F(AgainstState, WhatIsLeftMustCoverTheStorage) {
    change(state, kGenesis, [](StateUpdate& u) { u.set_code("alice.test", Bytes(1000)); });
    const u128 needed = 1182 * kStoragePricePerByte;
    const wire::Transaction transaction = transfer_by("alice.test");
    const u128 cost = transaction_cost(kProtocol, transaction, kPriceOfGas)->total;
    set_amount(cost + needed - 3);
    EXPECT_EQ(judge(transaction),
              (Json{{"LackBalanceForState", {{"signer_id", "alice.test"}, {"amount", "3"}}}}));
    set_amount(cost + needed);
    EXPECT_TRUE(judge(transaction).is_null());
}

TEST_F(AgainstState, SmallAccountsMaySpendEverything) {
    const wire::Transaction transaction = transfer_by("alice.test");
    set_amount(transaction_cost(kProtocol, transaction, kPriceOfGas)->total);
    EXPECT_TRUE(judge(transaction).is_null());
}

TEST_F(AgainstState, AStakeCountsForTheStorage) {
    change(state, kGenesis, [](StateUpdate& u) {
        u.set_code("alice.test", Bytes(1000));
        u.set_account("alice.test", account_with(kOneToken, 1182 * kStoragePricePerByte));
    });
    const u128 cost = transaction_cost(kProtocol, transfer_by("alice.test"), kPriceOfGas)->total;
    EXPECT_TRUE(judge(transfer_by("alice.test", 1, kOneToken - cost + 1)).is_null());
}

// --- Function-call keys ---

TEST_F(AgainstState, ACallKeyMayCallItsMethodsAndNothingElse) {
    add_key("call", call_key("bob.test", {"run", "walk"}));
    EXPECT_TRUE(judge(call_with("call", "walk")).is_null());
    EXPECT_EQ(judge(call_with("call", "fly")),
              access_key_error("MethodNameMismatch", {{"method_name", "fly"}}));
    EXPECT_EQ(judge(call_with("call", "run", 1)),
              (Json{{"InvalidAccessKeyError", "DepositWithFunctionCall"}}));

    wire::Transaction elsewhere = call_with("call");
    elsewhere.receiver_id = "carol.test";
    EXPECT_EQ(judge(elsewhere), access_key_error("ReceiverMismatch", {{"tx_receiver", "carol.test"},
                                                                      {"ak_receiver", "bob.test"}}));
    wire::Transaction transfer = transfer_by("alice.test");
    transfer.public_key = public_of("call");
    EXPECT_EQ(judge(transfer), (Json{{"InvalidAccessKeyError", "RequiresFullAccess"}}));

    wire::Transaction two = call_with("call");
    two.actions.push_back(two.actions.front());
    EXPECT_EQ(judge(two), (Json{{"InvalidAccessKeyError", "RequiresFullAccess"}}));
    two.actions.clear();
    EXPECT_EQ(judge(two), (Json{{"InvalidAccessKeyError", "RequiresFullAccess"}}));
}

TEST_F(AgainstState, ACallKeyWithoutMethodsMayCallAny) {
    add_key("call", call_key("bob.test"));
    EXPECT_TRUE(judge(call_with("call", "anything")).is_null());
}

TEST_F(AgainstState, DepositComesBeforeReceiverAndReceiverBeforeMethod) {
    add_key("call", call_key("bob.test", {"run"}));
    wire::Transaction all_wrong = call_with("call", "fly", 1);
    all_wrong.receiver_id = "carol.test";
    EXPECT_EQ(judge(all_wrong), (Json{{"InvalidAccessKeyError", "DepositWithFunctionCall"}}));
    std::get<wire::FunctionCall>(all_wrong.actions.front().value).deposit = 0;
    EXPECT_TRUE(judge(all_wrong)["InvalidAccessKeyError"].contains("ReceiverMismatch"));
}

TEST_F(AgainstState, TheRowsAreCheckedInOrder) {
    // Everything is wrong; each step repairs what was told.
    add_key("call", call_key("carol.test", {}, u128{1}));
    change(state, kGenesis, [](StateUpdate& u) {
        u.set_code("alice.test", Bytes(1000));
        u.set_account("alice.test", account_with(0));
    });
    wire::Transaction transaction = call_with("call");
    transaction.nonce = {500'000'000, 0};
    EXPECT_TRUE(judge(transaction)["InvalidAccessKeyError"].contains("AccessKeyNotFound"));
    transaction.nonce = {500'000'000, std::nullopt};
    EXPECT_TRUE(judge(transaction).contains("NonceTooLarge"));
    transaction.nonce.nonce = 1;
    EXPECT_TRUE(judge(transaction).contains("NotEnoughBalance"));
    const u128 cost = transaction_cost(kProtocol, transaction, kPriceOfGas)->total;
    set_amount(cost);
    EXPECT_TRUE(judge(transaction)["InvalidAccessKeyError"].contains("NotEnoughAllowance"));
    add_key("call", call_key("carol.test", {}, cost));
    EXPECT_TRUE(judge(transaction).contains("LackBalanceForState"));
    set_amount(cost + kOneToken);
    EXPECT_TRUE(judge(transaction)["InvalidAccessKeyError"].contains("ReceiverMismatch"));
}

// --- Charging ---

TEST_F(AgainstState, ChargingTakesTheCostAndBumpsTheNonce) {
    const wire::SignedTransaction transaction{transfer_by("alice.test", 5, 10), {}};
    StateUpdate update(state);
    const StateCharge charge = charge_transaction(update, transaction, kContext);
    const auto& cost = std::get<TransactionCost>(charge);
    EXPECT_EQ(cost.total, transaction_cost(kProtocol, transaction.transaction, kPriceOfGas)->total);
    update.commit(kHeight);
    EXPECT_EQ(state.account("alice.test")->amount, 100 * kOneToken - cost.total);
    EXPECT_EQ(state.account("alice.test")->storage_usage, 182U);
    EXPECT_EQ(state.access_key("alice.test", public_of("alice.test"))->nonce, 5U);
}

TEST_F(AgainstState, ChargingTakesTheCostFromTheAllowanceToo) {
    add_key("call", call_key("bob.test", {}, kOneToken));
    StateUpdate update(state);
    const StateCharge charge = charge_transaction(update, {call_with("call"), {}}, kContext);
    const u128 cost = std::get<TransactionCost>(charge).total;
    const auto key = update.access_key("alice.test", public_of("call"));
    EXPECT_EQ(*std::get<wire::FunctionCallPermission>(key->permission).allowance, kOneToken - cost);
    EXPECT_EQ(update.account("alice.test")->amount, 100 * kOneToken - cost);
}

TEST_F(AgainstState, ASecondTransactionIsJudgedAfterTheFirst) {
    set_amount(2 * kOneToken);
    StateUpdate update(state);
    const wire::SignedTransaction first{transfer_by("alice.test", 1, kOneToken), {}};
    EXPECT_TRUE(std::holds_alternative<TransactionCost>(charge_transaction(update, first, kContext)));
    EXPECT_TRUE(std::get<Json>(charge_transaction(update, first, kContext)).contains("InvalidNonce"));
    const wire::SignedTransaction second{transfer_by("alice.test", 2, kOneToken), {}};
    EXPECT_TRUE(std::get<Json>(charge_transaction(update, second, kContext)).contains("NotEnoughBalance"));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
