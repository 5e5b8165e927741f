#include "storage/timed_known.hpp"

#include "storage/account_coverage.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>
#include <string>

namespace receiptd::storage {
namespace {

// Writers store blocks near the newest one in any order.
constexpr std::chrono::minutes kNear{2};
constexpr std::chrono::days kLongestWindow{8};

// Accounts that came later are whole where no height was stored without them, and no tree of such goes on.
const std::string kStretch =
    "WITH near AS (SELECT block_height, block_time FROM blocks WHERE block_time BETWEEN " +
    time_parameter(1) + " AND " + time_parameter(2) +
    "), stretch AS (SELECT lower(r) AS first, upper(r) - 1 AS last FROM coverage, unnest(heights - coalesce("
    "    (SELECT range_agg(one) FROM followed_accounts f, unnest(f.not_whole) AS one WHERE " +
    kFollowedNow +
    "), '{}')) AS r "
    "  WHERE upper(r) > (SELECT min(block_height) FROM near) ORDER BY upper(r) - lower(r) DESC LIMIT 1) "
    "SELECT first, " +
    microseconds_of("(SELECT max(block_time) FROM near WHERE block_height <= last)") + " FROM stretch";

const std::string kFirstBlock = "SELECT " + microseconds_of("block_time") +
                                " FROM blocks WHERE block_height >= $1 AND block_time BETWEEN " +
                                time_parameter(2) + " AND " + time_parameter(3) +
                                " ORDER BY block_height LIMIT 1";

const std::string kBeginsAtSkip =
    "SELECT EXISTS (SELECT FROM blocks b, coverage c, unnest(c.heights) AS r, operator_skips s "
    "WHERE b.block_time = " +
    time_parameter(1) + " AND r @> b.block_height AND (s.heights - c.wanted) @> lower(r) - 1)";

const std::string kUnsettled =
    "SELECT DISTINCT " + microseconds_of("at") +
    " FROM (SELECT block_time AS at FROM pending_trees "
    "  WHERE (receipts_missing_since < now() - interval '10 minutes') IS NOT TRUE "
    "    AND (placed_at < now() - interval '10 minutes' AND starts_with(reason, 'outcomes_missing')) "
    "      IS NOT TRUE UNION ALL "
    "  SELECT to_timestamp(timestamp_nanosec / 1000000000.0) FROM unplaced_receipts) AS unsettled "
    "WHERE at BETWEEN " +
    time_parameter(1) + " AND " + time_parameter(2) + " ORDER BY 1 DESC";

const std::string kStoodStill =
    "SELECT coalesce(sum(extract(epoch FROM least(apart, at - " + time_parameter(1) +
    ")) * 1000000), 0)::bigint FROM (SELECT block_time AS at, "
    "    block_time - lag(block_time) OVER (ORDER BY block_time) AS apart FROM blocks "
    "  WHERE block_time <= " +
    time_parameter(2) + " AND block_time >= " + time_parameter(4) +
    " AND block_time >= coalesce((SELECT block_time FROM blocks WHERE block_time BETWEEN " +
    time_parameter(4) + " AND " + time_parameter(1) + " ORDER BY block_time DESC LIMIT 1), " +
    time_parameter(1) + ")) AS each WHERE apart > interval '1 second' * $3::bigint AND at > " +
    time_parameter(1);

}  // namespace

std::optional<rule::KnownTime> known_time(pqxx::transaction_base& tx, base::WallTime newest) {
    const auto stretch = shim::query(tx, kStretch, microseconds(newest - kNear), microseconds(newest));
    if (stretch.empty() || stretch[0][0].is_null() || stretch[0][1].is_null()) return std::nullopt;
    const auto until = wall_time(stretch[0][1]);
    const auto first = shim::query(tx, kFirstBlock, stretch[0][0].as<std::int64_t>(),
                                   microseconds(until - kLongestWindow), microseconds(until));
    if (first.empty()) return std::nullopt;
    return rule::KnownTime{wall_time(first[0][0]), until};
}

bool begins_at_skip(pqxx::transaction_base& tx, const rule::KnownTime& known) {
    return shim::query(tx, kBeginsAtSkip, microseconds(known.from))[0][0].as<bool>();
}

std::map<std::chrono::milliseconds, base::WallTime> settled_until(
    pqxx::transaction_base& tx, base::WallTime until, const std::vector<std::chrono::milliseconds>& windows) {
    std::map<std::chrono::milliseconds, base::WallTime> settled;
    for (const auto window : windows) settled[window] = until;
    for (const auto& row :
         shim::query(tx, kUnsettled, microseconds(until - kLongestWindow), microseconds(until))) {
        const auto at = wall_time(row[0]);
        for (auto& [window, end] : settled)
            if (at > end - window) end = std::min(end, at - std::chrono::microseconds(1));
    }
    return settled;
}

base::Duration stood_still(pqxx::transaction_base& tx, base::WallTime since, base::WallTime until) {
    const auto mark =
        shim::query(tx,
                    "SELECT coalesce(max(" + microseconds_of("block_time") +
                        "), $1::bigint) FROM block_marks WHERE block_time <= " + time_parameter(1),
                    microseconds(since))[0][0];
    const auto row = shim::query(tx, kStoodStill, microseconds(since), microseconds(until),
                                 kStandstill.count(), mark.as<std::int64_t>())[0];
    return std::chrono::microseconds(row[0].as<std::int64_t>());
}

}  // namespace receiptd::storage
