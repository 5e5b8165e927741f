#include "follow/tree_progress.hpp"

#include <algorithm>
#include <array>

namespace receiptd::follow {
namespace {

// A node shows two blocks more than the final one: what is two blocks away is seen when it is final.
constexpr base::Height kSeenAhead = 2;
constexpr std::array<base::Height, 6> kPauses{2, 2, 3, 5, 8, 13};  // then the last one
constexpr base::Height kLongestPark = 40;

chain::ReceiptGraph graph_of(const rpc::TreeSource::Tree& tree) {
    const auto& status = tree.status.value;
    chain::ReceiptGraph graph(status.transaction ? std::string(status.transaction->hash) : std::string());
    if (status.transaction) graph.add(chain::transaction_facts(*status.transaction));
    for (const auto& body : tree.bodies())
        if (body.kind == chain::ReceiptKind::action) graph.add(chain::receipt_facts(body));
    return graph;
}

}  // namespace

chain::TreeJudgement judge_final(const rpc::TreeSource::Tree& tree, const chain::BlockRef& included_in,
                                 const FinalBlocks& blocks) {
    const auto& status = tree.status.value;
    auto graph = graph_of(tree);
    if (status.transaction_outcome)
        graph.add(chain::outcome_facts(*status.transaction_outcome,
                                       chain::ExecutedAt{included_in.height, included_in.timestamp_nanosec}));
    for (const auto& outcome : status.receipts_outcome)
        if (const auto found = blocks.find(outcome.block_hash); found != blocks.end())
            graph.add(chain::outcome_facts(
                outcome, chain::ExecutedAt{found->second.height, found->second.timestamp_nanosec}));
    return graph.judge();
}

NextAsk first_ask(base::Height included_in) { return {included_in + 1, {}}; }

NextAsk next_ask(const rpc::TreeSource::Tree& tree, unsigned asks, base::Height final_height) {
    auto graph = graph_of(tree);
    const auto& status = tree.status.value;
    if (status.transaction_outcome)
        graph.add(chain::outcome_facts(*status.transaction_outcome, std::nullopt));
    for (const auto& outcome : status.receipts_outcome)
        graph.add(chain::outcome_facts(outcome, std::nullopt));
    NextAsk next;
    bool moves = !status.transaction_outcome;
    for (const auto& receipt : graph.judge().receipts) {
        if (receipt.waiting == chain::Waiting::resume)
            next.waits_for_data.insert(next.waits_for_data.end(), receipt.missing_data_ids.begin(),
                                       receipt.missing_data_ids.end());
        moves = moves || receipt.waiting == chain::Waiting::body ||
                receipt.waiting == chain::Waiting::execution;
    }
    if (moves) next.waits_for_data.clear();
    const auto pause = kPauses[std::min<std::size_t>(asks == 0 ? 0 : asks - 1, kPauses.size() - 1)];
    next.at = final_height + (next.waits_for_data.empty() ? std::max(pause, kSeenAhead) : kLongestPark);
    return next;
}

}  // namespace receiptd::follow
