#include "storage/pg_backfill_store.hpp"

namespace receiptd::storage {
namespace {

constexpr const char* kLease = "lease_owner = $1::uuid, lease_until = now() + interval '30 seconds'";
constexpr const char* kFree = "(lease_owner IS NULL OR lease_until < now())";

base::HeightSet missing_of(pqxx::transaction_base& tx, base::HeightRange range) {
    const auto rows = shim::query(tx, "SELECT $1::int8multirange - heights FROM coverage",
                                  base::HeightSet(range).to_multirange());
    if (rows.empty()) return base::HeightSet(range);
    return base::HeightSet::parse_multirange(rows[0][0].c_str()).value_or(base::HeightSet(range));
}

std::int64_t register_range(pqxx::transaction_base& tx, base::HeightRange range) {
    shim::query(tx,
                "INSERT INTO backfills (from_height, to_height) VALUES ($1, $2) "
                "ON CONFLICT (from_height, to_height) WHERE state = 'unfinished' DO NOTHING",
                range.from, range.to);
    return shim::query(tx,
                       "SELECT id FROM backfills WHERE from_height = $1 AND to_height = $2 "
                       "AND state = 'unfinished'",
                       range.from, range.to)[0][0]
        .as<std::int64_t>();
}

}  // namespace

base::Task<BackfillProgress> PgBackfillStore::claim_backfill(base::HeightRange range) {
    return database_.pool.following.transaction([process = database_.process(), range](pqxx::work& tx) {
        BackfillProgress progress;
        progress.range = range;
        progress.id = register_range(tx, range);
        const auto leased = shim::query(tx,
                                        std::string("UPDATE backfills SET ") + kLease +
                                            " WHERE id = $2 AND (" + kFree + " OR lease_owner = $1::uuid)",
                                        process, progress.id);
        progress.leased = leased.affected_rows() == 0;  // by another process
        progress.missing = missing_of(tx, range);
        return progress;
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
                            "RETURNING id, from_height, to_height",
                        process);
        std::vector<BackfillProgress> claimed;
        for (const auto& row : rows) {
            const base::HeightRange range{row[1].as<base::Height>(), row[2].as<base::Height>()};
            claimed.push_back({row[0].as<std::int64_t>(), range, missing_of(tx, range), false});
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
