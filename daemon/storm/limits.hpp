// How many messages an endpoint takes: a cap for each hour, and a pace.
#pragma once

#include "base/clock.hpp"

#include <cstdint>

namespace receiptd::storm {

// The messages that an endpoint has had.
struct Load {
    base::WallTime hour{};  // the hour that the next two count
    std::uint64_t passed = 0;
    std::uint64_t withheld = 0;
    base::WallTime free_at{};  // when all that was sent so far would have gone at the pace
};

base::WallTime hour_of(base::WallTime now);  // its beginning

// How many more may pass in the hour that `load` counts. `most` 0: any number.
std::uint64_t left_in_hour(const Load& load, unsigned most);

// How many may go now; up to those of one second go at once. `per_second` 0: any number.
std::uint64_t allowed_now(const Load& load, double per_second, base::WallTime now);
// When the next one may go.
base::WallTime next_allowed_at(const Load& load, double per_second, base::WallTime now);
void take(Load& load, std::uint64_t messages, double per_second, base::WallTime now);

}  // namespace receiptd::storm
