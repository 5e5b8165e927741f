#include "base/iso_time.hpp"

#include <cstdio>

namespace receiptd::base {
namespace {

template <class Unit>
std::string iso(WallTime time, int digits) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(std::chrono::floor<Unit>(time - day));
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02ld:%02ld:%02ld.%0*ldZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<long>(clock.hours().count()), static_cast<long>(clock.minutes().count()),
                  static_cast<long>(clock.seconds().count()), digits,
                  static_cast<long>(clock.subseconds().count()));
    return text;
}

}  // namespace

std::string iso_time(WallTime time) { return iso<std::chrono::milliseconds>(time, 3); }

std::string iso_time_to_microseconds(std::uint64_t timestamp_nanosec) {
    return iso<std::chrono::microseconds>(WallTime(std::chrono::nanoseconds(timestamp_nanosec)), 6);
}

}  // namespace receiptd::base
