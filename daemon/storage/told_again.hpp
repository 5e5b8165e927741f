// Receipts that services told in several blocks, in runs that knew nothing of each other
// (docs/decisions/0055): one row of each stays.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/tree_load.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// Call both where the lock of adoption is held, and all executions of a hash have the hash as tree_id.

// Takes away all rows of receipts of these trees (an array of SQL) but the first ones. Returns whether any
// went, and what was decided by them with them, as where a block is removed: these trees are judged by the
// next settling around there, if not before.
bool keep_first_tellings(pqxx::transaction_base& tx, const std::string& trees, const TreeTimes& times);
// The same, but results and findings stay.
void keep_first_rows(pqxx::transaction_base& tx, const std::string& trees, const TreeTimes& times);

// Whether rows tell a receipt twice.
bool is_told_again(const StoredTree& tree);

}  // namespace receiptd::storage
