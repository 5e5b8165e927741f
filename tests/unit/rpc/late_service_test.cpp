// A whole-block service that is late or down: along the head the JSON-RPC hosts take its place.
#include "base/coroutine.hpp"
#include "base/event.hpp"
#include "rpc/block_contents.hpp"
#include "rpc/neardata_service.hpp"
#include "unit/rpc/world.hpp"

#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using namespace testing;

// The JSON-RPC hosts, as the source of whole blocks sees them.
class Hosts final : public BlockSource {
public:
    explicit Hosts(base::asio::any_io_executor on) : executor(std::move(on)) {}

    base::Task<base::Result<chain::BlockRef, Unavailable>> head() override {
        if (down) co_return Unavailable{"timeout", "on paper"};
        chain::BlockRef block;
        block.height = newest;
        co_return block;
    }
    base::Task<FetchResult> fetch(chain::BlockHeight height, Priority, bool) override {
        ++asked;
        base::Event never(executor);
        while (held) co_await never.wait();
        if (down) co_return Unavailable{"timeout", "on paper"};
        if (height > newest) co_return NotYet{};
        if (height == skipped) co_return NoSuchHeight{"on paper"};
        chain::Decoded<chain::Block> block;
        block.value.header.height = height;
        co_return std::make_unique<RpcBlock>("regular", std::move(block), std::vector<SharedChunk>{});
    }
    bool waits_for_next() const override { return false; }
    bool tells_outcomes() const override { return false; }

    base::asio::any_io_executor executor;
    chain::BlockHeight newest = 100;
    chain::BlockHeight skipped = 0;
    bool down = false;
    bool held = false;
    unsigned asked = 0;
};

class LateService : public ::testing::Test {
protected:
    LateService() {
        service.script = [this](const net::HttpRequest& request) {
            const auto at = request.target.rfind('/');
            const auto asked = request.target.substr(at + 1);
            const auto height = asked == "final" ? head : std::stoi(asked);
            return http(200, R"({"block":)" + block_json(height) + R"(,"shards":[]})");
        };
    }
    // The host that told the block; else what is the matter.
    std::string fetch(chain::BlockHeight height, Priority priority = Priority::head) {
        const auto result = world.run(source.fetch(height, priority, true));
        if (const auto* block = std::get_if<std::unique_ptr<BlockContents>>(&result))
            return (*block)->host + ((*block)->tells_outcomes() ? " with outcomes" : "");
        if (const auto* fault = std::get_if<Unavailable>(&result)) return fault->reason;
        return std::holds_alternative<NotYet>(result) ? "not yet" : "no such height";
    }
    void ask(chain::BlockHeight height, std::optional<FetchResult>& result) {
        boost::asio::co_spawn(world.io, keep(height, result), boost::asio::detached);
    }
    void fall_behind() {
        service.held = true;
        ASSERT_EQ(fetch(7), "regular");
    }
    void see_head(int height) {
        service.release();
        head = height;
        ASSERT_TRUE(world.run(source.head()));
    }

    base::Task<void> keep(chain::BlockHeight height, std::optional<FetchResult>& result) {
        result = co_await source.fetch(height, Priority::head, true);
    }

    World world;
    FakeHost& service = world.host("neardata", HostKind::neardata);
    std::shared_ptr<Hosts> hosts = std::make_shared<Hosts>(world.io.get_executor());
    WholeBlockSource source{world.io.get_executor(), world.time,
                            std::make_unique<NeardataService>(world.pool, world.router()), hosts};
    int head = 20;
};

TEST_F(LateService, IsAloneAskedWhileItAnswersInTime) {
    EXPECT_EQ(fetch(7), "neardata with outcomes");
    EXPECT_EQ(hosts->asked, 0u);
}

TEST_F(LateService, GivesWayWhereItsBlockCannotBeReadAndThatOfTheHostsCan) {
    service.script = [](const net::HttpRequest&) {
        return http(200, R"({"block":)" + block_json(7) +
                             R"(,"shards":[{"shard_id":0,"chunk":null,"receipt_execution_outcomes":[7]}]})");
    };
    EXPECT_EQ(fetch(7), "regular");
    EXPECT_EQ(fetch(7, Priority::backfill), "regular");
    hosts->down = true;
    EXPECT_EQ(fetch(7), "neardata with outcomes");
}

TEST_F(LateService, LeavesABlockThatItHoldsBackToTheHosts) {
    const auto asked_at = world.time->now();
    fall_behind();
    EXPECT_EQ(world.time->now() - asked_at, 6s);
    EXPECT_EQ(fetch(8), "regular");
    EXPECT_EQ(world.time->now() - asked_at, 6s) << "the hosts are asked first from now on";
    EXPECT_EQ(service.seen.size(), 1u);
}

TEST_F(LateService, ThatDeniesEveryBlockLeavesTheHeadToTheHostsAfterAWhile) {
    service.script = [](const net::HttpRequest&) { return http(200, "null"); };
    EXPECT_FALSE(world.run(source.head()));
    EXPECT_EQ(fetch(7), "no such height");
    world.time->advance(6s);
    const auto head_of_hosts = world.run(source.head());
    ASSERT_TRUE(head_of_hosts);
    EXPECT_EQ(head_of_hosts->height, 100u);
    EXPECT_EQ(fetch(7), "regular");
    hosts->down = true;
    EXPECT_FALSE(world.run(source.head())) << "nobody tells one";
}

TEST_F(LateService, LeavesASkippedHeightToThem) {
    hosts->skipped = 8;
    fall_behind();
    EXPECT_EQ(fetch(8), "no such height");
}

TEST_F(LateService, IsWaitedForWhereTheHostsDoNotHaveTheBlockEither) {
    hosts->newest = 6;
    service.held = true;
    std::optional<FetchResult> result;
    ask(7, result);
    for (int waits = 0; waits < 3; ++waits) {
        world.settle();
        ASSERT_TRUE(world.time->jump());
    }
    world.settle();
    EXPECT_EQ(hosts->asked, 3u);
    EXPECT_FALSE(result);
    service.release();
    world.settle();
    ASSERT_TRUE(result);
    EXPECT_TRUE(std::get<std::unique_ptr<BlockContents>>(*result)->tells_outcomes());
}

TEST_F(LateService, IsAskedFirstAgainWhenItsHeadKeepsUp) {
    fall_behind();
    EXPECT_EQ(fetch(30), "regular");
    see_head(25);
    EXPECT_EQ(fetch(31), "neardata with outcomes");
}

TEST_F(LateService, StaysLateWhileItsHeadIsFarBelow) {
    fall_behind();
    EXPECT_EQ(fetch(50), "regular");
    see_head(25);
    EXPECT_EQ(fetch(51), "regular");
}

TEST_F(LateService, IsAskedFirstAgainWhereTheHostsCannotAnswer) {
    fall_behind();
    service.release();
    hosts->down = true;
    EXPECT_EQ(fetch(8), "neardata with outcomes");
    hosts->down = false;
    EXPECT_EQ(fetch(9), "neardata with outcomes");
}

TEST_F(LateService, IsNotKeptWaitingByHostsThatHoldTheirAnswersBack) {
    fall_behind();
    service.release();
    hosts->held = true;
    EXPECT_EQ(fetch(8), "neardata with outcomes");
    service.held = true;
    const auto asked_at = world.time->now();
    std::optional<FetchResult> result;
    ask(9, result);
    while (world.time->now() < asked_at + 7s) {
        world.settle();
        ASSERT_TRUE(world.time->jump());
    }
    EXPECT_FALSE(result);
    service.release();
    world.settle();
    EXPECT_TRUE(result) << "though the hosts were asked a second ago";
}

TEST_F(LateService, ThatFailsForLongLeavesBlocksToTheHosts) {
    service.script = [](const auto&) { return http(500, "{}"); };
    EXPECT_EQ(fetch(7), "http_500");
    EXPECT_EQ(hosts->asked, 0u) << "faults come and go";
    world.time->advance(6s);
    hosts->skipped = 7;
    EXPECT_EQ(fetch(7), "http_500") << "it may have a block that they lack";
    EXPECT_EQ(fetch(8), "regular");
}

TEST_F(LateService, IsWaitedForWithHistory) {
    service.script = [](const auto&) { return http(500, "{}"); };
    for (int times = 0; times < 3; ++times) {
        EXPECT_EQ(fetch(7, Priority::backfill), "http_500");
        world.time->advance(6s);
    }
    EXPECT_EQ(hosts->asked, 0u);
}

}  // namespace
}  // namespace receiptd::rpc
