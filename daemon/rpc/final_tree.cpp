#include "rpc/final_tree.hpp"

#include "base/coroutine.hpp"

#include <set>
#include <utility>

namespace receiptd::rpc {
namespace {

std::optional<chain::ExecutedAt> executed_at(const FinalBlocks& blocks, chain::Text hash) {
    const auto found = blocks.find(hash);
    if (found == blocks.end()) return std::nullopt;
    return chain::ExecutedAt{found->second.height, found->second.timestamp_nanosec};
}

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

chain::Judgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                             std::optional<chain::ExecutedAt> included_at) {
    const auto& status = tree.status.value;
    const auto in_final_block = [&](const chain::Outcome& outcome) -> std::optional<chain::Execution> {
        auto at = executed_at(blocks, outcome.block_hash);
        const auto& conversion = status.transaction_outcome;
        if (included_at && conversion && &outcome == &*conversion) at = included_at;
        if (!at) return std::nullopt;
        return chain::Execution{at};
    };
    return chain::tree_of(status, tree.bodies(), in_final_block).judge();
}

}  // namespace receiptd::rpc
