// A batch of blocks: rows and coverage in one transaction.
#include "storage/copy.hpp"
#include "storage/sql.hpp"

namespace receiptd::storage::sql {
namespace {

bool overlaps_coverage(pqxx::transaction_base& tx, const std::string& heights) {
    const auto found = shim::query(tx, "SELECT heights && $1::int8multirange FROM coverage", heights);
    if (found.empty())
        throw StorageError("the table coverage has no row: this database was never opened by `receiptd run`");
    return found[0][0].as<bool>();
}

bool add_to_coverage(pqxx::transaction_base& tx, const std::string& heights, const std::string& wanted) {
    const auto updated =
        shim::query(tx,
                    "UPDATE coverage SET heights = heights + $1::int8multirange, "
                    "wanted = wanted + $1::int8multirange + $2::int8multirange, updated_at = now() "
                    "WHERE NOT heights && $1::int8multirange",
                    heights, wanted);
    return updated.affected_rows() > 0;
}

// Data whose tree is stored already (source rpc: trees come on their own, and a block may be late).
void adopt_awaited(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    const bool has_receipts = batch[chain::Table::receipts].rows > 0;
    if (has_receipts || batch[chain::Table::data_receipts].rows == 0 || batch.blocks.empty()) return;
    lock_adoption(tx);
    const auto& first = batch.blocks.front();
    const auto& last = batch.blocks.back();
    shim::query(tx,
                "WITH met AS (UPDATE data_receipts d SET tree_id = o.adopted_into, "
                "  tx_hash = o.adopted_tx_hash FROM orphan_receipts o "
                "  WHERE o.kind = 'data' AND o.adopted_tx_hash IS NOT NULL AND o.id = d.data_id "
                "    AND d.block_height BETWEEN $1 AND $2 "
                "    AND d.block_time >= to_timestamp($3::numeric / 1000000000) - interval '1 second' "
                "    AND d.block_time <= to_timestamp($4::numeric / 1000000000) + interval '1 second' "
                "  RETURNING d.data_id) "
                "DELETE FROM orphan_receipts o USING met WHERE o.kind = 'data' AND o.id = met.data_id",
                first.height, last.height, first.timestamp_nanosec, last.timestamp_nanosec);
}

// Coverage is last: its one row is locked by one writer at a time, until the commit.
CommitOutcome write_batch(pqxx::connection& connection, const chain::RowBatch& batch) {
    pqxx::work tx(connection);
    const auto heights = batch.covered.to_multirange();
    if (overlaps_coverage(tx, heights)) return CommitOutcome::already_covered;
    copy_rows(tx, batch);
    tell_findings(tx, batch.findings);
    adopt_awaited(tx, batch);
    shim::query(tx,
                "DELETE FROM unavailable_heights u USING unnest($1::int8multirange) AS done "
                "WHERE u.height >= lower(done) AND u.height < upper(done)",
                heights);
    if (!add_to_coverage(tx, heights, batch.wanted.to_multirange())) return CommitOutcome::already_covered;
    tx.commit();
    return CommitOutcome::committed;
}

bool covered_meanwhile(pqxx::connection& connection, const chain::RowBatch& batch) {
    pqxx::work tx(connection);
    return overlaps_coverage(tx, batch.covered.to_multirange());
}

}  // namespace

// A commit in doubt (connection lost while committing) is simply run again: if it had succeeded, the
// coverage says so, or the rows collide with it first.
CommitOutcome commit_batch(pqxx::connection& connection, const chain::RowBatch& batch,
                           PartitionKeeper& partitions) {
    try {
        return partitions.with_days(connection, days_of_blocks(batch),
                                    [&] { return write_batch(connection, batch); });
    } catch (const pqxx::unique_violation&) {
        if (!covered_meanwhile(connection, batch)) throw;
        return CommitOutcome::already_covered;
    }
}

}  // namespace receiptd::storage::sql
