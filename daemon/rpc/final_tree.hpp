// Reduces a host's answer about a tree to the final chain. Pure.
#pragma once

#include "chain/rows/rows.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "rpc/source.hpp"

#include <map>
#include <optional>
#include <string>

namespace receiptd::rpc {

// Final blocks by hash.
using FinalBlocks = std::map<std::string, chain::BlockRef, std::less<>>;

// Judges the tree by its executions in these blocks; the rest counts as not executed. `included_at`: the
// place of inclusion, if known; else it is looked for in `blocks`.
chain::Judgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                             std::optional<chain::ExecutedAt> included_at);

}  // namespace receiptd::rpc
