// An endpoint gets no more than it takes, in an hour and in a second.
#include "storm/limits.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace receiptd::storm {
namespace {

using namespace std::chrono_literals;

const base::WallTime kNow = base::WallTime(std::chrono::hours(500'000)) + 25min;

TEST(Caps, CountTheHourOfTheClock) {
    EXPECT_EQ(hour_of(kNow), kNow - 25min);
    Load load{hour_of(kNow), 7, 0, {}};
    EXPECT_EQ(left_in_hour(load, 10), 3u);
    load.passed = 12;  // the cap was higher
    EXPECT_EQ(left_in_hour(load, 10), 0u);
    EXPECT_EQ(left_in_hour(load, 0), std::numeric_limits<std::uint64_t>::max());
}

TEST(Paces, ASecondsMessagesMayGoTogetherAndThenOneForEachInterval) {
    Load load;
    EXPECT_EQ(allowed_now(load, 5, kNow), 5u);
    take(load, 5, 5, kNow);
    EXPECT_EQ(allowed_now(load, 5, kNow), 0u);
    EXPECT_EQ(next_allowed_at(load, 5, kNow), kNow + 200ms);
    EXPECT_EQ(allowed_now(load, 5, kNow + 200ms), 1u);
    EXPECT_EQ(allowed_now(load, 5, kNow + 1h), 5u) << "what was not used is not saved up";
}

TEST(Paces, BelowOneASecondAreKeptToo) {
    Load load;
    EXPECT_EQ(allowed_now(load, 0.1, kNow), 1u);
    take(load, 1, 0.1, kNow);
    EXPECT_EQ(allowed_now(load, 0.1, kNow + 9s), 0u);
    EXPECT_EQ(next_allowed_at(load, 0.1, kNow), kNow + 10s);
    EXPECT_EQ(allowed_now(load, 0.1, kNow + 10s), 1u);
}

TEST(Paces, OverAMinuteAreTheirRate) {
    Load load;
    std::uint64_t sent = 0;
    for (auto now = kNow; now < kNow + 60s; now += 10ms) {
        const auto allowed = allowed_now(load, 3, now);
        take(load, allowed, 3, now);
        sent += allowed;
    }
    EXPECT_GE(sent, 180u);
    EXPECT_LE(sent, 183u);
}

TEST(Paces, AClockThatWentBackHoldsNobodyUp) {
    Load load;
    load.free_at = kNow + 24h;
    EXPECT_LE(next_allowed_at(load, 5, kNow), kNow + 200ms);
    EXPECT_EQ(next_allowed_at(load, 0, kNow), kNow);
}

}  // namespace
}  // namespace receiptd::storm
