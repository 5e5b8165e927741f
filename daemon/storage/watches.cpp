// Watches come and go.
#include "storage/copy.hpp"
#include "storage/store.hpp"
#include "storage/watch_sql.hpp"

#include <set>
#include <string_view>
#include <unordered_map>

namespace receiptd::storage {

const char* origin_name(WatchOrigin origin) {
    switch (origin) {
        case WatchOrigin::hash: return "hash";
        case WatchOrigin::rule: return "rule";
        case WatchOrigin::submission: return "submission";
    }
    return "hash";
}

namespace sql {
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
            costs.push_back(watch->cost);
            block_hashes.push_back(watch->block_hash);
            block_heights.push_back(text_of(watch->block_hash_height));
        }
    }
    std::vector<std::string> tx_hashes, senders, origins, rules, bytes, idempotency_keys, public_keys, nonces,
        valid_until, costs, block_hashes, block_heights;
};

// In the order of the hashes, so that two that add the same ones do not wait for each other in a circle.
constexpr const char* kInsert =
    "INSERT INTO watches AS w (tx_hash, sender_id, origin, rule, signed_tx_base64, idempotency_key, "
    "  public_key, nonce, valid_until, cost, block_hash, block_hash_height) "
    "SELECT tx_hash, sender_id, origin, nullif(rule, ''), nullif(bytes, ''), nullif(key, ''), "
    "  nullif(public_key, ''), nullif(nonce, '')::numeric, nullif(valid_until, '')::bigint, "
    "  nullif(cost, '')::numeric, nullif(block_hash, ''), nullif(block_height, '')::bigint "
    "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "  $8::text[], $9::text[], $10::text[], $11::text[], $12::text[]) AS new (tx_hash, sender_id, origin, "
    "  rule, bytes, key, public_key, nonce, valid_until, cost, block_hash, block_height) "
    "WHERE key = '' OR NOT EXISTS (SELECT FROM watches other WHERE other.idempotency_key = key "
    "  AND other.tx_hash <> new.tx_hash) "
    "ORDER BY tx_hash "
    "ON CONFLICT (tx_hash) DO UPDATE SET sender_id = excluded.sender_id, origin = excluded.origin, "
    "  signed_tx_base64 = excluded.signed_tx_base64, "
    "  idempotency_key = coalesce(w.idempotency_key, excluded.idempotency_key), "
    "  public_key = excluded.public_key, nonce = excluded.nonce, valid_until = excluded.valid_until, "
    "  cost = excluded.cost, block_hash = excluded.block_hash, "
    "  block_hash_height = excluded.block_hash_height, next_check_at = now(), created_at = now(), "
    "  updated_at = now() "
    "WHERE w.signed_tx_base64 IS NULL AND excluded.signed_tx_base64 IS NOT NULL "
    "RETURNING tx_hash, xmax = 0";

// To those that were handed in without one before.
constexpr const char* kGiveKeys =
    "UPDATE watches w SET idempotency_key = new.key, updated_at = now() "
    "FROM unnest($1::text[], $2::text[], $3::text[]) AS new (tx_hash, bytes, key) "
    "WHERE w.tx_hash = new.tx_hash AND w.signed_tx_base64 = new.bytes AND new.bytes <> '' AND new.key <> '' "
    "AND w.idempotency_key IS NULL "
    "AND NOT EXISTS (SELECT FROM watches other WHERE other.idempotency_key = new.key)";

std::vector<std::string> insert(pqxx::transaction_base& tx, const WatchColumns& c) {
    const auto rows =
        shim::query(tx, kInsert, text_array(c.tx_hashes), text_array(c.senders), text_array(c.origins),
                    text_array(c.rules), text_array(c.bytes), text_array(c.idempotency_keys),
                    text_array(c.public_keys), text_array(c.nonces), text_array(c.valid_until),
                    text_array(c.costs), text_array(c.block_hashes), text_array(c.block_heights));
    shim::query(tx, kGiveKeys, text_array(c.tx_hashes), text_array(c.bytes), text_array(c.idempotency_keys));
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

}  // namespace

void require_storable(const std::vector<NewWatch>& watches) {
    for (const auto& watch : watches) {
        if (!is_transaction_hash(watch.tx_hash))
            throw StorageError("a watch's tx_hash is not 32 bytes in base58");
        for (const auto* text : {&watch.sender_id, &watch.rule, &watch.signed_tx_base64,
                                 &watch.idempotency_key, &watch.public_key, &watch.cost, &watch.block_hash})
            if (text->find('\0') != std::string::npos)
                throw StorageError("a text of the watch of " + watch.tx_hash +
                                   " holds a NUL character, which PostgreSQL does not store");
    }
}

std::vector<std::string> add_watches(pqxx::connection& connection, const std::vector<NewWatch>& watches) {
    const auto kept = without_repeats(watches);
    if (kept.empty()) return {};
    const WatchColumns columns(kept);
    try {
        return insert(connection, columns);
    } catch (const pqxx::unique_violation&) {
        return insert(connection, columns);  // somebody else has just used a key: now it is seen
    }
}

bool remove_watch(pqxx::connection& connection, const std::string& tx_hash) {
    pqxx::work tx(connection);
    const auto removed =
        shim::query(tx, "DELETE FROM watches WHERE tx_hash = $1", tx_hash).affected_rows() > 0;
    if (removed) remove_transitions(tx, tx_hash);
    tx.commit();
    return removed;
}

bool replace_ended(pqxx::connection& connection, NewWatch watch, chain::Stage ended) {
    pqxx::work tx(connection);
    const auto removed = shim::query(tx,
                                     "DELETE FROM watches WHERE tx_hash = $1 AND stage = $2 "
                                     "RETURNING coalesce(idempotency_key, '')",
                                     watch.tx_hash, std::string(chain::stage_name(ended)));
    if (removed.empty()) return false;
    remove_transitions(tx, watch.tx_hash);
    const auto key = removed[0][0].as<std::string>();
    if (!key.empty()) watch.idempotency_key = key;
    const std::vector<const NewWatch*> one{&watch};
    const bool added = !insert(tx, WatchColumns(one)).empty();
    if (added) tx.commit();
    return added;
}

std::vector<Watch> watches(pqxx::connection& connection, const std::vector<std::string>& tx_hashes) {
    pqxx::work tx(connection);
    return watches_of(shim::query(
        tx, "SELECT " + kWatchColumns + " FROM watches WHERE tx_hash = ANY ($1::text[]) ORDER BY tx_hash",
        text_array(tx_hashes)));
}

std::optional<Watch> watch_by_idempotency_key(pqxx::connection& connection, const std::string& key) {
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx, "SELECT " + kWatchColumns + " FROM watches WHERE idempotency_key = $1", key);
    if (rows.empty()) return std::nullopt;
    return watch_of(rows[0]);
}

}  // namespace sql
}  // namespace receiptd::storage
