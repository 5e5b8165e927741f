#include "base/units.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

using std::chrono::milliseconds;

TEST(Duration, IsASumOfAmountsWithUnits) {
    EXPECT_EQ(parse_duration("30s"), milliseconds(30'000));
    EXPECT_EQ(parse_duration("1h30m"), milliseconds(5'400'000));
    EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
    EXPECT_EQ(parse_duration("2w"), milliseconds(1'209'600'000));
    for (const char* bad :
         {"", "30", "s", "1.5s", "-1s", "1 s", "5x", "99999999999999999999s", "9223372036854775807w"})
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
}

TEST(Duration, IsShownInTheLargestUnitThatFits) {
    EXPECT_EQ(format_duration(milliseconds(0)), "0s");
    EXPECT_EQ(format_duration(milliseconds(90'000)), "90s");
    EXPECT_EQ(format_duration(milliseconds(86'400'000)), "1d");
    EXPECT_EQ(parse_duration(format_duration(milliseconds(1'234'567))), milliseconds(1'234'567));
}

TEST(Bytes, KnowBinaryAndDecimalUnits) {
    EXPECT_EQ(parse_bytes("4096"), 4096u);
    EXPECT_EQ(parse_bytes("64MiB"), 64u << 20);
    EXPECT_EQ(parse_bytes("10MB"), 10'000'000u);
    for (const char* bad : {"", "MiB", "1.5MiB", "1MiB1KiB", "-1", "99999999999GiB"})
        EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace receiptd::base
