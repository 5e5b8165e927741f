// What things cost in gas (chain-model.md §8.1), and a transaction as a whole in tokens (§9).
#pragma once

#include "sandbox/sim/model.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace receiptd::sandbox::sim {

// Of an action receipt itself, without its actions.
Gas receipt_send_fee(bool to_self);
Gas receipt_exec_fee();
// Of one action; a Delegate's own fee and those of its inner actions (send fees of them are paid
// when the relayer's transaction is converted, chain-model.md §6.3).
Gas action_send_fee(const wire::Action& action, bool to_self, std::string_view receiver_id);
Gas action_exec_fee(const wire::Action& action, std::string_view receiver_id);
Gas data_receipt_send_fee(std::size_t bytes);

// Gas attached to the function calls, those inside delegates included; nullopt: more than 64 bits.
std::optional<Gas> prepaid_gas(std::span<const wire::Action> actions);
// Deposits that leave the sender; nullopt: more than 128 bits.
std::optional<u128> total_deposit(std::span<const wire::Action> actions);

struct TransactionCost {
    Gas burnt = 0;      // at conversion: the send fees
    Gas remaining = 0;  // for execution: exec fees and prepaid gas
    u128 deposits = 0;
    u128 total = 0;  // (burnt + remaining) x gas price + deposits
};
// nullopt: CostOverflow.
std::optional<TransactionCost> transaction_cost(const wire::Transaction& transaction, u128 gas_price);

}  // namespace receiptd::sandbox::sim
