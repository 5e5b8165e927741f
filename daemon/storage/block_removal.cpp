#include "storage/block_removal.hpp"

#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/corrections.hpp"
#include "storage/days_of.hpp"
#include "storage/executions.hpp"
#include "storage/news.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pqxx_shim.hpp"

#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {
namespace {

// By rpc a tree is stored as a whole and goes with the block of its transaction: where it ran in another
// block that is removed, it is fetched again. By neardata each receipt goes with its own block. Blocks of rpc
// tell no outcomes, and rows of their trees may have no shard.
const std::string kCameWithTree =
    "(r.shard_id IS NULL OR EXISTS (SELECT FROM coverage WHERE without_outcomes @> r.block_height))";
const std::string kTreesOfTheBlock =
    "SELECT tree_id FROM transactions WHERE block_time = $2::timestamptz AND block_height = $1 "
    "UNION SELECT r.tree_id FROM receipts r WHERE r.block_time = $2::timestamptz AND r.block_height = $1 "
    "  AND NOT " +
    kCameWithTree;
const std::string kFetchAgain =
    "WITH again AS (UPDATE transactions t SET status = NULL FROM blocks b "
    "  WHERE b.block_height = t.block_height AND b.block_time = t.block_time AND t.tx_hash = t.tree_id "
    "    AND t.block_height < $1 "
    "    AND t.block_time BETWEEN $3::timestamptz AND $2::timestamptz "
    "    AND b.block_time BETWEEN $3::timestamptz AND $2::timestamptz "
    "    AND t.tree_id IN (SELECT r.tree_id FROM receipts r "
    "      WHERE r.block_time = $2::timestamptz AND r.block_height = $1 AND " +
    kCameWithTree +
    ") RETURNING t.tx_hash, t.signer_id, t.block_height, b.block_hash, t.block_time, b.timestamp_nanosec, "
    "    t.shard_id) "
    "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, timestamp_nanosec, "
    "  shard_id) SELECT * FROM again "
    "ON CONFLICT (tx_hash, block_height) DO UPDATE SET due_at = now(), stored_part = NULL, "
    "receipts_missing_since = NULL RETURNING tx_hash";
// Trees that were fetched for this block lie on its day and later.
std::string fetched_events(const DaysOf& of_trees) {
    return "DELETE FROM events e USING transactions t, receipts r "
           "WHERE t.block_time = $2::timestamptz AND t.block_height = $1 AND r.tree_id = t.tree_id "
           "  AND r.block_time >= $2::timestamptz AND " +
           of_trees.have("r.block_time") + " AND " + of_trees.have("e.block_time") +
           "  AND e.tree_id = r.tree_id AND e.receipt_id = r.receipt_id AND e.block_time = r.block_time "
           "AND " +
           kCameWithTree;
}

std::string fetched_receipts(const DaysOf& of_trees) {
    return "DELETE FROM receipts r USING transactions t "
           "WHERE t.block_time = $2::timestamptz AND t.block_height = $1 AND r.tree_id = t.tree_id "
           "  AND r.block_time >= $2::timestamptz AND " +
           of_trees.have("r.block_time") + " AND " + kCameWithTree;
}

const std::string kEventsOfTheBlock =
    "DELETE FROM events e USING receipts r "
    "WHERE r.block_time = $2::timestamptz AND r.block_height = $1 "
    "  AND e.block_time = $2::timestamptz AND e.tree_id = r.tree_id AND e.receipt_id = r.receipt_id AND "
    "NOT " +
    kCameWithTree;
const std::string kReceiptsOfTheBlock =
    "DELETE FROM receipts r WHERE r.block_time = $2::timestamptz AND r.block_height = $1 AND NOT " +
    kCameWithTree;

// Settling looks for trees that an orphan was adopted into around the seam: this one's name is that of no
// receipt.
constexpr const char* kJudgeAgain =
    "INSERT INTO orphan_receipts (kind, id, tree_id, block_height, block_time, adopted_into, "
    "  adopted_tx_hash, adopted_at) "
    "SELECT 'receipt', 'removed block', tree, $1::bigint, $2::timestamptz, tree, tree, now() "
    "FROM unnest($3::text[]) AS tree";

// Alerts about what happened, and about verdicts. One that no endpoint has got goes: storing the block again
// makes it again, if the chain has its cause. Alerts about findings are compared with these.
const std::string kOfTrees =
    "WHERE confirmed IS NULL AND waits_for IS NOT NULL AND tx_hash = ANY ($1::text[]) AND NOT " +
    kTreeFindings;
const std::string kUnsentAlerts =
    "DELETE FROM alerts a " + kOfTrees +
    " AND NOT EXISTS (SELECT FROM deliveries d WHERE d.alert_id = a.alert_id AND NOT (" + kUnsent + "))";
const std::string kSentAlerts = "UPDATE alerts SET confirmed = false " + kOfTrees;

// Nearly always there is none, which costs one look; else each tree is asked for by its index.
constexpr const char* kLostABlock =
    "SELECT EXISTS (SELECT FROM orphan_receipts WHERE id = 'removed block') "
    "AND EXISTS (SELECT FROM unnest($1::text[]) AS tree CROSS JOIN LATERAL ("
    "    SELECT id FROM orphan_receipts WHERE adopted_into = tree OFFSET 0) o WHERE o.id = 'removed block')";

std::set<std::string> judged_trees(const chain::RowBatch& batch) {
    std::set<std::string> trees;
    for (const auto table : {chain::Table::transaction_results, chain::Table::findings})
        for_each_row(batch, table, {"tree_id"},
                     [&trees](const RowFields& row) { trees.emplace(row[0].value_or("")); });
    return trees;
}

}  // namespace

// A judgement by the rows that go is committed before them, and goes, too, or sees that they are gone:
// settling holds the lock of adoption, and the commit of blocks that of coverage.
RemovedBlock remove_block(pqxx::transaction_base& tx, base::Height height) {
    lock_adoption(tx);
    tx.exec("SELECT FROM coverage FOR NO KEY UPDATE");
    const auto time = time_of_block(tx, height);
    if (!time) return {};
    const auto block = shim::query(
        tx,
        "SELECT block_time, coalesce(prev_height, block_height - 1) + 1, block_time - interval '7 "
        "days' FROM blocks "
        "WHERE block_height = $1 AND " +
            between("block_time", 2),
        height, time->since, time->until);
    const auto at = block[0][0].as<std::string>();
    const base::HeightSet missing({block[0][1].as<base::Height>(), height});
    const auto again = executed_again_around(tx, {height, height});
    gather_executions(tx, again);
    auto trees = texts_of(shim::query(tx, kTreesOfTheBlock, height, at));
    const auto fetched_again =
        texts_of(shim::query(tx, kFetchAgain, height, at, block[0][2].as<std::string>()));
    trees.insert(trees.end(), fetched_again.begin(), fetched_again.end());
    const bool is_told = begin_watches_anew(tx, trees, {height, at});
    const DaysOf of_trees(tx, trees);
    for (const auto& rows :
         {fetched_events(of_trees), fetched_receipts(of_trees), kEventsOfTheBlock, kReceiptsOfTheBlock})
        shim::query(tx, rows, height, at);
    for (const auto* table :
         {"data_receipts", "global_contract_distributions", "transactions", "chunks", "blocks"})
        shim::query(
            tx,
            std::string("DELETE FROM ") + table + " WHERE block_time = $2::timestamptz AND block_height = $1",
            height, at);
    for (const auto* table : {"block_marks", "pending_trees", "unplaced_receipts"})
        shim::query(tx, std::string("DELETE FROM ") + table + " WHERE block_height = $1", height);
    shim::query(tx, "DELETE FROM orphan_receipts WHERE block_height = $1 AND id <> 'removed block'", height);
    shim::query(tx, "DELETE FROM set_aside_rows WHERE what = 'row' AND id LIKE $1::bigint || ' %'", height);
    for (const auto* alerts : {&kUnsentAlerts, &kSentAlerts}) shim::query(tx, *alerts, text_array(trees));
    forget_judgements(tx, trees, {height, at});
    forget_executions_at(tx, height);
    name_executions(tx, again);
    tx.exec("DELETE FROM timed_rules");  // they count anew
    shim::query(tx,
                "UPDATE coverage SET heights = heights - $1::int8multirange, "
                "compared = compared - $1::int8multirange, unconfirmed = unconfirmed - $1::int8multirange, "
                "judged_before = judged_before - $1::int8multirange, updated_at = now()",
                missing.to_multirange());
    shim::query(
        tx,
        "UPDATE followed_accounts SET was_whole = was_whole - $1::int8multirange WHERE was_whole IS NOT "
        "NULL",
        missing.to_multirange());
    return {missing, is_told};
}

void forget_judgements(pqxx::transaction_base& tx, const std::vector<std::string>& trees,
                       const LostBlock& block) {
    const auto tree_ids = text_array(trees);
    const auto on_their_days = DaysOf(tx, trees).have("block_time");
    shim::query(tx,
                "DELETE FROM transaction_results WHERE tree_id = ANY ($1::text[]) AND tx_hash = ANY (ARRAY("
                "SELECT split_part(id, '@', 1) FROM unnest($1::text[]) AS id)) AND " +
                    on_their_days,
                tree_ids);
    shim::query(tx,
                "DELETE FROM findings WHERE tree_id = ANY ($1::text[]) AND " + on_their_days + " AND " +
                    kTreeFindings,
                tree_ids);
    shim::query(tx, kJudgeAgain, block.height, block.time, tree_ids);
}

bool judges_trees_of_removed_blocks(pqxx::transaction_base& tx, const chain::RowBatch& batch) {
    const auto trees = judged_trees(batch);
    if (trees.empty()) return false;
    const auto found = shim::query(tx, kLostABlock, text_array({trees.begin(), trees.end()}));
    return found[0][0].as<bool>();
}

void leave_judgements(chain::RowBatch& batch) {
    batch.facts.late_trees.merge(judged_trees(batch));
    for (const auto table : {chain::Table::transaction_results, chain::Table::findings}) batch[table] = {};
    batch.findings.clear();
    batch.disowned.clear();
    batch.facts.decided = {};
}

}  // namespace receiptd::storage
