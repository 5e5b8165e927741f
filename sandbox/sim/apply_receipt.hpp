// Executes one action receipt whose data has all come (chain-model.md §2, §3, §5): all its actions or none.
// Then it makes the refunds and sends the result to the receipts that wait for it.
#pragma once

#include "sandbox/sim/apply.hpp"

namespace receiptd::sandbox::sim {

// The chunk that is being applied.
struct ChunkFrame {
    State& state;
    ShardQueues& queues;
    const BlockContext& block;
    const Contracts& contracts;
    ShardResult& result;
};

// Adds the outcome and everything it made to the frame's result, yields to its queues.
void apply_action_receipt(ChunkFrame& chunk, Receipt receipt, bool is_local);

}  // namespace receiptd::sandbox::sim
