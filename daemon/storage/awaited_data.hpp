// Data of blocks that tell no outcomes, and trees that come on their own.
#pragma once

#include "base/height_set.hpp"
#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

namespace receiptd::storage {

// For data of a batch that is written: its tree may be stored already, as the block was late.
void adopt_awaited(pqxx::transaction_base& tx, const chain::RowBatch& batch);

// The same for data of these heights that nobody awaits any more, or awaited by another name: receipts around
// name what they produced and what they wait for.
void adopt_data_of(pqxx::transaction_base& tx, base::HeightRange heights);

}  // namespace receiptd::storage
