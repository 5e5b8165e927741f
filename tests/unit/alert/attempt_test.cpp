#include "alert/attempt.hpp"
#include "config/settings.hpp"

#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;

storage::DeliveryOutcome after(unsigned attempts_before, Answer answer, double chance = 0) {
    storage::DueDelivery delivery;
    delivery.alert_id = "failed_receipt:r1";
    delivery.endpoint = "ops";
    delivery.attempts = attempts_before;
    return after_attempt(delivery, answer, config::Endpoint{}.retry, chance);
}

Answer status(int code) { return {code, "", {}, ""}; }
Answer status(int code, base::Duration retry_after) { return {code, "", retry_after, ""}; }

TEST(Attempt, AnyStatusOf200DeliversAndNothingElseDoes) {
    for (const int code : {200, 201, 202, 204, 299}) EXPECT_TRUE(after(0, status(code)).delivered) << code;
    for (const int code : {100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 429, 500, 503, 600}) {
        const auto outcome = after(0, status(code));
        EXPECT_FALSE(outcome.delivered) << code;
        EXPECT_FALSE(outcome.dead) << code;
        EXPECT_EQ(outcome.again_in, 5s) << code;
        EXPECT_EQ(outcome.status, code);
    }
    const auto unanswered = after(0, {0, "https://x:443: connect: refused", {}, ""});
    EXPECT_EQ(unanswered.error, "https://x:443: connect: refused");
    EXPECT_EQ(unanswered.again_in, 5s);
    EXPECT_EQ(after(0, status(302)).error, "HTTP 302: redirects are not followed");
    EXPECT_EQ(after(0, status(500)).error, "HTTP 500");
}

TEST(Attempt, WaitsFollowTheScheduleAndThenItIsDead) {
    const std::chrono::milliseconds waits[] = {5s, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h};
    for (unsigned i = 0; i < 9; ++i) {
        const auto outcome = after(i, status(500));
        EXPECT_EQ(outcome.again_in, waits[i]) << i;
        EXPECT_FALSE(outcome.dead);
    }
    for (const unsigned i : {9U, 10U, 1'000U}) {
        EXPECT_TRUE(after(i, status(500)).dead);
        EXPECT_EQ(after(i, status(500)).again_in, std::nullopt);
        EXPECT_TRUE(after(i, status(200)).delivered);
    }
}

TEST(Attempt, JitterMakesAWaitLongerByATenthAtMost) {
    EXPECT_EQ(after(1, status(500), 0.5).again_in, 315s);
    EXPECT_LT(*after(1, status(500), 0.999'999).again_in, 330s);
    EXPECT_GT(*after(1, status(500), 0.999'999).again_in, 329s);
}

TEST(Attempt, RetryAfterMakesAWaitLongerNeverShorter) {
    EXPECT_EQ(after(0, status(503, 40s)).again_in, 40s);
    EXPECT_EQ(after(1, status(503, 40s)).again_in, 5min);
    EXPECT_EQ(after(0, status(503, 0s)).again_in, 5s);
    EXPECT_EQ(after(0, status(503, 10'000'000s)).again_in, 1h);
    EXPECT_TRUE(after(9, status(503, 40s)).dead);
}

TEST(Attempt, TooManyRequestsWaitAsLongAsTheEndpointAsksAndDoNotCount) {
    const auto busy = after(1, status(429, 40s));
    EXPECT_EQ(busy.again_in, 40s);
    EXPECT_FALSE(busy.counts);
    EXPECT_EQ(after(0, status(429, 10'000'000s)).again_in, 15min);
    EXPECT_FALSE(after(9, status(429, 40s)).dead);
    EXPECT_TRUE(after(1, status(429)).counts) << "it does not say how long";
    EXPECT_EQ(after(1, status(429)).again_in, 5min);
}

TEST(Attempt, GoneEndsTheDeliveryAndTheEndpoint) {
    const auto outcome = after(0, status(410));
    EXPECT_TRUE(outcome.dead);
    EXPECT_TRUE(outcome.endpoint_gone);
    EXPECT_FALSE(after(0, status(404)).endpoint_gone);
}

}  // namespace
}  // namespace receiptd::alert
