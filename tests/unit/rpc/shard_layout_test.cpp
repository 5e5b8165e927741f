#include "rpc/shard_layout.hpp"

#include "rpc/tree_source.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<chain::ShardLayout, std::string> read(const std::string& layout,
                                                   std::optional<TreeSource::ShardWitness> witness = {}) {
    return shard_layout_decoder(std::move(witness))(result(R"({"shard_layout":)" + layout + "}")->body);
}

const std::string kThree = R"({"V2":{"boundary_accounts":["b","d"],"shard_ids":[6,1,3],"version":3}})";

TEST(ShardLayout, IsReadInEveryVersion) {
    EXPECT_THAT(read(R"({"V0":{"num_shards":1,"version":0}})")->shard_ids, ElementsAre(0));
    const auto one = read(R"({"V1":{"boundary_accounts":["b","d"],"shards_split_map":null,"version":1}})");
    EXPECT_THAT(one->shard_ids, ElementsAre(0, 1, 2));
    EXPECT_EQ(read(kThree)->shard_of("c"), 1u);
    const auto latest =
        read(R"({"V3":{"boundary_accounts":["b"],"shard_ids":[6,1],"shards_split_map":{},"last_split":6}})");
    EXPECT_EQ(latest->shard_of("a"), 6u);
}

TEST(ShardLayout, ThatDoesNotFitTogetherIsRefused) {
    for (const char* layout : {
             R"({"V0":{"num_shards":4,"version":0}})",
             R"({"V2":{"boundary_accounts":["b"],"shard_ids":[6]}})",
             R"({"V2":{"boundary_accounts":["d","b"],"shard_ids":[6,1,3]}})",
             R"({"V2":{"boundary_accounts":["b","b"],"shard_ids":[6,1,3]}})",
             R"({"V2":{"boundary_accounts":[1],"shard_ids":[6,1]}})",
             R"({"V2":{"boundary_accounts":["b"],"shard_ids":["x",1]}})",
             R"({"V2":{}})",
             R"({})",
             "[]",
             "null",
         })
        EXPECT_FALSE(read(layout)) << layout;
    EXPECT_FALSE(shard_layout_decoder({})("no JSON"));
}

TEST(ShardLayout, ThatContradictsABlockIsRefused) {
    EXPECT_TRUE(read(kThree, TreeSource::ShardWitness{"c", 1}));
    const auto refused = read(kThree, TreeSource::ShardWitness{"c", 3});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("has c in shard 1"));
}

TEST(ShardLayout, IsAskedOfAnotherHostIfOneTellsWhatCannotBe) {
    World world;
    auto& liar = world.host("a", HostKind::regular);
    auto& honest = world.host("b", HostKind::archival);
    liar.script = [](const auto&) {
        return result(R"({"shard_layout":{"V2":{"boundary_accounts":["b"],"shard_ids":[1,6]}}})");
    };
    honest.script = [](const auto&) { return result(R"({"shard_layout":)" + kThree + "}"); };
    RpcTreeSource source(world.io.get_executor(), world.pool, world.router(), std::make_shared<BlockCache>());
    const auto ask = [&](std::string account_id, chain::ShardId shard_id) {
        TreeSource::ShardWitness witness{std::move(account_id), shard_id};
        return world.run(source.shard_layout(7, std::move(witness), Priority::watch));
    };
    const auto told = ask("e", 3);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->shard_of("a"), 6u);
    EXPECT_EQ(honest.asked(R"("block_id":7)"), 1u);
    EXPECT_FALSE(ask("e", 8)) << "no host tells one that can be right";
}

}  // namespace
}  // namespace receiptd::rpc
