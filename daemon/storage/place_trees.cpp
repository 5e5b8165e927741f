#include "storage/place_trees.hpp"

#include "chain/tree/facts.hpp"
#include "chain/tree/judgement.hpp"
#include "chain/tree/lineage.hpp"
#include "storage/block_times.hpp"
#include "storage/sql_time.hpp"

#include <string>

namespace receiptd::storage {

// Each id is looked up by itself (LIMIT), whatever the planner believes of tables that have no statistics
// yet: they are few, and the receipts of those days are many.
std::string lacks_receipts(int first) {
    const auto meanwhile = " BETWEEN " + time_parameter(first) + " AND " +
                           time_parameter(first + 1, -std::chrono::days(8)) + " ";
    return "EXISTS (SELECT FROM (SELECT t.initial_receipt_id AS id UNION ALL "
           "    SELECT unnest(r.receipt_ids) FROM receipts r WHERE r.tree_id = t.tree_id AND r.block_time" +
           meanwhile +
           ") AS announced WHERE id IS NOT NULL AND (SELECT true FROM receipts r "
           "    WHERE r.receipt_id = announced.id AND r.block_time" +
           meanwhile + " LIMIT 1) IS NULL)";
}

std::string make_pending(std::string_view stored_part, const Within& within, const std::string& where,
                         const std::string& joins) {
    const std::string part = stored_part.empty() ? "NULL" : "'" + std::string(stored_part) + "'";
    return "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
           "  timestamp_nanosec, shard_id, receipts_missing_since, stored_part) "
           "SELECT t.tx_hash, t.signer_id, t.block_height, b.block_hash, b.block_time, b.timestamp_nanosec, "
           "  t.shard_id, " +
           std::string(stored_part == "rows" ? "now()" : "NULL") + ", " + part +
           " FROM transactions t JOIN blocks b ON b.block_height = t.block_height "
           "  AND b.block_time = t.block_time " +
           joins + " WHERE " + within("t.block_time") + " AND " + within("b.block_time") + " AND " + where +
           " ON CONFLICT DO NOTHING";
}

// A tree without a result has more to come, as its transaction became a receipt. One with a result may have
// lost a block: blocks are stored beside each other, and the daemon that had judged the tree was killed
// before one of them was stored.
std::uint64_t place_unfinished(pqxx::transaction_base& tx, base::HeightRange ends) {
    if (ends.from == 0) return 0;
    const base::HeightRange heights{chain::reach_below(ends.from).from, ends.to - 1};
    const auto times = times_of_blocks(tx, heights);
    if (!times) return 0;
    const auto meanwhile = [](const std::string& time) { return between(time, 3); };
    const auto placed = shim::query(
        tx,
        make_pending("", meanwhile,
                     // Hosts know one execution of a hash.
                     "b.block_height BETWEEN $1 AND $2 AND t.status = 'success_receipt_id' "
                     "AND (judged.tx_hash IS NULL OR t.tree_id = t.tx_hash AND judged.settled_height >= $5 "
                     "  AND " +
                         lacks_receipts(3) + ")",
                     "LEFT JOIN transaction_results judged ON judged.tx_hash = t.tx_hash "
                     "  AND judged.tree_id = t.tree_id AND judged.block_time = t.block_time AND " +
                         meanwhile("judged.block_time")),
        heights.from, heights.to, times->since, times->until, ends.from);
    return static_cast<std::uint64_t>(placed.affected_rows());
}

std::vector<PendingTree> silent_trees(pqxx::transaction_base& tx, base::HeightRange included_in) {
    const auto times = times_of_blocks(tx, included_in);
    if (!times) return {};
    // Few trees have no result: the others are not searched for what they lack, whatever the planner believes
    // of tables that have no statistics yet.
    const auto rows = shim::query(
        tx,
        "WITH unjudged AS MATERIALIZED (SELECT t.tx_hash, t.tree_id, t.initial_receipt_id, t.signer_id, "
        "  t.block_height, b.block_hash, b.timestamp_nanosec, t.shard_id "
        "FROM transactions t JOIN blocks b ON b.block_height = t.block_height AND b.block_time = "
        "t.block_time "
        "WHERE b.block_height BETWEEN $1 AND $2 AND " +
            between("b.block_time", 3) + " AND " + between("t.block_time", 3) +
            " AND t.status = 'success_receipt_id' "
            "AND NOT EXISTS (SELECT FROM transaction_results r WHERE r.tx_hash = t.tx_hash "
            "  AND r.tree_id = t.tree_id AND r.block_time = t.block_time AND " +
            between("r.block_time", 3) +
            ") AND NOT EXISTS (SELECT FROM pending_trees p "
            "  WHERE p.tx_hash = t.tx_hash AND p.block_height = t.block_height)) "
            "SELECT tx_hash, signer_id, block_height, block_hash, timestamp_nanosec, shard_id FROM unjudged "
            "t "
            "WHERE " +
            lacks_receipts(3) + " ORDER BY block_height, tx_hash",
        included_in.from, included_in.to, times->since, times->until);
    std::vector<PendingTree> silent;
    for (const auto& row : rows) {
        PendingTree tree;
        tree.tx_hash = row[0].as<std::string>();
        tree.sender_id = row[1].as<std::string>();
        tree.included_in.height = row[2].as<base::Height>();
        tree.included_in.hash = row[3].as<std::string>();
        tree.included_in.timestamp_nanosec = row[4].as<std::uint64_t>();
        tree.shard_id = shim::optional_of<chain::ShardId>(row[5]);
        silent.push_back(std::move(tree));
    }
    return silent;
}

void place_lacking(pqxx::transaction_base& tx, base::HeightRange included_in) {
    const auto times = times_of_blocks(tx, included_in);
    if (!times) return;
    shim::query(
        tx,
        make_pending(
            "whole", [](const std::string& time) { return between(time, 3); },
            "b.block_height BETWEEN $1 AND $2 AND t.status = 'success_receipt_id' AND " + lacks_receipts(3)),
        included_in.from, included_in.to, times->since, times->until);
}

static bool have_left_out(pqxx::transaction_base& tx, const PendingTree& tree,
                          const std::vector<ToldOutcome>& told) {
    std::vector<std::string> ids, hashes;
    for (const auto& outcome : told) {
        ids.push_back(outcome.receipt_id);
        hashes.push_back(outcome.block_hash);
    }
    const auto within = " BETWEEN " + time_of_nanoseconds(3, std::chrono::seconds(-1)) + " AND " +
                        time_of_nanoseconds(3, std::chrono::days(8));
    const auto row =
        shim::query(tx,
                    "SELECT coalesce(bool_and(b.block_height IS NOT NULL), false), "
                    "  coalesce(bool_or((c.heights - c.without_outcomes) @> b.block_height AND NOT EXISTS "
                    "    (SELECT FROM receipts r WHERE r.receipt_id = told.id AND r.block_time" +
                        within +
                        ")), false) "
                        "FROM coverage c, unnest($1::text[], $2::text[]) AS told (id, hash) "
                        "LEFT JOIN blocks b ON b.block_hash = told.hash AND b.block_time" +
                        within,
                    text_array(ids), text_array(hashes), tree.included_in.timestamp_nanosec)[0];
    return row[0].as<bool>() && row[1].as<bool>();
}

bool place_silent(pqxx::transaction_base& tx, const PendingTree& tree, const std::vector<ToldOutcome>& told,
                  const std::string& untold) {
    if (untold.empty() && !have_left_out(tx, tree, told)) return false;
    const auto placed = shim::query(
        tx,
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "  timestamp_nanosec, shard_id, reason, attempts) "
        "SELECT t.tx_hash, t.signer_id, t.block_height, $3, t.block_time, $2::numeric, t.shard_id, $4, $5 "
        "FROM transactions t WHERE t.tx_hash = $1 AND t.block_height = $6 AND t.block_time BETWEEN " +
            time_of_nanoseconds(2, std::chrono::seconds(-1)) + " AND " +
            time_of_nanoseconds(2, std::chrono::seconds(1)) +
            " AND NOT EXISTS (SELECT FROM transaction_results r "
            "  WHERE r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time) "
            "ON CONFLICT DO NOTHING",
        tree.tx_hash, tree.included_in.timestamp_nanosec, tree.included_in.hash,
        std::string(chain::kOutcomesMissing) + ": " +
            (untold.empty() ? "a host has what no block has brought" : untold),
        untold.empty() ? 0 : 1, tree.included_in.height);
    return placed.affected_rows() > 0;
}

}  // namespace receiptd::storage
