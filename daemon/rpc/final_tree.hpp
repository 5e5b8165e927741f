// Reduces a host's answer about a tree to the final chain.
#pragma once

#include "chain/rows/rows.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "rpc/block_cache.hpp"
#include "rpc/shard_layouts.hpp"
#include "rpc/source.hpp"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc {

// Final blocks by hash.
using FinalBlocks = std::map<std::string, chain::BlockRef, std::less<>>;

struct BlockLimits {
    chain::BlockHeight highest = 0;                              // blocks above it are left out
    std::size_t most = std::numeric_limits<std::size_t>::max();  // asked for
};
// Blocks that executed part of this transaction, as far as they can be had.
base::Task<FinalBlocks> blocks_of(TreeSource& source, const chain::TransactionStatus& status,
                                  Priority priority, BlockLimits limits);

// Shard layouts by the id of their epoch.
using EpochLayouts = std::map<std::string, std::shared_ptr<const chain::ShardLayout>, std::less<>>;
// The layouts of the epochs of these blocks, as far as they can be had.
base::Task<EpochLayouts> layouts_of(ShardLayouts& layouts, const FinalBlocks& blocks, Priority priority);

// Pure. Where the outcome was executed: its shard only if the layout is among these; nullopt: in none of
// these blocks.
std::optional<chain::Execution> execution_in(const FinalBlocks& blocks, const EpochLayouts& layouts,
                                             const chain::Outcome& outcome);

// Pure. Judges the tree by its executions in these blocks; the rest counts as not executed. `included_at`:
// the place of inclusion, if known; else it is looked for in `blocks`.
chain::Judgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                             std::optional<chain::ExecutedAt> included_at, const EpochLayouts& layouts = {});

// Where each outcome of the tree's receipts was executed; the height is 0 where no block of these is.
std::vector<chain::ExecutionBlock> execution_blocks(const TreeSource::Tree& tree,
                                                    const chain::BlockRef& included_in,
                                                    const FinalBlocks& blocks);
// Whether both have the same outcomes, with the same paths: ids, results and logs, but no texts of errors.
bool tell_the_same(const chain::TransactionStatus& one, const chain::TransactionStatus& other);

}  // namespace receiptd::rpc
