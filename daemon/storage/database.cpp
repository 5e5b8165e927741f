#include "storage/database.hpp"

#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "storage/block_times.hpp"
#include "storage/corrections.hpp"
#include "storage/migrate.hpp"
#include "storage/news.hpp"
#include "storage/rejudge.hpp"
#include "storage/sql_time.hpp"
#include "storage/watch_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

namespace receiptd::storage {
namespace {

std::string random_uuid() {
    std::random_device random;
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%08x%04x", random(), random() & 0xffffu,
                  random() & 0xfffu, 0x8000u | (random() & 0x3fffu), random(), random() & 0xffffu);
    return text;
}

// --- Which chain a database holds ---

void must_match(const std::string& what, const std::string& stored, const std::string& configured,
                const std::string& key, const std::string& cure) {
    if (stored == configured) return;
    throw StorageError("this database holds " + what + " \"" + stored + "\", but " + key + " is \"" +
                       configured + "\": " + cure);
}

std::optional<ChainIdentity> read_identity(pqxx::transaction_base& tx) {
    const auto rows = tx.exec("SELECT network, scope FROM chain_identity");
    if (rows.empty()) return std::nullopt;
    return ChainIdentity{rows[0][0].as<std::string>(), rows[0][1].as<std::string>()};
}

// --- What people were told or asked for is not kept for ever; history leaves by whole partitions ---

// So many rows in one transaction: nobody waits long behind them, and after a long pause none of the
// statements runs out of its time.
constexpr int kPortion = 10'000;
constexpr std::chrono::seconds kLongestFinishing{20};  // of one piece more

// `sql` takes the number of rows as its first parameter.
template <class... Parameters>
void run_in_portions(pqxx::connection& connection, const std::string& sql, const Parameters&... parameters) {
    for (auto rows = static_cast<long>(kPortion); rows == kPortion;) {
        pqxx::work tx(connection);
        rows = static_cast<long>(shim::query(tx, sql, kPortion, parameters...).affected_rows());
        tx.commit();
    }
}

// Delivery d waits for an endpoint that no daemon serves, or that answered 410, for the retry schedule's
// length. An endpoint that comes back earlier gets what waits for it.
const std::string kSwitchedOff = "NOT EXISTS (SELECT FROM endpoints e WHERE e.name = d.endpoint AND " +
                                 kServed + " AND (e.active OR e.updated_at > now() - interval '4 days'))";

// Lines of the stream after 7 days, alerts that are delivered everywhere after 30. What waits for an endpoint
// that is switched off is dead after 4 days.
void forget_old_news(pqxx::connection& connection) {
    run_in_portions(connection,
                    "DELETE FROM stream_events WHERE id IN (SELECT id FROM stream_events "
                    "WHERE at < now() - interval '7 days' ORDER BY at LIMIT $1)");
    run_in_portions(
        connection,
        "UPDATE deliveries SET state = 'dead', dead_because = 'unserved', lease_owner = NULL, "
        "last_error = 'for four days no daemon has served the endpoint, or it has been switched off (410)' "
        "WHERE state = 'pending' AND (alert_id, endpoint) IN (SELECT d.alert_id, d.endpoint FROM deliveries "
        "d "
        "WHERE d.state = 'pending' AND d.created_at < now() - interval '4 days' AND " +
            kSwitchedOff + " LIMIT $1)");
    // Deletes old alerts with their deliveries. An alert without deliveries counts as delivered; one with a
    // dead delivery is kept for people as long as its endpoint is served.
    run_in_portions(connection,
                    "DELETE FROM alerts WHERE alert_id IN (SELECT alert_id FROM alerts a "
                    "WHERE created_at < now() - interval '30 days' AND NOT EXISTS (SELECT FROM deliveries d "
                    "WHERE d.alert_id = a.alert_id AND (d.state = 'pending' OR (d.state = 'dead' AND NOT " +
                        kSwitchedOff + "))) ORDER BY created_at LIMIT $1)");
    run_in_portions(connection,
                    "DELETE FROM timed_episodes WHERE (rule, began_at) IN (SELECT rule, began_at "
                    "FROM timed_episodes e WHERE ended_at IS NOT NULL "
                    "AND NOT EXISTS (SELECT FROM alerts a WHERE a.alert_id = e.alert_id) LIMIT $1)");
}

// Groups without a member for 30 days, also of endpoints that nobody serves any more; silences that are over
// as long.
void forget_old_storms(pqxx::connection& connection) {
    run_in_portions(connection,
                    "DELETE FROM alert_groups WHERE group_id IN (SELECT group_id FROM alert_groups "
                    "WHERE last_member_at < now() - interval '30 days' LIMIT $1)");
    run_in_portions(connection,
                    "DELETE FROM silences WHERE silence_id IN (SELECT silence_id FROM silences "
                    "WHERE ends_at < now() - interval '30 days' LIMIT $1)");
}

// Their own rows are gone with their partition, so that nobody can adopt them.
void forget_lost_orphans(pqxx::connection& connection, base::WallTime before) {
    const std::string are_gone =
        " < least(to_timestamp($2::numeric / 1000000), oldest_block_time()) LIMIT $1";
    run_in_portions(connection,
                    "DELETE FROM orphan_receipts WHERE adopted_at IS NULL AND ctid = ANY (ARRAY (SELECT ctid "
                    "FROM orphan_receipts WHERE adopted_at IS NULL AND block_time" +
                        are_gone + "))",
                    microseconds(before));
    run_in_portions(connection,
                    "DELETE FROM executions WHERE (tx_hash, block_height) IN (SELECT tx_hash, block_height "
                    "FROM executions WHERE block_time" +
                        are_gone + ")",
                    microseconds(before));
    run_in_portions(
        connection,
        "DELETE FROM block_marks WHERE day IN (SELECT day FROM block_marks WHERE block_time" + are_gone + ")",
        microseconds(before));
}

// Watches that had ended by then, and their transitions. `which`: a condition on watches; `before`: a time in
// SQL.
void forget_ended_watches(pqxx::connection& connection, const std::string& which, const std::string& before) {
    run_in_portions(connection, "DELETE FROM watches WHERE tx_hash IN (SELECT tx_hash FROM watches WHERE " +
                                    which + " AND created_at < " + before + " AND updated_at < " + before +
                                    " AND NOT (" + kOpenStages + ") ORDER BY created_at LIMIT $1)");
    run_in_portions(connection,
                    "DELETE FROM watch_transitions WHERE ctid = ANY (ARRAY (SELECT t.ctid "
                    "FROM watch_transitions t WHERE t.at < " +
                        before +
                        " AND NOT EXISTS (SELECT FROM watches w WHERE w.tx_hash = t.tx_hash) "
                        "ORDER BY t.at LIMIT $1))");
}

void forget_ended_watches(pqxx::connection& connection, const Past& past) {
    // Nobody asked for one of a rule, and its result says what became of the transaction.
    forget_ended_watches(connection, "origin = 'rule'", "now() - interval '7 days'");
    if (!past.results) return;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*past.results).time_since_epoch().count();
    forget_ended_watches(connection, "true", "to_timestamp(" + std::to_string(seconds) + ")");
}

// The median time of the last eleven blocks: one of them decides nothing. Of fewer, the newest.
std::optional<base::WallTime> newest_blocks_at(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const auto times = times_of_newest_blocks(tx, 11);
    if (!times) return std::nullopt;
    return wall_time(
        shim::query(tx,
                    "SELECT " +
                        microseconds_of("CASE WHEN count(*) < 11 THEN max(block_time) "
                                        "ELSE percentile_disc(0.5) WITHIN GROUP (ORDER BY block_time) END") +
                        " FROM (SELECT block_time FROM blocks WHERE " + between("block_time", 1) +
                        " ORDER BY block_height DESC LIMIT 11) AS newest",
                    times->since, times->until)[0][0]);
}

// Trees that other ways judge than the settling of seams.
bool correct_removed(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const bool is_told = take_back_removed(tx);
    tx.commit();
    return is_told;
}

void forget_rules(pqxx::connection& connection) {
    pqxx::work tx(connection);
    forget_unused_rules(tx);
    tx.commit();
}

// Nothing can refer to them any more.
void forget_old_adoptions(pqxx::connection& connection) {
    // A block that is a gap yet may list what a stored tree awaits (height 0).
    run_in_portions(
        connection,
        "DELETE FROM orphan_receipts WHERE ctid = ANY (ARRAY (SELECT ctid FROM orphan_receipts "
        "  WHERE adopted_at < now() - interval '1 day' AND (adopted_at < now() - interval '7 days' "
        "    OR (id <> 'removed block' AND NOT (kind IN ('data', 'block') AND block_height = 0 "
        "      AND EXISTS (SELECT FROM coverage WHERE NOT isempty(wanted - heights))))) LIMIT $1))");
}

}  // namespace

Database::Database(const DatabaseOptions& options, metrics::StorageSeries& storage_series,
                   std::function<void()> told)
    : context_(options, storage_series),
      series(storage_series),
      on_alerts(std::move(told)),
      partitions(storage_series),
      day_closer(storage_series),
      set_aside(storage_series),
      pool(context_, options.shares),
      process_(random_uuid()) {
    if (context_.database.may_be_read_on_the_way())
        log::warn("the connection to the database may be unencrypted: add sslmode=verify-full to its url",
                  {{"database", context_.database.where()}});
}

base::Task<void> Database::check_identity(ChainIdentity configured) {
    return pool.following.run([configured = std::move(configured)](pqxx::connection& connection) {
        require_current_schema(connection);
        pqxx::work tx(connection);
        auto stored = read_identity(tx);
        if (!stored) {
            shim::query(tx,
                        "INSERT INTO chain_identity (network, scope, created_by) VALUES ($1, $2, $3) "
                        "ON CONFLICT DO NOTHING",
                        configured.network, configured.scope, std::string("receiptd " RECEIPTD_VERSION));
            stored = read_identity(tx);
        }
        must_match("the network", stored->network, configured.network, "chain.network",
                   "set it back, or use another database for this network");
        must_match("the scope", stored->scope, configured.scope, "follow.scope",
                   "set it back, or run `receiptd scope --set " + configured.scope + "`");
        shim::query(tx, "INSERT INTO coverage (scope) VALUES ($1) ON CONFLICT DO NOTHING", configured.scope);
        note_rules(tx);
        tx.exec("SELECT reopen_unguarded_days()");
        tx.commit();
    });
}

base::Task<LockRoom> Database::lock_room() {
    return pool.following.transaction([](pqxx::work& tx) { return storage::lock_room(tx); });
}

base::Task<std::vector<Contested>> Database::join(DaemonSettings settings) {
    settings_ = std::move(settings);
    return pool.following.transaction(
        [process = process_, own = settings_](pqxx::work& tx) { return join_daemons(tx, process, own); });
}

base::Task<Joined> Database::keep_alive() {
    return pool.following.run([process = process_, own = settings_, this](pqxx::connection& connection) {
        pqxx::work tx(connection);
        auto joined = storage::keep_alive(tx, process, own);
        tx.commit();
        joined.set_aside = set_aside.save(connection);
        return joined;
    });
}

// The lane of the stream only reads, and has no long work: it is hardly ever held up itself.
base::Task<std::optional<HeldUp>> Database::held_up() {
    return pool.stream.transaction([](pqxx::work& tx) { return storage::held_up(tx); });
}

void Database::set_keep(Keep keep) { settings_.keep = keep; }

base::Task<std::vector<Contested>> Database::declare(Declaration alerts) {
    settings_.alerts = std::move(alerts);
    return pool.following.transaction([process = process_, own = settings_](pqxx::work& tx) {
        return declare_rules(tx, process, own.place, own.alerts);
    });
}

base::Task<void> Database::leave() {
    return pool.following.transaction([process = process_](pqxx::work& tx) { leave_daemons(tx, process); });
}

base::Task<FollowedAccounts> Database::followed_accounts() {
    return pool.following.transaction([](pqxx::work& tx) { return storage::followed_accounts(tx); });
}

base::Task<std::vector<std::string>> Database::follow_accounts(std::vector<std::string> accounts) {
    return pool.following.transaction(
        [accounts = std::move(accounts)](pqxx::work& tx) { return storage::follow_accounts(tx, accounts); });
}

base::Task<std::string> Database::genesis_hash(std::string told) {
    return pool.following.transaction([told = std::move(told)](pqxx::work& tx) {
        shim::query(tx, "UPDATE chain_identity SET genesis_hash = $1 WHERE genesis_hash IS NULL AND $1 <> ''",
                    told);
        const auto rows = tx.exec("SELECT coalesce(genesis_hash, '') FROM chain_identity");
        return rows.empty() ? std::string() : rows[0][0].as<std::string>();
    });
}

base::Task<bool> Database::keep_partitions(base::WallTime now, Keep keep) {
    return pool.maintenance.run([this, now, keep](pqxx::connection& connection) {
        return keep_partitions_of(connection, past_retention(connection, now, keep));
    });
}

base::Task<bool> Database::maintain(base::WallTime now, Keep keep) {
    return pool.maintenance.run([this, now, keep](pqxx::connection& connection) {
        const auto past = past_retention(connection, now, keep);
        const bool is_retired = keep_partitions_of(connection, past);
        forget_ended_watches(connection, past);
        if (past.receipts) forget_lost_orphans(connection, *past.receipts);
        if (correct_removed(connection)) on_alerts();
        forget_old_adoptions(connection);
        forget_old_news(connection);
        forget_old_storms(connection);
        forget_rules(connection);
        return is_retired;
    });
}

// The times before which rows may be deleted. A clock that is ahead makes nothing old.
Past Database::past_retention(pqxx::connection& connection, base::WallTime now, Keep keep) {
    const auto newest = newest_blocks_at(connection);
    if (!newest) return {};
    pqxx::work asking(connection);
    const auto longest = longest_keep(asking, process_, keep);
    asking.commit();
    const auto before =
        [&](const std::optional<std::chrono::hours>& length) -> std::optional<base::WallTime> {
        if (!length) return std::nullopt;
        return std::min(now, *newest) - *length;
    };
    return {before(longest.receipts), before(longest.results)};
}

bool Database::keep_partitions_of(pqxx::connection& connection, const Past& past) {
    const auto newest = newest_blocks_at(connection);
    const bool is_ahead = !newest || partitions.make_ahead(connection, *newest);
    const bool is_retired = partitions.retire(connection, past);
    if (newest) day_closer.round(connection, *newest);
    const auto until = std::chrono::steady_clock::now() + kLongestFinishing;
    finisher.round(connection, [until] { return std::chrono::steady_clock::now() < until; });
    partitions.measure(connection);
    return is_ahead && is_retired;
}

void Database::announce(const Told& told) {
    for (const auto& [labels, alerts] : told.matched)
        series.count_matched(labels.first, labels.second, static_cast<double>(alerts));
    if (told.is_due) on_alerts();
}

void Database::note_committed(const chain::RowBatch& batch, double seconds) {
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        series.tables[i].rows->Increment(static_cast<double>(batch.tables[i].rows));
        series.tables[i].bytes->Increment(static_cast<double>(batch.tables[i].bytes()));
    }
    series.commit_seconds.Observe(seconds);
    series.batch_blocks.Observe(static_cast<double>(batch.facts.blocks.size()));
    series.batch_bytes.Observe(static_cast<double>(batch.bytes()));
}

}  // namespace receiptd::storage
