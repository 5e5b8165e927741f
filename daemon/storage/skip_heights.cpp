#include "storage/skip_heights.hpp"

namespace receiptd::storage {
namespace {

// A database that no daemon of this version has followed is followed from where its stored blocks end.
constexpr const char* kSkip = R"(
WITH stored AS (
    SELECT wanted, heights, coalesce(followed_since, upper(range_merge(heights))) AS since,
           coalesce((SELECT range_agg(one) FROM operator_skips s, unnest(s.heights) AS one) - wanted, '{}') AS skipped
    FROM coverage FOR UPDATE
), missing AS (
    SELECT (wanted + int8multirange(int8range(since, greatest(since, $2), '[]')) - heights - skipped)
           * int8multirange(int8range($1, $2, '[]')) AS heights
    FROM stored WHERE since IS NOT NULL
), noted AS (
    INSERT INTO operator_skips (heights) SELECT heights FROM missing WHERE NOT isempty(heights)
), given_up AS (
    UPDATE coverage c SET wanted = c.wanted - m.heights, updated_at = now() FROM missing m
), forgotten AS (
    DELETE FROM unavailable_heights u USING missing m WHERE m.heights @> u.height
), ended AS (
    UPDATE backfills SET state = 'finished', finished_at = now(), lease_owner = NULL, lease_until = NULL
    WHERE state = 'unfinished' AND from_height >= $1 AND to_height <= $2 AND accounts = '{}' AND to_replace IS NULL
)
SELECT coalesce((SELECT heights FROM missing), '{}'))";

}  // namespace

base::HeightSet skip_heights(pqxx::transaction_base& tx, base::HeightRange range) {
    const auto row = shim::query(tx, kSkip, range.from, range.to)[0];
    return heights_of(row[0]);
}

base::HeightSet given_up_heights(pqxx::transaction_base& tx) {
    const auto rows = tx.exec(
        "SELECT coalesce((SELECT range_agg(one) FROM operator_skips s, unnest(s.heights) AS one), '{}') - "
        "wanted "
        "FROM coverage");
    return rows.empty() ? base::HeightSet() : heights_of(rows[0][0]);
}

bool is_skipped(pqxx::transaction_base& tx, base::Height height) {
    return shim::query(
               tx,
               "SELECT EXISTS (SELECT FROM operator_skips s, coverage c WHERE s.heights @> $1::bigint "
               "AND NOT c.wanted @> $1::bigint)",
               height)[0][0]
        .as<bool>();
}

}  // namespace receiptd::storage
