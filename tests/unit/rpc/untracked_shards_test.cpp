#include "rpc/questions.hpp"
#include "rpc/router.hpp"
#include "unit/rpc/world.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace rpc::testing;

using UntrackedShards = RouterTest;

TEST_F(UntrackedShards, AHostThatLacksChunksOfBlocksItHasDoesNotTrackTheShard) {
    auto& partial = world.host("partial", HostKind::regular);
    world.host("complete", HostKind::archival);
    partial.script = [](const auto&) { return error("UNKNOWN_CHUNK"); };
    world.router();
    upstream(0).saw_block(100);
    upstream(0).saw_block(110);
    for (chain::BlockHeight height = 100; height < 100 + kMissesToBelieve; ++height)
        EXPECT_EQ(*ask(ask_chunk("c", height, 3, Priority::head)), 1u);
    EXPECT_EQ(upstream(0).state().untracked_shards, std::vector<chain::ShardId>{3});
    EXPECT_EQ(upstream(0).state().horizon, 100u) << "it has forgotten nothing";
    const auto before = partial.seen.size();
    EXPECT_EQ(*ask(ask_chunk("d", 105, 3, Priority::head)), 1u);
    EXPECT_EQ(partial.seen.size(), before);
    world.time->advance(kUntrackedFor);
    partial.script = [](const auto&) { return result("{}"); };
    EXPECT_EQ(*ask(ask_chunk("e", 106, 3, Priority::head)), 0u) << "it is asked again after a while";
    EXPECT_TRUE(upstream(0).state().untracked_shards.empty());
}

TEST_F(UntrackedShards, OneChunkThatALaggingNodeLacksCostsTheHostNoShard) {
    auto& lagging = world.host("lagging", HostKind::regular);
    world.host("complete", HostKind::archival);
    world.router();
    upstream(0).saw_block(100);
    upstream(0).saw_block(110);
    for (chain::BlockHeight height = 100; height < 110; ++height) {
        lagging.script = [&](const auto&) { return height % 2 == 0 ? error("UNKNOWN_CHUNK") : result("{}"); };
        EXPECT_TRUE(ask(ask_chunk("c", height, 3, Priority::head)));
    }
    EXPECT_TRUE(upstream(0).state().untracked_shards.empty());
}

TEST_F(UntrackedShards, AHostThatNamesTheShardItDoesNotTrackIsBelieved) {
    auto& partial = world.host("partial", HostKind::regular);
    world.host("complete", HostKind::archival);
    partial.script = [](const auto&) {
        return http(200,
                    R"({"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"info":)"
                    R"({"requested_shard_id":3},"name":"UNAVAILABLE_SHARD"},"code":-32000,)"
                    R"("message":"Server error","data":"The node does not track the shard ID 3"},"id":"r"})");
    };
    EXPECT_EQ(*ask(ask_access_key("alice", "ed25519:x", Priority::head)), 1u);
    EXPECT_EQ(upstream(0).state().untracked_shards, std::vector<chain::ShardId>{3});
}

TEST_F(UntrackedShards, AnArchivalHostThatNeverToldABlockLacksTheShardOfChunksItDoesNotKnow) {
    auto& regular = world.host("regular", HostKind::regular);
    auto& archival = world.host("archival", HostKind::archival);
    regular.script = archival.script = [](const auto&) { return error("UNKNOWN_CHUNK"); };
    world.router();
    upstream(0).saw_block(100);
    upstream(0).saw_block(200);
    for (chain::BlockHeight height = 110; height < 110 + kMissesToBelieve; ++height)
        EXPECT_FALSE(ask(ask_chunk("c", height, 3, Priority::head)));
    EXPECT_TRUE(world.router()->untracked_shards().contains(3));
}

}  // namespace
}  // namespace receiptd::rpc
