// Hashes that are stored in several blocks: each execution is a tree with a name of its own
// (docs/decisions/0055). Only transactions that hold the lock of adoption change names. While rows of such a
// hash are written or judged, all of them have the hash as tree_id.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/tree_load.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// Hashes with executions that may have rows around these heights.
std::vector<std::string> executed_again_around(pqxx::transaction_base& tx, base::HeightRange heights);
// Hashes with executions in the week before a batch of blocks, and the ones of them with rows in it.
std::vector<std::string> executed_again_before(pqxx::transaction_base& tx, const chain::RowBatch& batch);
std::vector<std::string> executed_again_in(pqxx::transaction_base& tx, const chain::RowBatch& batch);

// Notes which of these hashes are stored in several blocks around the times.
void find_executions(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                     const TreeTimes& times);
// The same for a batch whose rows are written.
void find_executions(pqxx::transaction_base& tx, const chain::RowBatch& batch);

// Gives all rows of these hashes the hash as tree_id.
void gather_executions(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes);
// Gives the rows of each execution its name. Other hashes are left alone.
void name_executions(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes);

// Forgets the executions at a height that is removed, when all rows have the hash.
void forget_executions_at(pqxx::transaction_base& tx, base::Height height);

}  // namespace receiptd::storage
