// Gas and tokens of a receipt, and the refunds that come back (chain-model.md §5).
#pragma once

#include "sandbox/sim/protocol.hpp"

namespace receiptd::sandbox::sim {

// Bought for executing it: its exec fees and the gas attached to its calls. 0 for refunds, deletion
// payouts and data.
Gas gas_in(const Protocol& protocol, const Receipt& receipt);
// Its deposits and its gas at the purchase price, in yoctoNEAR. What an action receipt takes along
// while it is under way: with it, the accounts' balances and everything burnt the sum of all tokens
// never changes.
u128 tokens_in(const Protocol& protocol, const Receipt& receipt);

// Both are system receipts with one Transfer, without ids yet. `receipt` is the one that ended.
Receipt deposit_refund(const Receipt& receipt, u128 amount);
Receipt gas_refund(const ActionReceipt& receipt, u128 amount);

}  // namespace receiptd::sandbox::sim
