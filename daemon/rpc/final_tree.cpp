#include "rpc/final_tree.hpp"

namespace receiptd::rpc {
namespace {

std::optional<chain::ExecutedAt> executed_at(const FinalBlocks& blocks, chain::Text hash) {
    const auto found = blocks.find(hash);
    if (found == blocks.end()) return std::nullopt;
    return chain::ExecutedAt{found->second.height, found->second.timestamp_nanosec};
}

}  // namespace

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
