// What an answer about a tree says of the final chain. Pure.
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

// What of the tree was executed in these blocks; the rest counts as not executed. `included_at`: where that
// is known; else it is looked for in `blocks`.
chain::Judgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                             std::optional<chain::ExecutedAt> included_at);

}  // namespace receiptd::rpc
