#include "alert/attempt.hpp"

#include <algorithm>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr double kJitter = 0.1;
constexpr int kGone = 410;
constexpr int kTooManyRequests = 429;

std::string error_text(const Answer& answer) {
    if (answer.status == 0) return answer.error;
    auto text = "HTTP " + std::to_string(answer.status);
    if (answer.status >= 300 && answer.status < 400) text += ": redirects are not followed";
    if (answer.status == kGone) text += ": the endpoint is switched off";
    return text;
}

}  // namespace

storage::DeliveryOutcome after_attempt(const storage::DueDelivery& delivery, const Answer& answer,
                                       const Waits& waits, double chance) {
    storage::DeliveryOutcome outcome;
    outcome.alert_id = delivery.alert_id;
    outcome.endpoint = delivery.endpoint;
    outcome.status = answer.status;
    outcome.answer = answer.body;
    outcome.delivered = answer.accepted();
    if (outcome.delivered) return outcome;
    outcome.error = error_text(answer);
    if (answer.status == kTooManyRequests && answer.retry_after) {
        outcome.counts = false;
        outcome.again_in = std::chrono::ceil<milliseconds>(
            std::min<base::Duration>(*answer.retry_after, kLongestOfTooManyRequests));
        return outcome;
    }
    outcome.endpoint_gone = answer.status == kGone;
    outcome.dead = outcome.endpoint_gone || delivery.attempts >= waits.size();
    if (outcome.dead) return outcome;
    const auto wait = static_cast<double>(waits[delivery.attempts].count()) * (1.0 + kJitter * chance);
    const auto asked = std::min<base::Duration>(answer.retry_after.value_or(0s), kLongestRetryAfter);
    outcome.again_in =
        std::max(milliseconds(static_cast<milliseconds::rep>(wait)), std::chrono::ceil<milliseconds>(asked));
    return outcome;
}

}  // namespace receiptd::alert
