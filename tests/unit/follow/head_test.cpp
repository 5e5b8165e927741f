#include "follow/head.hpp"

#include "metrics/registry.hpp"
#include "unit/follow/backfills_in_memory.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

class HeadThatAdvances : public ::testing::Test {
protected:
    void come_to(base::Height height) {
        chain::BlockRef block;
        block.height = height;
        head.learn(block);
    }
    // Before now.
    std::optional<base::Duration> seen_ago(base::Height height) const {
        const auto at = head.seen_at(height);
        return at ? std::optional(clock.steady() - *at) : std::nullopt;
    }

    testing::ManualClock clock;
    metrics::Registry registry;
    metrics::FollowSeries series{registry};
    Head head{series, clock};
};

TEST_F(HeadThatAdvances, WasSeenAtEachHeightWhenItCameThereOrAbove) {
    EXPECT_EQ(seen_ago(100), std::nullopt);
    come_to(100);
    clock.passed += 10s;
    come_to(103);
    clock.passed += 5s;
    EXPECT_EQ(seen_ago(103), 5s);
    EXPECT_EQ(seen_ago(101), 5s);
    EXPECT_EQ(seen_ago(100), 15s);
    EXPECT_EQ(seen_ago(7), 15s) << "it was there before it was looked at";
    EXPECT_EQ(seen_ago(104), std::nullopt);
}

TEST_F(HeadThatAdvances, RemembersAThousandAdvances) {
    for (base::Height height = 1; height <= 2'000; ++height) {
        come_to(height);
        clock.passed += 1s;
    }
    EXPECT_EQ(seen_ago(1'500), 501s);
    EXPECT_EQ(seen_ago(1), 1'000s);
}

TEST_F(HeadThatAdvances, ForgetsWhatIsNotBelievedAnyMore) {
    come_to(1'000'000);
    head.fall_back(std::nullopt);
    EXPECT_EQ(seen_ago(100), std::nullopt);
    come_to(100);
    EXPECT_EQ(seen_ago(100), 0s);
}

}  // namespace
}  // namespace receiptd::follow
