#include "alert/attempt.hpp"

#include <algorithm>
#include <array>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::array<milliseconds, 9> kWaits = {5s, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h};
constexpr double kJitter = 0.1;
constexpr int kGone = 410;

std::string error_text(const Answer& answer) {
    if (answer.status == 0) return answer.error;
    auto text = "HTTP " + std::to_string(answer.status);
    if (answer.status >= 300 && answer.status < 400) text += ": redirects are not followed";
    if (answer.status == kGone) text += ": the endpoint is switched off";
    return text;
}

}  // namespace

storage::DeliveryOutcome after_attempt(const storage::DueDelivery& delivery, const Answer& answer,
                                       double chance) {
    storage::DeliveryOutcome outcome;
    outcome.alert_id = delivery.alert_id;
    outcome.endpoint = delivery.endpoint;
    outcome.status = answer.status;
    outcome.delivered = answer.accepted();
    if (outcome.delivered) return outcome;
    outcome.error = error_text(answer);
    outcome.endpoint_gone = answer.status == kGone;
    outcome.dead = outcome.endpoint_gone || delivery.attempts >= kWaits.size();
    if (outcome.dead) return outcome;
    const auto wait = static_cast<double>(kWaits[delivery.attempts].count()) * (1.0 + kJitter * chance);
    const auto asked = std::min<base::Duration>(answer.retry_after.value_or(0s), kLongestRetryAfter);
    outcome.again_in =
        std::max(milliseconds(static_cast<milliseconds::rep>(wait)), std::chrono::ceil<milliseconds>(asked));
    return outcome;
}

}  // namespace receiptd::alert
