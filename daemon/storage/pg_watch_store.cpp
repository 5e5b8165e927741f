#include "storage/pg_watch_store.hpp"

#include "storage/certainty_rows.hpp"
#include "storage/copy.hpp"
#include "storage/errors.hpp"
#include "storage/sql_time.hpp"
#include "storage/stored_trees.hpp"
#include "storage/watch_rows.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace receiptd::storage {
namespace {

using namespace std::chrono_literals;

// Each watch once, each key once; of two the one that was handed in.
std::vector<const NewWatch*> without_repeats(const std::vector<NewWatch>& watches) {
    std::vector<const NewWatch*> kept;
    std::unordered_map<std::string_view, std::size_t> places;
    std::set<std::string_view> keys;
    for (const auto& watch : watches) {
        const auto [place, is_new] = places.emplace(watch.tx_hash, kept.size());
        if (!is_new && (watch.signed_tx_base64.empty() || !kept[place->second]->signed_tx_base64.empty()))
            continue;
        if (!watch.idempotency_key.empty() && !keys.insert(watch.idempotency_key).second) {
            if (is_new) places.erase(place);
            continue;
        }
        if (is_new)
            kept.push_back(&watch);
        else
            kept[place->second] = &watch;
    }
    return kept;
}

std::string text_of(const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : std::string();
}

struct WatchColumns {
    explicit WatchColumns(const std::vector<const NewWatch*>& watches) {
        for (const auto* watch : watches) {
            tx_hashes.push_back(watch->tx_hash);
            senders.push_back(watch->sender_id);
            origins.emplace_back(origin_name(watch->origin));
            rules.push_back(watch->rule);
            bytes.push_back(watch->signed_tx_base64);
            idempotency_keys.push_back(watch->idempotency_key);
            public_keys.push_back(watch->public_key);
            nonces.push_back(text_of(watch->nonce));
            valid_until.push_back(text_of(watch->valid_until));
            nonce_indexes.push_back(watch->nonce_index ? std::to_string(*watch->nonce_index) : std::string());
            block_hashes.push_back(watch->block_hash);
            block_heights.push_back(text_of(watch->block_hash_height));
            metadata.push_back(watch->metadata_json);
            give_metadata = give_metadata || !watch->metadata_json.empty();
        }
    }
    std::vector<std::string> tx_hashes, senders, origins, rules, bytes, idempotency_keys, public_keys, nonces,
        valid_until, nonce_indexes, block_hashes, block_heights, metadata;
    bool give_metadata = false;
};

// Inserts in the order of the hashes, so that two writers of the same watches cannot deadlock.
constexpr const char* kInsert =
    "INSERT INTO watches AS w (tx_hash, sender_id, origin, rule, signed_tx_base64, idempotency_key, "
    "  public_key, nonce, valid_until, nonce_index, block_hash, block_hash_height, metadata, "
    "  safe_to_resign_after_height, safe_to_resign_estimated_at) "
    "SELECT tx_hash, sender_id, origin, nullif(rule, ''), nullif(bytes, ''), nullif(key, ''), "
    "  nullif(public_key, ''), nullif(nonce, '')::numeric, nullif(valid_until, '')::bigint, "
    "  nullif(nonce_index, '')::int, nullif(block_hash, ''), nullif(block_height, '')::bigint, "
    "  nullif(metadata, '')::json, nullif(valid_until, '')::bigint, estimated_time(nullif(valid_until, "
    "'')::bigint) "
    "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "  $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[]) AS new (tx_hash, "
    "  sender_id, origin, rule, bytes, key, public_key, nonce, valid_until, nonce_index, block_hash, "
    "  block_height, metadata) "
    "WHERE key = '' OR NOT EXISTS (SELECT FROM watches other WHERE other.idempotency_key = key "
    "  AND other.tx_hash <> new.tx_hash) "
    "ORDER BY tx_hash "
    "ON CONFLICT (tx_hash) DO UPDATE SET sender_id = excluded.sender_id, origin = excluded.origin, "
    "  signed_tx_base64 = excluded.signed_tx_base64, "
    "  idempotency_key = coalesce(w.idempotency_key, excluded.idempotency_key), "
    "  metadata = coalesce(w.metadata, excluded.metadata), "
    "  public_key = excluded.public_key, nonce = excluded.nonce, valid_until = excluded.valid_until, "
    "  nonce_index = excluded.nonce_index, block_hash = excluded.block_hash, "
    "  block_hash_height = excluded.block_hash_height, "
    "  safe_to_resign_after_height = CASE WHEN w.conclusive THEN w.safe_to_resign_after_height "
    "    ELSE excluded.safe_to_resign_after_height END, "
    "  safe_to_resign_estimated_at = CASE WHEN w.conclusive THEN w.safe_to_resign_estimated_at "
    "    ELSE excluded.safe_to_resign_estimated_at END, "
    "  next_check_at = now(), created_at = now(), updated_at = now() "
    "WHERE w.signed_tx_base64 IS NULL AND excluded.signed_tx_base64 IS NOT NULL "
    "RETURNING tx_hash, xmax = 0";

// Gives keys to watches that were submitted without one before.
constexpr const char* kGiveKeys =
    "UPDATE watches w SET idempotency_key = new.key, updated_at = now() "
    "FROM unnest($1::text[], $2::text[], $3::text[]) AS new (tx_hash, bytes, key) "
    "WHERE w.tx_hash = new.tx_hash AND w.signed_tx_base64 = new.bytes AND new.bytes <> '' AND new.key <> '' "
    "AND w.idempotency_key IS NULL "
    "AND NOT EXISTS (SELECT FROM watches other WHERE other.idempotency_key = new.key)";

constexpr const char* kGiveMetadata =
    "UPDATE watches w SET metadata = new.metadata::json, updated_at = now() "
    "FROM unnest($1::text[], $2::text[]) AS new (tx_hash, metadata) "
    "WHERE w.tx_hash = new.tx_hash AND new.metadata <> '' AND w.metadata IS NULL";

std::vector<std::string> insert(pqxx::transaction_base& tx, const WatchColumns& c) {
    const auto rows = shim::query(
        tx, kInsert, text_array(c.tx_hashes), text_array(c.senders), text_array(c.origins),
        text_array(c.rules), text_array(c.bytes), text_array(c.idempotency_keys), text_array(c.public_keys),
        text_array(c.nonces), text_array(c.valid_until), text_array(c.nonce_indexes),
        text_array(c.block_hashes), text_array(c.block_heights), text_array(c.metadata));
    shim::query(tx, kGiveKeys, text_array(c.tx_hashes), text_array(c.bytes), text_array(c.idempotency_keys));
    if (c.give_metadata) shim::query(tx, kGiveMetadata, text_array(c.tx_hashes), text_array(c.metadata));
    std::vector<std::string> added;
    for (const auto& row : rows)
        if (row[1].as<bool>()) added.push_back(row[0].as<std::string>());
    return added;
}

std::vector<std::string> insert(pqxx::connection& connection, const WatchColumns& columns) {
    pqxx::work tx(connection);
    auto added = insert(tx, columns);
    tx.commit();
    return added;
}

void remove_transitions(pqxx::transaction_base& tx, const std::string& tx_hash) {
    shim::query(tx, "DELETE FROM watch_transitions WHERE tx_hash = $1", tx_hash);
}

// Throws StorageError if the database could not keep them as they are.
void require_storable(const std::vector<NewWatch>& watches) {
    for (const auto& watch : watches) {
        if (!is_transaction_hash(watch.tx_hash))
            throw StorageError("a watch's tx_hash is not 32 bytes in base58");
        for (const auto* text :
             {&watch.sender_id, &watch.rule, &watch.signed_tx_base64, &watch.idempotency_key,
              &watch.public_key, &watch.block_hash, &watch.metadata_json})
            if (text->find('\0') != std::string::npos)
                throw StorageError("a text of the watch of " + watch.tx_hash +
                                   " holds a NUL character, which PostgreSQL does not store");
    }
}

const std::string kOpenSubmissions =
    "SELECT tx_hash, stage, " + microseconds_of("created_at") +
    " FROM watches WHERE signed_tx_base64 IS NOT NULL AND stage IN ('accepted', 'pending') "
    "AND (created_at, tx_hash) > (" +
    time_parameter(1) + ", $2) ORDER BY created_at, tx_hash LIMIT $3";

// As the index has it (migrations/0004).
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

PgWatchStore::PgWatchStore(Database& database, const base::Clock& clock, WaitedFor waited_for,
                           metrics::WatchSeries* series)
    : database_(database),
      clock_(clock),
      lane_(waited_for == WaitedFor::by_people ? database.pool.people : database.pool.following),
      series_(series) {}

base::Task<std::vector<std::string>> PgWatchStore::add_watches(std::vector<NewWatch> watches) {
    return lane_.run(
        [watches = std::move(watches)](pqxx::connection& connection) -> std::vector<std::string> {
            require_storable(watches);
            const auto kept = without_repeats(watches);
            if (kept.empty()) return {};
            const WatchColumns columns(kept);
            try {
                return insert(connection, columns);
            } catch (const pqxx::unique_violation&) {
                return insert(connection, columns);  // somebody else has just used a key: now it is seen
            }
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
        require_storable({given});
        auto row = given;
        pqxx::work tx(connection);
        const auto removed =
            shim::query(tx,
                        "DELETE FROM watches WHERE tx_hash = $1 AND stage = $2 "
                        "RETURNING coalesce(idempotency_key, ''), coalesce(metadata::text, '')",
                        row.tx_hash, std::string(chain::stage_name(ended)));
        if (removed.empty()) return false;
        remove_transitions(tx, row.tx_hash);
        const auto key = removed[0][0].as<std::string>();
        if (!key.empty()) row.idempotency_key = key;
        const auto metadata = removed[0][1].as<std::string>();
        if (!metadata.empty()) row.metadata_json = metadata;
        const std::vector<const NewWatch*> one{&row};
        const bool added = !insert(tx, WatchColumns(one)).empty();
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
            "AND ($2 = '' OR verdict = $2) AND ($3 = '' OR sender_id = $3)";
        if (filter.open_only) which += " AND " + kOpenStages;
        WatchPosition position;
        which += filter.cursor.empty() ? " AND $4::bigint = 0 AND $5 = ''"
                                       : " AND (created_at, tx_hash) < (" + time_parameter(4) + ", $5)";
        which += " ORDER BY created_at DESC, tx_hash DESC LIMIT $6";
        if (!filter.cursor.empty()) position = position_of(filter.cursor);
        return select_watches(
            tx, which, filter.stage ? std::string(chain::stage_name(*filter.stage)) : std::string(),
            filter.verdict ? std::string(chain::verdict_name(*filter.verdict)) : std::string(),
            filter.sender_id, position.created_at_microseconds, position.tx_hash, filter.limit);
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
        const auto rows =
            shim::query(tx,
                        "SELECT from_stage, to_stage, " + microseconds_of("at") + ", block_height, " +
                            microseconds_of("block_time") + ", evidence, " + certainty_columns() +
                            " FROM watch_transitions WHERE tx_hash = $1 ORDER BY at",
                        tx_hash);
        std::vector<StoredTransition> found;
        for (const auto& row : rows) {
            StoredTransition stored;
            auto& transition = stored.transition;
            transition.from = chain::parse_stage(row[0].as<std::string>()).value_or(chain::Stage::accepted);
            transition.to = chain::parse_stage(row[1].as<std::string>()).value_or(chain::Stage::accepted);
            stored.learned_at = wall_time(row[2]);
            if (!row[3].is_null() && !row[4].is_null())
                transition.at = chain::ExecutedAt{row[3].as<chain::BlockHeight>(),
                                                  row[4].as<std::uint64_t>() * kNanosecondsPerMicrosecond};
            transition.evidence = row[5].as<std::string>();
            stored.certainty = certainty_of(row, 6).value_or(chain::Certainty{});
            found.push_back(std::move(stored));
        }
        return found;
    });
}

base::Task<std::map<std::string, StoredTree>> PgWatchStore::stored_trees(std::vector<std::string> tx_hashes) {
    return lane_.run([tx_hashes = std::move(tx_hashes)](pqxx::connection& connection) {
        return storage::stored_trees(connection, tx_hashes);
    });
}

base::Task<std::optional<std::string>> PgWatchStore::tree_of(std::string id) {
    return lane_.run([id = std::move(id)](pqxx::connection& connection) {
        pqxx::read_transaction tx(connection);
        return shim::optional_of<std::string>(shim::query(tx, "SELECT tree_id FROM tree_of($1)", id)[0][0]);
    });
}

}  // namespace receiptd::storage
