#include "storage/pg_outcome_store.hpp"

#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/news.hpp"
#include "storage/pqxx_shim.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr base::Height kAtOnce = 500;  // heights
constexpr int kMostTrees = 1'000;      // each costs a question to a host

// Each chunk of the blocks in `seen`, with the roots that its outcomes must have one of. $2: chunk headers up
// to this height count; $3 and $4: the times of the blocks.
const std::string kTold =
    "told AS MATERIALIZED (SELECT c.block_height, c.shard_id, c.missing, c.covered, c.executed_root, "
    "    CASE WHEN NOT c.missing AND c.executed_root IS NOT NULL THEN "
    "      outcome_roots_above(c.shard_id, s.shards, c.block_height, c.block_time, $2) END AS roots "
    "  FROM (SELECT block_height, block_time, array_agg(shard_id) AS shards FROM chunks JOIN seen "
    "      USING (block_height, block_time) WHERE " +
    between("block_time", 3) + " GROUP BY 1, 2) s JOIN chunks c USING (block_height, block_time) WHERE " +
    between("c.block_time", 3) + ") ";
const std::string kIsFalse =
    "(missing AND covered AND executed_root IS NOT NULL OR roots <> '{}' AND executed_root <> ALL (roots))";

// $1: heights; $3 and $4: the times of their blocks.
const std::string kSeen =
    "SELECT b.block_height, b.block_time FROM unnest($1::int8multirange) AS r "
    "  JOIN blocks b ON b.block_height >= lower(r) AND b.block_height < upper(r) WHERE " +
    between("b.block_time", 3);

const std::string kCompare =
    "WITH seen AS MATERIALIZED (" + kSeen + "), " + kTold + "SELECT block_height, coalesce(bool_or(" +
    kIsFalse +
    "), false), "
    "  coalesce(bool_or(NOT missing AND executed_root IS NOT NULL AND roots IS NULL), false), "
    "  coalesce(bool_or(CASE WHEN missing THEN NOT coalesce(covered, false) AND executed_root IS NOT NULL "
    "    ELSE executed_root IS NULL OR roots = '{}' END), false) "
    "FROM told GROUP BY 1";

// All shards: where the block is asked for again, the host may lie about others.
const std::string kFalse =
    "WITH seen AS MATERIALIZED (SELECT block_height, block_time FROM blocks WHERE block_height = $1 AND " +
    between("block_time", 3) + "), " + kTold +
    "SELECT shard_id, coalesce(array_to_string(roots, ' '), '') FROM told WHERE roots <> '{}' OR " + kIsFalse;

// In what follows, $4 and $5 are the time of the block.
const std::string kInTheBlock = " WHERE block_height = $1 AND " + between("block_time", 4);
const std::string kTreesThere =
    "SELECT DISTINCT ON (1) there.tx_hash, coalesce(t.signer_id, there.signer_id, '') FROM ("
    "    SELECT tx_hash, signer_id, shard_id, block_time FROM receipts" +
    kInTheBlock + "    UNION ALL SELECT tx_hash, signer_id, shard_id, block_time FROM transactions" +
    kInTheBlock + ") there LEFT JOIN transactions t ON t.tx_hash = there.tx_hash AND t.block_time BETWEEN " +
    time_parameter(4, std::chrono::days(7)) + " AND " + time_parameter(5) +
    "WHERE there.tx_hash IS NOT NULL AND there.shard_id = ANY ($2::bigint[]) LIMIT $3";

// Trees that lack an outcome have no result.
const std::string kTheHourBefore =
    " BETWEEN " + time_parameter(3, std::chrono::hours(1)) + " AND " + time_parameter(4);
const std::string kUnfinished =
    "SELECT t.tx_hash, t.signer_id FROM transactions t WHERE t.block_time" + kTheHourBefore +
    "  AND t.block_height BETWEEN $1 - 1200 AND $1 "
    "  AND NOT EXISTS (SELECT FROM transaction_results r WHERE r.tx_hash = t.tx_hash "
    "    AND r.tree_id = t.tree_id AND r.block_time = t.block_time AND r.block_time" +
    kTheHourBefore + ") ORDER BY t.block_height DESC LIMIT $2";

const std::string kStoredThere = "SELECT receipt_id FROM receipts WHERE block_height = $1 AND " +
                                 between("block_time", 3) +
                                 " AND shard_id = ANY ($2::bigint[]) UNION ALL SELECT tx_hash FROM "
                                 "transactions WHERE block_height = $1 AND " +
                                 between("block_time", 3) + " AND shard_id = ANY ($2::bigint[])";

const std::string kRootsAbove =
    "WITH seen AS MATERIALIZED (" + kSeen +
    "), shards AS MATERIALIZED (SELECT block_height, block_time, array_agg(shard_id) AS all_shards, "
    "    array_agg(shard_id) FILTER (WHERE NOT missing) AS executing FROM chunks JOIN seen "
    "    USING (block_height, block_time) WHERE " +
    between("block_time", 3) +
    " GROUP BY 1, 2) "
    "SELECT block_height, roots IS NOT NULL, coalesce(roots <> '{}', true), "
    "  coalesce(array_to_string(roots, ' '), '') FROM shards, unnest(executing) AS shard, "
    "  outcome_roots_above(shard, all_shards, block_height, block_time, $2) AS roots";

void note(pqxx::transaction_base& tx, const base::HeightSet& compared, const base::HeightSet& unconfirmed) {
    if (compared.empty()) return;
    shim::query(tx,
                "UPDATE coverage SET compared = compared + $1::int8multirange, "
                "unconfirmed = unconfirmed + $2::int8multirange",
                compared.to_multirange(), unconfirmed.to_multirange());
}

// Alerts that wait, and from the first to the last time that they tell of.
const std::string kTimesOfWaiting = "SELECT " + microseconds_of("min(caused_at)") + ", " +
                                    microseconds_of("max(caused_at)") +
                                    " FROM alerts WHERE confirmed IS NULL AND waits_for IS NOT NULL";
const std::string kAWeekAround = " BETWEEN " + time_parameter(2, std::chrono::days(7)) + " AND " +
                                 time_parameter(3, -std::chrono::days(7)) + " ";
// No height near the alert is being corrected, and all that is stored of its tree was compared. $1: agreed;
// $2 and $3: the times of kTimesOfWaiting.
const std::string kLetLeave =
    "WITH ready AS MATERIALIZED (SELECT a.alert_id, sure FROM alerts a, coverage c, "
    "  LATERAL (SELECT bool_and(c.compared @> block_height) AS seen, "
    "      bool_and(NOT c.unconfirmed @> block_height) AS sure FROM ("
    "    SELECT r.block_height FROM receipts r WHERE r.tree_id = ANY (trees_of_hashes(ARRAY[a.tx_hash])) "
    "      AND r.block_time BETWEEN a.caused_at - interval '7 days' AND a.caused_at + interval '7 days' "
    "      AND r.block_time" +
    kAWeekAround +
    "    UNION ALL SELECT t.block_height FROM transactions t WHERE t.tx_hash = a.tx_hash "
    "      AND t.block_time BETWEEN a.caused_at - interval '7 days' AND a.caused_at + interval '1 second' "
    "      AND t.block_time" +
    kAWeekAround +
    ") r) tree "
    "  WHERE a.confirmed IS NULL AND a.waits_for IS NOT NULL AND c.compared @> a.waits_for AND seen "
    "    AND NOT (c.wanted - c.heights) && int8range(a.waits_for - 1200, greatest($1, a.waits_for)) "
    "    AND (NOT a." +
    kTreeFindings +
    " OR EXISTS (SELECT FROM findings f WHERE f.tree_id = ANY (trees_of_hashes(ARRAY[a.tx_hash])) "
    "      AND f.finding_id = finding_of(a) "
    "      AND f.block_time BETWEEN a.caused_at - interval '7 days' AND a.caused_at + interval '7 days' "
    "      AND f.block_time" +
    kAWeekAround +
    "))), "
    // One that has left meanwhile stays as it was sent.
    "told AS (UPDATE alerts a SET confirmed = ready.sure FROM ready WHERE a.alert_id = ready.alert_id "
    "  AND a.confirmed IS NULL "
    "  RETURNING a.alert_id) "
    "UPDATE deliveries d SET next_attempt_at = now() FROM told WHERE d.alert_id = told.alert_id "
    "  AND d.next_attempt_at > now() AND " +
    kUnsent;
// The longest wait is over.
constexpr const char* kGiveUp =
    "UPDATE alerts SET confirmed = false WHERE confirmed IS NULL AND waits_for IS NOT NULL "
    "  AND created_at < now() - interval '1 minute'";

// Ends of watches whose outcomes are confirmed by now.
const std::string kOpen =
    "WITH open AS MATERIALIZED (SELECT w.tx_hash, min(t.block_time) AS since, max(t.block_time) AS until "
    "  FROM watches w JOIN watch_transitions t USING (tx_hash) WHERE w.stage = 'final' AND NOT w.conclusive "
    "    AND w.stage_since > now() - interval '1 hour' AND t.block_time IS NOT NULL GROUP BY 1) ";
const std::string kOpenSince =
    kOpen + "SELECT " + microseconds_of("min(since)") + ", " + microseconds_of("max(until)") + " FROM open";
// $1 and $2: the times of kOpenSince.
const std::string kConclude =
    kOpen +
    ", proven AS MATERIALIZED (SELECT o.tx_hash, r.has_effect FROM open o, coverage c, LATERAL ("
    "    SELECT bool_and(c.compared @> r.block_height AND NOT c.unconfirmed @> r.block_height) AS by_blocks, "
    "      coalesce(bool_or(r.role = 'initial' AND r.status <> 'failure'), false) AS has_effect "
    "    FROM receipts r WHERE r.tree_id = ANY (trees_of_hashes(ARRAY[o.tx_hash])) "
    "      AND r.block_time BETWEEN o.since AND o.until + interval '1 hour' AND r.block_time BETWEEN " +
    time_parameter(1) + " AND " + time_parameter(2, -std::chrono::hours(1)) +
    ") r, "
    "  LATERAL (SELECT t.confirmed, c.compared @> t.block_height AND NOT c.unconfirmed @> t.block_height "
    "      AS by_block FROM transactions t WHERE t.tx_hash = o.tx_hash "
    "      AND t.block_time BETWEEN o.since - interval '1 second' AND o.since + interval '1 second' "
    "      AND t.block_time BETWEEN " +
    time_parameter(1, std::chrono::seconds(1)) + " AND " + time_parameter(2, -std::chrono::seconds(1)) +
    " LIMIT 1) t "
    "  WHERE coalesce(t.confirmed, t.by_block AND coalesce(r.by_blocks, true))), "
    "done AS (UPDATE watches w SET conclusive = true, updated_at = now(), "
    "    safe_to_resign_after_height = CASE WHEN NOT has_effect THEN 0 END "
    "  FROM proven p WHERE w.tx_hash = p.tx_hash RETURNING w.tx_hash, w.sender_id, w.idempotency_key, "
    "    w.metadata, w.verdict, w.reason, w.safe_to_resign_after_height) "
    "INSERT INTO stream_events (kind, tx_hash, body) SELECT 'transition', tx_hash, json_build_object("
    "  'tx_hash', tx_hash, 'sender_id', sender_id, 'idempotency_key', idempotency_key, 'metadata', metadata, "
    "  'from_stage', 'final', 'to_stage', 'final', 'at', now(), 'verdict', verdict, 'reason', reason, "
    "  'conclusive', true, 'safe_to_resign_after_height', safe_to_resign_after_height, "
    "  'safe_to_resign_estimated_at', NULL, 'evidence', json_build_object('confirmed', true)) FROM done";
constexpr const char* kIsWaitedFor =
    "SELECT EXISTS (SELECT FROM alerts WHERE confirmed IS NULL AND waits_for IS NOT NULL) "
    "OR EXISTS (SELECT FROM watches WHERE stage = 'final' AND NOT conclusive "
    "  AND stage_since > now() - interval '30 seconds')";

// True: some alerts may leave.
bool tell_confirmed(pqxx::transaction_base& tx, base::Height agreed) {
    const auto open = tx.exec(kOpenSince)[0];
    if (!open[0].is_null())
        shim::query(tx, kConclude, open[0].as<std::int64_t>(), open[1].as<std::int64_t>());
    tx.exec(kGiveUp);
    const auto waiting = tx.exec(kTimesOfWaiting)[0];
    return !waiting[0].is_null() &&
           shim::query(tx, kLetLeave, agreed, waiting[0].as<std::int64_t>(), waiting[1].as<std::int64_t>())
                   .affected_rows() > 0;
}

std::vector<std::string> roots_in(const std::string& text) {
    std::istringstream words(text);
    std::vector<std::string> each;
    for (std::string word; words >> word;) each.push_back(word);
    return each;
}

// No time at all where none of their blocks is stored.
TimeSpan times_of(pqxx::transaction_base& tx, const base::HeightSet& heights) {
    if (heights.empty()) return {};
    return times_of_blocks(tx, {*heights.first(), *heights.last()}).value_or(TimeSpan());
}

OutcomeStore::Compared compare(pqxx::transaction_base& tx, base::Height from, base::Height agreed) {
    OutcomeStore::Compared result;
    const auto rows = shim::query(tx,
                                  "SELECT open FROM (SELECT (heights - without_outcomes - compared) "
                                  "  * int8multirange(int8range($1, $2)) AS open FROM coverage) o "
                                  "WHERE NOT isempty(open)",
                                  from, agreed);
    if (rows.empty()) return result;
    const auto open = heights_of(rows[0][0]);
    const auto begin = *open.first();
    result.next = std::min(begin + kAtOnce, agreed);
    result.is_last = result.next >= agreed;
    auto compared = open.within({begin, result.next - 1});
    base::HeightSet unconfirmed;
    const auto times = times_of(tx, compared);
    for (const auto& row :
         shim::query(tx, kCompare, compared.to_multirange(), agreed, times.since, times.until)) {
        const auto height = row[0].as<base::Height>();
        const bool is_false = row[1].as<bool>();
        const bool waits = row[2].as<bool>();
        if (is_false) result.refuted.add(height);
        if (is_false || waits)
            compared.subtract({height, height});
        else if (row[3].as<bool>())
            unconfirmed.add(height);
    }
    note(tx, compared, unconfirmed);
    return result;
}

}  // namespace

base::Task<void> PgOutcomeStore::hold_alerts(std::optional<std::chrono::seconds> for_long) {
    return database_.pool.following.transaction([for_long](pqxx::work& tx) {
        shim::query(tx,
                    "UPDATE coverage SET confirm_within = nullif($1::int, 0) * interval '1 second' "
                    "WHERE confirm_within IS DISTINCT FROM nullif($1::int, 0) * interval '1 second'",
                    for_long ? static_cast<std::int64_t>(for_long->count()) : std::int64_t{0});
    });
}

base::Task<OutcomeStore::Compared> PgOutcomeStore::compare_outcomes(base::Height from, base::Height agreed) {
    return database_.pool.following.run([&database = database_, from, agreed](pqxx::connection& connection) {
        pqxx::work tx(connection);
        auto result = compare(tx, from, agreed);
        Told told;
        told.is_due = result.is_last && tell_confirmed(tx, agreed);
        result.is_waited_for = tx.exec(kIsWaitedFor)[0][0].as<bool>();
        tx.commit();
        database.announce(told);
        return result;
    });
}

base::Task<void> PgOutcomeStore::leave_unconfirmed(base::HeightSet heights) {
    return database_.pool.following.transaction(
        [heights = std::move(heights)](pqxx::work& tx) { note(tx, heights, heights); });
}

base::Task<FalseOutcomes> PgOutcomeStore::false_outcomes(base::Height height, base::Height agreed) {
    return database_.pool.following.transaction([height, agreed](pqxx::work& tx) {
        FalseOutcomes found;
        std::vector<std::string> shards;
        const auto at = time_of_block(tx, height);
        if (!at) return found;
        for (const auto& row : shim::query(tx, kFalse, height, agreed, at->since, at->until)) {
            shards.push_back(row[0].as<std::string>());
            found.roots[row[0].as<std::uint64_t>()] = roots_in(row[1].as<std::string>());
        }
        const auto ids = text_array(shards);
        for (const auto& row : shim::query(tx, kTreesThere, height, ids, kMostTrees, at->since, at->until))
            found.trees.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
        for (const auto& row : shim::query(tx, kUnfinished, height, kMostTrees, at->since, at->until))
            found.unfinished.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
        for (const auto& row : shim::query(tx, kStoredThere, height, ids, at->since, at->until))
            found.stored.insert(row[0].as<std::string>());
        return found;
    });
}

base::Task<std::map<base::Height, RootsAbove>> PgOutcomeStore::roots_above(base::HeightSet heights,
                                                                           base::Height agreed) {
    return database_.pool.following.transaction([heights = std::move(heights), agreed](pqxx::work& tx) {
        std::map<base::Height, RootsAbove> found;
        const auto times = times_of(tx, heights);
        for (const auto& row :
             shim::query(tx, kRootsAbove, heights.to_multirange(), agreed, times.since, times.until)) {
            const auto [at, is_new] = found.try_emplace(row[0].as<base::Height>());
            auto& above = at->second;
            if (is_new) above.are_all = true;
            above.are_all = above.are_all && row[1].as<bool>();
            above.covered = above.covered && row[2].as<bool>();
            for (auto& root : roots_in(row[3].as<std::string>())) above.roots.insert(std::move(root));
        }
        return found;
    });
}

}  // namespace receiptd::storage
