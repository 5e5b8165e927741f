// The blocks that a tree was executed in, and the shards there.
#include "base/coroutine.hpp"
#include "follow/final_block.hpp"
#include "follow/trees.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace receiptd::follow {
namespace {

// Blocks near the head come by themselves.
constexpr auto kBlockComesWithin = std::chrono::seconds(2);

}  // namespace

base::Task<rpc::FinalBlocks> Trees::final_blocks(Open& open) {
    rpc::FinalBlocks blocks;
    blocks[open.pending.included_in.hash] = open.pending.included_in;
    open.awaited_block.clear();
    const auto executed_in = open.answer->executed_in;
    for (const auto& hash : executed_in) {
        if (blocks.contains(hash)) continue;
        auto block = co_await find_block(open, hash);
        if (block) blocks[hash] = std::move(*block);
    }
    co_return blocks;
}

base::Task<Trees::BlockLayouts> Trees::layouts_of(const Open& open, const rpc::FinalBlocks& blocks) {
    const auto& pending = open.pending;
    const auto* included_in = known_.find(pending.included_in.hash);
    const auto epoch_id = included_in != nullptr ? included_in->epoch_id : std::string();
    BlockLayouts layouts;
    for (const auto& [hash, block] : blocks) {
        if (hash == pending.included_in.hash) continue;
        std::optional<rpc::ShardLayouts::Witness> witness;
        if (pending.shard_id && block.epoch_id == epoch_id)
            witness = rpc::ShardLayouts::Witness{pending.sender_id, *pending.shard_id};
        auto layout = co_await layouts_.of(block, std::move(witness), priority_of(open));
        if (layout) layouts.emplace(hash, std::move(layout));
    }
    co_return layouts;
}

base::Task<std::optional<chain::BlockRef>> Trees::find_block(Open& open, std::string hash) {
    if (const auto* known = known_.find(hash)) co_return *known;
    const bool late = open.wanting_since && state_.clock.steady() - *open.wanting_since >= kBlockComesWithin;
    if (!is_history(open) && !late) {
        open.awaited_block = hash;
        co_return std::nullopt;
    }
    auto block = co_await final_block(blocks_, source_, std::move(hash), final_height(), priority_of(open));
    if (!block) {
        const auto& [reason, detail] = block.error();
        open.in_a_fork = open.in_a_fork || reason == rpc::kOfAFork;
        if (reason != rpc::kUnknownBlock) open.awaited_block = reason + ": " + detail;
        co_return std::nullopt;
    }
    known_.put(*block);
    co_return std::move(*block);
}

}  // namespace receiptd::follow
