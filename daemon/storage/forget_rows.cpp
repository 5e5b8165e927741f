// A tree is decided by all of its rows: who signed it, who stands behind a relayer, and who sent and received
// its receipts. Executions of one hash are one tree here. Rows of a tree whose beginning is not stored are a
// tree of their own.
//
// A tree that is not over stays, and is deleted another time: whoever follows it would go on storing it.
#include "storage/forget_rows.hpp"

#include "chain/tree/facts.hpp"
#include "storage/account_coverage.hpp"
#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/errors.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/tree_load.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace receiptd::storage {
namespace {

using Hashes = std::vector<std::string>;

// SQL; `accounts`: an array. In whose name a Delegate action acts, and on whom, is in it.
std::string touching_transaction(const std::string& accounts) {
    return "(t.signer_id = ANY (" + accounts + ") OR t.receiver_id = ANY (" + accounts +
           ") OR t.user_id = ANY (" + accounts + ") OR t.claimed_user_id = ANY (" + accounts +
           ") OR EXISTS (SELECT FROM jsonb_path_query(t.actions::jsonb, "
           "'$.**.delegate_action.**.receiver_id') AS named WHERE named #>> '{}' = ANY (" +
           accounts + ")))";
}

std::string touching_receipt(const std::string& accounts) {
    return "(r.receiver_id = ANY (" + accounts + ") OR r.predecessor_id = ANY (" + accounts + "))";
}

struct Touched {
    std::string account;
    base::HeightRange heights;
};

Hashes touched_trees(pqxx::transaction_base& tx, const Touched& touched) {
    const auto& heights = touched.heights;
    const auto times = times_of_blocks(tx, heights);
    if (!times) return {};
    const auto here = " BETWEEN $2 AND $3 AND ";
    return texts_of(shim::query(
        tx,
        "SELECT split_part(t.tree_id, '@', 1) FROM transactions t WHERE t.block_height" + std::string(here) +
            between("t.block_time", 4) + " AND " + touching_transaction("$1::text[]") +
            " UNION SELECT split_part(r.tree_id, '@', 1) FROM receipts r WHERE r.block_height" + here +
            between("r.block_time", 4) + " AND " + touching_receipt("$1::text[]"),
        text_array({touched.account}), heights.from, heights.to, times->since, times->until));
}

// The accounts whose trees are kept.
struct Keepers {
    Hashes accounts;
    base::Height newest = 0;
};

// `only_count`: the account may be followed yet.
Keepers keepers(pqxx::transaction_base& tx, const std::string& account, bool only_count) {
    Keepers found;
    for (const auto& each : followed_accounts(tx).accounts) {
        if (each.account_id == account && only_count) continue;
        if (each.account_id == account || each.account_id == "*")
            throw StorageError("the database follows " + each.account_id + " now: its rows stay");
        found.accounts.push_back(each.account_id);
    }
    const auto newest = tx.exec("SELECT block_height FROM block_below(9223372036854775807)");
    if (!newest.empty()) found.newest = newest[0][0].as<base::Height>();
    return found;
}

// The fate of some trees, by their hashes.
struct Fate {
    Hashes gone;
    ForgottenRows count;
};

// A tree is counted at the heights where the account touches it first.
Fate fate_of(pqxx::transaction_base& tx, const Touched& touched, const Hashes& hashes,
             const Keepers& keepers) {
    const auto rows = shim::query(
        tx,
        "WITH t AS MATERIALIZED (SELECT * FROM tree_transactions($1::text[], '-infinity', 'infinity')), "
        "r AS MATERIALIZED (SELECT * FROM tree_receipts($1::text[], '-infinity', 'infinity')), "
        "of_trees AS (SELECT tx_hash AS hash, block_height, " +
            touching_transaction("$2::text[]") + " AS is_kept, " + touching_transaction("$3::text[]") +
            " AS is_touched, 0 AS receipts FROM t UNION ALL SELECT split_part(tree_id, '@', 1), "
            "block_height, " +
            touching_receipt("$2::text[]") + ", " + touching_receipt("$3::text[]") +
            ", 1 FROM r), "
            "running AS (SELECT tx_hash AS hash FROM t WHERE status IS NULL UNION SELECT hash FROM ("
            "    SELECT tx_hash AS hash, initial_receipt_id AS id FROM t "
            "    UNION ALL SELECT split_part(tree_id, '@', 1), unnest(receipt_ids) FROM r) announced "
            "  WHERE id NOT IN (SELECT receipt_id FROM r)) "
            "SELECT hash, bool_or(is_kept) IS TRUE OR hash IN (SELECT tx_hash FROM watches WHERE tx_hash = "
            "ANY "
            "($1::text[]) UNION SELECT tx_hash FROM wanted_watches WHERE tx_hash = ANY ($1::text[])), "
            "  max(block_height) + $4::bigint > $5::bigint AND hash IN (SELECT hash FROM running), "
            "  sum(receipts), min(block_height) FILTER (WHERE is_touched) FROM of_trees GROUP BY hash",
        text_array(hashes), text_array(keepers.accounts), text_array({touched.account}), chain::kSeamReach,
        keepers.newest);
    Fate fate;
    for (const auto& row : rows) {
        const bool counts = !row[4].is_null() && touched.heights.contains(row[4].as<base::Height>());
        if (row[1].as<bool>()) {
            fate.count.kept += counts ? 1 : 0;
        } else if (row[2].as<bool>()) {
            fate.count.running += counts ? 1 : 0;
        } else {
            fate.count.trees += counts ? 1 : 0;
            fate.count.receipts += counts ? row[3].as<std::uint64_t>() : 0;
            fate.gone.push_back(row[0].as<std::string>());
        }
    }
    return fate;
}

// Everything was whole at these heights, while the scope was all.
void was_whole_no_more(pqxx::transaction_base& tx, const Hashes& gone) {
    shim::query(tx,
                "UPDATE followed_accounts SET was_whole = was_whole - (SELECT coalesce(range_agg("
                "    int8range(block_height, block_height, '[]')), '{}') FROM ("
                "  SELECT block_height FROM tree_transactions($1::text[], '-infinity', 'infinity') "
                "  UNION SELECT block_height FROM tree_receipts($1::text[], '-infinity', 'infinity') "
                "  WHERE block_height IS NOT NULL) of_rows) WHERE was_whole IS NOT NULL",
                text_array(gone));
}

// Resumes of yields are stored whoever they touch. Findings of watches, and corrections, are not of the tree.
void remove_trees(pqxx::transaction_base& tx, const Hashes& gone) {
    was_whole_no_more(tx, gone);
    for (const auto* rows :
         {"orphan_receipts WHERE id IN (SELECT receipt_id FROM tree_receipts($1::text[], '-infinity', "
          "'infinity'))",
          "orphan_receipts WHERE adopted_into = ANY ($1::text[])",
          "pending_trees WHERE tx_hash = ANY ($1::text[])", "late_trees WHERE tx_hash = ANY ($1::text[])",
          "set_aside_rows WHERE what IN ('tree', 'stored_tree', 'late_tree') AND id = ANY ($1::text[])"})
        shim::query(tx, std::string("DELETE FROM ") + rows, text_array(gone));
    const auto on_their_days = " AND " + DaysOf::trees_of(tx, gone).have("block_time");
    const std::string in_trees = " WHERE tree_id = ANY (trees_of_hashes($1::text[]))";
    for (const auto& rows :
         {"events" + in_trees, "data_receipts" + in_trees + " AND is_promise_resume IS NOT TRUE",
          "receipts" + in_trees, "findings" + in_trees + " AND " + kTreeFindings,
          std::string("transaction_results WHERE tx_hash = ANY ($1::text[])"),
          std::string("transactions WHERE tx_hash = ANY ($1::text[])")})
        shim::query(tx, "DELETE FROM " + rows + on_their_days, text_array(gone));
    shim::query(tx, "DELETE FROM executions WHERE tx_hash = ANY ($1::text[])", text_array(gone));
}

// No commit, and no other account, comes between the question and its answer.
ForgottenRows forget_some(pqxx::connection& connection, const Touched& touched, const Hashes& hashes,
                          bool only_count) {
    pqxx::work tx(connection);
    if (!only_count) {
        lock_adoption(tx);
        tx.exec("SELECT FROM coverage FOR NO KEY UPDATE");
    }
    const auto fate = fate_of(tx, touched, hashes, keepers(tx, touched.account, only_count));
    if (only_count || fate.gone.empty()) return fate.count;
    remove_trees(tx, fate.gone);
    tx.commit();
    return fate.count;
}

// By source rpc, receipts whose trees are still looked for. One of a tree that another account touches is not
// the only one.
void forget_unplaced(pqxx::connection& connection, const Touched& touched) {
    pqxx::work tx(connection);
    keepers(tx, touched.account, false);
    shim::query(tx, "DELETE FROM unplaced_receipts WHERE receiver_id = $1 AND block_height BETWEEN $2 AND $3",
                touched.account, touched.heights.from, touched.heights.to);
    tx.commit();
}

}  // namespace

void ForgottenRows::add(const ForgottenRows& other) {
    trees += other.trees;
    receipts += other.receipts;
    kept += other.kept;
    running += other.running;
}

base::Task<std::optional<base::HeightRange>> PgForgetRows::heights() {
    return database_.pool.following.transaction([](pqxx::work& tx) -> std::optional<base::HeightRange> {
        const auto rows = tx.exec(
            "SELECT first.block_height, last.block_height FROM chain_identity, block_above(-1) first, "
            "block_below(9223372036854775807) last WHERE scope = 'accounts'");
        if (rows.empty()) return std::nullopt;
        return base::HeightRange{rows[0][0].as<base::Height>(), rows[0][1].as<base::Height>()};
    });
}

base::Task<ForgottenRows> PgForgetRows::forget(std::string account, base::HeightRange heights,
                                               bool only_count) {
    return database_.pool.adopting.run(
        [touched = Touched{std::move(account), heights}, only_count](pqxx::connection& connection) {
            const auto hashes = [&] {
                pqxx::work tx(connection);
                return touched_trees(tx, touched);
            }();
            if (!only_count) forget_unplaced(connection, touched);
            ForgottenRows done;
            for (std::size_t at = 0; at < hashes.size(); at += kTreesAtOnce) {
                const auto end = std::min(at + kTreesAtOnce, hashes.size());
                done.add(forget_some(connection, touched,
                                     {hashes.begin() + static_cast<std::ptrdiff_t>(at),
                                      hashes.begin() + static_cast<std::ptrdiff_t>(end)},
                                     only_count));
            }
            return done;
        });
}

}  // namespace receiptd::storage
