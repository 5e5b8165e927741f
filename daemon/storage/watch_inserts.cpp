#include "storage/watch_inserts.hpp"

#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/in_the_way.hpp"

#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>

namespace receiptd::storage {
namespace {

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
            traceparents.push_back(watch->traceparent);
            give_metadata = give_metadata || !watch->metadata_json.empty();
            give_traceparent = give_traceparent || !watch->traceparent.empty();
        }
    }
    std::vector<std::string> tx_hashes, senders, origins, rules, bytes, idempotency_keys, public_keys, nonces,
        valid_until, nonce_indexes, block_hashes, block_heights, metadata, traceparents;
    bool give_metadata = false, give_traceparent = false;
};

// Inserts in the order of the hashes, so that two writers of the same watches cannot deadlock.
constexpr const char* kInsert =
    "INSERT INTO watches AS w (tx_hash, sender_id, origin, rule, signed_tx_base64, idempotency_key, "
    "  public_key, nonce, valid_until, nonce_index, block_hash, block_hash_height, metadata, "
    "  traceparent, safe_to_resign_after_height, safe_to_resign_estimated_at) "
    "SELECT tx_hash, sender_id, origin, nullif(rule, ''), nullif(bytes, ''), nullif(key, ''), "
    "  nullif(public_key, ''), nullif(nonce, '')::numeric, nullif(valid_until, '')::bigint, "
    "  nullif(nonce_index, '')::int, nullif(block_hash, ''), nullif(block_height, '')::bigint, "
    "  nullif(metadata, '')::json, nullif(traceparent, ''), nullif(valid_until, '')::bigint, "
    "estimated_time(nullif(valid_until, "
    "'')::bigint) "
    "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "  $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]) AS new "
    "(tx_hash, "
    "  sender_id, origin, rule, bytes, key, public_key, nonce, valid_until, nonce_index, block_hash, "
    "  block_height, metadata, traceparent) "
    "WHERE key = '' OR NOT EXISTS (SELECT FROM watches other WHERE other.idempotency_key = key "
    "  AND other.tx_hash <> new.tx_hash) "
    "ORDER BY tx_hash "
    "ON CONFLICT (tx_hash) DO UPDATE SET sender_id = excluded.sender_id, origin = excluded.origin, "
    "  signed_tx_base64 = excluded.signed_tx_base64, "
    "  idempotency_key = coalesce(w.idempotency_key, excluded.idempotency_key), "
    "  metadata = coalesce(w.metadata, excluded.metadata), "
    "  traceparent = coalesce(w.traceparent, excluded.traceparent), "
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

// Gives a column to watches that lack it.
std::string give(const std::string& column, const std::string& type) {
    return "UPDATE watches w SET " + column + " = new.given::" + type +
           ", updated_at = now() FROM unnest($1::text[], $2::text[]) AS new (tx_hash, given) "
           "WHERE w.tx_hash = new.tx_hash AND new.given <> '' AND w." +
           column + " IS NULL";
}
const std::string kGiveMetadata = give("metadata", "json");
const std::string kGiveTraceparent = give("traceparent", "text");

std::vector<std::string> insert(pqxx::transaction_base& tx, const WatchColumns& c) {
    const auto rows =
        shim::query(tx, kInsert, text_array(c.tx_hashes), text_array(c.senders), text_array(c.origins),
                    text_array(c.rules), text_array(c.bytes), text_array(c.idempotency_keys),
                    text_array(c.public_keys), text_array(c.nonces), text_array(c.valid_until),
                    text_array(c.nonce_indexes), text_array(c.block_hashes), text_array(c.block_heights),
                    text_array(c.metadata), text_array(c.traceparents));
    shim::query(tx, kGiveKeys, text_array(c.tx_hashes), text_array(c.bytes), text_array(c.idempotency_keys));
    if (c.give_metadata) shim::query(tx, kGiveMetadata, text_array(c.tx_hashes), text_array(c.metadata));
    if (c.give_traceparent)
        shim::query(tx, kGiveTraceparent, text_array(c.tx_hashes), text_array(c.traceparents));
    std::vector<std::string> added;
    for (const auto& row : rows)
        if (row[1].as<bool>()) added.push_back(row[0].as<std::string>());
    return added;
}

// Another session may have inserted one of the hashes and not have ended: nobody waits for it for long.
std::vector<std::string> insert(pqxx::connection& connection, const WatchColumns& columns) {
    pqxx::work tx(connection);
    tx.exec("SET LOCAL lock_timeout = '1s'");
    auto added = insert(tx, columns);
    tx.commit();
    return added;
}

std::vector<std::string> insert_or_say_who_holds(pqxx::connection& connection, const WatchColumns& columns) {
    try {
        return insert(connection, columns);
    } catch (const pqxx::unique_violation&) {
        return insert(connection, columns);  // somebody else has just used a key: now it is seen
    } catch (const pqxx::sql_error& error) {
        if (shim::sqlstate_of(error) != kNoLockInTime) throw;
        pqxx::work tx(connection);
        throw StorageTimeout(
            "another session of the database has added this watch and has not committed yet: " +
            writers_of(tx, "watches"));
    }
}

// Throws StorageError if the database could not keep them as they are.
void require_storable(const std::vector<NewWatch>& watches) {
    for (const auto& watch : watches) {
        if (!is_transaction_hash(watch.tx_hash))
            throw StorageError("a watch's tx_hash is not 32 bytes in base58");
        for (const auto* text :
             {&watch.sender_id, &watch.rule, &watch.signed_tx_base64, &watch.idempotency_key,
              &watch.public_key, &watch.block_hash, &watch.metadata_json, &watch.traceparent})
            if (text->find('\0') != std::string::npos)
                throw StorageError("a text of the watch of " + watch.tx_hash +
                                   " holds a NUL character, which PostgreSQL does not store");
    }
}

}  // namespace

std::vector<std::string> insert_watches(pqxx::connection& connection, const std::vector<NewWatch>& watches) {
    require_storable(watches);
    const auto kept = without_repeats(watches);
    if (kept.empty()) return {};
    return insert_or_say_who_holds(connection, WatchColumns(kept));
}

std::vector<std::string> insert_watches(pqxx::transaction_base& tx, const std::vector<NewWatch>& watches) {
    require_storable(watches);
    const auto kept = without_repeats(watches);
    if (kept.empty()) return {};
    return insert(tx, WatchColumns(kept));
}

}  // namespace receiptd::storage
