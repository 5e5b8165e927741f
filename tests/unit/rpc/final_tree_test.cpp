#include "rpc/final_tree.hpp"

#include "unit/rpc/told_trees.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

FinalBlocks both_blocks() {
    FinalBlocks blocks;
    for (const auto* hash : {"10", "11"}) blocks[hash] = testing::ToldTrees::block(hash);
    return blocks;
}

std::shared_ptr<const chain::ShardLayout> layout(chain::ShardLayout told) {
    return std::make_shared<const chain::ShardLayout>(std::move(told));
}

TEST(FinalTree, IsPlacedOnTheShardsOfEachBlocksEpoch) {
    auto blocks = both_blocks();
    blocks["11"].epoch_id = "after the split";
    const EpochLayouts layouts{{"epoch", layout({{}, {0}})}, {"after the split", layout({{"b"}, {4, 9}})}};
    const auto judged = judge_final(testing::ToldTrees::told(), blocks, std::nullopt, layouts);
    EXPECT_EQ(judged.included_in_shard, 0u);
    EXPECT_EQ(judged.receipts.at(0).shard_id, 9u);
}

TEST(FinalTree, HasNoShardWhereNoLayoutIsKnown) {
    auto blocks = both_blocks();
    blocks["11"].epoch_id = "after the split";
    const EpochLayouts layouts{{"epoch", layout({{}, {0}})}};
    const auto judged = judge_final(testing::ToldTrees::told(), blocks, std::nullopt, layouts);
    EXPECT_EQ(judged.included_in_shard, 0u);
    EXPECT_TRUE(judged.receipts.at(0).executed);
    EXPECT_EQ(judged.receipts.at(0).shard_id, std::nullopt);
}

TEST(FinalTree, KeepsThePlaceOfInclusionThatItIsTold) {
    auto blocks = both_blocks();
    const EpochLayouts layouts{{"epoch", layout({{"b"}, {4, 9}})}};
    const chain::ExecutedAt included_at{10, 77};
    for (const bool known : {true, false}) {
        if (!known) blocks.erase("10");
        const auto judged = judge_final(testing::ToldTrees::told(), blocks, included_at, layouts);
        EXPECT_EQ(judged.included_at, included_at);
        EXPECT_EQ(judged.included_in_shard.has_value(), known);
    }
}

}  // namespace
}  // namespace receiptd::rpc
