// Which heights are wanted, done, or cannot be had.
#include "storage/sql.hpp"
#include "storage/sql_time.hpp"

namespace receiptd::storage::sql {
namespace {

base::HeightSet height_set(const pqxx::field& field) {
    auto set = base::HeightSet::parse_multirange(field.c_str());
    if (!set)
        throw StorageError(
            "coverage holds a range without end; correct it by hand (see COMMENT ON TABLE coverage)");
    return std::move(*set);
}

void add_wanted(pqxx::transaction_base& tx, base::HeightRange range) {
    shim::query(tx,
                "UPDATE coverage SET wanted = wanted + $1::int8multirange, updated_at = now() "
                "WHERE NOT wanted @> $1::int8multirange",
                base::HeightSet(range).to_multirange());
}

}  // namespace

Coverage load_coverage(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const auto rows = tx.exec(
        "SELECT wanted, heights, (extract(epoch FROM created_at) * 1000000)::bigint "
        "FROM coverage, chain_identity");
    if (rows.empty()) return {};
    return {height_set(rows[0][0]), height_set(rows[0][1]), wall_time(rows[0][2])};
}

void want(pqxx::connection& connection, base::HeightRange range) {
    pqxx::work tx(connection);
    add_wanted(tx, range);
    tx.commit();
}

// The next attempt comes after 30 s, doubling up to an hour; the follower may wait longer.
void record_unavailable(pqxx::connection& connection, const UnavailableHeight& height) {
    pqxx::work tx(connection);
    shim::query(
        tx,
        "INSERT INTO unavailable_heights AS u (height, reason, detail, attempts, next_attempt_at) "
        "VALUES ($1, $2, $3, $4, now() + least(30 * 2 ^ least($4::int, 7), 3600) * interval '1 second') "
        "ON CONFLICT (height) DO UPDATE SET reason = excluded.reason, detail = excluded.detail, "
        "attempts = greatest(u.attempts, excluded.attempts), last_attempt_at = now(), "
        "next_attempt_at = excluded.next_attempt_at",
        height.height, height.reason, height.detail, height.attempts);
    add_wanted(tx, {height.height, height.height});
    tx.commit();
}

std::vector<UnavailableHeight> unavailable_heights(pqxx::connection& connection, unsigned limit) {
    pqxx::work tx(connection);
    const auto rows = shim::query(tx,
                                  "SELECT height, reason, detail, attempts FROM unavailable_heights "
                                  "ORDER BY next_attempt_at, height LIMIT $1",
                                  limit);
    std::vector<UnavailableHeight> heights;
    for (const auto& row : rows)
        heights.push_back({row[0].as<base::Height>(), row[1].as<std::string>(), row[2].as<std::string>(),
                           row[3].as<unsigned>()});
    return heights;
}

}  // namespace receiptd::storage::sql
