// Source rpc: what an answer about a tree says of the final chain, and when asking again is worth a request.
// Pure.
#pragma once

#include "chain/receipt_graph.hpp"
#include "chain/rows.hpp"
#include "rpc/source.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::follow {

// Final blocks by hash.
using FinalBlocks = std::map<std::string, chain::BlockRef, std::less<>>;

// What of the tree was executed in these blocks; the rest counts as not executed.
chain::TreeJudgement judge_final(const rpc::TreeSource::Tree& tree, const chain::BlockRef& included_in,
                                 const FinalBlocks& blocks);

struct NextAsk {
    base::Height at = 0;  // when this height is final
    // Nothing but this data can move the tree: ask when one is listed, and at `at` at the latest.
    std::vector<std::string> waits_for_data;
};
// The first answer is asked for one block after the transaction's: nodes tell of blocks that are not final yet,
// so that most trees are whole in it.
NextAsk first_ask(base::Height included_in);
// After `asks` incomplete answers, the last of which came when `final_height` was final.
NextAsk next_ask(const rpc::TreeSource::Tree& tree, unsigned asks, base::Height final_height);

}  // namespace receiptd::follow
