// Trees of which receipts were stored that no follower judged as they went by.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

namespace receiptd::storage {

// In the transaction that stores the rows of the batch.
void remember_late(pqxx::transaction_base& tx, const chain::CommitFacts& facts);

}  // namespace receiptd::storage
