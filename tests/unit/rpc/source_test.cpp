#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "rpc/block_contents.hpp"
#include "rpc/block_source.hpp"
#include "rpc/sources.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kChunkA = "A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2";
const std::string kChunkB = "6gk5rCA4mjkBS2i9xthxona8Q3akpjvFhaTdACgVw7yC";
const std::string kChunkOld = "HjAMoRyRgvWo9BcDB8WBD9mL3Uk9EnK8gFqAw5CxP846";

// A host that knows blocks head-5..head, each with two new chunks and an old one.
FakeHost::Script chain_host(int head) {
    return [head](const net::HttpRequest& request) -> Transport::Reply {
        const auto has = [&](const std::string& text) {
            return request.body.find(text) != std::string::npos;
        };
        if (has(kChunkA)) return result(chunk_json(kChunkA, head, 0));
        if (has(kChunkB)) return result(chunk_json(kChunkB, head, 1));
        for (int height = head - 5; height <= head; ++height)
            if (has(R"("final")") ? height == head : has("\"block_id\":" + std::to_string(height)))
                return result(block_json(height, chunk_header(kChunkA, height, 0) + "," +
                                                     chunk_header(kChunkOld, height - 1, 2) + "," +
                                                     chunk_header(kChunkB, height, 1)));
        return error("UNKNOWN_BLOCK", 422);
    };
}

class RpcBlocks : public ::testing::Test {
protected:
    RpcBlockSource& source() {
        if (!source_)
            source_ = std::make_unique<RpcBlockSource>(world.io.get_executor(), world.pool, world.router(),
                                                       std::make_shared<BlockCache>());
        return *source_;
    }
    FetchResult fetch(chain::BlockHeight height, bool with_chunks = true) {
        return world.run(source().fetch(height, Priority::head, with_chunks));
    }
    World world;

private:
    std::unique_ptr<RpcBlockSource> source_;
};

TEST_F(RpcBlocks, ABlockComesWithItsNewChunksInItsOwnOrder) {
    auto& host = world.host("main", HostKind::regular);
    host.script = chain_host(100);
    ASSERT_EQ(world.run(source().head())->height, 100u);
    const auto result = fetch(100);
    const auto& got = dynamic_cast<const RpcBlock&>(*std::get<std::unique_ptr<BlockContents>>(result));
    EXPECT_EQ(got.block().header.height, 100u);
    ASSERT_EQ(got.chunks().size(), 2u);
    EXPECT_EQ(got.chunks()[0]->value.header.chunk_hash, kChunkA);
    EXPECT_EQ(got.chunks()[1]->value.header.chunk_hash, kChunkB);
    EXPECT_EQ(host.seen.size(), 3u) << "the head's block is not asked for a second time";
    EXPECT_EQ(host.asked(kChunkOld), 0u) << "an old chunk is repeated, not new";
}

TEST_F(RpcBlocks, ChunksAreLeftOutWhereNobodyWantsThem) {
    auto& host = world.host("main", HostKind::regular);
    host.script = chain_host(100);
    const auto result = fetch(98, false);
    EXPECT_EQ(std::get<std::unique_ptr<BlockContents>>(result)->block().header.height, 98u);
    EXPECT_EQ(host.asked("chunk_id"), 0u);
}

TEST_F(RpcBlocks, ANodeThatLagsBehindTheSameNameDoesNotLowerWhatIsFinal) {
    auto& host = world.host("main", HostKind::regular);
    host.script = chain_host(100);
    EXPECT_EQ(world.run(source().head())->height, 100u);
    host.script = chain_host(97);
    EXPECT_EQ(world.run(source().head())->height, 97u);
    host.script = chain_host(100);
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(fetch(99)));
}

TEST_F(RpcBlocks, ADoubtedHostTellsNoHead) {
    auto& host = world.host("main", HostKind::regular);
    host.script = chain_host(1'000'000);
    EXPECT_EQ(world.run(source().head())->height, 1'000'000u);
    world.router()->hosts().front()->doubt();
    EXPECT_EQ(world.router()->known_head(), std::nullopt) << "what it told is forgotten";
    EXPECT_FALSE(world.run(source().head()));
    world.time->advance(10s);
    host.script = chain_host(100);
    EXPECT_EQ(world.run(source().head())->height, 100u) << "a lower one counts then";
}

TEST_F(RpcBlocks, AHeadBeyondAnyChainIsAFault) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) { return result(block_json(9'223'372'036'854'775'806)); };
    EXPECT_FALSE(world.run(source().head()));
    EXPECT_EQ(world.router()->known_head(), std::nullopt);
}

TEST_F(RpcBlocks, AboveTheFinalHeadNothingIsTakenEvenIfTheHostWouldShowIt) {
    auto& host = world.host("main", HostKind::regular);
    host.script = chain_host(100);
    EXPECT_TRUE(std::holds_alternative<NotYet>(fetch(101)));
    EXPECT_EQ(host.asked("101"), 0u);
}

TEST_F(RpcBlocks, AHeightNobodyKnowsBelowTheHeadIsNoSuchHeight) {
    auto& regular = world.host("main", HostKind::regular);
    auto& archival = world.host("old", HostKind::archival);
    regular.script = chain_host(100);
    archival.script = [](const auto&) { return error("UNKNOWN_BLOCK", 422); };
    const auto result = fetch(90);
    ASSERT_TRUE(std::holds_alternative<NoSuchHeight>(result));
    EXPECT_THAT(std::get<NoSuchHeight>(result).evidence, HasSubstr("main"));
    EXPECT_THAT(std::get<NoSuchHeight>(result).evidence, HasSubstr("old"));
}

// A host that tells a number for a transaction of chunk A.
FakeHost::Script unreadable_chain_host(int head) {
    return [head, honest = chain_host(head)](const net::HttpRequest& request) {
        if (request.body.find(kChunkA) == std::string::npos) return honest(request);
        auto chunk = chunk_json(kChunkA, head, 0);
        const std::string none = R"("transactions":[])";
        return result(chunk.replace(chunk.find(none), none.size(), R"("transactions":[7])"));
    };
}

TEST_F(RpcBlocks, WhatCannotBeReadIsAskedOfAnotherHost) {
    auto& regular = world.host("main", HostKind::regular);
    auto& archival = world.host("old", HostKind::archival);
    regular.script = unreadable_chain_host(100);
    archival.script = chain_host(100);
    const auto result = fetch(100);
    const auto& got = dynamic_cast<const RpcBlock&>(*std::get<std::unique_ptr<BlockContents>>(result));
    EXPECT_TRUE(got.chunks()[0]->unreadable.empty());
    EXPECT_EQ(archival.asked(kChunkA), 1u);
    EXPECT_EQ(regular.asked(kChunkA), 1u);
    EXPECT_EQ(world.router()->hosts()[0]->health().refusals_in_a_row, 0u) << "the chain may be at fault";
}

TEST_F(RpcBlocks, NobodyIsWaitedForWhileAPartIsInHand) {
    auto& regular = world.host("main", HostKind::regular);
    auto& archival = world.host("old", HostKind::archival);
    regular.script = unreadable_chain_host(100);
    archival.script = [](const auto&) { return http(503, ""); };
    fetch(100);
    const auto before = world.time->now();
    const auto result = fetch(100);
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(result));
    EXPECT_EQ(world.time->now() - before, 0s);
}

TEST_F(RpcBlocks, WhatNoHostTellsReadablyIsLeftOutAndNamed) {
    for (auto* host : {&world.host("main", HostKind::regular), &world.host("old", HostKind::archival)})
        host->script = unreadable_chain_host(100);
    const auto result = fetch(100);
    const auto& got = dynamic_cast<const RpcBlock&>(*std::get<std::unique_ptr<BlockContents>>(result));
    ASSERT_EQ(got.chunks()[0]->unreadable.size(), 1u);
    EXPECT_TRUE(got.chunks()[1]->unreadable.empty());
    const chain::Scope everything;
    chain::Lineage lineage;
    chain::LiveTrees live;
    const auto rows = got.rows({std::nullopt, everything, lineage, live});
    ASSERT_EQ(rows.facts.left_out.size(), 1u);
    EXPECT_EQ(rows.facts.left_out[0].height, 100u);
    EXPECT_EQ(rows.facts.left_out[0].path, "shard 0 result.transactions[0]");
    EXPECT_EQ(rows.facts.new_kinds.names().count({"unreadable", "result.transactions[]: not an object"}), 1u);
}

TEST_F(RpcBlocks, AnotherHeightThanTheOneAskedForIsRefused) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const net::HttpRequest& request) {
        return request.body.find("final") != std::string::npos ? result(block_json(100))
                                                               : result(block_json(77));
    };
    const auto result = fetch(99);
    ASSERT_TRUE(std::holds_alternative<Unavailable>(result));
    EXPECT_EQ(std::get<Unavailable>(result).reason, "malformed");
    EXPECT_THAT(std::get<Unavailable>(result).detail, HasSubstr("asked for block 99, got 77"));
}

TEST_F(RpcBlocks, AnotherChunkThanTheOneAskedForIsRefused) {
    auto& host = world.host("main", HostKind::regular);
    auto honest = chain_host(100);
    host.script = [honest](const net::HttpRequest& request) {
        return request.body.find(kChunkB) != std::string::npos ? result(chunk_json(kChunkA, 100, 0))
                                                               : honest(request);
    };
    const auto result = fetch(100);
    ASSERT_TRUE(std::holds_alternative<Unavailable>(result));
    EXPECT_THAT(std::get<Unavailable>(result).detail, HasSubstr("asked for chunk " + kChunkB));
}

TEST_F(RpcBlocks, AChunkTheBlocksHostCannotGiveComesFromAnotherOne) {
    auto& regular = world.host("main", HostKind::regular);
    auto& archival = world.host("old", HostKind::archival);
    auto honest = chain_host(100);
    regular.script = [honest](const net::HttpRequest& request) {
        return request.body.find(kChunkB) != std::string::npos ? error("UNKNOWN_CHUNK") : honest(request);
    };
    archival.script = chain_host(100);
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(fetch(100)));
    EXPECT_EQ(archival.seen.size(), 1u);
}

TEST_F(RpcBlocks, AChunkNobodyHoldsIsTheReasonAndTheBlockIsKept) {
    auto& host = world.host("main", HostKind::regular);
    auto honest = chain_host(100);
    host.script = [honest](const net::HttpRequest& request) {
        return request.body.find(kChunkB) != std::string::npos ? error("UNKNOWN_CHUNK") : honest(request);
    };
    const auto result = fetch(100);
    ASSERT_TRUE(std::holds_alternative<Unavailable>(result));
    EXPECT_EQ(std::get<Unavailable>(result).reason, "UNKNOWN_CHUNK");
    EXPECT_THAT(std::get<Unavailable>(result).detail, HasSubstr(kChunkB));
    host.script = honest;
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(fetch(100)));
    EXPECT_EQ(host.asked("\"method\":\"block\""), 1u);
}

TEST_F(RpcBlocks, AnUnreachableHostIsUnavailableNeverAMissingHeight) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const auto&) { return broken(net::TransportFault::connect); };
    const auto result = fetch(100);
    ASSERT_TRUE(std::holds_alternative<Unavailable>(result));
    EXPECT_EQ(std::get<Unavailable>(result).reason, "connect");
}

std::string whole_block(int height) { return R"({"block":)" + block_json(height) + R"(,"shards":[]})"; }

class Factory : public ::testing::Test {
protected:
    Factory() {
        settings.upstreams = {{"main", config::UpstreamKind::regular, "http://main.test", {}},
                              {"old", config::UpstreamKind::archival, "http://old.test", {}}};
        transports = [this](const net::Url& origin, const TransportOptions& options) {
            asked[origin.host] = options;
            auto host = std::make_shared<FakeHost>(world.io.get_executor());
            host->script = [this](const net::HttpRequest& request) { return script(request); };
            hosts[origin.host] = host;
            return host;
        };
    }
    std::unique_ptr<Sources> make() {
        return make_sources(world.io.get_executor(), world.pool, settings, nullptr, world.time, transports);
    }
    World world;
    config::Settings settings;
    TransportFactory transports;
    std::map<std::string, std::shared_ptr<FakeHost>> hosts;
    std::map<std::string, TransportOptions> asked;
    FakeHost::Script script = [](const auto&) { return result("{}"); };
};

TEST_F(Factory, ShowsEachUpstreamWithoutWhatIsSecret) {
    settings.upstreams[0].url = "http://main.test/secret-path?x=secret";
    settings.upstreams[0].api_key = base::Secret("secret-key");
    const auto states = make()->states();
    ASSERT_EQ(states.size(), 2u);
    EXPECT_EQ(states[0].name, "main");
    EXPECT_EQ(states[0].kind, "regular");
    EXPECT_EQ(states[0].origin.find("secret"), std::string::npos);
    EXPECT_EQ(states[1].kind, "archival");
}

TEST_F(Factory, AsksOnlyTheHostsConfiguredSoForGzipOnLoopback) {
    settings.upstreams[1].gzip = true;
    settings.upstreams[1].max_in_flight = 3;
    make();
    EXPECT_FALSE(asked["main.test"].gzip_on_loopback);
    EXPECT_TRUE(asked["old.test"].gzip_on_loopback);
    EXPECT_EQ(asked["old.test"].max_connections, 3u);
}

TEST_F(Factory, NeardataIsAHostOfItsOwn) {
    settings.follow.source = config::Source::neardata;
    EXPECT_THROW(make(), std::invalid_argument);
    settings.neardata.emplace();
    settings.neardata->url = "http://neardata.test";
    script = [](const auto&) { return http(200, whole_block(3)); };
    auto sources = make();
    EXPECT_TRUE(sources->blocks().waits_for_next());
    EXPECT_EQ(sources->states().back().kind, "neardata");
    EXPECT_EQ(world.run(sources->blocks().head())->height, 3u);
}

TEST_F(Factory, AUrlThatDoesNotParseIsRefusedWithoutRepeatingIt) {
    settings.upstreams[0].url = "secret";
    try {
        make();
        FAIL();
    } catch (const std::invalid_argument& refused) {
        EXPECT_EQ(std::string(refused.what()).find("secret"), std::string::npos);
    }
}

TEST_F(Factory, AReloadGivesAHostThatRefusedUsAnotherChance) {
    settings.upstreams.pop_back();
    script = [](const auto&) { return http(403, "<html>no</html>"); };
    auto sources = make();
    EXPECT_FALSE(world.run(sources->blocks().head()));
    EXPECT_TRUE(sources->states()[0].refused);
    sources->reload(settings);
    EXPECT_FALSE(sources->states()[0].refused);
    settings.upstreams[0].api_key = base::Secret("new");
    sources->reload(settings);
    script = [](const auto&) { return result(block_json(7)); };
    EXPECT_TRUE(world.run(sources->blocks().head()));
    EXPECT_EQ(hosts["main.test"]->seen.back().headers.back().value, "Bearer new");
}

}  // namespace
}  // namespace receiptd::rpc
