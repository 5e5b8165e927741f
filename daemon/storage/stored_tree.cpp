#include "storage/stored_tree.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace receiptd::storage {
namespace {

using Ids = std::unordered_set<std::string_view>;

// All but the outcomes of the transaction itself, and the receipts of others.
chain::ReceiptTree without_conversion(const std::string& tx_hash, const StoredTree& tree,
                                      const Ids& of_others = {}) {
    chain::ReceiptTree parts(tx_hash);
    if (tree.transaction) parts.add(*tree.transaction);
    for (const auto& receipt : tree.receipts)
        if (!of_others.contains(receipt.receipt_id)) parts.add(receipt);
    for (const auto& outcome : tree.outcomes)
        if (outcome.id != tx_hash && !of_others.contains(outcome.id)) parts.add(outcome);
    for (const auto& data : tree.data) parts.add(data);
    return parts;
}

// Two blocks may tell one outcome.
bool is_told_already(const chain::OutcomeFacts& outcome,
                     const std::vector<const chain::OutcomeFacts*>& conversions) {
    return !outcome.receipt_ids.empty() && std::ranges::any_of(conversions, [&](const auto* other) {
        return other->receipt_ids == outcome.receipt_ids;
    });
}

// The receipts that an outcome leads to.
Ids led_to(const chain::OutcomeFacts& conversion,
           const std::unordered_map<std::string_view, const chain::OutcomeFacts*>& outcomes) {
    Ids ids;
    std::vector<std::string_view> next(conversion.receipt_ids.begin(), conversion.receipt_ids.end());
    while (!next.empty()) {
        const auto id = next.back();
        next.pop_back();
        if (!ids.insert(id).second) continue;
        if (const auto outcome = outcomes.find(id); outcome != outcomes.end())
            next.insert(next.end(), outcome->second->receipt_ids.begin(), outcome->second->receipt_ids.end());
    }
    return ids;
}

}  // namespace

chain::ReceiptTree tree_of(const std::string& tx_hash, const StoredTree& tree) {
    auto parts = without_conversion(tx_hash, tree);
    for (const auto& outcome : tree.outcomes)
        if (outcome.id == tx_hash) parts.add(outcome);
    return parts;
}

std::vector<chain::ReceiptTree> executions_of(const std::string& tx_hash, const StoredTree& tree) {
    std::vector<const chain::OutcomeFacts*> conversions;
    for (const auto& outcome : tree.outcomes)
        if (outcome.id == tx_hash && !is_told_already(outcome, conversions)) conversions.push_back(&outcome);
    if (conversions.size() < 2) return {tree_of(tx_hash, tree)};
    const auto made_receipts = [](const auto* conversion) { return !conversion->receipt_ids.empty(); };
    const auto own = std::find_if(conversions.begin(), conversions.end(), made_receipts);
    if (own != conversions.end()) std::rotate(conversions.begin(), own, own + 1);
    std::unordered_map<std::string_view, const chain::OutcomeFacts*> outcomes;
    for (const auto& outcome : tree.outcomes)
        if (outcome.id != tx_hash) outcomes.emplace(outcome.id, &outcome);
    std::vector<Ids> receipts;
    for (const auto* conversion : conversions) receipts.push_back(led_to(*conversion, outcomes));
    std::vector<chain::ReceiptTree> executions;
    for (std::size_t i = 0; i < conversions.size(); ++i) {
        Ids of_others;
        for (const auto& others : receipts) of_others.insert(others.begin(), others.end());
        for (const auto id : receipts[i]) of_others.erase(id);
        executions.push_back(without_conversion(tx_hash, tree, of_others));
        executions.back().add(*conversions[i]);
    }
    return executions;
}

chain::Judgement judge_execution(const std::string& tx_hash, const StoredTree& tree,
                                 const std::string& receipt_id, chain::BlockHeight included_height) {
    const auto executions = executions_of(tx_hash, tree);
    for (std::size_t i = 1; i < executions.size(); ++i) {
        auto judgement = executions[i].judge();
        const bool is_it = receipt_id.empty()
                               ? judgement.included_at && judgement.included_at->height == included_height
                               : judgement.has(receipt_id);
        if (is_it) return judgement;
    }
    return executions.front().judge();
}

}  // namespace receiptd::storage
