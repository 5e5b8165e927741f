// Large answers about trees, which share room.
#include "rpc/questions.hpp"
#include "rpc/router.hpp"
#include "rpc/tree_source.hpp"
#include "unit/rpc/status_json.hpp"
#include "unit/rpc/world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

namespace receiptd::rpc {
namespace {

using namespace testing;

using Room = std::shared_ptr<net::AnswerRoom>;

class TreeRoom : public ::testing::Test {
protected:
    // Each host's answers are so large that they take room of `room`, and of what the question names.
    FakeHost::Script tells(std::string answer) {
        return [this, answer = std::move(answer)](const net::HttpRequest& request) {
            if (request.body.find("tx_status") == std::string::npos) return error("UNKNOWN_BLOCK");
            named.push_back(request.room);
            auto reply = result(answer);
            reply->room = std::make_shared<net::AnswerRoom::Place>(room, 100);
            return reply;
        };
    }
    TreeSource::TreeResult tree(TreeSource::Query query = {kTreeTx, "a.near", Priority::head, {}, {}}) {
        if (!source)
            source = std::make_unique<RpcTreeSource>(world.io.get_executor(), world.pool, world.router(),
                                                     std::make_shared<BlockCache>());
        return world.run(source->tree(std::move(query)));
    }
    static std::string whole() { return status({outcome(kR1, {})}, {kR1}, Texts{receipt(kR1)}); }

    World world;
    Room room = std::make_shared<net::AnswerRoom>(world.io.get_executor(), &world.pool,
                                                  net::AnswerRoom::Limits{1'000});
    std::vector<Room> named;
    std::unique_ptr<RpcTreeSource> source;
};

TEST_F(TreeRoom, IsHeldUntilTheTreeIsLetGo) {
    world.host("only", HostKind::regular).script = tells(whole());
    const std::weak_ptr<void> held = [&] {
        auto told = tree();
        const auto& got = std::get<TreeSource::Tree>(told);
        EXPECT_TRUE(got.room);
        EXPECT_EQ(got.room.use_count(), 1);
        return std::weak_ptr<void>(got.room);
    }();
    EXPECT_TRUE(held.expired());
    ASSERT_EQ(named.size(), 1u);
    EXPECT_TRUE(named[0]) << "of trees, not of all answers";
}

TEST_F(TreeRoom, IsNotWaitedForByWhoHoldsSome) {
    world.host("only", HostKind::regular).script = tells(whole());
    TreeSource::Query query{kTreeTx, "a.near", Priority::head, {}, {}};
    query.holds_room = true;
    tree(std::move(query));
    ASSERT_EQ(named.size(), 1u);
    EXPECT_FALSE(named[0]);
}

TEST_F(TreeRoom, IsNotWaitedForByTheAnswerOfAnotherHostAboutTheSameTree) {
    world.host("poor", HostKind::regular).script = tells(status({outcome(kR1, {})}));
    world.host("rich", HostKind::archival).script = tells(whole());
    EXPECT_EQ(std::get<TreeSource::Tree>(tree()).extra_receipts.size(), 1u);
    ASSERT_EQ(named.size(), 2u);
    EXPECT_TRUE(named[0]);
    EXPECT_FALSE(named[1]);
}

TEST_F(TreeRoom, IsNotHeldByAnAnswerThatLacksTheTransaction) {
    const auto partial =
        R"({"final_execution_status":"INCLUDED","transaction":)" + transaction("b.near") + "}";
    world.host("only", HostKind::regular).script = tells(partial);
    EXPECT_FALSE(std::holds_alternative<TreeSource::Tree>(tree()));
    world.settle();
    EXPECT_EQ(room.use_count(), 1) << "nobody has a place there";
}

// A free seat at the host is for the next question, though what came before is not read yet.
TEST_F(RouterTest, AHostIsAskedAgainWhileALargeAnswerWaitsForRoom) {
    auto& only = world.host("only", HostKind::regular, {}, {0, 1});
    only.held = true;
    auto router = world.router();
    const auto ignore = [](std::exception_ptr, auto) {};
    boost::asio::co_spawn(world.io, router->call(ask_block(1, Priority::watch)), ignore);
    boost::asio::co_spawn(world.io, router->call(ask_block(2, Priority::head)), ignore);
    world.settle();
    ASSERT_EQ(only.seen.size(), 1u);
    only.seen[0].on_large();
    world.settle();
    EXPECT_EQ(only.seen.size(), 2u);
    only.release();
    world.settle();
}

// Blocks are decoded on the pool that all answers share, and do not wait for what is in the room.
TEST(AnswersWithRoom, AreReadOnTheThreadsOfTheRoom) {
    World world;
    base::asio::thread_pool of_room(1);
    const auto room =
        std::make_shared<net::AnswerRoom>(world.io.get_executor(), &of_room, net::AnswerRoom::Limits{1'000});
    std::thread::id read_by;
    std::thread::id room_is;
    boost::asio::post(of_room, [&] { room_is = std::this_thread::get_id(); });
    Received received;
    received.response = *result("{}");
    received.response.room = std::make_shared<net::AnswerRoom::Place>(room, 100);
    received.method = "block";
    Decoder<int> decode = [&](const std::string&) -> base::Result<int, std::string> {
        read_by = std::this_thread::get_id();
        return 1;
    };
    bool done = false;
    boost::asio::co_spawn(world.io, detail::read_on<int>(world.pool, decode, {}, std::move(received)),
                          [&](std::exception_ptr, auto) { done = true; });
    world.io.restart();
    while (!done) world.io.run_one();
    EXPECT_EQ(read_by, room_is);
}

// It is longer than errors of nodes are, so it is taken for a result until it is read.
TEST_F(RouterTest, ALongErrorWithAnOddNameIsSaidByItsName) {
    const auto odd =
        R"({"jsonrpc":"2.0","id":1,"error":{"name":"HANDLER_ERROR","cause":{"name":"NEW\n\u001b[31m"},"message":")" +
        std::string(100'000, 'L') + "\"}}";
    world.host("only", HostKind::regular).script = [odd](const auto&) { return http(200, odd); };
    RpcTreeSource source(world.io.get_executor(), world.pool, world.router(), std::make_shared<BlockCache>());
    const auto told = world.run(source.tree({kTreeTx, "a.near", Priority::head, {}, {}}));
    const auto& detail = std::get<Unavailable>(told).detail;
    EXPECT_NE(detail.find("an error in place of a result: HANDLER_ERROR NEW"), std::string::npos) << detail;
    EXPECT_EQ(detail.find('\n'), std::string::npos);
    EXPECT_EQ(detail.find('\x1b'), std::string::npos);
    EXPECT_LT(detail.size(), 3'000u);
}

}  // namespace
}  // namespace receiptd::rpc
