#include "chain/wire/fees.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace receiptd::chain::wire {
namespace {

using base::u128;

Bytes raw(std::string_view text) { return {text.begin(), text.end()}; }
AccessKey call_key(std::string receiver_id, std::vector<std::string> methods) {
    return {0, FunctionCallPermission{std::nullopt, std::move(receiver_id), std::move(methods)}};
}

constexpr Gas kReceiptFee = 108059500000;
constexpr Gas kTransferFee = 115123062500;
constexpr u128 kPrice = 100'000'000;

struct FeeRow {
    const char* name;
    Action action;
    Gas send_to_self;
    Gas send_to_other;
    Gas exec;
    const char* receiver_id = "bob.test";
};

Action call_of(std::size_t bytes, Gas gas = 1, u128 deposit = 0) {
    return {FunctionCall{"ab", Bytes(bytes - 2), gas, deposit}};
}

const std::string kKeysAccount(64, 'a');
const std::string kEthAddress = "0x" + std::string(40, 'b');
const std::string kStateAccount = "0s" + std::string(40, 'c');
const StateInit kStateInit{CryptoHash{}, {{raw("k"), raw("val")}, {raw("l"), raw("")}}};

const std::vector<FeeRow> kFeesOfActions = {
    {"create account", {CreateAccount{}}, 3850000000000, 3850000000000, 3850000000000},
    {"delete account", {DeleteAccount{"bob.test"}}, 147489000000, 147489000000, 147489000000},
    {"deploy",
     {DeployContract{Bytes(10)}},
     184765750000 + 68129990,
     184765750000 + 476837150,
     184765750000 + 645729440},
    {"call", call_of(10), 200000000000 + 22359340, 200000000000 + 476837150, 780000000000 + 22359340},
    {"transfer", {Transfer{1}}, kTransferFee, kTransferFee, kTransferFee},
    {"transfer to a key's account",
     {Transfer{1}},
     kTransferFee + 3850000000000 + 101765125000,
     kTransferFee + 3850000000000 + 101765125000,
     kTransferFee + 3850000000000 + 101765125000,
     kKeysAccount.c_str()},
    {"transfer to an address",
     {Transfer{1}},
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kEthAddress.c_str()},
    {"transfer to a state",
     {Transfer{1}},
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kTransferFee + 3850000000000,
     kStateAccount.c_str()},
    {"stake", {Stake{1, {}}}, 141715687500, 141715687500, 102217625000},
    {"add full-access key", {AddKey{{}, AccessKey{}}}, 101765125000, 101765125000, 101765125000},
    {"add call key",
     {AddKey{{}, call_key("x.test", {"one", "three"})}},
     102217625000 + 19253310,
     102217625000 + 476837150,
     102217625000 + 19253310},
    {"delete key", {DeleteKey{}}, 94946625000, 94946625000, 94946625000},
    {"deploy global",
     {DeployGlobalContract{Bytes(10), {}}},
     184765750000 + 68129990,
     184765750000 + 476837150,
     184765750000 + 700000000},
    {"use global by hash",
     {UseGlobalContract{CryptoHash{}}},
     184765750000 + 32 * 6812999ULL,
     184765750000 + 32 * 47683715ULL,
     184765750000 + 32 * 64572944ULL},
    {"use global by account",
     {UseGlobalContract{std::string("g.test")}},
     184765750000 + 6 * 6812999ULL,
     184765750000 + 6 * 47683715ULL,
     184765750000 + 6 * 64572944ULL},
    {"state init",
     {DeterministicStateInit{kStateInit, 0}},
     3850000000000 + 37 * 72000000ULL,
     3850000000000 + 37 * 72000000ULL,
     4080000000000 + 2 * 200000000000ULL + 37 * 70000000ULL},
    {"gas-key transfer", {TransferToGasKey{}}, 115123062500, 115123062500, 235676644250},
};

TEST(WireFees, AreThoseOfTheTable) {
    EXPECT_EQ(receipt_send_fee(true), kReceiptFee);
    EXPECT_EQ(receipt_send_fee(false), kReceiptFee);
    EXPECT_EQ(receipt_exec_fee(), kReceiptFee);
    EXPECT_EQ(data_receipt_base_fee(true), 2 * 36486732312U);
    EXPECT_EQ(data_receipt_base_fee(false), 2 * 36486732312U);
    EXPECT_EQ(data_receipt_byte_fee(true), 2 * 17212011U);
    EXPECT_EQ(data_receipt_byte_fee(false), 47683715U + 17212011);
    for (const FeeRow& row : kFeesOfActions) {
        EXPECT_EQ(action_send_fee(row.action, true, row.receiver_id), row.send_to_self) << row.name;
        EXPECT_EQ(action_send_fee(row.action, false, row.receiver_id), row.send_to_other) << row.name;
        EXPECT_EQ(action_exec_fee(row.action, row.receiver_id), row.exec) << row.name;
    }
}

Transaction transaction_of(std::vector<Action> actions) {
    Transaction transaction;
    transaction.signer_id = "alice.test";
    transaction.receiver_id = "bob.test";
    transaction.actions = std::move(actions);
    return transaction;
}

TEST(WireFees, ATransferBurnsTheSameAtConversionAndAtExecution) {
    const auto cost = transaction_cost(transaction_of({{Transfer{7}}}), kPrice);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->burnt, 223182562500U);
    EXPECT_EQ(cost->remaining, 223182562500U);
    EXPECT_EQ(cost->deposits, 7U);
    EXPECT_EQ(cost->total, 2 * u128{223182562500} * kPrice + 7);
}

TEST(WireFees, AttachedGasAndDepositsArePaidAtConversion) {
    const auto cost =
        transaction_cost(transaction_of({call_of(10, 5 * 1'000'000'000'000, 3), call_of(10, 7, 4)}), kPrice);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->remaining, kReceiptFee + 2 * (780000000000 + 22359340ULL) + 5'000'000'000'000 + 7);
    EXPECT_EQ(cost->deposits, 7U);
}

TEST(WireFees, AStakeIsNoDepositButGasKeysAndStateInitsAre) {
    const std::vector<Action> actions{{Stake{100, {}}},
                                      {TransferToGasKey{{}, 2}},
                                      {DeterministicStateInit{{}, 3}},
                                      {WithdrawFromGasKey{{}, 1000}}};
    EXPECT_EQ(*total_deposit(actions), 5U);
}

SignedDelegate delegate_of(std::vector<Action> actions, std::string receiver = "carol.test") {
    SignedDelegate delegate;
    delegate.delegate_action.sender_id = "bob.test";
    delegate.delegate_action.receiver_id = std::move(receiver);
    delegate.delegate_action.actions = std::move(actions);
    return delegate;
}

TEST(WireFees, ARelayerPaysForEverythingInsideADelegate) {
    const Action call = call_of(10, 40, 6);
    const Gas call_send = 200000000000 + 476837150;
    const Gas call_exec = 780000000000 + 22359340;
    const std::vector<Action> actions{{delegate_of({call, {Transfer{5}}})}};
    const auto cost = transaction_cost(transaction_of(actions), kPrice);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->burnt, kReceiptFee + 200000000000 + call_send + kTransferFee);
    EXPECT_EQ(cost->deposits, 11U);
    EXPECT_EQ(*prepaid_gas(actions), 40U);
    EXPECT_EQ(*prepaid_send_fees(actions), kReceiptFee + call_send + kTransferFee);
    const Gas own = kReceiptFee + 200000000000;
    const Gas inner = kReceiptFee + call_exec + kTransferFee + 40;
    EXPECT_EQ(cost->remaining, own + *prepaid_send_fees(actions) + inner);
    EXPECT_EQ(*purchased_gas(delegate_of({call, {Transfer{5}}}).delegate_action.actions, "carol.test"),
              inner);
}

TEST(WireFees, WhatADelegateSendsToItsOwnSenderIsSentToItself) {
    const std::vector<Action> actions{{delegate_of({call_of(10)}, "bob.test")}};
    EXPECT_EQ(*prepaid_send_fees(actions), kReceiptFee + 200000000000 + 22359340);
}

TEST(WireFees, SumsThatDoNotFitAreNoCost) {
    const Gas most = std::numeric_limits<Gas>::max();
    EXPECT_FALSE(prepaid_gas(std::vector{call_of(2, most), call_of(2, 1)}));
    EXPECT_FALSE(transaction_cost(transaction_of({call_of(2, most)}), 1));
    EXPECT_FALSE(total_deposit(std::vector<Action>{{Transfer{~u128{0}}}, {Transfer{1}}}));
    EXPECT_FALSE(transaction_cost(transaction_of({{Transfer{~u128{0}}}}), 1));
    EXPECT_FALSE(transaction_cost(transaction_of({{Transfer{0}}}), ~u128{0}));
    EXPECT_FALSE(prepaid_gas(std::vector<Action>{{delegate_of({call_of(2, most)})}, call_of(2, 1)}));
}

}  // namespace
}  // namespace receiptd::chain::wire
