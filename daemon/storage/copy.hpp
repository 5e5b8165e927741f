// Rows into tables, by COPY.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/sql_time.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// All tables of the batch that have rows, in the order of chain::Table: every transaction takes its
// locks in the same order. Findings that somebody expects are marked.
void copy_rows(pqxx::transaction_base& tx, const chain::RowBatch& batch);

// These rows of a table, and nothing else.
void copy_some(pqxx::transaction_base& tx, chain::Table table, std::span<const std::string_view> rows);

// Days since 1970 (UTC) on which rows of the batch lie, read from the rows.
std::set<std::int64_t> days_of_rows(const chain::RowBatch& batch);
// Days of its blocks, results and findings.
std::set<std::int64_t> days_of_blocks(const chain::RowBatch& batch);

// The fields of these columns of each row, in their order; they view the batch. nullopt: NULL.
using RowFields = std::vector<std::optional<std::string_view>>;
void for_each_row(const chain::RowBatch& batch, chain::Table table,
                  const std::vector<std::string_view>& columns,
                  const std::function<void(const RowFields&)>& take);
// Microseconds since 1970 in a field of type timestamptz. Throws StorageError where it is none.
std::int64_t microseconds_in(const std::optional<std::string_view>& time);

// The times between which a table's rows lie; it has some.
TimeSpan times_of_rows(const chain::RowBatch& batch, chain::Table table);

// SQL: block_time lies between the first and the last block of a batch, or so far beside them. The parameter
// and the next one are the nanoseconds of these blocks.
std::string around_blocks(int parameter, std::chrono::seconds margin);
// Deletes results or findings, which have the time of another block. `rows_by_id`: "TABLE WHERE … COLUMN".
void forget_decided(pqxx::transaction_base& tx, const chain::RowBatch& batch, const std::string& rows_by_id,
                    const std::vector<std::string>& ids);

// Findings that a tree gives, not a watch.
inline const std::string kTreeFindings =
    "kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused', "
    "'yield_timed_out', 'undecided')";

// The ids of a table's rows; the id stands in the first column: tx_hash, receipt_id, finding_id, …
std::vector<std::string> ids_of_rows(const chain::RowBatch& batch, chain::Table table);

// Takes out the rows whose `column` is among the ids.
void leave_out(chain::RowBatch& batch, chain::Table table, std::string_view column,
               const std::set<std::string, std::less<>>& ids);

}  // namespace receiptd::storage
