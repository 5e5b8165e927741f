#include "storm/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace receiptd::storm {

namespace {

constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();

base::Duration interval_of(double per_second) {
    return base::Duration(static_cast<base::Duration::rep>(std::ceil(1e9 / per_second)));
}

// So long before `free_at` messages may go: those of one second together.
base::Duration ahead(double per_second) {
    return interval_of(per_second) * static_cast<base::Duration::rep>(std::max(1.0, std::floor(per_second)));
}

// A pace that was slower once, or a clock that went back, holds nobody up.
base::WallTime free_at(const Load& load, double per_second, base::WallTime now) {
    return std::clamp(load.free_at, now, now + ahead(per_second));
}

}  // namespace

base::WallTime hour_of(base::WallTime now) { return std::chrono::floor<std::chrono::hours>(now); }

std::uint64_t left_in_hour(const Load& load, unsigned most) {
    if (most == 0) return kAny;
    return load.passed >= most ? 0 : most - load.passed;
}

std::uint64_t allowed_now(const Load& load, double per_second, base::WallTime now) {
    if (per_second <= 0) return kAny;
    const auto room = now + ahead(per_second) - free_at(load, per_second, now);
    return static_cast<std::uint64_t>(room / interval_of(per_second));
}

base::WallTime next_allowed_at(const Load& load, double per_second, base::WallTime now) {
    if (per_second <= 0) return now;
    return std::max(now, free_at(load, per_second, now) - ahead(per_second) + interval_of(per_second));
}

void take(Load& load, std::uint64_t messages, double per_second, base::WallTime now) {
    if (per_second <= 0) return;
    load.free_at =
        free_at(load, per_second, now) + interval_of(per_second) * static_cast<base::Duration::rep>(messages);
}

}  // namespace receiptd::storm
