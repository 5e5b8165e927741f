#include "rpc/spending.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using Requests = std::map<Priority, std::uint64_t>;

class SpendingTest : public ::testing::Test {
protected:
    void ask(Priority purpose, int requests) {
        for (int i = 0; i < requests; ++i) spending_.note(purpose, now_);
    }

    base::SteadyTime now_{1000h};
    Spending spending_{now_};
};

TEST_F(SpendingTest, RequestsAreCountedByPurpose) {
    ask(Priority::head, 3);
    now_ += 2h;
    ask(Priority::watch, 2);
    ask(Priority::head, 1);
    EXPECT_EQ(spending_.last_day(now_), (Requests{{Priority::head, 4}, {Priority::watch, 2}}));
    EXPECT_EQ(spending_.span(now_), 2h);
}

TEST_F(SpendingTest, WhatIsOlderThanADayIsForgotten) {
    ask(Priority::backfill, 5);
    now_ += 23h;
    ask(Priority::head, 1);
    EXPECT_EQ(spending_.last_day(now_).at(Priority::backfill), 5U);
    now_ += 2h;
    EXPECT_EQ(spending_.last_day(now_), (Requests{{Priority::head, 1}}));
    EXPECT_GT(spending_.span(now_), 23h);
    EXPECT_LE(spending_.span(now_), 24h);
}

TEST_F(SpendingTest, TheDayIsForecastFromTheLastHour) {
    ask(Priority::backfill, 100'000);
    for (int minute = 0; minute < 5 * 60; ++minute) {
        now_ += 1min;
        ask(Priority::head, 100);
    }
    EXPECT_NEAR(static_cast<double>(spending_.a_day(now_)), 144'000, 144'000 * 0.02);
}

TEST_F(SpendingTest, AfterTheStartTheForecastIsOfTheTimeSince) {
    now_ += 10min;
    ask(Priority::head, 600);
    EXPECT_EQ(spending_.a_day(now_), 86'400U);
}

TEST_F(SpendingTest, NothingIsSpentByAHostThatIsNotAsked) {
    EXPECT_EQ(spending_.a_day(now_), 0U);
    EXPECT_TRUE(spending_.last_day(now_).empty());
}

}  // namespace
}  // namespace receiptd::rpc
