// Exponential back-off with full-range jitter, as a pure function of the attempt.
#pragma once

#include "base/clock.hpp"

#include <algorithm>

namespace receiptd::base {

struct BackoffPolicy {
    Duration first = std::chrono::milliseconds(500);
    Duration cap = std::chrono::seconds(30);
    double factor = 2.0;
    double jitter = 0.3;  // share of the delay that chance may take away
};

// The delay before attempt `attempt` + 1 (attempt counts failures so far, from 1).
// `chance` is uniform in [0, 1).
inline Duration backoff_delay(const BackoffPolicy& policy, unsigned attempt, double chance) {
    double delay = static_cast<double>(policy.first.count());
    const auto cap = static_cast<double>(policy.cap.count());
    for (unsigned i = 1; i < attempt && delay < cap; ++i) delay *= policy.factor;
    delay = std::min(delay, cap) * (1.0 - policy.jitter * chance);
    return Duration(static_cast<Duration::rep>(delay));
}

}  // namespace receiptd::base
