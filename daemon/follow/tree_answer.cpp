#include "follow/tree_answer.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {

bool is_of_another_execution(const rpc::TreeSource::Tree& tree, const chain::BlockRef& included_in) {
    const auto& outcome = tree.status.value.transaction_outcome;
    return outcome && !outcome->block_hash.empty() && outcome->block_hash != included_in.hash;
}

TreeAnswer read_answer(SharedTree tree) {
    TreeAnswer answer;
    answer.host = tree->host;
    answer.complete = tree->complete;
    answer.is_large = tree->room != nullptr;
    const auto& outcomes = tree->status.value.receipts_outcome;
    answer.outcomes = outcomes.size();
    for (const auto& outcome : outcomes)
        if (!answer.executed_in.contains(outcome.block_hash)) answer.executed_in.emplace(outcome.block_hash);
    if (!answer.complete) answer.waits = waits_of(*tree);
    answer.tree = std::move(tree);
    return answer;
}

bool all_final(const TreeAnswer& answer, const rpc::FinalBlocks& blocks) {
    return std::all_of(answer.executed_in.begin(), answer.executed_in.end(),
                       [&](const auto& hash) { return blocks.contains(hash); });
}

bool rests_on(const TreeAnswer& answer, const rpc::BlockHashes& blocks) {
    return std::any_of(blocks.begin(), blocks.end(),
                       [&](const auto& hash) { return answer.executed_in.contains(hash); });
}

}  // namespace receiptd::follow
