// Judges stored trees again, inside a transaction that changes them.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/tree_load.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

// Adds the results and findings of these trees that are decided and not stored yet.
void judge_stored(pqxx::transaction_base& tx, const std::map<std::string, StoredTree>& trees,
                  const TreeTimes& times, chain::RowBatch& batch);

// Writes the results and findings of these trees around that time that are not stored yet. Nobody is told.
void settle_again(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                  std::uint64_t timestamp_nanosec);

}  // namespace receiptd::storage
