#include "rpc/tree_source.hpp"

#include "chain/wire/hash.hpp"
#include "unit/rpc/status_json.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class RpcTrees : public ::testing::Test {
protected:
    TreeSource::TreeResult tree() {
        if (!source_)
            source_ = std::make_unique<RpcTreeSource>(world.io.get_executor(), world.pool, world.router(),
                                                      std::make_shared<BlockCache>());
        TreeSource::Query query{kTreeTx, "a.near", Priority::head, included_in, {}};
        return world.run(source_->tree(std::move(query)));
    }
    std::optional<TreeSource::Inclusion> included_in;
    TreeSource& source() {
        tree();
        return *source_;
    }
    // Tells kBlock at height 12 when it is asked for its hash, and `by_height` when it is asked for the
    // height.
    FakeHost& host_of_a_fork(Transport::Reply by_height) {
        auto& host = world.host("main", HostKind::regular);
        host.script = [by_height](const net::HttpRequest& request) {
            if (asks(request, kBlock)) return result(block_json(12, "", kBlock));
            return asks(request, "\"block_id\":12") ? by_height : error("UNKNOWN_BLOCK");
        };
        return host;
    }
    // By height, with that of the parent.
    FakeHost& host_of(std::map<int, int> blocks) {
        auto& host = world.host("main", HostKind::regular);
        host.script = [blocks = std::move(blocks)](const net::HttpRequest& request) {
            for (const auto& [height, parent] : blocks)
                if (asks(request, "\"block_id\":" + std::to_string(height) + "}") ||
                    asks(request, hash_of(height)))
                    return result(block_of(height, parent));
            return error("UNKNOWN_BLOCK");
        };
        return host;
    }
    static std::string hash_of(int height) {
        return chain::sha256(chain::bytes_of(std::to_string(height))).to_string();
    }
    static std::string block_of(int height, int parent) {
        auto text = block_json(height, "", hash_of(height));
        const auto put = [&](auto was, auto is) { text.replace(text.find(was), was.size(), is); };
        put("\"prev_height\":" + std::to_string(height - 1), "\"prev_height\":" + std::to_string(parent));
        put("\"prev_hash\":\"" + zero_hash(), "\"prev_hash\":\"" + hash_of(parent));
        return text;
    }
    static bool asks(const net::HttpRequest& request, const std::string& text) {
        return request.body.find(text) != std::string::npos;
    }
    World world;

private:
    std::unique_ptr<RpcTreeSource> source_;
};

TEST_F(RpcTrees, ATreeWithAllOutcomesAndBodiesTakesOneRequest) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) {
        return result(
            status({outcome(kR1, {kR2}), outcome(kR2, {})}, {kR1}, Texts{receipt(kR1), receipt(kR2)}));
    };
    const auto result = tree();
    const auto& got = std::get<TreeSource::Tree>(result);
    EXPECT_TRUE(got.complete);
    EXPECT_THAT(got.extra_receipts, IsEmpty());
    EXPECT_THAT(got.missing_receipts, IsEmpty());
    EXPECT_EQ(host.seen.size(), 1u);
    EXPECT_EQ(host.asked(R"("wait_until":"NONE")"), 1u);
    EXPECT_EQ(host.asked(R"("sender_account_id":"a.near")"), 1u);
}

TEST_F(RpcTrees, IsIncompleteWhileAReachableReceiptHasNoOutcome) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) { return result(status({outcome(kR1, {kR2, kR3}), outcome(kR2, {})})); };
    EXPECT_FALSE(std::get<TreeSource::Tree>(tree()).complete);
    EXPECT_EQ(host.seen.size(), 1u) << "bodies are asked for when the tree is complete";
}

TEST_F(RpcTrees, IsIncompleteWhileNothingButTheHashIsKnown) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) { return result(R"({"final_execution_status":"NONE"})"); };
    EXPECT_FALSE(std::get<TreeSource::Tree>(tree()).complete);
}

// Recorded in shared/data/nearcore-84/untracked.json: a node that does not track the shard says so in no
// other way.
const std::string kTellsNothing = R"({"final_execution_status":"NONE"})";

class PartialHosts : public RpcTrees {
protected:
    // As the tree of a transaction that this block includes.
    TreeSource::TreeResult tree_of(chain::BlockHeight height, chain::ShardId shard_id) {
        included_in = {height, shard_id};
        return tree();
    }
    static Transport::Reply complete(const net::HttpRequest&) {
        return result(status({outcome(kR1, {})}, {kR1}, Texts{receipt(kR1)}));
    }
};

TEST_F(PartialHosts, ArePassedOverOnceTheirAnswersLackOutcomes) {
    auto& validator = world.host("validator", HostKind::regular);
    auto& second = world.host("without outcomes", HostKind::regular);
    auto& whole = world.host("whole", HostKind::archival);
    validator.script = [](const auto&) { return result(kTellsNothing); };
    second.script = [](const auto&) { return result(R"({"final_execution_status":"INCLUDED"})"); };
    whole.script = complete;
    for (auto& host : world.router()->hosts()) host->saw_block(150);
    for (chain::BlockHeight height = 100; height < 100 + kMissesToBelieve; ++height)
        EXPECT_EQ(std::get<TreeSource::Tree>(tree_of(height, 3)).host, "whole");
    EXPECT_THAT(world.router()->states()[0].untracked_shards, ElementsAre(3u));
    tree_of(110, 3);
    EXPECT_EQ(validator.seen.size(), kMissesToBelieve);
    EXPECT_EQ(second.seen.size(), kMissesToBelieve);
    tree_of(111, 2);
    EXPECT_EQ(validator.seen.size(), kMissesToBelieve + 1) << "of another shard nothing is known";
    EXPECT_TRUE(world.router()->untracked_shards().empty());
}

TEST_F(PartialHosts, ThatLackOneTransactionOnlyLackNoShard) {
    auto& host = world.host("host", HostKind::regular);
    host.script = [](const auto&) { return result(kTellsNothing); };
    world.router()->hosts()[0]->saw_block(150);
    for (int i = 0; i < 9; ++i) EXPECT_TRUE(std::holds_alternative<Unavailable>(tree_of(100, 3)));
    EXPECT_TRUE(world.router()->untracked_shards().empty()) << "it may never have had an outcome";
}

TEST_F(PartialHosts, OfWhichNoneTracksAShardNameItUntilOneDoesOrNobodyAsksAnyMore) {
    auto& a = world.host("a", HostKind::regular);
    auto& b = world.host("b", HostKind::archival);
    a.script = b.script = [](const auto&) { return result(kTellsNothing); };
    for (auto& host : world.router()->hosts()) host->saw_block(150);
    for (chain::BlockHeight height = 100; height < 100 + kMissesToBelieve; ++height) {
        const auto result = tree_of(height, 3);
        ASSERT_TRUE(std::holds_alternative<Unavailable>(result));
        EXPECT_EQ(std::get<Unavailable>(result).reason, kNoHostTracksShard);
        EXPECT_THAT(std::get<Unavailable>(result).detail, HasSubstr("of shard 3"));
    }
    EXPECT_THAT(world.router()->untracked_shards(), ElementsAre(3u));
    b.script = complete;
    EXPECT_TRUE(std::get<TreeSource::Tree>(tree_of(110, 3)).complete)
        << "it is asked where no other one is left";
    EXPECT_TRUE(world.router()->untracked_shards().empty());

    b.script = a.script;
    for (chain::BlockHeight height = 120; height < 120 + kMissesToBelieve; ++height) tree_of(height, 3);
    EXPECT_FALSE(world.router()->untracked_shards().empty());
    world.time->advance(kUntrackedFor);
    EXPECT_TRUE(world.router()->untracked_shards().empty()) << "the shard may be gone";
}

TEST_F(PartialHosts, KnowLessOfAnUnknownTransactionThanHostsThatTrackItsShard) {
    auto& a = world.host("a", HostKind::regular);
    auto& b = world.host("b", HostKind::archival);
    a.script = [](const auto&) { return result(kTellsNothing); };
    b.script = [](const auto&) { return error("UNKNOWN_TRANSACTION"); };
    EXPECT_TRUE(std::holds_alternative<TreeSource::Unknown>(tree()));
    EXPECT_TRUE(std::holds_alternative<TreeSource::Unknown>(tree_of(100, 3)))
        << "b tracks it and has forgotten it";
    a.script = [](const auto&) { return result(R"({"final_execution_status":"INCLUDED"})"); };
    included_in.reset();
    EXPECT_FALSE(std::holds_alternative<TreeSource::Unknown>(tree())) << "a chunk has it";
}

TEST_F(PartialHosts, LeaveTheAnswerToAHostThatOffersTheOlderMethodOnly) {
    auto& a = world.host("a", HostKind::regular);
    auto& b = world.host("b", HostKind::archival);
    a.script = [](const auto&) { return result(kTellsNothing); };
    b.script = [](const net::HttpRequest& request) {
        if (asks(request, "tx_status")) return error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR");
        return complete(request);
    };
    for (chain::BlockHeight height = 100; height < 105; ++height)
        EXPECT_TRUE(std::holds_alternative<TreeSource::Tree>(tree_of(height, 3))) << height;
}

TEST_F(RpcTrees, UnknownIsSaidOnlyAfterArchivalAgreed) {
    auto& regular = world.host("main", HostKind::regular);
    auto& archival = world.host("old", HostKind::archival);
    regular.script = [](const auto&) { return error("TIMEOUT_ERROR", 408); };
    archival.script = [](const auto&) { return error("UNKNOWN_TRANSACTION"); };
    ASSERT_TRUE(std::holds_alternative<TreeSource::Unknown>(tree()));
    EXPECT_FALSE(std::get<TreeSource::Unknown>(tree()).doubtful);
    EXPECT_TRUE(std::get<TreeSource::Unknown>(tree()).by_two);
    regular.script = [](const auto&) { return broken(net::TransportFault::reset); };
    ASSERT_TRUE(std::holds_alternative<TreeSource::Unknown>(tree()));
    EXPECT_TRUE(std::get<TreeSource::Unknown>(tree()).doubtful) << "by the word of one of two";
    EXPECT_FALSE(std::get<TreeSource::Unknown>(tree()).by_two);
    regular.script = [](const auto&) { return error("TIMEOUT_ERROR", 408); };
    archival.script = [](const auto&) {
        return result(status({outcome(kR1, {})}, {kR1}, Texts{receipt(kR1)}));
    };
    EXPECT_TRUE(std::get<TreeSource::Tree>(tree()).complete);
    archival.script = [](const auto&) { return http(502, ""); };
    EXPECT_TRUE(std::holds_alternative<Unavailable>(tree()));
}

TEST_F(RpcTrees, AnotherTransactionIsRefused) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) {
        auto text = status({outcome(kR1, {})});
        for (auto at = text.find(kTreeTx); at != std::string::npos; at = text.find(kTreeTx))
            text.replace(at, kTreeTx.size(), kR3);
        return result(text);
    };
    EXPECT_EQ(std::get<Unavailable>(tree()).reason, "malformed");
}

TEST_F(RpcTrees, AFailedTransactionWithoutReceiptsIsComplete) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) { return result(status({}, {})); };
    EXPECT_TRUE(std::get<TreeSource::Tree>(tree()).complete);
}

TEST_F(RpcTrees, AFinalBlockIsTheOneAtItsHeightAndIsAskedForOnce) {
    auto& host = host_of_a_fork(result(block_json(12, "", kBlock)));
    auto& blocks = source();
    EXPECT_EQ(world.run(blocks.final_block(kBlock, 11, Priority::head)).error().reason, "NOT_FINAL");
    EXPECT_EQ(world.run(blocks.final_block(kBlock, 12, Priority::head))->height, 12u);
    const auto asked = host.seen.size();
    EXPECT_EQ(world.run(blocks.final_block(kBlock, 12, Priority::head))->hash, kBlock);
    EXPECT_EQ(host.seen.size(), asked);
    EXPECT_EQ(world.run(blocks.final_block(kR3, 12, Priority::head)).error().reason, "UNKNOWN_BLOCK");
}

TEST_F(RpcTrees, ABlockIsHeldIfAHostTellsItAndNotIfAllDenyIt) {
    host_of_a_fork(result(block_json(12, "", kBlock)));
    EXPECT_EQ(world.run(source().holds_blocks({12, 12}, Priority::watch)), true);
    EXPECT_EQ(world.run(source().holds_blocks({11, 12}, Priority::watch)), false) << "its parent is denied";
    EXPECT_EQ(world.run(source().holds_blocks({11, 11}, Priority::watch)), false);
}

TEST_F(RpcTrees, ABlockThatOneHostDeniesAnotherThatDoesNotAnswerMayHold) {
    world.host("silent", HostKind::regular).script = [](const auto&) { return error("INTERNAL_ERROR"); };
    host_of_a_fork(result(block_json(12, "", kBlock)));
    EXPECT_EQ(world.run(source().holds_blocks({12, 12}, Priority::watch)), true);
    EXPECT_EQ(world.run(source().holds_blocks({11, 12}, Priority::watch)), std::nullopt);
}

TEST_F(RpcTrees, HeightsThatWereSkippedAreHeldByTheBlockAboveThatSaysSo) {
    host_of({{1, 0}, {2, 1}, {6, 2}, {7, 6}, {30, 29}});
    EXPECT_EQ(world.run(source().holds_blocks({30, 30}, Priority::watch)), true);  // is the head
    EXPECT_EQ(world.run(source().holds_blocks({2, 7}, Priority::watch)), true);
    EXPECT_EQ(world.run(source().holds_blocks({3, 4}, Priority::watch)), true) << "none of these has a block";
    EXPECT_EQ(world.run(source().holds_blocks({8, 9}, Priority::watch)), false);
}

TEST_F(RpcTrees, AHoleInTheMiddleIsNotHeld) {
    host_of({{1, 0}, {2, 1}, {6, 5}, {7, 6}});
    EXPECT_EQ(world.run(source().holds_blocks({2, 7}, Priority::watch)), false);
    EXPECT_EQ(world.run(source().holds_blocks({3, 4}, Priority::watch)), false)
        << "5 may have them as parents";
    EXPECT_EQ(world.run(source().holds_blocks({6, 7}, Priority::watch)), true);
}

TEST_F(RpcTrees, OfManyHeightsTheHighestAndTheLowestMustBeHeld) {
    std::map<int, int> blocks;
    for (int height = 100; height <= 200; ++height) blocks[height] = height - 1;
    blocks[300] = 299;
    auto& host = host_of(blocks);
    EXPECT_EQ(world.run(source().holds_blocks({100, 200}, Priority::watch)), true);
    EXPECT_LT(host.seen.size(), 30u);
    EXPECT_EQ(world.run(source().holds_blocks({300, 300}, Priority::watch)), true);  // is the head
    EXPECT_EQ(world.run(source().holds_blocks({99, 200}, Priority::watch)), false);
    EXPECT_EQ(world.run(source().holds_blocks({100, 250}, Priority::watch)), false);
}

TEST_F(RpcTrees, ABlockThatLostAgainstAnotherIsOfAFork) {
    host_of_a_fork(result(block_json(12, "", kR1)));
    EXPECT_EQ(world.run(source().final_block(kBlock, 20, Priority::head)).error().reason, kOfAFork);
}

TEST_F(RpcTrees, ABlockThatLostAgainstASkippedHeightIsOfAFork) {
    host_of_a_fork(error("UNKNOWN_BLOCK"));
    EXPECT_EQ(world.run(source().final_block(kBlock, 20, Priority::head)).error().reason, kOfAFork);
}

}  // namespace
}  // namespace receiptd::rpc
