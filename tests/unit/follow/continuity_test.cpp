#include "follow/continuity.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using base::HeightSet;

chain::BlockRef block(base::Height height, std::string hash, std::string parent,
                      std::optional<base::Height> prev_height = std::nullopt) {
    return {height, std::move(hash), std::move(parent), prev_height, height * 1'000'000'000};
}

TEST(Continuity, AChainWithoutHolesHasNoSkippedHeights) {
    Continuity chain;
    EXPECT_TRUE(chain.block(block(10, "ten", "nine", 9)).skipped.within({10, 20}).empty());
    const auto step = chain.block(block(11, "eleven", "ten", 10));
    EXPECT_TRUE(step.skipped.empty());
    EXPECT_TRUE(step.holes.empty());
    EXPECT_EQ(step.prev_height, 10u);
}

TEST(Continuity, ADeniedHeightIsSkippedOnceItsChildNamesALowerParent) {
    Continuity chain;
    chain.block(block(10, "ten", "nine", 9));
    chain.denied(11);
    const auto step = chain.block(block(12, "twelve", "ten", 10));
    EXPECT_EQ(step.skipped, HeightSet({11, 11}));
    EXPECT_TRUE(step.holes.empty());
}

TEST(Continuity, ADeniedHeightThatAChildNamesAsParentIsAHole) {
    Continuity chain;
    chain.block(block(76538234, "a", "z", 76538233));
    chain.denied(76538235);
    const auto step = chain.block(block(76538236, "c", "b", 76538235));
    EXPECT_EQ(step.holes, HeightSet({76538235, 76538235}));
    EXPECT_TRUE(step.skipped.empty());
}

TEST(Continuity, OldHeadersWithoutPrevHeightProveASkipByHash) {
    Continuity chain;
    chain.block(block(10, "ten", "nine"));
    chain.denied(11);
    const auto step = chain.block(block(12, "twelve", "ten"));
    EXPECT_EQ(step.skipped, HeightSet({11, 11}));
    EXPECT_EQ(step.prev_height, 10u);
}

TEST(Continuity, WithoutPrevHeightAnUnknownParentLeavesAHole) {
    Continuity chain;
    chain.block(block(10, "ten", "nine"));
    chain.denied(11);
    const auto step = chain.block(block(12, "twelve", "eleven"));
    EXPECT_EQ(step.holes, HeightSet({11, 11}));
    EXPECT_FALSE(step.prev_height);
}

TEST(Continuity, AForkIsRefused) {
    Continuity chain;
    chain.block(block(10, "ten", "nine", 9));
    EXPECT_TRUE(chain.misfit(block(11, "eleven", "other ten", 10)));
    EXPECT_FALSE(chain.misfit(block(11, "eleven", "ten", 10))) << "a refused block changes nothing";
}

TEST(Continuity, ABlockThatDeniesAStoredOneIsRefused) {
    Continuity chain(block(10, "ten", "nine", 9));
    EXPECT_TRUE(chain.misfit(block(11, "eleven", "nine", 9)));
}

TEST(Continuity, HeightsNeverGoBackwards) {
    Continuity chain(block(10, "ten", "nine", 9));
    EXPECT_TRUE(chain.misfit(block(10, "ten", "nine", 9)));
    EXPECT_TRUE(chain.misfit(block(12, "twelve", "thirteen", 13)));
}

TEST(Continuity, AFilledGapMustFitTheStoredChild) {
    const auto child = block(12, "twelve", "eleven", 11);
    EXPECT_FALSE(Continuity(block(10, "ten", "nine", 9), child).misfit(block(11, "eleven", "ten", 10)));
    EXPECT_TRUE(Continuity(block(10, "ten", "nine", 9), child).misfit(block(11, "forged", "ten", 10)));
    const auto skipping_child = block(12, "twelve", "ten", 10);
    EXPECT_TRUE(
        Continuity(block(10, "ten", "nine", 9), skipping_child).misfit(block(11, "eleven", "ten", 10)));
}

TEST(Continuity, TheBlockAboveTheRunDecidesItsLastHeights) {
    Continuity chain;
    chain.block(block(10, "ten", "nine", 9));
    chain.denied(11);
    chain.denied(12);
    EXPECT_TRUE(chain.undecided());
    chain.set_above(block(13, "thirteen", "eleven", 11));
    const auto step = chain.finish();
    EXPECT_EQ(step.skipped, HeightSet({12, 12}));
    EXPECT_EQ(step.holes, HeightSet({11, 11}));
}

TEST(Continuity, NothingAboveLeavesDeniedHeightsUnproven) {
    Continuity chain;
    chain.block(block(10, "ten", "nine", 9));
    chain.denied(11);
    const auto step = chain.finish();
    EXPECT_TRUE(step.skipped.empty());
    EXPECT_EQ(step.holes, HeightSet({11, 11}));
}

}  // namespace
}  // namespace receiptd::follow
