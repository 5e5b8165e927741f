// Whole blocks that nodes make themselves (rpc.md §9.1).
#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "rpc/indexer_service.hpp"
#include "rpc/whole_block_check.hpp"
#include "unit/rpc/world.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace receiptd::rpc {
namespace {

using namespace testing;
using Json = nlohmann::json;

constexpr std::int64_t kHeight = 50;
const std::string kHash = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";
const std::string kChunk = "4iZGbFAcBFjqnsL4Eq2jAvWfYA5HFJVVYaqMSZ4e3RDa";

Json new_chunk(int shard) { return Json::parse(chunk_header(kChunk, kHeight, shard)); }

// Two shards; the second one has no new chunk.
Json block() {
    Json block = Json::parse(block_json(kHeight, "", kHash));
    block["chunks"] = {new_chunk(0), Json::parse(chunk_header(zero_hash(), kHeight - 1, 1))};
    return block;
}
Json whole_block() {
    const Json chunk = {{"author", "pool.near"},
                        {"header", new_chunk(0)},
                        {"transactions", Json::array()},
                        {"receipts", Json::array()}};
    const auto shard = [](int id, Json its_chunk) {
        return Json{{"shard_id", id},
                    {"chunk", std::move(its_chunk)},
                    {"receipt_execution_outcomes", Json::array()},
                    {"state_changes", Json::array()}};
    };
    return {{"block", block()}, {"shards", {shard(0, chunk), shard(1, nullptr)}}, {"tracked_shards", {0, 1}}};
}

class Indexer : public ::testing::Test {
protected:
    using Whole = std::function<Transport::Reply()>;
    FakeHost& add(const std::string& name, HostKind kind, Whole whole) {
        auto& host = world.host(name, kind);
        host.script = [whole = std::move(whole)](const net::HttpRequest& request) {
            const auto method = Json::parse(request.body)["method"];
            if (method == kIndexerBlock) return whole();
            return result(method == "chunk" ? chunk_json(kChunk, kHeight, 0) : block().dump());
        };
        return host;
    }
    static Whole makes(const Json& whole) {
        return [whole] { return result(whole.dump()); };
    }
    static Whole refuses(const std::string& cause) {
        return [cause] { return error(cause); };
    }
    // The host that told the block; else what is the matter.
    std::string fetch() {
        if (!service) {
            auto& pool = world.pool;
            auto blocks = std::make_shared<RpcBlockSource>(world.io.get_executor(), pool, world.router(),
                                                           std::make_shared<BlockCache>());
            service = std::make_unique<IndexerService>(pool, world.router(), blocks);
            EXPECT_TRUE(world.run(blocks->head()).has_value());
        }
        const auto result = world.run(service->fetch(kHeight, Priority::head, true));
        if (const auto* told = std::get_if<std::unique_ptr<BlockContents>>(&result))
            return (*told)->host + ((*told)->tells_outcomes() ? ", whole" : ", by chunks");
        if (const auto* fault = std::get_if<Unavailable>(&result)) return fault->reason;
        return std::holds_alternative<NotYet>(result) ? "not yet" : "no such height";
    }

    World world;
    std::unique_ptr<IndexerService> service;
};

TEST_F(Indexer, TellsABlockByItsHashInTwoQuestionsWithThatForTheHead) {
    auto& node = add("own", HostKind::regular, makes(whole_block()));
    EXPECT_EQ(fetch(), "own, whole");
    EXPECT_EQ(node.seen.size(), 2u);
    EXPECT_EQ(Json::parse(node.seen[1].body)["params"], (Json{{"block_hash", kHash}}));
}

TEST_F(Indexer, OfANodeThatLacksAShardComesFromAnother) {
    auto whole = whole_block();
    whole["tracked_shards"] = {1};
    whole["shards"][0]["chunk"] = nullptr;
    add("partial", HostKind::regular, makes(whole));
    add("complete", HostKind::archival, makes(whole_block()));
    EXPECT_EQ(fetch(), "complete, whole");
}

TEST_F(Indexer, OfAShardThatNoNodeTracksIsNeverEmpty) {
    auto whole = whole_block();
    whole["tracked_shards"] = {1};
    whole["shards"][0]["chunk"] = nullptr;
    add("partial", HostKind::regular, makes(whole));
    EXPECT_EQ(fetch(), "partial, by chunks");
}

KnownBlock known() { return known_block(chain::decode_block(block().dump())->value); }

std::string refusal(const Json& whole, KnownBlock of = known()) {
    const auto answer = Json{{"jsonrpc", "2.0"}, {"result", whole}, {"id", 1}}.dump();
    const auto decoded = indexer_block_decoder(std::move(of))(answer);
    return decoded ? "" : decoded.error();
}

TEST_F(Indexer, IsTheKnownBlockWithAllItsShardsOrNone) {
    EXPECT_EQ(refusal(whole_block()), "");
    auto without = whole_block();
    without["shards"][0]["chunk"] = nullptr;
    EXPECT_EQ(refusal(without), "lacks the new chunk of shard 0");
    auto swapped = whole_block();
    std::swap(swapped["shards"][0], swapped["shards"][1]);
    EXPECT_EQ(refusal(swapped), "has shard 1 in the place of shard 0");
    auto fewer = whole_block();
    fewer["shards"].erase(1);
    EXPECT_EQ(refusal(fewer), "has 2 chunks and 1 shards of 2");
    auto another = whole_block();
    another["shards"][0]["chunk"]["header"]["chunk_hash"] = kHash;
    EXPECT_EQ(refusal(another), "has another chunk of shard 0 than its block");
    auto other_block = whole_block();
    other_block["block"]["header"]["hash"] = kChunk;
    EXPECT_EQ(refusal(other_block), "asked for block " + kHash + ", got " + kChunk);
}

// The header gives the hash; what it does not hold is cut alike everywhere.
TEST_F(Indexer, OfALiarThatLeavesAShardOutConsistentlyIsRefused) {
    auto fewer = whole_block();
    for (const char* part : {"shards", "tracked_shards"}) fewer[part].erase(0);
    fewer["block"]["chunks"].erase(0);
    EXPECT_EQ(refusal(fewer), "has 1 chunks and 1 shards of 2");
    fewer["block"]["chunks"] = Json::array();
    EXPECT_NE(refusal(fewer), "");
    auto old = whole_block();
    old["block"]["chunks"][0]["height_included"] = kHeight - 1;
    old["shards"][0]["chunk"] = nullptr;
    EXPECT_EQ(refusal(old), "tells another chunk of shard 0 than another answer");
    auto covered = known();
    covered.covers_chunks = true;
    EXPECT_EQ(refusal(whole_block(), covered), "its hash does not cover its chunks");
}

// Each shows the parent's last chunk until it has one.
TEST_F(Indexer, OfChildrenOfASplitShardIsTaken) {
    auto whole = whole_block();
    whole["block"]["chunks"][1]["shard_id"] = 7;
    EXPECT_EQ(refusal(whole), "");
    EXPECT_FALSE(untracked_shard(chain::decode_whole_block(whole.dump())->value));
}

class IndexerThatIsRefused : public Indexer, public ::testing::WithParamInterface<const char*> {};

TEST_P(IndexerThatIsRefused, ByAllNodesComesByItsChunksAtOnce) {
    auto& node = add("own", HostKind::regular, refuses(GetParam()));
    EXPECT_EQ(fetch(), "own, by chunks");
    EXPECT_EQ(node.seen.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(As, IndexerThatIsRefused,
                         ::testing::Values("INCOMPLETE_DATA", "LIMIT_EXCEEDED", "UNSUPPORTED",
                                           "METHOD_NOT_FOUND"),
                         [](const auto& cause) { return std::string(cause.param); });

TEST_F(Indexer, IsNotAskedOfANodeThatMakesNone) {
    auto& node = add("own", HostKind::regular, refuses("UNSUPPORTED"));
    EXPECT_EQ(fetch(), "own, by chunks");
    EXPECT_EQ(fetch(), "own, by chunks");
    EXPECT_EQ(node.asked(kIndexerBlock), 1u);
}

TEST_F(Indexer, ThatIsNotAppliedYetIsAskedForAgain) {
    unsigned asked = 0;
    add("own", HostKind::regular,
        [&asked] { return ++asked < 3 ? error("DATA_UNAVAILABLE") : result(whole_block().dump()); });
    EXPECT_EQ(fetch(), "own, whole");
}

TEST_F(Indexer, OfABusyNodeIsAskedForAgainAndTheNodeIsAsWellAsEver) {
    unsigned asked = 0;
    add("own", HostKind::regular,
        [&asked] { return ++asked < 4 ? error("BUSY") : result(whole_block().dump()); });
    EXPECT_EQ(fetch(), "own, whole");
    const auto& host = *world.router()->hosts()[0];
    EXPECT_EQ(host.health().score, 1.0);
    EXPECT_EQ(host.wait(), base::Duration::zero());
}

TEST_F(Indexer, WaitsForTheOneNodeThatMakesBlocks) {
    add("public", HostKind::regular, refuses("METHOD_NOT_FOUND"));
    Whole own = refuses("BUSY");
    add("own", HostKind::archival, [&own] { return own(); });
    EXPECT_EQ(fetch(), "BUSY");
    own = refuses("DATA_UNAVAILABLE");
    EXPECT_EQ(fetch(), "DATA_UNAVAILABLE");
    own = [] { return broken(net::TransportFault::timeout); };
    EXPECT_EQ(fetch(), "timeout");
    own = makes(whole_block());
    EXPECT_EQ(fetch(), "own, whole");
}

TEST_F(Indexer, IsNotTakenForMissingByAnArchivalHostsWordAlone) {
    add("own", HostKind::regular, [] { return broken(net::TransportFault::timeout); });
    add("archive", HostKind::archival, refuses("INCOMPLETE_DATA"));
    EXPECT_EQ(fetch(), "INCOMPLETE_DATA");
}

base::Task<bool> joined(base::TaskGroup& group) {
    group.cancel();
    co_await group.join();
    co_return true;
}

// The head comes at once meanwhile.
TEST_F(Indexer, OfNodesThatAreLateIsAskedForAgainUntilTheyKeepUp) {
    Whole own = [] { return broken(net::TransportFault::timeout); };
    auto& node = add("own", HostKind::regular, [&own] { return own(); });
    auto blocks = std::make_shared<RpcBlockSource>(world.io.get_executor(), world.pool, world.router(),
                                                   std::make_shared<BlockCache>());
    WholeBlockSource source(world.io.get_executor(), world.time,
                            std::make_unique<IndexerService>(world.pool, world.router(), blocks), blocks);
    base::TaskGroup beside(world.io.get_executor());
    beside.spawn(source.run());
    const auto fetched = [&] {
        world.run(source.head());
        const auto told = world.run(source.fetch(kHeight, Priority::head, true));
        const auto* block = std::get_if<std::unique_ptr<BlockContents>>(&told);
        return block == nullptr ? "nothing" : (*block)->tells_outcomes() ? "whole" : "by chunks";
    };
    while (std::string(fetched()) == "nothing") world.time->advance(std::chrono::seconds(1));
    EXPECT_STREQ(fetched(), "by chunks");
    own = makes(whole_block());
    while (std::string(fetched()) == "by chunks") world.time->jump();
    EXPECT_STREQ(fetched(), "whole");
    EXPECT_GT(node.asked(kIndexerBlock), 1u);
    EXPECT_TRUE(world.run(joined(beside)));
}

}  // namespace
}  // namespace receiptd::rpc
