// Backfill orders, each worked on by the process that holds its lease.
#include "storage/sql.hpp"

namespace receiptd::storage::sql {
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

BackfillProgress claim_backfill(pqxx::connection& connection, base::HeightRange range,
                                const std::string& owner) {
    pqxx::work tx(connection);
    BackfillProgress progress;
    progress.range = range;
    progress.id = register_range(tx, range);
    const auto leased = shim::query(tx,
                                    std::string("UPDATE backfills SET ") + kLease + " WHERE id = $2 AND (" +
                                        kFree + " OR lease_owner = $1::uuid)",
                                    owner, progress.id);
    progress.leased = leased.affected_rows() == 0;  // by another process
    progress.missing = missing_of(tx, range);
    tx.commit();
    return progress;
}

std::vector<BackfillProgress> claim_abandoned_backfills(pqxx::connection& connection,
                                                        const std::string& owner) {
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx,
                    std::string("UPDATE backfills SET ") + kLease +
                        " WHERE id IN (SELECT id FROM backfills WHERE state = 'unfinished' AND " + kFree +
                        " AND lease_owner IS DISTINCT FROM $1::uuid ORDER BY id LIMIT 2 "
                        "FOR UPDATE SKIP LOCKED) "
                        "RETURNING id, from_height, to_height",
                    owner);
    std::vector<BackfillProgress> claimed;
    for (const auto& row : rows) {
        const base::HeightRange range{row[1].as<base::Height>(), row[2].as<base::Height>()};
        claimed.push_back({row[0].as<std::int64_t>(), range, missing_of(tx, range), false});
    }
    tx.commit();
    return claimed;
}

void renew_backfill(pqxx::connection& connection, std::int64_t id, const std::string& owner) {
    pqxx::work tx(connection);
    shim::query(tx,
                std::string("UPDATE backfills SET ") + kLease + " WHERE id = $2 AND lease_owner = $1::uuid",
                owner, id);
    tx.commit();
}

void finish_backfill(pqxx::connection& connection, std::int64_t id) {
    pqxx::work tx(connection);
    shim::query(tx,
                "UPDATE backfills SET state = 'finished', finished_at = now(), lease_owner = NULL, "
                "lease_until = NULL WHERE id = $1 AND state = 'unfinished'",
                id);
    tx.commit();
}

void release_backfill(pqxx::connection& connection, std::int64_t id, const std::string& owner) {
    pqxx::work tx(connection);
    shim::query(tx,
                "UPDATE backfills SET lease_owner = NULL, lease_until = NULL WHERE id = $2 "
                "AND lease_owner = $1::uuid",
                owner, id);
    tx.commit();
}

}  // namespace receiptd::storage::sql
