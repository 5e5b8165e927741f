// A batch of blocks: rows and coverage in one transaction.
#include "storage/copy.hpp"
#include "storage/sql.hpp"

#include <set>

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
CommitOutcome write_batch(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
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
    const bool added = add_to_coverage(tx, heights, batch.wanted.to_multirange());
    return added ? CommitOutcome::committed : CommitOutcome::already_covered;
}

// What of these heights is stored though they are not covered: transactions that were watched, or told by a
// receipt, before their block was followed. The block brings them again; their trees are fetched again, or,
// if blocks bring receipts, these are forgotten, too. Returns trees of which parts may be stored elsewhere.
// Takes no lock on the coverage, which the writers of other blocks need last: should another daemon commit
// these heights meanwhile, write_batch() finds that, and nothing of this is committed.
std::vector<std::string> forget_found_early(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    const auto heights = batch.covered.to_multirange();
    if (batch.blocks.empty()) return {};
    const auto first = batch.blocks.front().timestamp_nanosec;
    const auto last = batch.blocks.back().timestamp_nanosec;
    std::set<std::string> trees;
    const auto forget = [&](const std::string& table) {
        const auto rows =
            shim::query(tx,
                        "DELETE FROM " + table +
                            " WHERE block_height <@ $1::int8multirange "
                            "AND block_time >= to_timestamp($2::numeric / 1000000000) - interval '1 second' "
                            "AND block_time <= to_timestamp($3::numeric / 1000000000) + interval '1 second' "
                            "RETURNING tree_id",
                        heights, first, last);
        for (const auto& row : rows) trees.insert(row[0].as<std::string>());
    };
    // They are decided anew, and stand at another block's time.
    const auto forget_decided = [&](const std::string& table, const std::string& more) {
        shim::query(tx,
                    "DELETE FROM " + table + " WHERE tree_id = ANY ($1::text[]) " + more +
                        "AND block_time >= to_timestamp($2::numeric / 1000000000) - interval '7 days' "
                        "AND block_time <= to_timestamp($3::numeric / 1000000000) + interval '7 days'",
                    text_array({trees.begin(), trees.end()}), first, last);
    };
    shim::query(tx, "DELETE FROM pending_trees WHERE block_height <@ $1::int8multirange", heights);
    forget("transactions");
    if (batch[chain::Table::receipts].rows > 0) {
        forget("receipts");
        forget("events");
        forget_decided("transaction_results", "");
        forget_decided("findings", "AND kind IN ('failed_receipt', 'failed_transaction') ");
    }
    return {trees.begin(), trees.end()};
}

CommitOutcome write_over_found_early(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    const auto trees = forget_found_early(tx, batch);
    const auto outcome = write_batch(tx, batch);
    if (outcome == CommitOutcome::committed && batch[chain::Table::receipts].rows > 0 && !trees.empty())
        settle_again(tx, trees, batch.blocks.front().timestamp_nanosec);
    return outcome;
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
    const auto days = days_of_blocks(batch);
    const auto commit = [&](const auto& write) {
        return partitions.with_days(connection, days, [&] {
            pqxx::work tx(connection);
            const auto outcome = write(tx, batch);
            if (outcome == CommitOutcome::committed) tx.commit();
            return outcome;
        });
    };
    try {
        return commit(write_batch);
    } catch (const pqxx::unique_violation&) {
        if (covered_meanwhile(connection, batch)) return CommitOutcome::already_covered;
    }
    try {
        return commit(write_over_found_early);
    } catch (const pqxx::unique_violation&) {
        if (covered_meanwhile(connection, batch)) return CommitOutcome::already_covered;
        throw;
    }
}

}  // namespace receiptd::storage::sql
