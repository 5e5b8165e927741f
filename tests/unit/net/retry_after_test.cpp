#include "net/retry_after.hpp"

#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

using namespace std::chrono_literals;

// Wed, 06 Nov 2024 08:00:00 GMT
constexpr base::WallTime kNow{1'730'880'000s};

std::optional<base::Duration> parse(std::string_view header) { return parse_retry_after(header, kNow, 24h); }

TEST(RetryAfter, IsSecondsOrADate) {
    EXPECT_EQ(parse("0"), base::Duration(0s));
    EXPECT_EQ(parse("120"), base::Duration(120s));
    EXPECT_EQ(parse("0.376"), base::Duration(1s)) << "as Discord has it";
    EXPECT_EQ(parse("2.000"), base::Duration(2s));
    EXPECT_EQ(parse("Wed, 06 Nov 2024 08:01:30 GMT"), base::Duration(90s));
    for (const char* bad :
         {"", "soon", "-1", "-1.5", "1.5e3", ".5", "1,5", "10 s", "Wed, 06 Nov 2024 08:01:30 CET",
          "Wed, 31 Feb 2024 08:01:30 GMT", "Wed, 06 Nof 2024 08:01:30 GMT", "99999999999999999999"})
        EXPECT_EQ(parse(bad), std::nullopt) << bad;
}

TEST(RetryAfter, HasBounds) {
    EXPECT_EQ(parse("9223372036854775807"), base::Duration(24h));
    EXPECT_EQ(parse("Fri, 31 Dec 9999 23:59:59 GMT"), base::Duration(24h));
    EXPECT_EQ(parse("Wed, 06 Nov 2024 07:00:00 GMT"), base::Duration(0s));
    EXPECT_EQ(parse("Sat, 01 Jan 0000 00:00:00 GMT"), base::Duration(0s));
}

}  // namespace
}  // namespace receiptd::net
