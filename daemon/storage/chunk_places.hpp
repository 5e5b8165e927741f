// Where transactions and receipts lie: shard, and place in the chunk. Blocks prove it; hosts that are asked
// for a transaction may not know it.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

#include <set>
#include <string>

namespace receiptd::storage {

// JSON of rows with id, block_height, shard_id and index_in_chunk; empty: no place is known.
using ChunkPlaces = std::string;

// The places of those rows of a table that have one of the ids.
ChunkPlaces places_of_rows(const chain::RowBatch& batch, chain::Table table,
                           const std::set<std::string, std::less<>>& ids);

// SQL that deletes rows and returns their ChunkPlaces.
std::string delete_returning_places(chain::Table table, const std::string& where);

// SQL that gives the rows of a table what $1, ChunkPlaces, knows and they do not. `at`: a condition on
// block_time.
std::string fill_in_places(chain::Table table, const std::string& at);

}  // namespace receiptd::storage
