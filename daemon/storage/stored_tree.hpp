// A stored tree, ready to be judged.
#pragma once

#include "chain/tree/receipt_tree.hpp"
#include "storage/watch_store.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

chain::ReceiptTree tree_of(const std::string& tx_hash, const StoredTree& tree);
// One tree for each execution of the hash, each with all stored receipts: those of the others are not
// attached to it. The first is the one that tree_of() judges.
std::vector<chain::ReceiptTree> executions_of(const std::string& tx_hash, const StoredTree& tree);

}  // namespace receiptd::storage
