#include "chain/json/shard_layout.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

TEST(ShardLayouts, PutABoundaryAccountAboveTheBoundary) {
    const ShardLayout layout{{"aurora", "near"}, {7, 0, 5}};
    EXPECT_EQ(layout.shard_of("alice"), 7u);
    EXPECT_EQ(layout.shard_of("aurora"), 0u);
    EXPECT_EQ(layout.shard_of("aurora.near"), 0u);
    EXPECT_EQ(layout.shard_of("near"), 5u);
    EXPECT_EQ(layout.shard_of("zoe"), 5u);
    EXPECT_EQ(layout.shard_of(""), 7u);
    EXPECT_EQ((ShardLayout{{}, {3}}.shard_of("anybody")), 3u);
}

}  // namespace
}  // namespace receiptd::chain
