// Executes one action receipt whose data is all there (chain-model.md §2, §3, §5): all its actions or
// none, then refunds, then its result to those who wait for it.
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
