// Gas fees and the cost of a transaction (chain-model.md §5.1, §8.1, §9). The sandbox has a table of its own:
// with the daemon's it could not tell whether the daemon's is right.
#pragma once

#include "sandbox/sim/protocol.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace receiptd::sandbox::sim {

// Fees of an action receipt itself, without its actions.
Fee receipt_fee();
// The fee of one action of a receipt to `receiver_id`. The send fee of a Delegate holds those of its inner
// actions, which the conversion burns; their second sending is in purchased_gas(). Its exec fee is its own
// only: the inner actions burn theirs in the receipt made from them.
Fee action_fee(const Protocol& protocol, const wire::Action& action, std::string_view receiver_id);
// The fee of the data receipt that brings a result to a callback: by receipt and by byte of the value, sent
// and received. `to_self`: producer and callback are one account.
Gas data_receipt_base_fee(bool to_self);
Gas data_receipt_byte_fee(bool to_self);

// Gas attached to the function calls, those inside delegates included; nullopt: more than 64 bits.
std::optional<Gas> prepaid_gas(std::span<const wire::Action> actions);
// Gas that is bought for executing a receipt with these actions: the exec fees of the receipt and its
// actions, the attached gas, and for the receipts that its delegates make the same and their send fees.
std::optional<Gas> purchased_gas(const Protocol& protocol, std::span<const wire::Action> actions,
                                 std::string_view receiver_id);
// Send fees of a receipt with these actions from `sender_id`.
Gas send_fees(const Protocol& protocol, std::span<const wire::Action> actions, std::string_view sender_id,
              std::string_view receiver_id);
// Deposits that leave the sender, those inside delegates included; nullopt: more than 128 bits.
std::optional<u128> total_deposit(std::span<const wire::Action> actions);

struct TransactionCost {
    Gas burnt = 0;      // at conversion: send fees, at the block's gas price
    Gas remaining = 0;  // for execution: purchased_gas(), at the purchase price
    u128 deposits = 0;
    u128 total = 0;  // all of it, in yoctoNEAR
};
// nullopt: CostOverflow.
std::optional<TransactionCost> transaction_cost(const Protocol& protocol,
                                                const wire::Transaction& transaction, u128 block_gas_price);

}  // namespace receiptd::sandbox::sim
