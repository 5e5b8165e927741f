#include "sandbox/sim/fees.hpp"

#include "sandbox/sim/limits.hpp"

#include "records.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;

constexpr Gas kReceiptFee = 108059500000;
constexpr Gas kTransferFee = 115123062500;
constexpr u128 kPrice = 100'000'000;

const Protocol& kBefore85 = *find_protocol(84);

struct Row {
    const char* name;
    wire::Action action;
    Gas send_to_self;
    Gas send_to_other;
    Gas exec;
    const char* receiver_id = "bob.test";
};

wire::Action call_of(std::size_t bytes, Gas gas = 1, u128 deposit = 0) {
    return {wire::FunctionCall{"ab", Bytes(bytes - 2), gas, deposit}};
}

const std::string kKeyAccount(64, 'a');
const std::string kEthAddress = "0x" + std::string(40, 'b');
const std::string kStateAccount = "0s" + std::string(40, 'c');
const wire::StateInit kStateInit{CryptoHash{}, {{raw("k"), raw("val")}, {raw("l"), raw("")}}};

const std::vector<Row> kFeesOfActions = {
    {"create account", {wire::CreateAccount{}}, 3850000000000, 3850000000000, 3850000000000},
    {"delete account", {wire::DeleteAccount{"bob.test"}}, 147489000000, 147489000000, 147489000000},
    {"deploy",
     {wire::DeployContract{Bytes(10)}},
     184765750000 + 68129990,
     184765750000 + 476837150,
     184765750000 + 645729440},
    {"call", call_of(10), 200000000000 + 22359340, 200000000000 + 476837150, 780000000000 + 22359340},
    {"transfer", {wire::Transfer{1}}, kTransferFee, kTransferFee, kTransferFee},
    {"transfer to a key's account",
     {wire::Transfer{1}},
     kTransferFee + 3850000000000 + 101765125000,
     kTransferFee + 3850000000000 + 101765125000,
     kTransferFee + 3850000000000 + 101765125000,
     kKeyAccount.c_str()},
    {"transfer to an address",
     {wire::Transfer{1}},
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kEthAddress.c_str()},
    {"transfer to a state",
     {wire::Transfer{1}},
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kStateAccount.c_str()},
    {"stake", {wire::Stake{1, {}}}, 141715687500, 141715687500, 102217625000},
    {"add full-access key", {wire::AddKey{{}, full_access()}}, 101765125000, 101765125000, 101765125000},
    {"add call key",
     {wire::AddKey{{}, call_key("x.test", {"one", "three"})}},
     102217625000 + 19253310,
     102217625000 + 476837150,
     102217625000 + 19253310},
    {"delete key", {wire::DeleteKey{}}, 94946625000, 94946625000, 94946625000},
    {"deploy global",
     {wire::DeployGlobalContract{Bytes(10), {}}},
     184765750000 + 68129990,
     184765750000 + 476837150,
     184765750000 + 700000000},
    {"use global by hash",
     {wire::UseGlobalContract{CryptoHash{}}},
     184765750000 + 32 * 6812999ULL,
     184765750000 + 32 * 47683715ULL,
     184765750000 + 32 * 64572944ULL},
    {"use global by account",
     {wire::UseGlobalContract{std::string("g.test")}},
     184765750000 + 6 * 6812999ULL,
     184765750000 + 6 * 47683715ULL,
     184765750000 + 6 * 64572944ULL},
    {"state init",
     {wire::DeterministicStateInit{kStateInit, 0}},
     3850000000000 + 37 * 72000000ULL,
     3850000000000 + 37 * 72000000ULL,
     4080000000000 + 2 * 200000000000ULL + 37 * 70000000ULL},
    {"gas-key transfer", {wire::TransferToGasKey{}}, 115123062500, 115123062500, 235676644250},
};

wire::Transaction transaction_of(std::vector<wire::Action> actions) {
    wire::Transaction transaction;
    transaction.signer_id = "alice.test";
    transaction.receiver_id = "bob.test";
    transaction.actions = std::move(actions);
    return transaction;
}

void expect_fee(const Fee& fee, const Row& row) {
    EXPECT_EQ(fee.send_to_self, row.send_to_self) << row.name;
    EXPECT_EQ(fee.send_to_other, row.send_to_other) << row.name;
    EXPECT_EQ(fee.exec, row.exec) << row.name;
}

TEST(Fees, AreThoseOfTheTable) {
    expect_fee(receipt_fee(), {"receipt", {}, kReceiptFee, kReceiptFee, kReceiptFee});
    EXPECT_EQ(data_receipt_base_fee(true), 2 * 36486732312U);
    EXPECT_EQ(data_receipt_base_fee(false), 2 * 36486732312U);
    EXPECT_EQ(data_receipt_byte_fee(true), 2 * 17212011U);
    EXPECT_EQ(data_receipt_byte_fee(false), 47683715U + 17212011);
    for (const Row& row : kFeesOfActions) expect_fee(action_fee(kBefore85, row.action, row.receiver_id), row);
}

// The rows that version 85 changed (chain-model.md §8.1).
const std::vector<Row> kFeesSince85 = {
    {"create account", {wire::CreateAccount{}}, 500000000000, 500000000000, 7200000000000},
    {"transfer", {wire::Transfer{1}}, kTransferFee, kTransferFee, kTransferFee},
    {"transfer to a key's account",
     {wire::Transfer{1}},
     kTransferFee + 500000000000 + 101765125000,
     kTransferFee + 500000000000 + 101765125000,
     kTransferFee + 7200000000000 + 101765125000,
     kKeyAccount.c_str()},
    {"transfer to an address",
     {wire::Transfer{1}},
     kTransferFee + 500000000000,
     kTransferFee + 500000000000,
     kTransferFee + 7200000000000,
     kEthAddress.c_str()},
    {"state init",
     {wire::DeterministicStateInit{kStateInit, 0}},
     500000000000 + 37 * 72000000ULL,
     500000000000 + 37 * 72000000ULL,
     7430000000000 + 2 * 200000000000ULL + 37 * 70000000ULL},
    // Three nonces of a key of 33 bytes, of an account with 8.
    {"add gas key",
     {wire::AddKey{public_of("k"), gas_key(0, 3)}},
     101765125000 + 18 * 59357464ULL,
     101765125000 + 18 * 59357464ULL,
     101765125000 + 3 * (64196736000ULL + (12 + 8 + 33) * 101435400ULL)},
};

TEST(Fees, OfNewAccountsAndGasKeysChangedWithVersion85) {
    for (const Row& row : kFeesSince85)
        expect_fee(action_fee(usual_protocol(), row.action, row.receiver_id), row);
}

TEST(Fees, OfExecutionArePaidAtThePurchasePriceSinceVersion85) {
    const wire::Transaction transfer = transaction_of({{wire::Transfer{7}}});
    const u128 fee = 223182562500;
    EXPECT_EQ(transaction_cost(usual_protocol(), transfer, kPrice)->total,
              fee * kPrice + fee * 10 * kPrice + 7);
    const u128 dear = 20 * kPrice;
    EXPECT_EQ(transaction_cost(usual_protocol(), transfer, dear)->total, 2 * fee * dear + 7);
}

// chain-model.md §5.1: a call with 300 Tgas needs about 0.301 tokens at the door.
TEST(Fees, OfACallNeedTenTimesTheTokensThatTheyNeededBefore85) {
    const wire::Transaction call = transaction_of({call_of(10, 300'000'000'000'000)});
    EXPECT_EQ(transaction_cost(usual_protocol(), call, kPrice)->total / (kOneToken / 1000), 300U);
    EXPECT_EQ(transaction_cost(kBefore85, call, kPrice)->total / (kOneToken / 1000), 30U);
}

TEST(Fees, ATransferBurnsTheSameAtConversionAndAtExecution) {
    const auto cost = transaction_cost(kBefore85, transaction_of({{wire::Transfer{7}}}), kPrice);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->burnt, 223182562500U);
    EXPECT_EQ(cost->remaining, 223182562500U);
    EXPECT_EQ(cost->deposits, 7U);
    EXPECT_EQ(cost->total, 2 * u128{223182562500} * kPrice + 7);
}

TEST(Fees, AttachedGasAndDepositsArePaidAtConversion) {
    const auto cost = transaction_cost(
        kBefore85, transaction_of({call_of(10, 5 * 1'000'000'000'000, 3), call_of(10, 7, 4)}), kPrice);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->remaining, kReceiptFee + 2 * (780000000000 + 22359340ULL) + 5'000'000'000'000 + 7);
    EXPECT_EQ(cost->deposits, 7U);
}

TEST(Fees, AStakeIsNoDepositButGasKeysAndStateInitsAre) {
    const std::vector<wire::Action> actions{{wire::Stake{100, {}}},
                                            {wire::TransferToGasKey{{}, 2}},
                                            {wire::DeterministicStateInit{{}, 3}},
                                            {wire::WithdrawFromGasKey{{}, 1000}}};
    EXPECT_EQ(*total_deposit(actions), 5U);
}

wire::SignedDelegate delegate_of(std::vector<wire::Action> actions, std::string receiver = "carol.test") {
    wire::SignedDelegate delegate;
    delegate.delegate_action.sender_id = "bob.test";
    delegate.delegate_action.receiver_id = std::move(receiver);
    delegate.delegate_action.actions = std::move(actions);
    return delegate;
}

TEST(Fees, ARelayerPaysForEverythingInsideADelegate) {
    const wire::Action call = call_of(10, 40, 6);
    const Gas call_send = 200000000000 + 476837150;
    const Gas call_exec = 780000000000 + 22359340;
    const std::vector<wire::Action> actions{{delegate_of({call, {wire::Transfer{5}}})}};
    const auto cost = transaction_cost(kBefore85, transaction_of(actions), kPrice);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->burnt, kReceiptFee + 200000000000 + call_send + kTransferFee);
    EXPECT_EQ(cost->deposits, 11U);
    EXPECT_EQ(*prepaid_gas(actions), 40U);
    const Gas sent_on = kReceiptFee + call_send + kTransferFee;
    const Gas own = kReceiptFee + 200000000000;
    const Gas inner = kReceiptFee + call_exec + kTransferFee + 40;
    EXPECT_EQ(cost->remaining, own + sent_on + inner);
    EXPECT_EQ(*purchased_gas(kBefore85, delegate_of({call, {wire::Transfer{5}}}).delegate_action.actions,
                             "carol.test"),
              inner);
}

TEST(Fees, WhatADelegateSendsToItsOwnSenderIsSentToItself) {
    const std::vector<wire::Action> actions{{delegate_of({call_of(10)}, "bob.test")}};
    const Gas executed = kReceiptFee + 780000000000 + 22359340 + 1;
    EXPECT_EQ(*purchased_gas(kBefore85, actions, "bob.test"),
              kReceiptFee + 200000000000 + kReceiptFee + 200000000000 + 22359340 + executed);
}

TEST(Fees, SumsThatDoNotFitAreNoCost) {
    const Gas most = std::numeric_limits<Gas>::max();
    EXPECT_FALSE(prepaid_gas(std::vector{call_of(2, most), call_of(2, 1)}));
    EXPECT_FALSE(transaction_cost(kBefore85, transaction_of({call_of(2, most)}), 1));
    EXPECT_FALSE(total_deposit(std::vector<wire::Action>{{wire::Transfer{~u128{0}}}, {wire::Transfer{1}}}));
    EXPECT_FALSE(transaction_cost(kBefore85, transaction_of({{wire::Transfer{~u128{0}}}}), 1));
    EXPECT_FALSE(transaction_cost(kBefore85, transaction_of({{wire::Transfer{0}}}), ~u128{0}));
    EXPECT_FALSE(prepaid_gas(std::vector<wire::Action>{{delegate_of({call_of(2, most)})}, call_of(2, 1)}));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
