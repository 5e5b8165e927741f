#include "storage/stored_tree.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

// All but the outcomes of the transaction itself.
chain::ReceiptTree without_conversion(const std::string& tx_hash, const StoredTree& tree) {
    chain::ReceiptTree parts(tx_hash);
    if (tree.transaction) parts.add(*tree.transaction);
    for (const auto& receipt : tree.receipts) parts.add(receipt);
    for (const auto& outcome : tree.outcomes)
        if (outcome.id != tx_hash) parts.add(outcome);
    for (const auto& data : tree.data) parts.add(data);
    return parts;
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
        if (outcome.id == tx_hash) conversions.push_back(&outcome);
    if (conversions.size() < 2) return {tree_of(tx_hash, tree)};
    const auto made_receipts = [](const auto* conversion) { return !conversion->receipt_ids.empty(); };
    const auto own = std::find_if(conversions.begin(), conversions.end(), made_receipts);
    if (own != conversions.end()) std::rotate(conversions.begin(), own, own + 1);
    std::vector<chain::ReceiptTree> executions(conversions.size(), without_conversion(tx_hash, tree));
    for (std::size_t i = 0; i < conversions.size(); ++i) executions[i].add(*conversions[i]);
    return executions;
}

}  // namespace receiptd::storage
