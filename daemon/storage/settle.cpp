// Trees that no follower saw as a whole (they cross the start of a run, a gap, the end of a backfill) are
// judged when all of them is stored.
//
// The last part of such a tree that arrives was an orphan where its own follower met it, or the tree's
// earlier orphans are adopted by its arrival: the trees that orphans around a seam were adopted into are
// all that can have been settled by it.
#include "storage/settle.hpp"
#include "base/log.hpp"
#include "chain/rows/rows_write.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/judgement.hpp"
#include "metrics/registry.hpp"
#include "storage/adoption.hpp"
#include "storage/copy.hpp"
#include "storage/corrections.hpp"
#include "storage/executions.hpp"
#include "storage/fault.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_tree_store.hpp"
#include "storage/stored_tree.hpp"
#include "storage/tell_batch.hpp"
#include "storage/tree_load.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace receiptd::storage {
namespace {

struct Candidates {
    std::vector<std::string> trees;
    TreeTimes times;
};

// A tree lives for days at most.
constexpr const char* kAdoptedMeanwhile =
    "SELECT min(block_time) - interval '7 days', max(block_time) + interval '7 days' FROM orphan_receipts "
    "WHERE kind = 'receipt' AND adopted_at IS NOT NULL AND block_height BETWEEN $1 AND $2";

// Leaves out trees whose result and findings are all stored. $3 and $4: the times of all of them. The kind is
// no condition (FILTER): without statistics the planner would read all findings of those days by it, for each
// tree.
constexpr const char* kCandidates =
    "WITH adopted AS MATERIALIZED (SELECT DISTINCT adopted_into AS tree FROM orphan_receipts "
    "  WHERE kind = 'receipt' AND adopted_at IS NOT NULL AND block_height BETWEEN $1 AND $2) "
    "SELECT t.tx_hash FROM adopted a JOIN transactions t ON t.tx_hash = a.tree AND t.tree_id = a.tree "
    "WHERE t.block_time BETWEEN $3::timestamptz AND $4::timestamptz "
    "  AND NOT EXISTS (SELECT FROM transaction_results r "
    "    WHERE r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time "
    "      AND r.block_time BETWEEN $3::timestamptz AND $4::timestamptz "
    "      AND r.failed_receipts + (t.status = 'failure')::int = (SELECT count(*) "
    "        FILTER (WHERE f.kind IN ('failed_receipt', 'failed_transaction')) FROM findings f "
    "        WHERE f.tree_id = t.tree_id "
    "          AND f.block_time BETWEEN $3::timestamptz AND $4::timestamptz)) "
    "ORDER BY t.tx_hash";

Candidates candidates(pqxx::transaction_base& tx, base::HeightRange around) {
    const auto [from, to] = chain::with_reach_around(around);
    const auto times = shim::query(tx, kAdoptedMeanwhile, from, to)[0];
    Candidates found;
    if (times[0].is_null()) return found;
    found.times = {times[0].as<std::string>(), times[1].as<std::string>()};
    for (const auto& row : shim::query(tx, kCandidates, from, to, found.times.since, found.times.until))
        found.trees.push_back(row[0].as<std::string>());
    return found;
}

const std::string kFindingsOf =
    "FROM findings WHERE tree_id = ANY ($1::text[]) "
    "AND block_time BETWEEN $2::timestamptz AND $3::timestamptz ";
// More of a tree may tell who handled a failure, and that an account whose gas was burnt was deleted.
const std::string kKnownInPart =
    "AND (kind = 'failed_receipt' AND (handled IS NULL OR role IS NULL) "
    "  OR kind = 'burnt_tokens' AND expected IS NULL) ";
bool knows_the_rest(const chain::Finding& finding) {
    if (finding.kind == chain::kind::kBurntTokens) return finding.expected;
    return finding.handled && finding.role;
}

std::set<std::string> stored_ids(pqxx::transaction_base& tx, const std::string& query,
                                 const std::vector<std::string>& trees, const TreeTimes& times) {
    std::set<std::string> ids;
    const auto rows = shim::query(tx, query, text_array(trees), times.since, times.until);
    for (const auto& row : rows) ids.insert(row[0].as<std::string>());
    return ids;
}

chain::Decided decided_of(const std::string& tx_hash, const StoredTree& tree, InPart in_part) {
    if (!tree.transaction && in_part == InPart::nothing) return {};
    if (!tree.transaction) {
        const auto judgement = tree_of(tx_hash, tree).judge();
        return {chain::findings_in_part(judgement, in_part == InPart::everything), {}};
    }
    chain::Decided all;
    for (const auto& execution : executions_of(tx_hash, tree))
        all.add(chain::decided(*tree.transaction, execution.judge()));
    return all;
}

// One hash may be executed in several blocks. A receipt is executed once.
const std::string kResultsOf =
    "SELECT tx_hash || '@' || block_height FROM transaction_results WHERE tx_hash = ANY ($1::text[]) "
    "AND block_time BETWEEN $2::timestamptz AND $3::timestamptz";
std::string stored_as(const chain::TreeResult& result) {
    return result.tx_hash + '@' + std::to_string(result.included_at.height);
}
const std::string kIdsOfFindings =
    "SELECT finding_id || CASE kind WHEN 'failed_transaction' THEN '@' || coalesce(block_height, 0) "
    "ELSE '' END ";
std::string stored_as(const chain::Finding& finding) {
    if (finding.kind != chain::kind::kFailedTransaction) return finding.finding_id;
    return finding.finding_id + '@' + std::to_string(finding.at.height);
}

chain::RowBatch judge_around(pqxx::transaction_base& tx, base::HeightRange around) {
    chain::RowBatch batch;
    const auto found = candidates(tx, around);
    for (std::size_t at = 0; at < found.trees.size(); at += kTreesAtOnce) {
        const auto end = std::min(at + kTreesAtOnce, found.trees.size());
        judge_stored(tx,
                     load_to_judge(tx,
                                   {found.trees.begin() + static_cast<std::ptrdiff_t>(at),
                                    found.trees.begin() + static_cast<std::ptrdiff_t>(end)},
                                   found.times),
                     found.times, batch);
    }
    return batch;
}

// These are judged each on its own then.
void make_late(pqxx::connection& connection, base::HeightRange around, const chain::NewsSince& news_since) {
    pqxx::work tx(connection);
    const auto found = candidates(tx, around);
    if (found.trees.empty()) return;
    shim::query(
        tx,
        "INSERT INTO late_trees (tx_hash, since, history) "
        "SELECT tx_hash, $2::timestamptz, $3 FROM unnest($1::text[]) AS tx_hash ON CONFLICT DO NOTHING",
        text_array(found.trees), found.times.since, news_since.older_are == chain::withheld::kBackfill);
    tx.commit();
}

// No block is removed between the reading of its rows and the commit of what follows from them.
chain::DecidedCounts settle(pqxx::connection& connection, base::HeightRange around,
                            const chain::NewsSince& news_since, Database& database) {
    pqxx::work tx(connection);
    lock_adoption(tx);
    const auto again = executed_again_around(tx, around);
    gather_executions(tx, again);
    auto batch = judge_around(tx, around);
    if (batch.rows() == 0 && batch.disowned.empty()) return {};
    batch.withhold_before(news_since);
    copy_rows(tx, batch);
    const auto told = tell_batch(tx, database, batch);
    name_executions(tx, again);
    tx.commit();
    database.announce(told);
    return std::move(batch.facts.decided);
}

chain::DecidedCounts settle_or_make_late(pqxx::connection& connection, base::HeightRange around,
                                         const chain::NewsSince& news_since, Database& database) {
    try {
        return judge_beside_others([&] { return settle(connection, around, news_since, database); });
    } catch (const std::exception& e) {
        if (!is_of_the_rows(e)) throw;
        log::error("some trees cannot be judged together; each is judged on its own",
                   {{"heights", base::HeightSet(around).to_multirange()}, {"reason", e.what()}});
    }
    make_late(connection, around, news_since);
    return {};
}

}  // namespace

base::Task<chain::DecidedCounts> PgTreeStore::settle_trees(base::HeightRange around,
                                                           chain::NewsSince news_since) {
    return database_.pool.adopting.run(
        [&database = database_, around, news_since](pqxx::connection& connection) {
            auto settled = settle_or_make_late(connection, around, news_since, database);
            for (const auto& [verdict, trees] : settled.verdicts)
                database.series.settled.Increment(static_cast<double>(trees));
            pqxx::work correcting(connection);
            const bool is_corrected = take_back_removed(correcting);
            correcting.commit();
            if (is_corrected) database.on_alerts();
            return settled;
        });
}

void judge_stored(pqxx::transaction_base& tx, const std::map<std::string, StoredTree>& trees,
                  const TreeTimes& times, chain::RowBatch& batch, InPart in_part) {
    std::vector<std::string> tx_hashes;
    for (const auto& [tx_hash, tree] : trees) tx_hashes.push_back(tx_hash);
    const auto results = stored_ids(tx, kResultsOf, tx_hashes, times);
    const auto findings = stored_ids(tx, kIdsOfFindings + kFindingsOf, tx_hashes, times);
    const auto open = stored_ids(tx, "SELECT finding_id " + kFindingsOf + kKnownInPart, tx_hashes, times);
    std::vector<std::string> known_now;
    for (const auto& [tx_hash, tree] : trees) {
        auto decided = decided_of(tx_hash, tree, in_part);
        std::erase_if(decided.findings, [&](const auto& finding) {
            const bool again = open.contains(finding.finding_id) && knows_the_rest(finding);
            if (again) known_now.push_back(finding.finding_id);
            return !again && findings.contains(stored_as(finding));
        });
        std::erase_if(decided.results, [&](const auto& result) {
            const bool is_stored = results.contains(stored_as(result));
            if (is_stored) chain::note_user(batch, result);
            return is_stored;
        });
        chain::write_decided(batch, std::move(decided));
    }
    if (known_now.empty()) return;
    shim::query(tx, "DELETE " + kFindingsOf + kKnownInPart + "AND finding_id = ANY ($4::text[])",
                text_array(tx_hashes), times.since, times.until, text_array(known_now));
}

chain::RowBatch settle_again(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                             std::uint64_t timestamp_nanosec) {
    const auto times = shim::query(tx,
                                   "SELECT (at - interval '7 days')::text, (at + interval '7 days')::text "
                                   "FROM (SELECT to_timestamp($1::numeric / 1000000000) AS at) t",
                                   timestamp_nanosec)[0];
    const TreeTimes around{times[0].as<std::string>(), times[1].as<std::string>()};
    chain::RowBatch batch;
    judge_stored(tx, load_to_judge(tx, tx_hashes, around), around, batch);
    copy_rows(tx, batch);
    return batch;
}

}  // namespace receiptd::storage
