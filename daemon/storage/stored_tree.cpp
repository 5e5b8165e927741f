#include "storage/stored_tree.hpp"

namespace receiptd::storage {

chain::ReceiptTree tree_of(const std::string& tx_hash, const StoredTree& tree) {
    chain::ReceiptTree parts(tx_hash);
    if (tree.transaction) parts.add(*tree.transaction);
    for (const auto& receipt : tree.receipts) parts.add(receipt);
    for (const auto& outcome : tree.outcomes) parts.add(outcome);
    for (const auto& data : tree.data) parts.add(data);
    return parts;
}

}  // namespace receiptd::storage
