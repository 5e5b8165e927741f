// Queues trees to be sent as traces, in the transaction that stores their ends.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/trace_choice.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// Condition on a row of trace_outbox: it is too old to be sent.
inline const std::string kTooOldToTrace = "ended_at < now() - interval '30 minutes'";

// The results in the rows that are news and that the rules choose. A tree whose watch is open is queued when
// that ends.
void queue_traces(pqxx::transaction_base& tx, const TraceRules& rules, const chain::RowBatch& batch);
// Watches that end in this transaction.
void queue_watched(pqxx::transaction_base& tx, const TraceRules& rules,
                   const std::vector<std::string>& tx_hashes);

}  // namespace receiptd::storage
