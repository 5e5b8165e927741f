// A batch of rows makes alerts, lines of the stream and traces in the transaction that stores it.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/database.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/told.hpp"

namespace receiptd::storage {

// When the rows are there: its findings, its results, and what its receipts did, as far as they are news.
// Where other rules chose what they did than those that count by now, the rows are asked.
Told tell_batch(pqxx::transaction_base& tx, Database& database, const chain::RowBatch& batch);

}  // namespace receiptd::storage
