#include "rpc/error_class.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

Verdict waits(int status, std::string_view retry_after) {
    HttpObservation seen;
    seen.status = status;
    seen.retry_after = retry_after;
    seen.now = std::chrono::sys_days(std::chrono::year(2024) / 11 / 6) + 8h;
    return classify(seen);
}

TEST(RetryAfter, IsSecondsOrADate) {
    EXPECT_EQ(waits(429, "7").retry_after, base::Duration(7s));
    EXPECT_EQ(waits(503, "2").retry_after, base::Duration(2s));
    EXPECT_EQ(waits(429, "Wed, 06 Nov 2024 08:00:30 GMT").retry_after, base::Duration(30s));
    EXPECT_EQ(waits(429, "").retry_after, std::nullopt);
    EXPECT_EQ(waits(429, "soon").retry_after, std::nullopt);
}

TEST(RetryAfter, IsNeverNegativeAndNeverLongerThanAnHour) {
    EXPECT_EQ(waits(429, "Wed, 06 Nov 2024 07:00:00 GMT").retry_after, base::Duration(0s));
    EXPECT_EQ(waits(429, "999999999999").retry_after, base::Duration(1h));
    EXPECT_EQ(waits(429, "-5").retry_after, std::nullopt);
    EXPECT_EQ(waits(429, "Wed, 99 Nov 2024 07:00:00 GMT").retry_after, std::nullopt);
}

}  // namespace
}  // namespace receiptd::rpc
