// What things cost in gas (chain-model.md §8.1), and a transaction as a whole in tokens (§9). Pure.
#pragma once

#include "base/u128.hpp"
#include "chain/wire/transaction.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace receiptd::chain::wire {

using Gas = std::uint64_t;

// Of an action receipt itself, without its actions.
Gas receipt_send_fee(bool to_self);
Gas receipt_exec_fee();
// Of one action. Of a Delegate this is what the transaction burns at its conversion: its own send fee
// and those of its inner actions; the second sending, from the user to their receiver, is
// prepaid_send_fees().
Gas action_send_fee(const Action& action, bool to_self, std::string_view receiver_id);
// What executing the action burns; of a Delegate its own fee only (the inner actions burn theirs when
// the receipt it makes is executed).
Gas action_exec_fee(const Action& action, std::string_view receiver_id);
// Of the data receipt that brings a result to a callback: sending it and receiving it. Who makes the
// callback burns the base (to_self: the awaited account is the callback's), who returns the value the
// bytes (to_self: it is the callback's account).
Gas data_receipt_base_fee(bool to_self);
Gas data_receipt_byte_fee(bool to_self);

// Gas attached to the function calls, those inside delegates included; nullopt: more than 64 bits.
std::optional<Gas> prepaid_gas(std::span<const Action> actions);
// Send fees of the receipts that delegates among the actions will make; burnt where they are made.
std::optional<Gas> prepaid_send_fees(std::span<const Action> actions);
// What was bought for executing a receipt with these actions, all in all: its own and its actions'
// exec fees, the gas attached, and the same of what its delegates will make. What a receipt does not
// use of it is refunded.
std::optional<Gas> purchased_gas(std::span<const Action> actions, std::string_view receiver_id);
// Deposits that leave the sender, those inside delegates included; nullopt: more than 128 bits.
std::optional<u128> total_deposit(std::span<const Action> actions);

struct TransactionCost {
    Gas burnt = 0;      // at conversion: the send fees
    Gas remaining = 0;  // for execution: purchased_gas()
    u128 deposits = 0;
    u128 total = 0;  // (burnt + remaining) x gas price + deposits
};
// nullopt: CostOverflow.
std::optional<TransactionCost> transaction_cost(const Transaction& transaction, u128 gas_price);

}  // namespace receiptd::chain::wire
