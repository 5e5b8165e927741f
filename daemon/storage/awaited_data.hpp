// Data of blocks that tell no outcomes, and trees that come on their own, or before their blocks.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/tree_store.hpp"

namespace receiptd::storage {

// For data of a batch that is written: its tree may be stored already, as the block was late.
void adopt_awaited(pqxx::transaction_base& tx, const chain::RowBatch& batch);

// For a tree that is written: the blocks of receipts whose height no host could tell.
void await_blocks(pqxx::transaction_base& tx, const chain::TreeRows& tree);
// Before the rows of a batch are written: receipts that await its blocks get their heights and times, so that
// what the blocks bring of them takes their place.
void place_awaiting(pqxx::transaction_base& tx, const chain::RowBatch& batch);

// The same as adopt_awaited() for data of these heights that nobody awaits any more, or awaited by another
// name: receipts around name what they produced and what they wait for.
void adopt_data_of(pqxx::transaction_base& tx, base::HeightRange heights);

}  // namespace receiptd::storage
