#include "storage/pg_watch_store.hpp"

#include "storage/certainty_rows.hpp"
#include "storage/copy.hpp"
#include "storage/errors.hpp"
#include "storage/sql_time.hpp"
#include "storage/stored_trees.hpp"
#include "storage/wanted_watches.hpp"
#include "storage/watch_inserts.hpp"
#include "storage/watch_rows.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace receiptd::storage {
namespace {

using namespace std::chrono_literals;

void remove_transitions(pqxx::transaction_base& tx, const std::string& tx_hash) {
    shim::query(tx, "DELETE FROM watch_transitions WHERE tx_hash = $1", tx_hash);
}

const std::string kOpenSubmissions = "SELECT tx_hash, stage, " + microseconds_of("created_at") +
                                     " FROM watches WHERE signed_tx_base64 IS NOT NULL AND " +
                                     kWaitingStages +
                                     " "
                                     "AND (created_at, tx_hash) > (" +
                                     time_parameter(1) + ", $2) ORDER BY created_at, tx_hash LIMIT $3";

// As the index has it (migrations/0003_watching.sql).
const std::string kLostStages = "stage IN ('rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown')";

// `$1`: the reason of those that heights are missing for, `$2`: how long a block hash is good, `$3`: how far
// above that the end comes.
const std::string kMayComeBack =
    " AND (reason = $1 OR coalesce(valid_until, watched_since + $2::bigint, 9223372036854775807) >= "
    "  (SELECT coalesce(max(upper(heights)), 0) FROM coverage) - $3::bigint) ";
constexpr int kEndComesWithin = 1'000;

WatchPosition position_of(const std::string& cursor) {
    auto position = parse_watch_cursor(cursor);
    if (!position) throw StorageError("the cursor of the list of watches is not valid");
    return std::move(*position);
}

std::optional<Watch> one_of(std::vector<Watch> found) {
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

bool listens_already(pqxx::transaction_base& session) {
    return !session.exec("SELECT FROM pg_listening_channels() AS c WHERE c = 'receiptd_watches'").empty();
}

}  // namespace

const char* origin_name(WatchOrigin origin) {
    switch (origin) {
        case WatchOrigin::hash: return "hash";
        case WatchOrigin::rule: return "rule";
        case WatchOrigin::submission: return "submission";
    }
    return "hash";
}

WatchUpdate update_of(const Watch& watch) {
    WatchUpdate update;
    update.tx_hash = watch.tx_hash;
    update.from = watch.state.stage;
    update.state = watch.state;
    if (watch.state.early) update.judged_early = watch.state.early->block_hash;
    return update;
}

PgWatchStore::PgWatchStore(Database& database, const base::Clock& clock, WaitedFor waited_for,
                           metrics::WatchSeries* series)
    : database_(database),
      clock_(clock),
      lane_(waited_for == WaitedFor::by_people ? database.pool.people : database.pool.following),
      series_(series) {}

base::Task<std::vector<std::string>> PgWatchStore::add_watches(std::vector<NewWatch> watches) {
    return lane_.run([watches = std::move(watches)](pqxx::connection& connection) {
        return insert_watches(connection, watches);
    });
}

base::Task<bool> PgWatchStore::remove_watch(std::string tx_hash) {
    return lane_.transaction([tx_hash = std::move(tx_hash)](pqxx::work& tx) {
        const auto removed =
            shim::query(tx, "DELETE FROM watches WHERE tx_hash = $1", tx_hash).affected_rows() > 0;
        if (removed) remove_transitions(tx, tx_hash);
        return removed;
    });
}

base::Task<bool> PgWatchStore::replace_ended(NewWatch watch, chain::Stage ended) {
    return lane_.run([given = std::move(watch), ended](pqxx::connection& connection) {
        auto row = given;
        pqxx::work tx(connection);
        const auto removed =
            shim::query(tx,
                        "DELETE FROM watches WHERE tx_hash = $1 AND stage = $2 "
                        "RETURNING coalesce(idempotency_key, ''), coalesce(metadata::text, ''), "
                        "coalesce(traceparent, '')",
                        row.tx_hash, std::string(chain::stage_name(ended)));
        if (removed.empty()) return false;
        remove_transitions(tx, row.tx_hash);
        const auto key = removed[0][0].as<std::string>();
        if (!key.empty()) row.idempotency_key = key;
        const auto metadata = removed[0][1].as<std::string>();
        if (!metadata.empty()) row.metadata_json = metadata;
        if (row.traceparent.empty()) row.traceparent = removed[0][2].as<std::string>();
        const bool added = !insert_watches(tx, {row}).empty();
        if (added) tx.commit();
        return added;
    });
}

base::Task<std::vector<Watch>> PgWatchStore::watches(std::vector<std::string> tx_hashes) {
    return lane_.transaction([tx_hashes = std::move(tx_hashes)](pqxx::work& tx) {
        return select_watches(tx, "WHERE tx_hash = ANY ($1::text[]) ORDER BY tx_hash", text_array(tx_hashes));
    });
}

base::Task<std::optional<Watch>> PgWatchStore::watch(std::string tx_hash) {
    return lane_.transaction([tx_hash = std::move(tx_hash)](pqxx::work& tx) {
        return one_of(select_watches(tx, "WHERE tx_hash = $1", tx_hash));
    });
}

base::Task<std::optional<Watch>> PgWatchStore::watch_by_idempotency_key(std::string key) {
    return lane_.transaction([key = std::move(key)](pqxx::work& tx) {
        return one_of(select_watches(tx, "WHERE idempotency_key = $1", key));
    });
}

// Every list goes on behind the last row it gave, so that rows that come in meanwhile move nothing.
base::Task<std::vector<Watch>> PgWatchStore::list_watches(WatchFilter filter) {
    return database_.pool.people.transaction([filter = std::move(filter)](pqxx::work& tx) {
        // Parameters that a condition does not use are compared with themselves: one statement for all
        // filters.
        std::string which =
            "WHERE ($1 = '' OR stage = $1) "
            "AND ($2 = '' OR verdict = $2) AND ($3 = '' OR sender_id = $3) "
            "AND ($7 = '' OR tx_hash = $7)";
        which += filter.idempotency_key.empty() ? " AND $8 = ''" : " AND idempotency_key = $8";
        if (filter.open_only) which += " AND " + kOpenStages;
        WatchPosition position;
        which += filter.cursor.empty() ? " AND $4::bigint = 0 AND $5 = ''"
                                       : " AND (created_at, tx_hash) < (" + time_parameter(4) + ", $5)";
        which += " ORDER BY created_at DESC, tx_hash DESC LIMIT $6";
        if (!filter.cursor.empty()) position = position_of(filter.cursor);
        return select_watches(
            tx, which, filter.stage ? std::string(chain::stage_name(*filter.stage)) : std::string(),
            filter.verdict ? std::string(chain::verdict_name(*filter.verdict)) : std::string(),
            filter.sender_id, position.created_at_microseconds, position.tx_hash, filter.limit,
            filter.tx_hash, filter.idempotency_key);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::open_watches(std::string after, unsigned limit) {
    return lane_.transaction([after = std::move(after), limit](pqxx::work& tx) {
        return select_watches(tx, "WHERE " + kOpenStages + " AND tx_hash > $1 ORDER BY tx_hash LIMIT $2",
                              after, limit);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::lost_watches(std::uint64_t validity_blocks, std::string after,
                                                          unsigned limit) {
    return lane_.transaction([validity_blocks, after = std::move(after), limit](pqxx::work& tx) {
        return select_watches(
            tx, "WHERE " + kLostStages + kMayComeBack + "AND tx_hash > $4 ORDER BY tx_hash LIMIT $5",
            std::string(chain::reason::kHeightsMissing), validity_blocks, kEndComesWithin, after, limit);
    });
}

base::Task<void> PgWatchStore::make_wanted_watches() {
    return lane_.run([&database = database_](pqxx::connection& connection) {
        storage::make_wanted_watches(connection, database.set_aside);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::new_watches(unsigned limit) {
    return lane_.transaction([limit](pqxx::work& tx) {
        return select_watches(
            tx, "WHERE watched_since IS NULL AND " + kOpenStages + " ORDER BY created_at LIMIT $1", limit);
    });
}

base::Task<std::vector<Watch>> PgWatchStore::watches_since(base::WallTime since, std::string after,
                                                           unsigned limit) {
    return lane_.transaction([since, after = std::move(after), limit](pqxx::work& tx) {
        return select_watches(tx,
                              "WHERE " + kOpenStages + " AND (created_at, tx_hash) > (" + time_parameter(1) +
                                  ", $2) ORDER BY created_at, tx_hash LIMIT $3",
                              microseconds(since), after, limit);
    });
}

base::Task<std::vector<OpenSubmission>> PgWatchStore::open_submissions(base::WallTime since,
                                                                       std::string after, unsigned limit) {
    return lane_.transaction([since, after = std::move(after), limit](pqxx::work& tx) {
        std::vector<OpenSubmission> page;
        for (const auto& row : shim::query(tx, kOpenSubmissions, microseconds(since), after, limit))
            page.push_back({row[0].as<std::string>(),
                            chain::parse_stage(row[1].as<std::string>()).value_or(chain::Stage::accepted),
                            wall_time(row[2])});
        return page;
    });
}

// A trigger sends the notification on each insert (schema/15_watch_notify.sql).
base::Task<bool> PgWatchStore::wait_for_watches(std::chrono::milliseconds timeout) {
    return database_.pool.listening.run([&database = database_, timeout](pqxx::connection& connection) {
        const auto until = std::chrono::steady_clock::now() + timeout;
        pqxx::nontransaction session(connection);
        if (shim::take_notifications(session)) return true;
        if (!listens_already(session)) {
            session.exec("LISTEN receiptd_watches");
            return true;  // somebody may have inserted before
        }
        while (!database.stop_signal().requested()) {
            if (shim::take_notifications(session)) return true;
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
            if (left <= 0ms) return false;
            shim::wait_for_server(session, database.stop_signal().descriptor(), left);
        }
        return false;
    });
}

base::Task<std::vector<StoredTransition>> PgWatchStore::transitions(std::string tx_hash) {
    return lane_.transaction([tx_hash = std::move(tx_hash)](pqxx::work& tx) {
        return std::move(transitions_of(tx, {tx_hash})[tx_hash]);
    });
}

base::Task<std::map<std::string, StoredTree>> PgWatchStore::stored_trees(std::vector<std::string> tx_hashes) {
    return lane_.run([&database = database_, tx_hashes = std::move(tx_hashes)](pqxx::connection& connection) {
        return storage::stored_trees(connection, tx_hashes, database.set_aside);
    });
}

base::Task<std::optional<std::string>> PgWatchStore::tree_of(std::string id) {
    return lane_.run([id = std::move(id)](pqxx::connection& connection) {
        pqxx::read_transaction tx(connection);
        return shim::optional_of<std::string>(
            shim::query(tx, "SELECT split_part(tree_id, '@', 1) FROM tree_of($1)", id)[0][0]);
    });
}

}  // namespace receiptd::storage
