// A stored tree, ready to be judged.
#pragma once

#include "chain/tree/receipt_tree.hpp"
#include "storage/watch_store.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

chain::ReceiptTree tree_of(const std::string& tx_hash, const StoredTree& tree);
// One tree for each execution of the hash, without the receipts that only others lead to. The first is the
// one that tree_of() judges.
std::vector<chain::ReceiptTree> executions_of(const std::string& tx_hash, const StoredTree& tree);
// The execution with this receipt; where it is empty, the one that was included at this height. The first
// where none is.
chain::Judgement judge_execution(const std::string& tx_hash, const StoredTree& tree,
                                 const std::string& receipt_id, chain::BlockHeight included_height);

}  // namespace receiptd::storage
