#include "storage/block_times.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace receiptd::storage {
namespace {

// The chain began later.
constexpr std::int64_t kYear1970 = 0;

}  // namespace

TimeSpan times_around(pqxx::transaction_base& tx, base::HeightRange heights) {
    const auto row =
        shim::query(tx,
                    "SELECT " + microseconds_of("greatest(from_time, '1970-01-01Z')") + ", " +
                        microseconds_of("least(to_time, '9999-12-31Z')") + " FROM times_of_heights($1, $2)",
                    heights.from, heights.to)[0];
    return {row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
}

std::optional<TimeSpan> times_of_blocks(pqxx::transaction_base& tx, base::HeightRange heights) {
    const auto around = times_around(tx, heights);
    const auto row = shim::query(
        tx,
        "SELECT " + microseconds_of("min(block_time)") + ", " + microseconds_of("max(block_time)") +
            " FROM blocks WHERE block_height BETWEEN $1 AND $2 AND " + between("block_time", 3),
        heights.from, heights.to, around.since, around.until)[0];
    if (row[0].is_null()) return std::nullopt;
    return TimeSpan{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
}

std::optional<TimeSpan> time_of_block(pqxx::transaction_base& tx, base::Height height) {
    return times_of_blocks(tx, {height, height});
}

std::optional<TimeSpan> times_of_newest_blocks(pqxx::transaction_base& tx, unsigned count) {
    // Nearly always the last day has as many, or the last ones.
    for (unsigned marks = 0;; marks = marks * 8 + 2) {
        const auto mark = shim::query(tx,
                                      "SELECT " + microseconds_of("block_time") +
                                          " FROM block_marks ORDER BY block_height DESC OFFSET $1 LIMIT 1",
                                      marks);
        const auto since = mark.empty() ? kYear1970 : mark[0][0].as<std::int64_t>();
        const auto row = shim::query(
            tx,
            "SELECT " + microseconds_of("min(block_time)") + ", " + microseconds_of("max(block_time)") +
                ", count(*) FROM (SELECT block_time FROM blocks WHERE block_time >= " + time_parameter(1) +
                " ORDER BY block_height DESC LIMIT $2) b",
            since, count)[0];
        if (!mark.empty() && row[2].as<unsigned>() < count) continue;
        if (row[0].is_null()) return std::nullopt;
        return TimeSpan{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
    }
}

std::optional<std::int64_t> only_day_of(const std::vector<chain::BlockRef>& blocks) {
    constexpr std::uint64_t kDay = std::chrono::nanoseconds(std::chrono::days(1)).count();
    if (blocks.empty()) return std::nullopt;
    const auto last = blocks.back().timestamp_nanosec / kDay;
    if (blocks.front().timestamp_nanosec / kDay != last) return std::nullopt;
    return static_cast<std::int64_t>(last);
}

void mark_days(pqxx::transaction_base& tx, const std::vector<chain::BlockRef>& blocks) {
    std::vector<std::string> heights, times;
    for (const auto& block : blocks) {
        heights.push_back(std::to_string(block.height));
        times.push_back(std::to_string(block.timestamp_nanosec / kNanosecondsPerMicrosecond));
    }
    shim::query(tx,
                "INSERT INTO block_marks (day, block_height, block_time) "
                "SELECT DISTINCT ON (1) (at AT TIME ZONE 'UTC')::date, height, at "
                "FROM unnest($1::bigint[], $2::bigint[]) AS each (height, micros), "
                "  LATERAL (SELECT to_timestamp(micros / 1000000::float8) AS at) t "
                "ORDER BY 1, height ON CONFLICT DO NOTHING",
                text_array(heights), text_array(times));
}

}  // namespace receiptd::storage
