// Whether a gas key may sign, and what it pays (chain-model.md §9, rows 11 to 16).
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/validate.hpp"

#include "records.hpp"

#include <gtest/gtest.h>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;

constexpr Height kOfHeight = 200;
const ValidationContext kOfBlock{kProtocol, 100'000'000, kOfHeight};

wire::Transaction by_gas_key(std::optional<std::uint16_t> index, std::uint64_t nonce = 8, u128 deposit = 0) {
    wire::Transaction transaction;
    transaction.version = wire::TransactionVersion::v1;
    transaction.signer_id = "alice.test";
    transaction.public_key = public_of("gas");
    transaction.nonce = {nonce, index};
    transaction.receiver_id = "bob.test";
    transaction.actions = {{wire::Transfer{deposit}}};
    return transaction;
}

struct GasKeySigner : testing::Test {
    void SetUp() override { make_account(state, "alice.test"); }
    Json judge(const wire::Transaction& transaction) {
        return check_against_state({transaction, {}}, {state}, kOfBlock).value_or(Json());
    }
    std::string judge_deposit(const wire::Transaction& transaction) {
        return judge(transaction).at("NotEnoughBalanceForDeposit").at("reason");
    }
    void set_key(const AccessKey& key) {
        change(state, kGenesis,
               [&](StateUpdate& u) { u.set_access_key("alice.test", public_of("gas"), key); });
    }
    void set_amount(u128 amount) {
        change(state, kGenesis, [&](StateUpdate& u) { u.set_account("alice.test", account_with(amount)); });
    }
    State state;
};

TEST_F(GasKeySigner, SignsWithOneOfItsIndexes) {
    set_key(gas_key(kOneToken, 3));
    EXPECT_EQ(judge(by_gas_key({})),
              (Json{{"InvalidNonceIndex", {{"tx_nonce_index", nullptr}, {"num_nonces", 3}}}}));
    EXPECT_EQ(judge(by_gas_key(3)),
              (Json{{"InvalidNonceIndex", {{"tx_nonce_index", 3}, {"num_nonces", 3}}}}));
    EXPECT_TRUE(judge(by_gas_key(2)).is_null());
}

TEST_F(GasKeySigner, HasANonceOfItsOwnForEachIndex) {
    AccessKey key = gas_key(kOneToken, 3);
    key.nonces = {0, 7, 8};
    set_key(key);
    EXPECT_TRUE(judge(by_gas_key(1)).is_null());
    EXPECT_EQ(judge(by_gas_key(2)), (Json{{"InvalidNonce", {{"tx_nonce", 8}, {"ak_nonce", 8}}}}));
    wire::Transaction strict = by_gas_key(0);
    strict.nonce_mode = wire::NonceMode::strict;
    EXPECT_EQ(judge(strict), (Json{{"InvalidNonce", {{"tx_nonce", 8}, {"ak_nonce", 0}}}}));
    StateUpdate update(state);
    charge_transaction(update, {by_gas_key(1), {}}, kOfBlock);
    update.commit(kOfHeight);
    EXPECT_EQ(state.access_key("alice.test", public_of("gas"))->nonces,
              (std::vector<std::uint64_t>{0, 8, 8}));
    EXPECT_EQ(state.access_key("alice.test", public_of("gas"))->nonce, 0U);
}

TEST_F(GasKeySigner, PaysTheGasAndItsAccountTheDeposits) {
    const wire::Transaction transaction = by_gas_key(0, 8, kOneToken);
    const u128 gas = transaction_cost(kOfBlock.protocol, transaction, kOfBlock.gas_price)->total - kOneToken;
    set_key(gas_key(gas - 1));
    EXPECT_EQ(judge(transaction), (Json{{"NotEnoughGasKeyBalance",
                                         {{"signer_id", "alice.test"},
                                          {"balance", base::to_string(gas - 1)},
                                          {"cost", base::to_string(gas)}}}}));
    set_key(gas_key(gas + 5));
    set_amount(3 * kOneToken);
    StateUpdate update(state);
    EXPECT_TRUE(
        std::holds_alternative<TransactionCost>(charge_transaction(update, {transaction, {}}, kOfBlock)));
    EXPECT_EQ(gas_key_balance(*update.access_key("alice.test", public_of("gas"))), 5U);
    EXPECT_EQ(update.account("alice.test")->amount, 2 * kOneToken);
}

TEST_F(GasKeySigner, PaysWhatIsBurntWhereItsAccountLacksTheDeposit) {
    const wire::Transaction transaction = by_gas_key(1, 8, kOneToken);
    const auto cost = *transaction_cost(kOfBlock.protocol, transaction, kOfBlock.gas_price);
    set_key(gas_key(kOneToken));
    set_amount(kOneToken - 1);
    const Json error{{"NotEnoughBalanceForDeposit",
                      {{"signer_id", "alice.test"},
                       {"balance", base::to_string(kOneToken - 1)},
                       {"cost", base::to_string(kOneToken)},
                       {"reason", "NotEnoughBalance"}}}};
    EXPECT_EQ(check_against_state({transaction, {}}, {state}, kOfBlock), error) << "no host takes it";
    StateUpdate update(state);
    const auto unpaid = std::get<UnpaidDeposit>(charge_transaction(update, {transaction, {}}, kOfBlock));
    EXPECT_EQ(unpaid.error, error);
    EXPECT_EQ(unpaid.burnt, cost.burnt);
    const AccessKey key = *update.access_key("alice.test", public_of("gas"));
    EXPECT_EQ(gas_key_balance(key), kOneToken - cost.burnt * kOfBlock.gas_price);
    EXPECT_EQ(key.nonces.at(1), 8U);
    EXPECT_EQ(update.account("alice.test")->amount, kOneToken - 1);
}

TEST_F(GasKeySigner, DepositsMayNotTakeWhatTheStorageNeeds) {
    set_key(gas_key(kOneToken, 100));
    set_amount(kOneToken);
    EXPECT_EQ(judge_deposit(by_gas_key(1, 8, kOneToken)), "LackBalanceForState");
}

}  // namespace
}  // namespace receiptd::sandbox::sim
