// Gas costs (chain-model.md §8.1), and the token cost of a whole transaction (§9). Pure.
#pragma once

#include "base/u128.hpp"
#include "chain/wire/transaction.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace receiptd::chain::wire {

using Gas = std::uint64_t;

// Fees of an action receipt itself, without its actions.
Gas receipt_send_fee(bool to_self);
Gas receipt_exec_fee();
// Fee of sending one action. For a Delegate this is the gas that the transaction burns at its conversion: the
// Delegate's own send fee and the send fees of its inner actions. The second sending, from the user to their
// receiver, is prepaid_send_fees().
Gas action_send_fee(const Action& action, bool to_self, std::string_view receiver_id);
// Gas that executing the action burns. For a Delegate it is its own fee only: the inner actions burn theirs
// when the receipt made from them is executed.
Gas action_exec_fee(const Action& action, std::string_view receiver_id);
// Fees of sending and receiving the data receipt that brings a result to a callback. The maker of the
// callback burns the base fee (to_self: the awaited account is the callback's). The receipt that returns the
// value burns the byte fee (to_self: it is the callback's account).
Gas data_receipt_base_fee(bool to_self);
Gas data_receipt_byte_fee(bool to_self);

// Gas attached to the function calls, those inside delegates included; nullopt: more than 64 bits.
std::optional<Gas> prepaid_gas(std::span<const Action> actions);
// Send fees of the receipts that delegates among the actions will make; burnt where they are made.
std::optional<Gas> prepaid_send_fees(std::span<const Action> actions);
// All gas that was bought for executing a receipt with these actions: the exec fees of the receipt and its
// actions, the attached gas, and the same for the receipts that its delegates will make. Unused gas is
// refunded.
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
