#include "rpc/whole_block_check.hpp"

#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace receiptd::rpc {
namespace {

bool tracks(const chain::WholeBlock& whole, chain::ShardId shard_id) {
    const auto& tracked = whole.tracked_shards;
    return std::find(tracked.begin(), tracked.end(), shard_id) != tracked.end();
}

// Whether what cannot be read is an outcome of this shard, or a part of which its root is made.
bool lacks_outcomes(const chain::Decoded<chain::WholeBlock>& whole, std::size_t shard) {
    const auto of_shard = "shards[" + std::to_string(shard) + "].";
    return std::any_of(whole.unreadable.begin(), whole.unreadable.end(), [&](const auto& part) {
        return is_of_proof(part) && part.path.find(of_shard) != std::string::npos;
    });
}

}  // namespace

bool is_of_proof(const chain::UnreadablePart& part) {
    return part.is_left_out || part.path.ends_with(".status") || part.path.ends_with(".proof") ||
           part.path.ends_with(".outcome");
}

std::string compute_hashes(chain::Decoded<chain::WholeBlock>& whole) {
    auto& block = whole.value.block;
    block.header.hash_is = chain::header_hash(*whole.document, block.header);
    block.covers_chunks = chain::covers_chunks(block);
    for (std::size_t i = 0; i < whole.value.shards.size(); ++i) {
        auto& shard = whole.value.shards[i];
        if (lacks_outcomes(whole, i)) continue;
        const auto root = chain::outcomes_root(shard);
        if (!root)
            return "an outcome of shard " + std::to_string(shard.shard_id) +
                   " has an id or a result that is no hash or no base64";
        shard.outcomes_root = root->to_string();
    }
    return {};
}

KnownBlock known_block(const chain::Block& block) {
    KnownBlock known;
    known.hash = block.header.hash;
    known.height = block.header.height;
    known.covers_chunks = block.covers_chunks;
    for (const auto& chunk : block.chunks)
        known.chunks.push_back({chunk.shard_id, std::string(chunk.chunk_hash), chunk.height_included});
    return known;
}

std::optional<chain::ShardId> untracked_shard(const chain::WholeBlock& whole) {
    for (const auto& shard : whole.shards)
        if (!tracks(whole, shard.shard_id)) return shard.shard_id;
    return std::nullopt;
}

std::string difference(const chain::WholeBlock& whole, const KnownBlock& known) {
    const auto& headers = whole.block.chunks;
    if (whole.block.header.hash != known.hash)
        return "asked for block " + known.hash + ", got " + std::string(whole.block.header.hash);
    if (known.covers_chunks && !whole.block.covers_chunks) return "its hash does not cover its chunks";
    if (headers.size() != known.chunks.size() || whole.shards.size() != known.chunks.size())
        return "has " + std::to_string(headers.size()) + " chunks and " +
               std::to_string(whole.shards.size()) + " shards of " + std::to_string(known.chunks.size());
    for (std::size_t i = 0; i < known.chunks.size(); ++i) {
        const auto& [shard_id, hash, height_included] = known.chunks[i];
        const auto& shard = whole.shards[i];
        const auto name = "shard " + std::to_string(shard_id);
        if (headers[i].chunk_hash != hash || headers[i].height_included != height_included)
            return "tells another chunk of " + name + " than another answer";
        // The header of a split shard's last chunk stands for each child that has none yet.
        if (height_included != known.height) continue;
        if (headers[i].shard_id != shard_id || shard.shard_id != shard_id)
            return "has shard " + std::to_string(shard.shard_id) + " in the place of " + name;
        if (shard.chunk_header && shard.chunk_header->chunk_hash != hash)
            return "has another chunk of " + name + " than its block";
        if (tracks(whole, shard_id) && !shard.chunk_header) return "lacks the new chunk of " + name;
    }
    return {};
}

}  // namespace receiptd::rpc
