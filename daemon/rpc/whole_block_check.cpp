#include "rpc/whole_block_check.hpp"

#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"

#include <algorithm>

namespace receiptd::rpc {

std::string compute_hashes(chain::Decoded<chain::WholeBlock>& whole) {
    auto& block = whole.value.block;
    block.header.hash_is = chain::header_hash(*whole.document, block.header);
    block.covers_chunks = chain::covers_chunks(block);
    for (auto& shard : whole.value.shards) {
        const auto root = chain::outcomes_root(shard);
        if (!root)
            return "an outcome of shard " + std::to_string(shard.shard_id) +
                   " has an id or a result that is no hash or no base64";
        shard.outcomes_root = root->to_string();
    }
    return {};
}

std::optional<chain::ShardId> untracked_shard(const chain::WholeBlock& whole) {
    const auto& tracked = whole.tracked_shards;
    for (const auto& chunk : whole.block.chunks)
        if (std::find(tracked.begin(), tracked.end(), chunk.shard_id) == tracked.end()) return chunk.shard_id;
    return std::nullopt;
}

std::string wrong_shards(const chain::WholeBlock& whole) {
    const auto& headers = whole.block.chunks;
    if (headers.size() != whole.shards.size())
        return "has " + std::to_string(whole.shards.size()) + " shards of " + std::to_string(headers.size());
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto& shard = whole.shards[i];
        const auto name = "shard " + std::to_string(headers[i].shard_id);
        if (shard.shard_id != headers[i].shard_id)
            return "has shard " + std::to_string(shard.shard_id) + " in the place of " + name;
        const bool is_new = headers[i].height_included == whole.block.header.height;
        if (is_new && !shard.chunk_header) return "lacks the new chunk of " + name;
        if (is_new && shard.chunk_header->chunk_hash != headers[i].chunk_hash)
            return "has another chunk of " + name + " than its block";
    }
    return {};
}

}  // namespace receiptd::rpc
