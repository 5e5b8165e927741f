// The rows of stored blocks are replaced by those that hosts tell now.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

namespace receiptd::storage {

// The batch has at least one block, and its heights are stored. What it judges is left out: trees are judged
// by what is stored. `ordered_from`: the first height of all that are replaced. To be called with the lock of
// adoption.
void replace_rows(pqxx::transaction_base& tx, chain::RowBatch& batch, base::Height ordered_from);

}  // namespace receiptd::storage
