// Times as people and JSON read them.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>

namespace receiptd::base {

// ISO 8601 in UTC with milliseconds: 2026-01-31T23:59:59.123Z.
std::string iso_time(WallTime time);
// The same with microseconds, as PostgreSQL keeps times. Of the chain: nanoseconds since 1970.
std::string iso_time_to_microseconds(std::uint64_t timestamp_nanosec);
inline std::string iso_time(std::uint64_t timestamp_nanosec) {
    return iso_time(WallTime(std::chrono::nanoseconds(timestamp_nanosec)));
}

}  // namespace receiptd::base
