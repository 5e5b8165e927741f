#include "sandbox/replay/tip_schedule.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

using namespace std::chrono_literals;
using test::FakeClock;

TEST(TipSchedule, ServesEverythingAtOnceWithoutABlockTime) {
    FakeClock clock;
    const TipSchedule schedule(clock, {}, 40);
    EXPECT_EQ(schedule.servable(), 40u);
    EXPECT_EQ(schedule.served_at(39), clock.wall());
}

TEST(TipSchedule, AdvancesOneBlockPerBlockTimeHoweverLateItIsAsked) {
    FakeClock clock;
    const TipSchedule schedule(clock, {600ms, 3, false}, 40);
    EXPECT_EQ(schedule.servable(), 3u);
    clock.passed = 599ms;
    EXPECT_EQ(schedule.servable(), 3u);
    clock.passed = 600ms;
    EXPECT_EQ(schedule.servable(), 4u);
    clock.passed = 6'100ms;
    EXPECT_EQ(schedule.servable(), 13u);
    clock.passed = 1h;
    EXPECT_EQ(schedule.servable(), 40u);
}

TEST(TipSchedule, TellsWhenEachBlockBecameServable) {
    FakeClock clock;
    const TipSchedule schedule(clock, {600ms, 1, false}, 10);
    const auto start = clock.wall();
    clock.passed = 1'250ms;
    EXPECT_EQ(schedule.served_at(0), start);
    EXPECT_EQ(schedule.served_at(2), start + 1'200ms);
    EXPECT_EQ(schedule.served_at(3), std::nullopt);
    EXPECT_EQ(schedule.until(3), base::Duration(550ms));
    EXPECT_EQ(schedule.until(2), base::Duration::zero());
    EXPECT_EQ(schedule.until(10), std::nullopt) << "the recording ends before";
}

TEST(TipSchedule, WaitsForTheFirstRequestIfToldSo) {
    FakeClock clock;
    TipSchedule schedule(clock, {600ms, 1, true}, 10);
    clock.passed = 1h;
    EXPECT_EQ(schedule.servable(), 1u);
    EXPECT_EQ(schedule.until(1), std::nullopt);
    schedule.note_request();
    clock.passed += 600ms;
    EXPECT_EQ(schedule.servable(), 2u);
    schedule.note_request();
    EXPECT_EQ(schedule.servable(), 2u) << "only the first one counts";
}

}  // namespace
}  // namespace receiptd::sandbox
