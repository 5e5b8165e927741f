// A stored tree, ready to be judged.
#pragma once

#include "chain/tree/receipt_tree.hpp"
#include "storage/watch_store.hpp"

#include <string>

namespace receiptd::storage {

chain::ReceiptTree tree_of(const std::string& tx_hash, const StoredTree& tree);

}  // namespace receiptd::storage
