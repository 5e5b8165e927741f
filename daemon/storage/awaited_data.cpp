#include "storage/awaited_data.hpp"

#include "chain/rows/copy_binary.hpp"
#include "chain/tree/facts.hpp"
#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/late_trees.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/sql_time.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

void adopt_awaited(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    const bool has_receipts = batch[chain::Table::receipts].rows > 0;
    if (has_receipts || batch[chain::Table::data_receipts].rows == 0 || batch.facts.blocks.empty()) return;
    lock_adoption(tx);
    const auto& first = batch.facts.blocks.front();
    const auto& last = batch.facts.blocks.back();
    shim::query(tx,
                "WITH met AS (UPDATE data_receipts d SET tree_id = o.adopted_into, "
                "  tx_hash = o.adopted_tx_hash FROM orphan_receipts o "
                "  WHERE o.kind = 'data' AND o.adopted_tx_hash IS NOT NULL AND o.id = d.data_id "
                "    AND d.block_height BETWEEN $1 AND $2 "
                "    AND d.block_time BETWEEN " +
                    time_of_nanoseconds(3, std::chrono::seconds(-1)) + " AND " +
                    time_of_nanoseconds(4, std::chrono::seconds(1)) +
                    "  RETURNING d.data_id, d.tx_hash, d.block_height, d.block_time, d.is_promise_resume), "
                    "late AS (" +
                    late_by_resumes("met") +
                    ") "
                    "DELETE FROM orphan_receipts o USING met WHERE o.kind = 'data' AND o.id = met.data_id",
                first.height, last.height, first.timestamp_nanosec, last.timestamp_nanosec);
}

void await_blocks(pqxx::transaction_base& tx, const chain::TreeRows& tree) {
    std::set<std::string> hashes;
    for_each_row(tree.batch, chain::Table::receipts, {"block_height", "executed_block_hash"},
                 [&](const RowFields& row) {
                     if (!row[0] && row[1]) hashes.emplace(*row[1]);
                 });
    if (hashes.empty()) return;
    shim::query(tx,
                "INSERT INTO orphan_receipts (kind, id, block_height, block_time, adopted_into, "
                "adopted_tx_hash, adopted_at) SELECT 'block', hash, 0, " +
                    time_of_nanoseconds(2) + ", $1, $1, now() FROM unnest($3::text[]) AS hash",
                tree.completion.tx_hash, tree.completion.block_timestamp_nanosec,
                text_array({hashes.begin(), hashes.end()}));
}

void place_awaiting(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    std::map<std::string, const chain::BlockRef*, std::less<>> blocks;
    std::vector<std::string> hashes;
    for (const auto& block : batch.facts.blocks) {
        blocks.emplace(block.hash, &block);
        hashes.push_back(block.hash);
    }
    if (hashes.empty()) return;
    const auto awaited = shim::query(tx,
                                     "DELETE FROM orphan_receipts WHERE kind = 'block' AND "
                                     "id = ANY ($1::text[]) RETURNING id, adopted_tx_hash, " +
                                         microseconds_of("block_time"),
                                     text_array(hashes));
    if (awaited.empty()) return;
    lock_adoption(tx);
    // From the time of the transaction on, as that of the block was not known.
    const std::string lacks_block =
        "r.tree_id = ANY (trees_of_hashes(ARRAY[$1::text])) AND r.block_height IS NULL "
        "AND r.executed_block_hash = $2 AND r.block_time BETWEEN " +
        time_parameter(5, std::chrono::seconds(1)) + " AND " + time_parameter(4, std::chrono::seconds(-1));
    const std::string place = "block_height = $3::bigint, block_time = " + time_parameter(4);
    for (const auto& row : awaited) {
        const auto& block = *blocks.at(row[0].as<std::string>());
        const auto run = [&](const std::string& sql) {
            shim::query(
                tx, sql, row[1].as<std::string>(), block.hash, block.height,
                chain::RowTime(block.timestamp_nanosec).nanosec_since_1970() / kNanosecondsPerMicrosecond,
                row[2].as<std::int64_t>());
        };
        run("UPDATE events e SET " + place + " FROM receipts r WHERE " + lacks_block +
            " AND e.tree_id = r.tree_id AND e.receipt_id = r.receipt_id AND e.block_time = r.block_time");
        run("UPDATE receipts r SET " + place + ", executed_block_hash = NULL WHERE " + lacks_block);
    }
}

void adopt_data_of(pqxx::transaction_base& tx, base::HeightRange heights) {
    const base::HeightRange around{heights.from, heights.to + chain::kSeamReach};
    const auto times = times_of_blocks(tx, around);
    if (!times) return;
    const auto meanwhile = " AND " + between("block_time", 3);
    shim::query(tx,
                "WITH lost AS MATERIALIZED (SELECT data_id, block_time FROM data_receipts "
                "  WHERE tx_hash IS NULL AND block_height BETWEEN $1 AND $2" +
                    meanwhile +
                    "), named AS (SELECT unnest(coalesce(output_data_ids, '{}') || coalesce(input_data_ids, "
                    "'{}')) AS data_id, tree_id, tx_hash FROM receipts WHERE EXISTS (SELECT FROM lost) "
                    "  AND tx_hash IS NOT NULL AND (output_data_ids IS NOT NULL OR input_data_ids IS NOT "
                    "NULL)" +
                    meanwhile +
                    ") UPDATE data_receipts d SET tree_id = named.tree_id, tx_hash = named.tx_hash "
                    "FROM lost JOIN named USING (data_id) "
                    "WHERE d.data_id = lost.data_id AND d.block_time = lost.block_time AND d." +
                    between("block_time", 3),
                heights.from, heights.to, times->since, times->until);
}

}  // namespace receiptd::storage
