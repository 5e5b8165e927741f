#include "rpc/final_tree.hpp"

namespace receiptd::rpc {
namespace {

std::optional<chain::ExecutedAt> executed_at(const FinalBlocks& blocks, chain::Text hash) {
    const auto found = blocks.find(hash);
    if (found == blocks.end()) return std::nullopt;
    return chain::ExecutedAt{found->second.height, found->second.timestamp_nanosec};
}

}  // namespace

chain::ReceiptGraph graph_without_outcomes(const TreeSource::Tree& tree) {
    const auto& status = tree.status.value;
    chain::ReceiptGraph graph(status.transaction ? std::string(status.transaction->hash) : std::string());
    if (status.transaction) graph.add(chain::transaction_facts(*status.transaction));
    for (const auto& body : tree.bodies())
        if (body.kind == chain::ReceiptKind::action) graph.add(chain::receipt_facts(body));
    return graph;
}

chain::TreeJudgement judge_final(const TreeSource::Tree& tree, const FinalBlocks& blocks,
                                 std::optional<chain::ExecutedAt> included_at) {
    const auto& status = tree.status.value;
    auto graph = graph_without_outcomes(tree);
    if (const auto& conversion = status.transaction_outcome) {
        if (!included_at) included_at = executed_at(blocks, conversion->block_hash);
        if (included_at) graph.add(chain::outcome_facts(*conversion, included_at));
    }
    for (const auto& outcome : status.receipts_outcome)
        if (const auto at = executed_at(blocks, outcome.block_hash))
            graph.add(chain::outcome_facts(outcome, at));
    return graph.judge();
}

}  // namespace receiptd::rpc
