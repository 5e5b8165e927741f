#include "chain/proof/outcome_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace receiptd::chain {

namespace {

// The tree's leaves are the outcomes of transactions, then those of receipts.
std::optional<ExecutionOrder> order_by_paths(const WholeBlockShard& shard) {
    const auto converted = std::count_if(shard.transactions.begin(), shard.transactions.end(),
                                         [](const auto& item) { return item.outcome.has_value(); });
    const auto transactions = static_cast<std::size_t>(converted);
    const std::size_t receipts = shard.executed.size();
    std::vector<std::size_t> order(receipts, receipts);
    for (std::size_t i = 0; i < receipts; ++i) {
        const auto place = place_in_tree(shard.executed[i].outcome.sides, transactions + receipts);
        if (!place || *place < transactions || order[*place - transactions] != receipts) return std::nullopt;
        order[*place - transactions] = i;
    }
    return ExecutionOrder{std::move(order), transactions};
}

}  // namespace

std::optional<std::size_t> place_in_tree(const ProofSides& sides, std::size_t leaves) {
    if (leaves == 0) return std::nullopt;
    std::size_t height = 0;
    while (((leaves - 1) >> height) > 0) ++height;
    std::size_t place = 0;
    std::size_t steps = sides.steps;
    // From the root down; the last node of an odd level is carried up without a step.
    for (; height > 0; --height) {
        const std::size_t nodes_below = ((leaves - 1) >> (height - 1)) + 1;
        place *= 2;
        if (place + 1 >= nodes_below) continue;
        if (steps == 0) return std::nullopt;
        --steps;
        place += (sides.left >> steps) & 1U;
    }
    return steps == 0 ? std::optional(place) : std::nullopt;
}

std::optional<std::size_t> place_by_path(const List<MerklePathItem>& path) {
    if (path.empty() || path.size() > ProofSides::kMostSteps || path.back().left) return std::nullopt;
    std::size_t place = 0;
    for (std::size_t step = 0; step < path.size(); ++step) place |= std::size_t{path[step].left} << step;
    return place;
}

ExecutionOrder execution_order(const WholeBlockShard& shard) {
    if (auto order = order_by_paths(shard)) return std::move(*order);
    ExecutionOrder listed;
    listed.executed.resize(shard.executed.size());
    std::iota(listed.executed.begin(), listed.executed.end(), std::size_t{0});
    return listed;
}

}  // namespace receiptd::chain
