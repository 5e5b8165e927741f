// Times in SQL: PostgreSQL counts microseconds, the chain nanoseconds.
#pragma once

#include "base/clock.hpp"
#include "storage/pqxx_shim.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace receiptd::storage {

inline constexpr int kNanosecondsPerMicrosecond = 1000;

// As the interfaces tell times: ISO 8601 in UTC, with microseconds. Sessions are in UTC.
inline std::string iso(const std::string& column) {
    return "coalesce(to_char(" + column + ", 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), '')";
}

// Bounds of block_time are made of immutable functions alone, and not by adding intervals: only then a plan
// leaves out the partitions of other times.

// A bound parameter that counts microseconds since 1970, as a time, to the microsecond; or some time before
// it.
inline std::string time_parameter(int number, std::chrono::seconds before = {}) {
    const auto less = std::chrono::microseconds(before).count();
    const auto parameter = "$" + std::to_string(number) + "::bigint";
    return "to_timestamp((" + parameter + (less == 0 ? "" : " - " + std::to_string(less)) +
           ") / 1000000::float8)";
}
// Such a parameter and the next one have the column between them.
inline std::string between(const std::string& column, int first) {
    return column + " BETWEEN " + time_parameter(first) + " AND " + time_parameter(first + 1);
}
// One that counts nanoseconds, to about a microsecond; moved by some seconds.
inline std::string time_of_nanoseconds(int number, std::chrono::seconds moved = {}) {
    return "to_timestamp(($" + std::to_string(number) + "::numeric / 1000000000 + (" +
           std::to_string(moved.count()) + "))::float8)";
}
inline std::int64_t microseconds(base::WallTime time) {
    return std::chrono::floor<std::chrono::microseconds>(time).time_since_epoch().count();
}

// Microseconds since 1970, both included.
struct TimeSpan {
    std::int64_t since = 0;
    std::int64_t until = 0;

    // Widens it, so that it has this time in it.
    void include(std::int64_t time) {
        since = std::min(since, time);
        until = std::max(until, time);
    }
};
// Holds no time, until one is included.
inline constexpr TimeSpan kNoTime{std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min()};

// A column as such a number, and the time that it is.
inline std::string microseconds_of(const std::string& column) {
    return "(extract(epoch FROM " + column + ") * 1000000)::bigint";
}
inline base::WallTime wall_time(const pqxx::field& microseconds) {
    return base::WallTime(base::Duration(microseconds.as<std::int64_t>() * kNanosecondsPerMicrosecond));
}

}  // namespace receiptd::storage
