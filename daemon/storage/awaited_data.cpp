#include "storage/awaited_data.hpp"

#include "chain/tree/facts.hpp"
#include "storage/block_times.hpp"
#include "storage/late_trees.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/sql_time.hpp"

#include <chrono>

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
