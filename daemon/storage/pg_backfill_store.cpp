#include "storage/pg_backfill_store.hpp"

#include "storage/pg_reindex_store.hpp"
#include "storage/skip_heights.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr const char* kLease = "lease_owner = $1::uuid, lease_until = now() + interval '30 seconds'";
constexpr const char* kFree = "(lease_owner IS NULL OR lease_until < now())";

base::HeightSet missing_of(pqxx::transaction_base& tx, base::HeightRange range) {
    const auto rows = shim::query(tx, "SELECT $1::int8multirange - heights FROM coverage",
                                  base::HeightSet(range).to_multirange());
    if (rows.empty()) return base::HeightSet(range);
    return heights_of(rows[0][0]);
}

// Without what an operator has given up since it was ordered.
base::HeightSet still_missing_of(pqxx::transaction_base& tx, base::HeightRange range) {
    auto missing = missing_of(tx, range);
    missing.subtract(given_up_heights(tx));
    return missing;
}

// An order is for missing heights, for stored ones that lack accounts, or for stored ones to be replaced.
struct Order {
    base::HeightRange range;
    std::vector<std::string> accounts;
    bool replaces = false;
};

// An unfinished order of wider heights is that order, unless heights are missing.
std::int64_t register_order(pqxx::transaction_base& tx, const Order& order) {
    const auto names = text_array(order.accounts);
    const auto& range = order.range;
    const auto known = [&] {
        return shim::query(
            tx,
            "SELECT id FROM backfills WHERE state = 'unfinished' "
            "AND accounts = $3::text[] AND (to_replace IS NOT NULL) = $4 "
            "AND (from_height = $1 AND to_height = $2 "
            "  OR (accounts <> '{}' OR $4) AND from_height <= $1 AND to_height >= $2) ORDER BY id LIMIT 1",
            range.from, range.to, names, order.replaces);
    };
    const auto found = known();
    if (!found.empty()) return found[0][0].as<std::int64_t>();
    std::string to_replace;  // empty: NULL
    if (order.replaces) to_replace = replaceable_heights(tx, range).to_multirange();
    shim::query(tx,
                "INSERT INTO backfills (from_height, to_height, accounts, to_replace) "
                "VALUES ($1, $2, $3::text[], nullif($4, '')::int8multirange) "
                "ON CONFLICT (from_height, to_height, accounts, (to_replace IS NULL)) "
                "WHERE state = 'unfinished' DO NOTHING",
                range.from, range.to, names, to_replace);
    return known()[0][0].as<std::int64_t>();
}

BackfillProgress claim(pqxx::transaction_base& tx, const std::string& process, const Order& order) {
    BackfillProgress progress;
    progress.range = order.range;
    progress.accounts = order.accounts;
    progress.replaces = order.replaces;
    progress.id = register_order(tx, order);
    const auto leased =
        shim::query(tx,
                    std::string("UPDATE backfills SET ") + kLease + " WHERE id = $2 AND (" + kFree +
                        " OR lease_owner = $1::uuid) RETURNING from_height, to_height",
                    process, progress.id);
    progress.leased = leased.empty();  // by another process
    if (order.replaces && !leased.empty())
        progress.range = {leased[0][0].as<base::Height>(), leased[0][1].as<base::Height>()};
    return progress;
}

std::vector<std::string> accounts_of_order(pqxx::transaction_base& tx, std::int64_t id) {
    return texts_of(shim::query(tx, "SELECT unnest(accounts) FROM backfills WHERE id = $1", id));
}

}  // namespace

base::Task<BackfillProgress> PgBackfillStore::claim_backfill(base::HeightRange range) {
    return claim_fill(range, {});
}

base::Task<BackfillProgress> PgBackfillStore::claim_fill(base::HeightRange range,
                                                         std::vector<std::string> accounts) {
    std::sort(accounts.begin(), accounts.end());
    return database_.pool.following.transaction(
        [process = database_.process(), order = Order{range, std::move(accounts)}](pqxx::work& tx) {
            auto progress = claim(tx, process, order);
            if (order.accounts.empty()) progress.missing = missing_of(tx, order.range);
            return progress;
        });
}

base::Task<BackfillProgress> PgBackfillStore::claim_reindex(base::HeightRange range) {
    return database_.pool.following.transaction(
        [process = database_.process(), order = Order{range, {}, true}](pqxx::work& tx) {
            return claim(tx, process, order);
        });
}

base::Task<std::vector<BackfillProgress>> PgBackfillStore::claim_abandoned_backfills() {
    return database_.pool.following.transaction([process = database_.process()](pqxx::work& tx) {
        const auto rows =
            shim::query(tx,
                        std::string("UPDATE backfills SET ") + kLease +
                            " WHERE id IN (SELECT id FROM backfills WHERE state = 'unfinished' AND " + kFree +
                            " AND lease_owner IS DISTINCT FROM $1::uuid ORDER BY id LIMIT 2 "
                            "FOR UPDATE SKIP LOCKED) "
                            "RETURNING id, from_height, to_height, to_replace IS NOT NULL",
                        process);
        std::vector<BackfillProgress> claimed;
        for (const auto& row : rows) {
            const base::HeightRange range{row[1].as<base::Height>(), row[2].as<base::Height>()};
            BackfillProgress progress;
            progress.id = row[0].as<std::int64_t>();
            progress.range = range;
            progress.accounts = accounts_of_order(tx, progress.id);
            progress.replaces = row[3].as<bool>();
            if (progress.accounts.empty() && !progress.replaces)
                progress.missing = still_missing_of(tx, range);
            claimed.push_back(std::move(progress));
        }
        return claimed;
    });
}

base::Task<void> PgBackfillStore::renew_backfill(std::int64_t id) {
    return database_.pool.following.transaction([process = database_.process(), id](pqxx::work& tx) {
        shim::query(
            tx, std::string("UPDATE backfills SET ") + kLease + " WHERE id = $2 AND lease_owner = $1::uuid",
            process, id);
    });
}

base::Task<void> PgBackfillStore::finish_backfill(std::int64_t id) {
    return database_.pool.following.transaction([id](pqxx::work& tx) {
        shim::query(tx,
                    "UPDATE backfills SET state = 'finished', finished_at = now(), lease_owner = NULL, "
                    "lease_until = NULL WHERE id = $1 AND state = 'unfinished'",
                    id);
    });
}

base::Task<void> PgBackfillStore::release_backfill(std::int64_t id) {
    return database_.pool.following.transaction([process = database_.process(), id](pqxx::work& tx) {
        shim::query(tx,
                    "UPDATE backfills SET lease_owner = NULL, lease_until = NULL WHERE id = $2 "
                    "AND lease_owner = $1::uuid",
                    process, id);
    });
}

}  // namespace receiptd::storage
