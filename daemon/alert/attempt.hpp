// The life of a delivery as a pure function: what an attempt's answer makes of it, and when it is tried
// again.
#pragma once

#include "base/clock.hpp"
#include "storage/delivery_store.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::alert {

// Attempts under way at once, of one endpoint.
inline constexpr unsigned kAttemptsAtOnce = 16;

// The endpoint's answer to one attempt.
struct Answer {
    int status = 0;     // of HTTP; 0: no answer
    std::string error;  // without an answer: why
    std::optional<base::Duration> retry_after;
    std::string body;  // its beginning

    bool accepted() const { return status >= 200 && status < 300; }
    // Whatever it is sent, the endpoint takes nothing at present.
    bool is_out_of_order() const { return status == 0 || status >= 500; }
};

using Waits = std::vector<std::chrono::milliseconds>;

// `waits`: after the first attempt, the second and so on; an attempt that fails after the last of them was
// the last. `chance`, uniform in [0, 1), makes a wait longer by up to a tenth: those that failed together do
// not come back together. Retry-After makes it longer too, never shorter; with 429 it is the wait, and the
// attempt does not count.
storage::DeliveryOutcome after_attempt(const storage::DueDelivery& delivery, const Answer& answer,
                                       const Waits& waits, double chance);

// Longer ones are taken for these: the host does not say for days what we do.
inline constexpr std::chrono::hours kLongestRetryAfter{1};
inline constexpr std::chrono::minutes kLongestOfTooManyRequests{15};

}  // namespace receiptd::alert
