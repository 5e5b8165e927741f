#include "unit/watch/tracker_fakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace receiptd::watch {
namespace {

using testing::block_with;
using testing::Life;

TEST(Tracker, NothingIsStuckBeforeTheHeadIsReached) {
    Life life;
    life.at_head = false;
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.checks = 3;
    watch.stage_since -= std::chrono::hours(2);
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_FALSE(life.store.rows["tx"].stuck);
    life.at_head = true;
    life.tracker->committed(block_with("another"));
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_FALSE(life.store.rows["tx"].stuck) << "time is counted from there";
}

TEST(Tracker, ManyThatWaitLongAreStuckOnceTheHeadIsReached) {
    Life life;
    life.at_head = false;
    for (int i = 0; i < 600; ++i) {  // more than are looked at together
        const auto tx_hash = "tx" + std::to_string(i);
        life.store.add(tx_hash).transaction.watched_since = 90;
        life.store.include(tx_hash, 95, false);
    }
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    const auto looks_after = [&](base::Duration passed) {
        life.clock.steady_passed += passed;
        return life.until([&, now = life.clock.steady()] { return life.tracker->progressed_at() >= now; });
    };
    ASSERT_TRUE(looks_after(std::chrono::minutes(10)));
    life.at_head = true;
    ASSERT_TRUE(looks_after(std::chrono::seconds(1)));
    ASSERT_TRUE(looks_after(std::chrono::minutes(10)));
    EXPECT_TRUE(life.until([&] {
        return std::ranges::all_of(life.store.rows, [](const auto& row) { return row.second.stuck; });
    }));
}

TEST(Tracker, AClockThatJumpsMakesNothingStuck) {
    Life life;
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.checks = 3;
    life.hosts.silent = true;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    const auto review_all = [&] {
        chain::CommitFacts block;
        block.blocks.emplace_back();
        life.tracker->committed(block);
        return life.until([&] { return life.tracker->idle(); });
    };
    life.clock.passed += std::chrono::hours(24);
    ASSERT_TRUE(review_all());
    EXPECT_FALSE(life.store.rows["tx"].stuck);
    life.clock.steady_passed += std::chrono::minutes(2);
    ASSERT_TRUE(review_all());
    EXPECT_TRUE(life.until([&] { return life.store.rows["tx"].stuck; }));
}

}  // namespace
}  // namespace receiptd::watch
