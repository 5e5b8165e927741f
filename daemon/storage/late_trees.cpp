// Late trees are judged from their rows. These have the transaction's hash already, so that however far apart
// parent and child are, the rows of the tree are found by it: within seven days before the rows that came
// late. A tree that lacks its transaction, the resume of a yield, or something else while a height between
// its rows is not stored, is looked at again within seconds, then less and less often, as that block may be
// stored next (blocks are stored beside each other, and gaps beside the head). One without its transaction or
// a resume is looked for at all times at last, an hour later. If the transaction is not stored at all,
// its receipts stay orphans: find_late_trees() comes back to them. With scope accounts others' transactions
// never are: the findings of what is stored of their trees are told, after that hour whatever is not known.
#include "storage/late_trees.hpp"

#include "chain/tree/facts.hpp"
#include "chain/tree/judgement.hpp"
#include "metrics/registry.hpp"
#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/executions.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_tree_store.hpp"
#include "storage/placing.hpp"
#include "storage/settle.hpp"
#include "storage/stored_tree.hpp"
#include "storage/tell_batch.hpp"
#include "storage/told_again.hpp"
#include "storage/tree_load.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {
namespace {

// Decisions about others' trees are told when they are stored: such trees are looked at with each part that
// comes.
const std::string kOfAccounts = "EXISTS (SELECT FROM chain_identity WHERE scope = 'accounts')";

// Trees of one time are few, and the times between those of two may be years.
constexpr std::size_t kTreesEverywhere = 1;

// The last of them comes an hour and a half after the first.
constexpr int kLooks = 10;
constexpr int kLooksThatHurry = 4;  // made within 75 s

struct DueTrees {
    std::vector<std::string> tx_hashes;
    std::set<std::string> looked_often;  // for what no block has brought
    TreeTimes times;
    bool everywhere = false;
};

// Some of the due ones, which are of backfills or not.
struct Turn {
    bool history = false;
    std::vector<std::string> tx_hashes;
};

DueTrees claim_late(pqxx::transaction_base& tx, const Turn& turn, bool everywhere) {
    const auto rows =
        shim::query(tx,
                    "SELECT tx_hash, since, since + interval '15 days', looks >= $5 FROM late_trees "
                    "WHERE due_at <= now() AND history = $1 AND isfinite(since) <> $2 "
                    "  AND tx_hash = ANY ($4::text[]) "
                    "ORDER BY due_at, tx_hash LIMIT $3 FOR UPDATE SKIP LOCKED",
                    turn.history, everywhere, everywhere ? kTreesEverywhere : kTreesAtOnce,
                    text_array(turn.tx_hashes), kLooks);
    DueTrees due;
    due.everywhere = everywhere;
    for (const auto& row : rows) {
        due.tx_hashes.push_back(row[0].as<std::string>());
        if (row[3].as<bool>()) due.looked_often.insert(due.tx_hashes.back());
        const auto since = row[1].as<std::string>();
        const auto until = row[2].as<std::string>();
        if (due.times.since.empty() || since < due.times.since) due.times.since = since;
        if (until > due.times.until) due.times.until = until;
    }
    if (everywhere) due.times = whole_times(tx, due.tx_hashes);
    return due;
}

// Gives rows of these trees what was not known when they were written.
class Adopting {
public:
    Adopting(pqxx::transaction_base& tx, const TreeTimes& times)
        : tx_(tx), times_(times), placing_(tx, times) {}

    // Returns whether nothing of the tree is missing.
    bool add(const std::string& tx_hash, const StoredTree& tree) {
        bool is_whole = true;
        for (const auto& execution : executions_of(tx_hash, tree)) {
            const auto judgement = execution.judge();
            is_whole = is_whole && judgement.settled;
            placing_.add(tx_hash, judgement);
        }
        for (const auto& receipt : tree.receipts)
            for (const auto* ids : {&receipt.output_data_ids, &receipt.input_data_ids})
                for (const auto& data_id : *ids) {
                    of_trees_.push_back(tx_hash);
                    data_ids_.push_back(data_id);
                }
        return is_whole;
    }

    // Returns how many receipts and data have found their tree.
    std::uint64_t write() {
        placing_.write();
        const auto adopted = shim::query(
            tx_,
            "UPDATE orphan_receipts o SET adopted_at = now(), adopted_into = told.tree, "
            "  adopted_tx_hash = told.tree FROM unnest($1::text[], $2::text[]) AS told (tree, receipt) "
            "WHERE o.kind = 'receipt' AND o.adopted_at IS NULL AND o.id = told.receipt",
            text_array(placing_.trees()), text_array(placing_.receipts()));
        const auto data = shim::query(
            tx_,
            "WITH found AS (UPDATE orphan_receipts o SET adopted_at = now(), adopted_into = told.tree, "
            "    adopted_tx_hash = told.tree FROM unnest($1::text[], $2::text[]) AS told (tree, data) "
            "  WHERE o.kind = 'data' AND o.adopted_at IS NULL AND o.id = told.data "
            "  RETURNING o.id, o.adopted_into, o.block_time) "
            "UPDATE data_receipts d SET tree_id = found.adopted_into, tx_hash = found.adopted_into FROM "
            "found "
            "WHERE d.data_id = found.id AND d.block_time = found.block_time "
            "  AND d.block_time BETWEEN $3::timestamptz AND $4::timestamptz",
            text_array(of_trees_), text_array(data_ids_), times_.since, times_.until);
        return static_cast<std::uint64_t>(adopted.affected_rows() + data.affected_rows());
    }

private:
    pqxx::transaction_base& tx_;
    const TreeTimes& times_;
    Placing placing_;
    std::vector<std::string> of_trees_, data_ids_;
};

// Else how a yield ended may be told by a block that is still on its way.
bool has_its_resumes(const StoredTree& tree) {
    std::set<std::string_view> listed;
    for (const auto& data : tree.data) listed.insert(data.data_id);
    return std::all_of(tree.receipts.begin(), tree.receipts.end(), [&](const auto& receipt) {
        const auto& ids = receipt.input_data_ids;
        return !receipt.is_promise_yield ||
               std::all_of(ids.begin(), ids.end(), [&](const auto& id) { return listed.contains(id); });
    });
}

// Else the block with a missing part may be on its way: blocks of one run are written beside each other.
bool lies_in_one_stretch(pqxx::transaction_base& tx, const StoredTree& tree) {
    base::Height lowest = base::kTopHeight, highest = 0;
    for (const auto& outcome : tree.outcomes) {
        if (!outcome.at) continue;
        lowest = std::min(lowest, outcome.at->height);
        highest = std::max(highest, outcome.at->height);
    }
    return lowest > highest ||
           shim::query(tx, "SELECT heights @> int8range($1, $2, '[]') FROM coverage", lowest, highest)[0][0]
               .as<bool>();
}

bool is_of_accounts(pqxx::transaction_base& tx) { return tx.exec("SELECT " + kOfAccounts)[0][0].as<bool>(); }

// 5 s after the first look, twice as long after each further one.
void look_again_soon(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    shim::query(tx,
                "UPDATE late_trees SET looks = looks + 1, due_at = now() + 2 ^ looks * interval '5 seconds' "
                "WHERE tx_hash = ANY ($1::text[])",
                text_array(tx_hashes));
}

void look_everywhere_later(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    shim::query(tx,
                "UPDATE late_trees SET since = '-infinity', due_at = now() + interval '1 hour' "
                "WHERE tx_hash = ANY ($1::text[])",
                text_array(tx_hashes));
}

// Returns whether rows went.
bool keep_first_of(pqxx::transaction_base& tx, const std::map<std::string, StoredTree>& stored,
                   const TreeTimes& times) {
    std::vector<std::string> told_again;
    for (const auto& [tx_hash, tree] : stored)
        if (is_told_again(tree)) told_again.push_back(tx_hash);
    return !told_again.empty() && keep_first_tellings(tx, text_array(told_again), times);
}

LateTrees judge_late(pqxx::connection& connection, const Turn& turn, const chain::NewsSince& news_since,
                     Database& database) {
    pqxx::work tx(connection);
    lock_adoption(tx);
    auto due = claim_late(tx, turn, false);
    if (due.tx_hashes.empty()) due = claim_late(tx, turn, true);
    if (due.tx_hashes.empty()) return {};
    gather_executions(tx, due.tx_hashes);
    Adopting adopting(tx, due.times);
    const bool of_accounts = is_of_accounts(tx);
    std::vector<std::string> known, waiting, unknown;
    auto stored = load_to_judge(tx, due.tx_hashes, due.times);
    if (keep_first_of(tx, stored, due.times)) stored = load_to_judge(tx, due.tx_hashes, due.times);
    for (const auto& tx_hash : due.tx_hashes) {
        const auto found = stored.find(tx_hash);
        const bool is_known = found != stored.end() && found->second.transaction;
        const bool is_whole = is_known && adopting.add(tx_hash, found->second);
        const bool looks_again = !due.everywhere && !due.looked_often.contains(tx_hash);
        if (is_known && has_its_resumes(found->second) &&
            (is_whole || !looks_again || lies_in_one_stretch(tx, found->second)))
            known.push_back(tx_hash);
        else if ((is_known || !of_accounts) && looks_again)
            waiting.push_back(tx_hash);
        else
            unknown.push_back(tx_hash);
    }
    const auto adopted = adopting.write();
    chain::RowBatch batch;
    const auto in_part = due.everywhere ? InPart::everything : InPart::decided;
    judge_stored(tx, stored, due.times, batch, of_accounts ? in_part : InPart::nothing);
    batch.withhold_before(news_since);
    copy_rows(tx, batch);
    const auto told = tell_batch(tx, database, batch);
    forget_late(tx, known);
    look_again_soon(tx, waiting);
    due.everywhere ? forget_late(tx, unknown) : look_everywhere_later(tx, unknown);
    name_executions(tx, due.tx_hashes);
    tx.commit();
    database.announce(told);
    database.series.adopted.Increment(static_cast<double>(adopted));
    return {std::move(batch.facts.decided), true};
}

std::vector<std::string> due_late(pqxx::connection& connection, bool history) {
    pqxx::work tx(connection);
    return texts_of(shim::query(tx,
                                "SELECT tx_hash FROM late_trees WHERE due_at <= now() AND history = $1 "
                                "ORDER BY due_at, tx_hash LIMIT $2",
                                history, kTreesAtOnce));
}

void postpone_late(pqxx::connection& connection, const std::string& tx_hash) {
    pqxx::work tx(connection);
    shim::query(tx, "UPDATE late_trees SET due_at = now() + interval '1 hour' WHERE tx_hash = $1", tx_hash);
    tx.commit();
}

LateTrees judge_some(pqxx::connection& connection, bool history, const chain::NewsSince& news_since,
                     Database& database) {
    const auto due = due_late(connection, history);
    LateTrees all;
    const auto judge = [&](std::span<const std::string> some) {
        const Turn turn{history, {some.begin(), some.end()}};
        const auto judged =
            judge_beside_others([&] { return judge_late(connection, turn, news_since, database); });
        all.decided.add(judged.decided);
        all.more = all.more || judged.more;
    };
    const auto leave = [&](const std::string& tx_hash, const Refusal&) {
        postpone_late(connection, tx_hash);
        all.more = true;
    };
    database.set_aside.apart(Aside::late_tree, std::span(due), std::identity(), judge, leave);
    return all;
}

}  // namespace

void remember_late(pqxx::transaction_base& tx, const std::set<std::string>& tx_hashes, const LateRows& rows) {
    if (tx_hashes.empty()) return;
    shim::query(
        tx,
        "INSERT INTO late_trees AS known (tx_hash, since, history) "
        "SELECT tx_hash, to_timestamp($2::numeric / 1000000000) - interval '7 days', $3 "
        "FROM unnest($1::text[]) AS tx_hash "
        "ON CONFLICT (tx_hash) DO UPDATE SET since = CASE WHEN $4 OR (NOT isfinite(known.since) AND " +
            kOfAccounts +
            ") THEN excluded.since ELSE least(known.since, excluded.since) END, "
            "history = known.history AND excluded.history, looks = 0, "
            "due_at = CASE WHEN $4 OR isfinite(known.since) OR " +
            kOfAccounts + " THEN now() ELSE known.due_at END",
        text_array({tx_hashes.begin(), tx_hashes.end()}), rows.timestamp_nanosec, rows.history, rows.are_all);
}

void forget_late(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    shim::query(tx, "DELETE FROM late_trees WHERE tx_hash = ANY ($1::text[])", text_array(tx_hashes));
}

void forget_late_tree(pqxx::transaction_base& tx, const std::string& tx_hash) {
    shim::query(tx,
                "DELETE FROM late_trees WHERE tx_hash = $1 AND NOT EXISTS (SELECT FROM executions e WHERE "
                "e.tx_hash = $1)",
                tx_hash);
}

std::string late_by_resumes(const std::string& adopted) {
    return "INSERT INTO late_trees AS known (tx_hash, since, history) "
           "SELECT tx_hash, min(block_time) - interval '7 days', bool_and(EXISTS (SELECT FROM backfills "
           "  WHERE block_height BETWEEN from_height AND to_height)) FROM " +
           adopted +
           " WHERE is_promise_resume AND tx_hash IS NOT NULL GROUP BY tx_hash "
           "ON CONFLICT (tx_hash) DO UPDATE SET since = excluded.since, "
           "history = known.history AND excluded.history, looks = 0, due_at = now()";
}

base::Task<LateTrees> PgTreeStore::judge_late_trees(bool history, chain::NewsSince news_since) {
    return database_.pool.adopting.run(
        [&database = database_, history, news_since](pqxx::connection& connection) {
            const auto late = judge_some(connection, history, news_since, database);
            for (const auto& [verdict, trees] : late.decided.verdicts)
                database.series.settled.Increment(static_cast<double>(trees));
            return late;
        });
}

// Trees whose looks are far apart wait for them. Rows that others hold now are made due by them, or judged.
base::Task<void> PgTreeStore::hurry_late_trees() {
    return database_.pool.adopting.transaction([](pqxx::work& tx) {
        shim::query(tx,
                    "UPDATE late_trees SET due_at = now() WHERE tx_hash IN ("
                    "SELECT tx_hash FROM late_trees WHERE looks BETWEEN 1 AND $1 AND isfinite(since) "
                    "AND due_at > now() FOR UPDATE SKIP LOCKED)",
                    kLooksThatHurry);
    });
}

base::Task<void> PgTreeStore::make_late_across(base::Height from, bool history) {
    return database_.pool.adopting.transaction([from, history](pqxx::work& tx) {
        if (from == 0) return;
        const auto times = times_of_blocks(tx, chain::reach_below(from));
        if (!times) return;
        shim::query(tx,
                    "INSERT INTO late_trees AS known (tx_hash, since, history) "
                    "SELECT t.tx_hash, min(t.block_time) - interval '7 days', $2 FROM transactions t "
                    "LEFT JOIN transaction_results r ON r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id "
                    "  AND r.block_time = t.block_time AND " +
                        between("r.block_time", 3) +
                        " WHERE t.status = 'success_receipt_id' AND t.block_height < $1 AND " +
                        between("t.block_time", 3) +
                        "  AND (r.tx_hash IS NULL OR r.settled_height >= $1) GROUP BY 1 ORDER BY 1 "
                        "ON CONFLICT (tx_hash) DO UPDATE SET since = excluded.since, looks = 0, due_at = "
                        "now(), history = known.history AND excluded.history",
                    from, history, times->since, times->until);
    });
}

base::Task<std::uint64_t> PgTreeStore::find_late_trees() {
    return database_.pool.maintenance.transaction([](pqxx::work& tx) {
        // It may take its time: nobody waits for it.
        tx.exec("SET LOCAL statement_timeout = '10min'");
        // By index, whatever the planner thinks of a table without statistics: transactions are many.
        tx.exec("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off");
        const std::string orphans =
            "SELECT DISTINCT tree_id FROM orphan_receipts WHERE kind = 'receipt' AND adopted_at IS NULL "
            "AND tree_id IS NOT NULL";
        const auto tx_hashes = texts_of(tx.exec(orphans));
        if (tx_hashes.empty()) return std::uint64_t{0};
        const auto found = tx.exec("WITH orphans AS MATERIALIZED (" + orphans +
                                   ") "
                                   "INSERT INTO late_trees (tx_hash, since, history) "
                                   "SELECT t.tx_hash, '-infinity', bool_or(EXISTS (SELECT FROM backfills "
                                   "  WHERE t.block_height BETWEEN from_height AND to_height)) "
                                   "FROM orphans JOIN transactions t ON t.tx_hash = orphans.tree_id WHERE " +
                                   DaysOf(tx, tx_hashes).have("t.block_time") +
                                   " GROUP BY t.tx_hash "
                                   "ON CONFLICT DO NOTHING");
        return static_cast<std::uint64_t>(found.affected_rows());
    });
}

}  // namespace receiptd::storage
