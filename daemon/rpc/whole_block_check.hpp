// What every whole block is looked at for as it is read. Pure.
#pragma once

#include "chain/json/decode.hpp"

#include <string>

namespace receiptd::rpc {

// Computes what the header's hash and the roots of its outcomes are by its contents; says why it cannot be
// right, or nothing.
std::string compute_hashes(chain::Decoded<chain::WholeBlock>& whole);

// The first shard of the block of which a node tells nothing, as it does not track it.
std::optional<chain::ShardId> untracked_shard(const chain::WholeBlock& whole);
// Why the shards cannot be those of the block, or nothing: others or in another order, or a new chunk is not
// there.
std::string wrong_shards(const chain::WholeBlock& whole);

}  // namespace receiptd::rpc
