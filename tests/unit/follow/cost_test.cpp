#include "follow/cost.hpp"

#include "unit/follow/small_tree.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace receiptd::follow {
namespace {

constexpr base::Height kIncluded = 100;

rpc::TreeSource::Tree tree_of_two(chain::Receipt second) {
    const auto id = second.receipt_id;
    auto tree = tree_with(std::move(second));
    tree.status.value.receipts_outcome.push_back(outcome(id, chain::StatusKind::success_value, {}));
    tree.complete = true;
    return tree;
}

std::uint64_t asks(base::Height blocks) {
    return asks_for_tree(tree_of_two(body("second")), kIncluded, {kIncluded + 1, kIncluded + blocks});
}

TEST(Cost, AShortTreeIsAskedForOnceAndALongOneEverySecondBlock) {
    for (const base::Height blocks : {1, 2, 3}) EXPECT_EQ(asks(blocks), 1U) << blocks;
    EXPECT_EQ(asks(4), 2U);
    EXPECT_EQ(asks(5), 2U);
    EXPECT_EQ(asks(6), 3U);
}

TEST(Cost, ATreeThatStandsStillIsAskedForLessAndLess) {
    EXPECT_LT(asks(60), 12U);
    EXPECT_LT(asks(1'000'000'000), 2'000U) << "a height that nobody can mean ends, too";
}

TEST(Cost, AYieldIsAskedForWhenItsDataComesAndNowAndThenBefore) {
    const auto asks_of_yield = [](base::Height blocks) {
        auto yield = body("second");
        yield.is_promise_yield = true;
        yield.input_data_ids = {"data"};
        return asks_for_tree(tree_of_two(std::move(yield)), kIncluded, {kIncluded + 1, kIncluded + blocks});
    };
    EXPECT_EQ(asks_of_yield(30), 2U);
    EXPECT_LT(asks_of_yield(200), 8U);
}

TEST(Cost, WhereATreeWasExecutedMayBeUnknown) {
    EXPECT_EQ(asks_for_tree(tree_of_two(body("second")), kIncluded, {0, 0}), 1U);
}

SampledTables tables(std::uint64_t receipts, std::uint64_t bytes) {
    SampledTables made{};
    made[static_cast<std::size_t>(chain::Table::receipts)] = {receipts, bytes};
    return made;
}

TEST(Cost, RequestsAreThoseOfTheHeadTheBlocksAndTheirTrees) {
    Sample sample;
    sample.seconds_per_height = 0.5;
    sample.polls_per_height = 2;
    sample.blocks = {{9, 4, tables(10, 1'000)}, {7, 2, tables(10, 3'000)}};
    sample.trees = {{1, 0, tables(5, 500)}, {2, 1, tables(5, 1'500)}};
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
    sample.blocks = {{1, 0, tables(10, 1'000)}};
    const auto without_trees = cost_of(sample);
    EXPECT_GT(without_trees.disk_a_day, 1'000.0 * 86'400) << "indexes come on top";
    EXPECT_EQ(without_trees.disk_a_day,
              without_trees.table_a_day[static_cast<std::size_t>(chain::Table::receipts)]);
    sample.blocks[0].trees = 2;
    sample.trees = {{1, 0, tables(5, 500)}};
    EXPECT_DOUBLE_EQ(cost_of(sample).disk_a_day, 2 * without_trees.disk_a_day);
}

TEST(Cost, NothingIsReckonedFromNothing) {
    EXPECT_EQ(cost_of({}).requests_a_second, 0);
    Sample standing;
    standing.blocks = {{1, 1, tables(1, 1)}};
    EXPECT_EQ(cost_of(standing).requests_a_day, 0) << "a chain that stands still has no rate";
}

}  // namespace
}  // namespace receiptd::follow
