// The SQL of PgOrphanStore. Every function runs its own transaction and may be repeated after any failure.
#pragma once

#include "storage/orphan_store.hpp"
#include "storage/partitions.hpp"
#include "storage/pqxx_shim.hpp"

#include <string>

namespace receiptd::storage::sql {

UnplacedRound due_unplaced(pqxx::connection& connection, unsigned limit);
std::uint64_t unplaced_count(pqxx::connection& connection, base::HeightRange listed_in);
void postpone_unplaced(pqxx::connection& connection, const std::string& receipt_id,
                       std::chrono::milliseconds delay, bool in_vain, const std::string& reason);
void place(pqxx::connection& connection, const FoundTransaction& found, PartitionKeeper& partitions);
void want_outcome(pqxx::connection& connection, const std::string& receipt_id, const std::string& reason);
void store_orphan(pqxx::connection& connection, const std::string& receipt_id, const chain::RowBatch& rows,
                  PartitionKeeper& partitions);
std::optional<chain::ExecutedAt> executed_at(pqxx::connection& connection, const std::string& block_hash,
                                             const std::string& outcome_root);

}  // namespace receiptd::storage::sql
