// Reduces a host's answer about a tree to the final chain.
#pragma once

#include "chain/rows/rows.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "rpc/source.hpp"

#include <limits>
#include <map>
#include <optional>
#include <string>

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

// Pure. Judges the tree by its executions in these blocks; the rest counts as not executed. `included_at`:
// the place of inclusion, if known; else it is looked for in `blocks`.
chain::Judgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                             std::optional<chain::ExecutedAt> included_at);

}  // namespace receiptd::rpc
