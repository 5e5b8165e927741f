#include "rpc/block_contents.hpp"

#include "chain/proof/outcomes_root.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace receiptd::rpc {
namespace {

using OutcomesById = std::unordered_multimap<chain::Text, const chain::Outcome*>;

OutcomesById outcomes_in(const std::vector<chain::Decoded<chain::TransactionStatus>>& told) {
    OutcomesById outcomes;
    for (const auto& status : told) {
        if (const auto& conversion = status.value.transaction_outcome)
            outcomes.emplace(conversion->id, &*conversion);
        for (const auto& outcome : status.value.receipts_outcome) outcomes.emplace(outcome.id, &outcome);
    }
    return outcomes;
}

chain::ProofSides sides_of(const chain::List<chain::MerklePathItem>& path) {
    chain::ProofSides sides;
    for (const auto& step : path) {
        if (sides.steps == chain::ProofSides::kMostSteps) break;
        sides.left |= std::uint64_t{step.left} << sides.steps++;
    }
    return sides;
}

std::optional<chain::Outcome> proven_outcome(chain::Text id, const OutcomesById& told,
                                             const std::vector<std::string>& roots) {
    const auto [begin, end] = told.equal_range(id);
    for (auto other = begin; other != end; ++other) {
        if (std::find(roots.begin(), roots.end(), other->second->root) == roots.end()) continue;
        auto outcome = *other->second;
        outcome.sides = sides_of(outcome.proof);
        return outcome;
    }
    return std::nullopt;
}

}  // namespace

void RpcBlock::for_each_transaction(const std::function<void(const chain::SignedTransaction&)>& visit) const {
    for (const auto& chunk : chunks_)
        for (const auto& transaction : chunk->value.transactions) visit(transaction);
}

// The data that a block lists moves trees on, so its sightings are always collected.
chain::RowBatch RpcBlock::rows(const RowsSettings& settings) const {
    std::vector<const chain::Chunk*> chunks;
    for (const auto& chunk : chunks_) chunks.push_back(&chunk->value);
    return chain::block_rows(block_.value, chunks, settings.prev_height, settings.scope, true);
}

void NeardataBlock::for_each_transaction(
    const std::function<void(const chain::SignedTransaction&)>& visit) const {
    for (const auto& shard : whole_.value.shards)
        for (const auto& item : shard.transactions) visit(item.transaction);
}

void NeardataBlock::amend(Amendment amendment) {
    amended_by_ = std::move(amendment.statuses);
    const auto told = outcomes_in(amended_by_);
    for (auto& shard : whole_.value.shards) {
        const auto roots = amendment.roots.find(shard.shard_id);
        if (roots == amendment.roots.end()) continue;
        for (auto& item : shard.transactions)
            if (auto other = proven_outcome(item.transaction.hash, told, roots->second))
                item.outcome = std::move(other);
        for (auto& item : shard.executed)
            if (auto other = proven_outcome(item.outcome.id, told, roots->second))
                item.outcome = std::move(*other);
        if (const auto root = chain::outcomes_root(shard)) shard.outcomes_root = root->to_string();
    }
}

chain::RowBatch NeardataBlock::rows(const RowsSettings& settings) const {
    return chain::whole_block_rows(whole_.value, settings.prev_height, settings.scope, settings.lineage,
                                   &settings.live_trees, settings.collect_sightings);
}

}  // namespace receiptd::rpc
