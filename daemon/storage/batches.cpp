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

void remember_listed(pqxx::transaction_base& tx, const std::vector<chain::ListedReceipt>& listed) {
    if (listed.empty()) return;
    std::vector<std::string> ids, receivers, signers, heights, times;
    for (const auto& receipt : listed) {
        ids.push_back(receipt.receipt_id);
        receivers.push_back(receipt.receiver_id);
        signers.push_back(receipt.signer_id);
        heights.push_back(std::to_string(receipt.height));
        times.push_back(std::to_string(receipt.timestamp_nanosec));
    }
    shim::query(tx,
                "INSERT INTO unplaced_receipts (receipt_id, receiver_id, signer_id, block_height, "
                "timestamp_nanosec) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], "
                "$5::bigint[])",
                text_array(ids), text_array(receivers), text_array(signers), text_array(heights),
                text_array(times));
}

// Coverage is last: its one row is locked by one writer at a time, until the commit.
CommitOutcome write_batch(pqxx::connection& connection, const chain::RowBatch& batch) {
    pqxx::work tx(connection);
    const auto heights = batch.covered.to_multirange();
    if (overlaps_coverage(tx, heights)) return CommitOutcome::already_covered;
    copy_rows(tx, batch);
    tell_findings(tx, batch.findings);
    remember_listed(tx, batch.listed);
    adopt_awaited(tx, batch);
    shim::query(tx,
                "DELETE FROM unavailable_heights u USING unnest($1::int8multirange) AS done "
                "WHERE u.height >= lower(done) AND u.height < upper(done)",
                heights);
    if (!add_to_coverage(tx, heights, batch.wanted.to_multirange())) return CommitOutcome::already_covered;
    tx.commit();
    return CommitOutcome::committed;
}

// What of these heights is stored though they are not covered: transactions in scope whose hash was told by a
// receipt before their block was followed. The block brings them again, and their trees are fetched again.
void forget_found_early(pqxx::connection& connection, const chain::RowBatch& batch) {
    pqxx::work tx(connection);
    const auto heights = batch.covered.to_multirange();
    const auto locked =
        shim::query(tx, "SELECT FROM coverage WHERE NOT heights && $1::int8multirange FOR UPDATE", heights);
    if (locked.empty() || batch.blocks.empty()) return;
    shim::query(tx, "DELETE FROM pending_trees WHERE block_height <@ $1::int8multirange", heights);
    shim::query(tx,
                "DELETE FROM transactions WHERE block_height <@ $1::int8multirange "
                "AND block_time >= to_timestamp($2::numeric / 1000000000) - interval '1 second' "
                "AND block_time <= to_timestamp($3::numeric / 1000000000) + interval '1 second'",
                heights, batch.blocks.front().timestamp_nanosec, batch.blocks.back().timestamp_nanosec);
    tx.commit();
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
    for (bool again = true;; again = false) {
        try {
            return partitions.with_days(connection, days_of_blocks(batch),
                                        [&] { return write_batch(connection, batch); });
        } catch (const pqxx::unique_violation&) {
            if (covered_meanwhile(connection, batch)) return CommitOutcome::already_covered;
            if (!again) throw;
            forget_found_early(connection, batch);
        }
    }
}

}  // namespace receiptd::storage::sql
