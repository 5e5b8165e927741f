#include "storage/place_trees.hpp"

#include "chain/tree/judgement.hpp"
#include "chain/tree/lineage.hpp"

#include <string>

namespace receiptd::storage {

// Without a result, though its block told what became of the transaction itself: more of its tree is to come.
std::uint64_t place_unfinished(pqxx::transaction_base& tx, base::Height from) {
    const auto placed = shim::query(
        tx,
        "WITH below AS MATERIALIZED (SELECT block_height, block_hash, block_time, timestamp_nanosec FROM "
        "blocks "
        "  WHERE block_height >= $1 AND block_height < $2), "
        "span AS MATERIALIZED (SELECT min(block_time) AS since, max(block_time) AS until FROM below) "
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "  timestamp_nanosec, shard_id) "
        "SELECT t.tx_hash, t.signer_id, t.block_height, b.block_hash, b.block_time, b.timestamp_nanosec, "
        "  t.shard_id FROM span JOIN transactions t ON t.block_time BETWEEN span.since AND span.until "
        "JOIN below b ON b.block_height = t.block_height AND b.block_time = t.block_time "
        "WHERE t.status = 'success_receipt_id' AND NOT EXISTS (SELECT FROM transaction_results r "
        "  WHERE r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time) "
        "ON CONFLICT DO NOTHING",
        from > chain::kSeamReach ? from - chain::kSeamReach : 0, from);
    return static_cast<std::uint64_t>(placed.affected_rows());
}

unsigned place_silent(pqxx::transaction_base& tx, base::HeightRange included_in, unsigned most) {
    const auto placed = shim::query(
        tx,
        "WITH there AS MATERIALIZED (SELECT block_height, block_hash, block_time, timestamp_nanosec FROM "
        "blocks "
        "  WHERE block_height BETWEEN $1 AND $2), "
        "span AS MATERIALIZED (SELECT min(block_time) AS since, max(block_time) AS until FROM there), "
        "room AS MATERIALIZED (SELECT greatest(0, least($3, $4 - count(*))) AS trees FROM pending_trees "
        "  WHERE placed_at > now() - interval '10 minutes') "
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "  timestamp_nanosec, shard_id, reason) "
        "SELECT t.tx_hash, t.signer_id, t.block_height, b.block_hash, b.block_time, b.timestamp_nanosec, "
        "  t.shard_id, $5 FROM span JOIN transactions t ON t.block_time BETWEEN span.since AND span.until "
        "JOIN there b ON b.block_height = t.block_height AND b.block_time = t.block_time "
        "WHERE t.status = 'success_receipt_id' AND NOT EXISTS (SELECT FROM transaction_results r "
        "  WHERE r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time) "
        "  AND NOT EXISTS (SELECT FROM pending_trees p WHERE p.tx_hash = t.tx_hash) "
        "ORDER BY t.block_height, t.tx_hash LIMIT (SELECT trees FROM room) ON CONFLICT DO NOTHING",
        included_in.from, included_in.to, most, kMostSilent,
        std::string(chain::kOutcomesMissing) + ": no block has brought what its receipts announced");
    return static_cast<unsigned>(placed.affected_rows());
}

}  // namespace receiptd::storage
