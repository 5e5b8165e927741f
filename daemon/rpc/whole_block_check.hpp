// Checks of each whole block as it is read. Pure.
#pragma once

#include "chain/json/decode.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc {

// Whether a root of outcomes cannot be computed without this part.
bool is_of_proof(const chain::UnreadablePart& part);

// Computes what the header's hash and the roots of its outcomes are by its contents, but for roots of which a
// part cannot be read; says why it cannot be right, or nothing.
std::string compute_hashes(chain::Decoded<chain::WholeBlock>& whole);

// A block as it was told before, without contents.
struct KnownBlock {
    struct Chunk {
        chain::ShardId shard_id = 0;
        std::string hash;
        chain::BlockHeight height_included = 0;
    };
    std::string hash;
    chain::BlockHeight height = 0;
    std::vector<Chunk> chunks;   // one for each shard
    bool covers_chunks = false;  // its hash does
};
KnownBlock known_block(const chain::Block& block);

// The first shard of the block of which a node tells nothing, as it does not track it.
std::optional<chain::ShardId> untracked_shard(const chain::WholeBlock& whole);
// Why this is not that block with all its shards, or nothing: chunks or shards are others or in another
// order, or a new chunk of a shard that the node tracks is not there. After compute_hashes().
std::string difference(const chain::WholeBlock& whole, const KnownBlock& known);

}  // namespace receiptd::rpc
