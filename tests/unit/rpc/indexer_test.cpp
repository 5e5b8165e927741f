// Whole blocks that nodes make themselves (rpc.md §9.1).
#include "rpc/indexer_service.hpp"
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

TEST_F(Indexer, WithoutANewChunkOrWithOtherShardsIsRefused) {
    auto without = whole_block();
    without["shards"][0]["chunk"] = nullptr;
    auto swapped = whole_block();
    std::swap(swapped["shards"][0], swapped["shards"][1]);
    auto fewer = whole_block();
    fewer["shards"].erase(1);
    auto another = whole_block();
    another["shards"][0]["chunk"]["header"]["chunk_hash"] = kHash;
    auto other_block = whole_block();
    other_block["block"]["header"]["hash"] = kChunk;
    for (const auto& wrong : {without, swapped, fewer, another, other_block}) {
        const auto decoded =
            indexer_block_decoder(kHash)(Json{{"jsonrpc", "2.0"}, {"result", wrong}, {"id", 1}}.dump());
        EXPECT_FALSE(decoded.has_value()) << wrong.dump();
    }
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

TEST_F(Indexer, TellsTheHeadWholeWhereItIsAskedTo) {
    add("own", HostKind::regular, makes(whole_block()));
    fetch();
    EXPECT_FALSE(world.run(service->head(false))->is_whole);
    EXPECT_TRUE(world.run(service->head(true))->is_whole);
}

}  // namespace
}  // namespace receiptd::rpc
