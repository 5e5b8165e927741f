#include "rpc/final_tree.hpp"

#include "base/coroutine.hpp"

#include <set>
#include <utility>

namespace receiptd::rpc {
namespace {

std::set<std::string> hashes_of(const chain::TransactionStatus& status, std::size_t most) {
    std::set<std::string> hashes;
    if (status.transaction_outcome) hashes.emplace(status.transaction_outcome->block_hash);
    for (const auto& outcome : status.receipts_outcome)
        if (hashes.size() < most) hashes.emplace(outcome.block_hash);
    return hashes;
}

}  // namespace

base::Task<FinalBlocks> blocks_of(TreeSource& source, const chain::TransactionStatus& status,
                                  Priority priority, BlockLimits limits) {
    FinalBlocks blocks;
    const auto hashes = hashes_of(status, limits.most);
    for (const auto& hash : hashes) {
        auto block = co_await source.final_block(hash, limits.highest, priority);
        if (block) blocks[hash] = std::move(*block);
    }
    co_return blocks;
}

base::Task<EpochLayouts> layouts_of(ShardLayouts& layouts, const FinalBlocks& blocks, Priority priority) {
    EpochLayouts known;
    for (const auto& [hash, block] : blocks) {
        if (known.contains(block.epoch_id)) continue;
        auto layout = co_await layouts.of(block, std::nullopt, priority);
        if (layout) known.emplace(block.epoch_id, std::move(layout));
    }
    co_return known;
}

std::optional<chain::Execution> execution_in(const FinalBlocks& blocks, const EpochLayouts& layouts,
                                             const chain::Outcome& outcome) {
    const auto found = blocks.find(outcome.block_hash);
    if (found == blocks.end()) return std::nullopt;
    const auto& block = found->second;
    chain::Execution execution{chain::ExecutedAt{block.height, block.timestamp_nanosec}};
    const auto layout = layouts.find(block.epoch_id);
    if (layout != layouts.end()) execution.shard_id = layout->second->shard_of(outcome.executor_id);
    return execution;
}

chain::Judgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                             std::optional<chain::ExecutedAt> included_at, const EpochLayouts& layouts) {
    const auto& status = tree.status.value;
    const auto in_final_block = [&](const chain::Outcome& outcome) -> std::optional<chain::Execution> {
        auto execution = execution_in(blocks, layouts, outcome);
        const auto& conversion = status.transaction_outcome;
        if (!included_at || !conversion || &outcome != &*conversion) return execution;
        if (!execution) execution.emplace();
        execution->at = included_at;
        return execution;
    };
    return chain::tree_of(status, tree.others(), in_final_block).judge();
}

std::vector<chain::ExecutionBlock> execution_blocks(const TreeSource::Tree& tree,
                                                    const chain::BlockRef& included_in,
                                                    const FinalBlocks& blocks) {
    auto latest = included_in.timestamp_nanosec;
    std::vector<chain::ExecutionBlock> executed_in;
    for (const auto& outcome : tree.status.value.receipts_outcome) {
        const auto found = blocks.find(outcome.block_hash);
        // Depth-first order: the last known block is that of an ancestor or an elder sibling.
        if (found != blocks.end()) latest = found->second.timestamp_nanosec;
        chain::ExecutionBlock execution;
        if (found != blocks.end()) execution.height = found->second.height;
        execution.timestamp_nanosec = latest;
        executed_in.push_back(execution);
    }
    return executed_in;
}

bool tell_the_same(const chain::TransactionStatus& one, const chain::TransactionStatus& other) {
    const auto roots_of = [](const chain::TransactionStatus& status) {
        std::map<chain::Text, std::string> roots;
        if (const auto& conversion = status.transaction_outcome) roots[conversion->id] = conversion->root;
        for (const auto& outcome : status.receipts_outcome) roots[outcome.id] = outcome.root;
        return roots;
    };
    return roots_of(one) == roots_of(other);
}

}  // namespace receiptd::rpc
