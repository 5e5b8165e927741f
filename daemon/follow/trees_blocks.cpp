// The blocks that a tree was executed in, and the shards there.
#include "base/coroutine.hpp"
#include "follow/final_block.hpp"
#include "follow/trees.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <utility>

namespace receiptd::follow {
namespace {

// Blocks near the head come by themselves.
constexpr auto kBlockComesWithin = std::chrono::seconds(2);

}  // namespace

base::Task<rpc::FinalBlocks> Trees::final_blocks(Open& open) {
    rpc::FinalBlocks blocks;
    blocks[open.pending.included_in.hash] = open.pending.included_in;
    const std::size_t outcomes = open.tree->status.value.receipts_outcome.size();
    std::set<std::string> looked_for;
    for (std::size_t i = 0; i < outcomes; ++i) {
        std::string hash(open.tree->status.value.receipts_outcome[i].block_hash);
        if (blocks.contains(hash) || !looked_for.insert(hash).second) continue;
        auto block = co_await find_block(open, hash);
        if (block) blocks[std::move(hash)] = std::move(*block);
    }
    co_return blocks;
}

base::Task<void> Trees::place_on_shards(const Open& open, const rpc::FinalBlocks& blocks,
                                        std::vector<chain::ExecutionBlock>& executed_in) {
    const auto& pending = open.pending;
    const auto* included_in = known_.find(pending.included_in.hash);
    const auto epoch_id = included_in != nullptr ? included_in->epoch_id : std::string();
    for (std::size_t i = 0; i < executed_in.size(); ++i) {
        const auto& outcome = open.tree->status.value.receipts_outcome[i];
        const auto block = blocks.find(outcome.block_hash);
        if (block == blocks.end()) continue;
        // A receipt to another shard is executed a block later, at least.
        if (block->second.hash == pending.included_in.hash) {
            executed_in[i].shard_id = pending.shard_id;
            continue;
        }
        std::optional<rpc::ShardLayouts::Witness> witness;
        if (pending.shard_id && block->second.epoch_id == epoch_id)
            witness = rpc::ShardLayouts::Witness{pending.sender_id, *pending.shard_id};
        const auto layout = co_await layouts_.of(block->second, std::move(witness), priority_of(open));
        if (layout) executed_in[i].shard_id = layout->shard_of(outcome.executor_id);
    }
}

base::Task<std::optional<chain::BlockRef>> Trees::find_block(Open& open, std::string hash) {
    if (const auto* known = known_.find(hash)) co_return *known;
    const bool late = open.wanting_since && state_.clock.steady() - *open.wanting_since >= kBlockComesWithin;
    if (!is_history(open) && !late) co_return std::nullopt;
    auto block = co_await final_block(blocks_, source_, std::move(hash), final_height(), priority_of(open));
    if (!block) {
        open.in_a_fork = open.in_a_fork || block.error().reason == rpc::kOfAFork;
        co_return std::nullopt;
    }
    known_.put(*block);
    co_return std::move(*block);
}

}  // namespace receiptd::follow
