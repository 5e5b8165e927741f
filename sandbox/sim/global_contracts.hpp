// Carries global contracts from shard to shard (chain-model.md §6.6; receiver and order as recorded on a real
// node).
#pragma once

#include "sandbox/sim/actions.hpp"
#include "sandbox/sim/apply_receipt.hpp"

namespace receiptd::sandbox::sim {

// The receipt that a deployment makes, for the shard where it is made. Counts the deployment in the frame's
// state; the code comes there with the receipt.
Receipt deployed_global_contract(ActionFrame& frame, const wire::GlobalContractId& contract, Bytes code);

// The shard takes the contract of the receipt, unless it knows of a later deployment. Either way the next
// shard of the layout that lacks it gets a receipt, too.
void take_global_contract(ChunkFrame& chunk, const Receipt& receipt);

}  // namespace receiptd::sandbox::sim
