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

enum class ReceiptOrigin : std::uint8_t {
    listed,   // in a chunk, or a yield
    local,    // of a transaction of this chunk whose signer is its receiver
    instant,  // made just now, by a receipt of this chunk
};

// Adds the outcome and everything it made to the frame's result, yields to its queues; instant receipts that
// it made are executed, too.
void apply_action_receipt(ChunkFrame& chunk, Receipt receipt, ReceiptOrigin origin);

}  // namespace receiptd::sandbox::sim
