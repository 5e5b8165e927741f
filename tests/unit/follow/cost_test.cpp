#include "follow/cost.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

TEST(Cost, AShortTreeIsAskedForOnceAndALongOneEverySecondBlock) {
    for (const base::Height blocks : {0, 1, 2, 3}) EXPECT_EQ(asks_for_tree(blocks), 1U) << blocks;
    EXPECT_EQ(asks_for_tree(4), 2U);
    EXPECT_EQ(asks_for_tree(5), 2U);
    EXPECT_EQ(asks_for_tree(6), 3U);
    EXPECT_EQ(asks_for_tree(13), 6U);
}

TEST(Cost, RequestsAreThoseOfTheHeadTheBlocksAndTheirTrees) {
    Sample sample;
    sample.seconds_per_height = 0.5;
    sample.polls_per_height = 2;
    sample.blocks = {{9, 4, 10, 1'000}, {7, 2, 10, 3'000}};
    sample.trees = {{3, 0, 5, 500}, {5, 1, 5, 1'500}};  // one request, and three
    const auto cost = cost_of(sample);
    EXPECT_DOUBLE_EQ(cost.head, 2);
    EXPECT_DOUBLE_EQ(cost.block, 8);
    EXPECT_DOUBLE_EQ(cost.tree, 3 * 2);
    EXPECT_DOUBLE_EQ(cost.requests_a_second, 32);
    EXPECT_DOUBLE_EQ(cost.requests_a_day, 32 * 86'400);
}

TEST(Cost, DiskGrowsWithTheRowsOfBlocksAndTrees) {
    Sample sample;
    sample.seconds_per_height = 1;
    sample.blocks = {{1, 0, 10, 1'000}};
    const auto without_trees = cost_of(sample).disk_a_day;
    EXPECT_GT(without_trees, 1'000.0 * 86'400) << "indexes come on top";
    sample.blocks[0].trees = 2;
    sample.trees = {{1, 0, 5, 500}};
    EXPECT_DOUBLE_EQ(cost_of(sample).disk_a_day, 2 * without_trees);
}

TEST(Cost, NothingIsReckonedFromNothing) {
    EXPECT_EQ(cost_of({}).requests_a_second, 0);
    Sample standing;
    standing.blocks = {{1, 1, 1, 1}};
    EXPECT_EQ(cost_of(standing).requests_a_day, 0) << "a chain that stands still has no rate";
}

}  // namespace
}  // namespace receiptd::follow
