#include "watch/watch_index.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

using namespace std::chrono_literals;

const base::WallTime kStart{1'000s};
const base::SteadyTime kBegin{5s};

storage::Watch watch_of(std::string tx_hash, chain::Stage stage = chain::Stage::accepted) {
    storage::Watch made;
    made.tx_hash = std::move(tx_hash);
    made.state.stage = stage;
    made.transaction.watched_since = 100;
    made.stage_since = kStart;
    made.next_check_at = kStart + 1h;
    return made;
}

class WatchIndexTest : public ::testing::Test {
protected:
    // Both clocks go alike.
    std::vector<std::string> due(base::WallTime now, chain::BlockHeight final_height = 0) {
        return index.take_due({now, kBegin + (now - kStart), final_height, at_head_since}, 60s, 100);
    }
    std::optional<base::SteadyTime> at_head_since = kBegin;
    WatchIndex index{chain::StuckRules{}};
    chain::LifecycleRules rules;
};

TEST_F(WatchIndexTest, OnlyWhatIsWatchedIsTouched) {
    index.set(watch_of("a"), rules, kBegin);
    EXPECT_TRUE(index.touch("a"));
    EXPECT_TRUE(index.touch("a"));
    EXPECT_FALSE(index.touch("b"));
    EXPECT_EQ(index.take_touched(10), std::vector<std::string>{"a"});
    EXPECT_FALSE(index.has_touched());
}

TEST_F(WatchIndexTest, WhatHappensNowGoesBeforeABacklog) {
    for (const auto* tx_hash : {"a", "b", "c"}) index.set(watch_of(tx_hash), rules, kBegin);
    index.touch_all();
    index.touch("b");
    EXPECT_EQ(index.take_touched(10), std::vector<std::string>{"b"});
    EXPECT_EQ(index.take_touched(10).size(), 3u);
    EXPECT_FALSE(index.has_touched());
}

TEST_F(WatchIndexTest, AWatchThatHasEndedIsForgotten) {
    index.set(watch_of("a"), rules, kBegin);
    index.touch("a");
    index.set(watch_of("a", chain::Stage::final), rules, kBegin);
    EXPECT_TRUE(index.empty());
    EXPECT_FALSE(index.has_touched());
}

TEST_F(WatchIndexTest, ALostWatchIsKnownWhileTheChainMayIncludeIt) {
    auto lost = watch_of("a", chain::Stage::dropped);
    lost.transaction.valid_until = 200;
    index.set(lost, rules, kBegin);
    EXPECT_TRUE(index.is_lost("a"));
    EXPECT_EQ(index.size(), 0u);
    EXPECT_TRUE(index.touch("a"));
    index.forget_lost(200);
    EXPECT_TRUE(index.is_lost("a"));
    index.forget_lost(300);
    EXPECT_FALSE(index.is_lost("a"));
    EXPECT_TRUE(index.empty());
}

TEST_F(WatchIndexTest, WhatTouchesALostWatchWhileItIsWrittenIsKept) {
    index.set(watch_of("a", chain::Stage::unknown), rules, kBegin);
    index.set(watch_of("b"), rules, kBegin);
    index.touch("a");
    index.touch("b");
    index.set(watch_of("a", chain::Stage::unknown), rules, kBegin);
    index.set(watch_of("b", chain::Stage::expired), rules, kBegin);
    EXPECT_TRUE(index.is_touched("a"));
    EXPECT_TRUE(index.is_touched("b"));
    index.set(watch_of("a", chain::Stage::final), rules, kBegin);
    EXPECT_EQ(index.take_touched(10), std::vector<std::string>{"b"});
}

TEST_F(WatchIndexTest, ALostWatchIsKnownAsLongAsHeightsMayComeBack) {
    auto lost = watch_of("a", chain::Stage::unknown);
    lost.transaction.valid_until = 200;
    lost.state.reason = chain::reason::kHeightsMissing;
    index.set(lost, rules, kBegin);
    index.forget_lost(1'000'000);
    EXPECT_TRUE(index.is_lost("a"));
}

TEST_F(WatchIndexTest, AWatchWhoseTimeIsOverIsDueForThatOnce) {
    auto made = watch_of("a");
    made.transaction.valid_until = 200;
    index.set(made, rules, kBegin);
    EXPECT_EQ(due(kStart, 200).size(), 1u);
    index.set(made, rules, kBegin);  // it could not be told: it is asked again when its time comes
    EXPECT_TRUE(due(kStart + 2s, 201).empty());
    EXPECT_EQ(due(kStart + 2h, 202).size(), 1u);
}

TEST_F(WatchIndexTest, AWatchIsDueByItsTimeAndOnlyOnce) {
    auto made = watch_of("a", chain::Stage::executing);
    made.next_check_at = kStart + 10s;
    index.set(made, rules, kBegin);
    EXPECT_TRUE(due(kStart + 9s).empty());
    EXPECT_EQ(due(kStart + 10s).size(), 1u);
    EXPECT_TRUE(due(kStart + 11s).empty());
    EXPECT_EQ(due(kStart + 70s).size(), 1u) << "a check that came to nothing is made again";
}

TEST_F(WatchIndexTest, AWatchIsDueWhenItsStageHasTakenTooLong) {
    index.set(watch_of("a", chain::Stage::included), rules, kBegin);
    EXPECT_TRUE(due(kStart + 29s).empty());
    EXPECT_EQ(due(kStart + 30s).size(), 1u);
}

TEST_F(WatchIndexTest, NoWatchIsDueForBeingStuckBeforeTheHeadIsReached) {
    const auto made = watch_of("a", chain::Stage::included);
    index.set(made, rules, kBegin);
    at_head_since.reset();
    EXPECT_TRUE(due(kStart + 30min).empty());
    at_head_since = kBegin + 30min;
    EXPECT_TRUE(due(kStart + 30min + 29s).empty()) << "time is counted from there";
    EXPECT_EQ(due(kStart + 30min + 30s).size(), 1u);
    index.set(made, rules, kBegin + 30min + 30s);
    EXPECT_TRUE(due(kStart + 30min + 31s).empty()) << "it was looked at";
    EXPECT_EQ(due(kStart + 30min + 90s).size(), 1u);
}

TEST_F(WatchIndexTest, AStageTakesAsLongAsTheSteadyClockSays) {
    auto made = watch_of("a", chain::Stage::included);
    made.next_check_at = kStart + 100h;
    index.set(made, rules, kBegin);
    index.set(made, rules, kBegin + 20s);
    EXPECT_EQ(index.in_stage_since("a"), kBegin);
    EXPECT_TRUE(index.take_due({kStart + 99h + 30min, kBegin + 29s, 0, kBegin}, 60s, 100).empty());
    made.state.stage = chain::Stage::executing;
    index.set(made, rules, kBegin + 29s);
    EXPECT_EQ(index.in_stage_since("a"), kBegin + 29s);
    EXPECT_EQ(index.in_stage_since("b"), std::nullopt);
}

TEST_F(WatchIndexTest, AClockThatIsSetBackPutsNoCheckOff) {
    auto made = watch_of("a");
    made.next_check_at = kStart + 300 * 24h;
    index.set(made, rules, kBegin);
    EXPECT_EQ(due(kStart).size(), 1u);
}

TEST_F(WatchIndexTest, AWatchIsDueWhenItsLastHeightIsFinal) {
    rules.validity_blocks = 50;
    index.set(watch_of("by age"), rules, kBegin);
    auto submitted = watch_of("by its block hash");
    submitted.transaction.valid_until = 120;
    index.set(submitted, rules, kBegin);
    index.set(watch_of("included", chain::Stage::completed), rules, kBegin);
    EXPECT_TRUE(due(kStart, 119).empty());
    EXPECT_EQ(due(kStart, 120), std::vector<std::string>{"by its block hash"});
    EXPECT_TRUE(due(kStart, 160).empty()) << "the head was above the final one when it was asked for";
    EXPECT_EQ(due(kStart, 161), std::vector<std::string>{"by age"}) << "the other one was due for that";
}

TEST_F(WatchIndexTest, AWatchNobodyHasLookedForYetHasNoLastHeight) {
    auto made = watch_of("a");
    made.transaction.watched_since = 0;
    index.set(made, rules, kBegin);
    EXPECT_TRUE(due(kStart, 1'000'000).empty());
}

TEST_F(WatchIndexTest, StuckOnesAreCounted) {
    auto made = watch_of("a");
    made.stuck = true;
    index.set(made, rules, kBegin);
    index.set(made, rules, kBegin);
    EXPECT_EQ(index.stuck(), 1u);
    EXPECT_TRUE(due(kStart + 30min).empty()) << "that it is stuck is known";
    made.stuck = false;
    index.set(made, rules, kBegin);
    EXPECT_EQ(index.stuck(), 0u);
}

}  // namespace
}  // namespace receiptd::watch
