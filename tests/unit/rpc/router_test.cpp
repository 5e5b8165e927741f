#include "rpc/router.hpp"

#include "base/coroutine.hpp"
#include "metrics/registry.hpp"
#include "metrics/rpc_series.hpp"
#include "rpc/questions.hpp"
#include "unit/rpc/world.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

Transport::Reply unknown_block(int status = 422) { return error("UNKNOWN_BLOCK", status); }

TEST_F(RouterTest, GoesToArchivalWhenTheRegularHostNoLongerHoldsTheHeight) {
    auto& regular = world.host("regular", HostKind::regular);
    auto& archival = world.host("archival", HostKind::archival);
    regular.script = [](const auto&) { return unknown_block(); };
    world.router();
    upstream(0).saw_block(100'000);
    EXPECT_EQ(*ask(ask_block(50, Priority::backfill)), 1u);
    EXPECT_EQ(upstream(0).health().score, 1.0) << "not to hold a block is no fault";
    EXPECT_TRUE(upstream(0).memory().below_horizon(50));

    EXPECT_EQ(*ask(ask_block(49, Priority::backfill)), 1u);
    EXPECT_EQ(regular.seen.size(), 1u) << "what was learned is not asked again";
    EXPECT_EQ(archival.seen.size(), 2u);
}

TEST_F(RouterTest, SaysAbsentOnlyWhenAllHostsDo) {
    auto& regular = world.host("regular", HostKind::regular);
    auto& archival = world.host("archival", HostKind::archival);
    regular.script = archival.script = [](const auto&) { return unknown_block(); };
    world.router();
    upstream(0).saw_block(100'000);
    const auto answer = ask(ask_block(99'000, Priority::head));
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().absent);
    EXPECT_EQ(answer.error().reason, "UNKNOWN_BLOCK");
    EXPECT_EQ(regular.seen.size(), 1u);
    EXPECT_EQ(archival.seen.size(), 1u);
    EXPECT_FALSE(upstream(0).memory().below_horizon(99'000)) << "a skipped height teaches no horizon";
}

TEST_F(RouterTest, AFaultyArchivalHostLeavesADoubt) {
    auto& regular = world.host("regular", HostKind::regular);
    auto& archival = world.host("archival", HostKind::archival);
    regular.script = [](const auto&) { return unknown_block(); };
    archival.script = [](const auto&) { return http(503, "no"); };
    world.router();
    upstream(0).saw_block(100'000);
    const auto answer = ask(ask_block(50, Priority::head));
    ASSERT_FALSE(answer);
    EXPECT_FALSE(answer.error().absent);
    EXPECT_EQ(answer.error().reason, "http_503");
    EXPECT_EQ(archival.seen.size(), 5u) << "attempts are bounded";
    EXPECT_THAT(answer.error().detail, HasSubstr("block 50"));
    EXPECT_THAT(answer.error().detail, HasSubstr("archival"));
}

TEST_F(RouterTest, RetriesElsewhereAtOnceAndAtTheSameHostAfterAPause) {
    auto& a = world.host("a", HostKind::regular);
    auto& b = world.host("b", HostKind::regular);
    const std::string text = "http://a.test: reading the answer: closed by the server";
    a.script = [&](const auto&) { return broken(net::TransportFault::reset, text); };
    b.script = a.script;
    const auto start = world.time->now();
    const auto answer = ask(ask_block(1, Priority::head));
    EXPECT_EQ(answer.error().reason, "connection_reset");
    EXPECT_THAT(answer.error().detail, HasSubstr("connection_reset, " + text));
    EXPECT_EQ(a.seen.size() + b.seen.size(), 5u);
    EXPECT_GE(a.seen.size(), 2u);
    EXPECT_GE(b.seen.size(), 2u);
    EXPECT_GT(world.time->now(), start);
}

TEST_F(RouterTest, SurvivesOneBadAnswerOfEachKind) {
    auto& only = world.host("only", HostKind::regular);
    for (const auto& bad :
         {http(200, "<html></html>"), http(200, R"({"jsonrpc":"2.0","result":null})"),
          http(200, R"({"jsonrpc":"2.0","result":null,"error":null})"), http(200, R"({"jsonrpc":"2.0","res)"),
          http(429, ""), http(500, "x"), broken(net::TransportFault::timeout)}) {
        unsigned count = 0;
        only.script = [&](const auto&) { return count++ == 0 ? bad : result("{}"); };
        EXPECT_TRUE(ask(ask_block(1, Priority::head)));
        EXPECT_EQ(count, 2u);
    }
}

TEST_F(RouterTest, WaitsAsLongAsTheHostSays) {
    auto& only = world.host("only", HostKind::regular);
    only.script = [&](const auto&) {
        return only.seen.size() == 1 ? http(429, "", {{"retry-after", "20"}}) : result("{}");
    };
    const auto start = world.time->now();
    EXPECT_TRUE(ask(ask_block(1, Priority::head)));
    EXPECT_GE(world.time->now() - start, 20s);
    EXPECT_LT(world.time->now() - start, 25s);
}

TEST_F(RouterTest, DoesNotHammerAHostThatAsksForMoreTimeThanACallMayTake) {
    auto& only = world.host("only", HostKind::regular);
    only.script = [](const auto&) { return http(429, "", {{"Retry-After", "600"}}); };
    EXPECT_EQ(ask(ask_block(1, Priority::head)).error().error_class, ErrorClass::rate_limited);
    EXPECT_EQ(ask(ask_block(2, Priority::head)).error().reason, "rate_limited");
    EXPECT_EQ(only.seen.size(), 1u);
}

TEST_F(RouterTest, AnswersMayBeAsLongAsTheirContents) {
    auto& only = world.host("only", HostKind::regular);
    const auto limit_of = [&](Call call) {
        EXPECT_TRUE(ask(std::move(call)));
        return only.seen.back().max_response_bytes;
    };
    const auto of_status = limit_of(ask_status());
    const auto of_block = limit_of(ask_block(1, Priority::head));
    const auto of_receipt = limit_of(ask_receipt("r", Priority::watch));
    const auto of_chunk = limit_of(ask_chunk("c", 1, 0, Priority::head));
    EXPECT_LT(of_status, of_block);
    EXPECT_LT(of_block, of_receipt);
    EXPECT_LT(of_receipt, of_chunk);
    EXPECT_LT(of_chunk, limit_of(ask_verifier("", "t", Priority::submit)));
}

TEST_F(RouterTest, ASilentHostKeepsTheHeadFromAnotherOneForSecondsOnly) {
    auto& silent = world.host("silent", HostKind::regular);
    auto& other = world.host("other", HostKind::archival);
    silent.script = [](const auto&) { return broken(net::TransportFault::timeout); };
    EXPECT_EQ(*ask(ask_final_block(Priority::head)), 1u);
    EXPECT_EQ(silent.timeouts, std::vector<std::chrono::milliseconds>{3s});
    EXPECT_EQ(other.timeouts, std::vector<std::chrono::milliseconds>{3s});
}

TEST_F(RouterTest, ASlowHostThatIsAloneGetsItsTimeForTheHead) {
    auto& slow = world.host("slow", HostKind::regular);
    slow.script = [&](const auto&) {
        return slow.timeouts.back() > 3s ? result("{}") : broken(net::TransportFault::timeout);
    };
    EXPECT_EQ(*ask(ask_final_block(Priority::head)), 0u);
    EXPECT_THAT(slow.timeouts, ::testing::ElementsAre(3s, 30s));
    EXPECT_EQ(*ask(ask_block(1, Priority::head)), 0u);
    EXPECT_EQ(slow.timeouts.back(), 30s) << "of other questions nobody stands waiting";
}

TEST_F(RouterTest, OneRefusalPutsAHostAsideForSecondsOnly) {
    auto& only = world.host("only", HostKind::regular);
    only.script = [&](const auto&) {
        return only.seen.size() == 1 ? http(403, "<html>no</html>") : result("{}");
    };
    EXPECT_TRUE(ask(ask_block(1, Priority::head)));
    EXPECT_EQ(only.seen.size(), 2u);
    EXPECT_FALSE(upstream(0).state().refused);
}

TEST_F(RouterTest, AHostThatRefusesTheKeyIsAskedSeldomAndAtOnceWithANewOne) {
    auto& only = world.host("only", HostKind::regular, {base::Secret("old"), config::AuthForm::bearer});
    only.script = [](const auto&) { return http(401, "bad key"); };
    for (int i = 0; i < 9; ++i) EXPECT_EQ(ask(ask_block(1, Priority::head)).error().reason, "unauthorized");
    EXPECT_LE(only.seen.size(), 4u);
    EXPECT_TRUE(upstream(0).state().refused);

    only.script = [](const auto&) { return result("{}"); };
    upstream(0).set_credential({base::Secret("new"), config::AuthForm::bearer});
    EXPECT_TRUE(ask(ask_block(1, Priority::head)));
}

TEST_F(RouterTest, RemembersForTenMinutesWhichMethodAHostLacks) {
    auto& regular = world.host("regular", HostKind::regular);
    world.host("archival", HostKind::archival);
    regular.script = [](const auto&) { return error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR"); };
    EXPECT_EQ(*ask(ask_receipt("r", Priority::head)), 1u);
    EXPECT_EQ(*ask(ask_receipt("r", Priority::head)), 1u);
    EXPECT_EQ(regular.seen.size(), 1u);
    EXPECT_EQ(upstream(0).health().score, 1.0);
    world.time->advance(10min);
    EXPECT_EQ(*ask(ask_receipt("r", Priority::head)), 1u);
    EXPECT_EQ(regular.seen.size(), 2u);
}

TEST_F(RouterTest, AMethodThatNobodyOffersIsSaidSoWithoutAskingAgain) {
    auto& only = world.host("only", HostKind::regular);
    only.script = [](const auto&) { return error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR"); };
    EXPECT_TRUE(ask(ask_receipt("r", Priority::head)).error().method_missing);
    const auto again = ask(ask_receipt("r", Priority::head));
    EXPECT_TRUE(again.error().method_missing);
    EXPECT_EQ(again.error().reason, "METHOD_NOT_FOUND");
    EXPECT_EQ(only.seen.size(), 1u);
}

TEST_F(RouterTest, ACallersFaultIsNeverRetried) {
    auto& regular = world.host("regular", HostKind::regular);
    auto& archival = world.host("archival", HostKind::archival);
    regular.script = [](const auto&) { return error("PARSE_ERROR", 400, "REQUEST_VALIDATION_ERROR"); };
    EXPECT_EQ(ask(ask_block(1, Priority::head)).error().error_class, ErrorClass::caller_fault);
    EXPECT_EQ(regular.seen.size(), 1u);
    EXPECT_EQ(archival.seen.size(), 0u);
}

TEST_F(RouterTest, WhatARegularHostDoesNotKnowOfATransactionIsConfirmedByArchival) {
    auto& regular = world.host("regular", HostKind::regular);
    world.host("archival", HostKind::archival);
    regular.script = [](const auto&) { return error("TIMEOUT_ERROR", 408); };
    EXPECT_EQ(*ask(ask_transaction("tx", {"h", "a.near", Priority::watch, {}, {}})), 1u);
}

TEST_F(RouterTest, AChunkNotYetHeldIsAskedForAgainAfterAMoment) {
    auto& only = world.host("only", HostKind::regular);
    only.script = [&](const auto&) { return only.seen.size() < 3 ? error("UNKNOWN_CHUNK") : result("{}"); };
    world.router();
    upstream(0).saw_block(100);
    EXPECT_TRUE(ask(ask_chunk("c", 100, 0, Priority::head)));
    EXPECT_EQ(only.seen.size(), 3u);
    EXPECT_EQ(upstream(0).health().score, 1.0);
}

TEST_F(RouterTest, WhatWaitsBehindAnAnswerThatAsksForTimeDoesNotStart) {
    auto& only = world.host("only", HostKind::regular, {}, {0, 1});
    only.script = [](const auto&) { return http(429, "", {{"Retry-After", "600"}}); };
    auto slowly_judged = ask_block(1, Priority::head);
    slowly_judged.read = [this](Received received) -> base::Task<Verdict> {
        base::asio::steady_timer timer(world.io);
        co_await world.time->sleep(timer, 1s);
        co_return judge(received);
    };
    for (int i = 0; i < 3; ++i)
        boost::asio::co_spawn(world.io, world.router()->call(slowly_judged), boost::asio::detached);
    world.settle();
    while (world.time->jump()) world.settle();
    EXPECT_EQ(only.seen.size(), 1u);
}

TEST_F(RouterTest, OneKindAloneIsEnough) {
    world.host("archival", HostKind::archival);
    EXPECT_EQ(*ask(ask_block(1, Priority::head)), 0u);
}

TEST_F(RouterTest, WithoutAnyUpstreamItSaysSo) {
    EXPECT_EQ(ask(ask_block(1, Priority::head)).error().reason, "no_upstream");
}

TEST_F(RouterTest, AnOpenCircuitLetsOneProbeThrough) {
    auto& only = world.host("only", HostKind::regular);
    only.script = [](const auto&) { return http(502, ""); };
    EXPECT_FALSE(ask(ask_block(1, Priority::head)));
    EXPECT_EQ(circuit(upstream(0).health(), world.time->now()), Circuit::open);
    only.held = true;
    only.script = [](const auto&) { return result("{}"); };
    unsigned done = 0;
    for (int i = 0; i < 3; ++i)
        boost::asio::co_spawn(world.io, world.router()->call(ask_block(1, Priority::head)),
                              [&](std::exception_ptr, auto) { ++done; });
    world.settle();
    for (int i = 0; i < 10; ++i) {
        world.time->jump();
        world.settle();
    }
    EXPECT_EQ(only.seen.size(), 6u) << "five faults and one probe";
    only.release();
    world.settle();
    EXPECT_EQ(done, 3u);
    EXPECT_EQ(circuit(upstream(0).health(), world.time->now()), Circuit::closed);
}

TEST_F(RouterTest, MoreImportantRequestsOvertakeThoseThatWaitButForOneInFour) {
    auto& only = world.host("only", HostKind::regular, {}, {0, 1});
    only.held = true;
    auto router = world.router();
    std::string order;
    const auto start = [&](Priority priority, char mark) {
        boost::asio::co_spawn(world.io, router->call(ask_block(1, priority)),
                              [&order, mark](std::exception_ptr, auto) { order.push_back(mark); });
        world.settle();
    };
    start(Priority::backfill, '1');
    start(Priority::backfill, 'b');
    start(Priority::gap, 'g');
    start(Priority::head, 'h');
    start(Priority::submit, 's');
    EXPECT_EQ(only.seen.size(), 1u);
    only.release();
    world.settle();
    EXPECT_EQ(order, "1shbg");
}

TEST_F(RouterTest, SpendsTheBudgetAndNoMore) {
    auto& only = world.host("only", HostKind::regular, {}, {2, 8});
    const auto start = world.time->now();
    for (int i = 0; i < 11; ++i) EXPECT_TRUE(ask(ask_block(1, Priority::head)));
    EXPECT_EQ(only.seen.size(), 11u);
    EXPECT_EQ(world.time->now() - start, 5s);
}

TEST_F(RouterTest, ACancelledCallGivesItsPlaceBack) {
    auto& only = world.host("only", HostKind::regular, {}, {0, 1});
    only.held = true;
    auto router = world.router();
    boost::asio::cancellation_signal cancel;
    boost::asio::co_spawn(
        world.io, router->call(ask_block(1, Priority::head)),
        boost::asio::bind_cancellation_slot(cancel.slot(), [](std::exception_ptr, auto) {}));
    world.settle();
    cancel.emit(boost::asio::cancellation_type::terminal);
    world.settle();
    only.held = false;
    world.settle();
    EXPECT_EQ(upstream(0).state().in_flight, 0u);
    EXPECT_TRUE(ask(ask_block(1, Priority::head)));
}

TEST_F(RouterTest, ContentsThatCannotBeRightAreBlamedAndAskedForElsewhere) {
    world.host("a", HostKind::regular);
    world.host("b", HostKind::regular);
    auto call = ask_block(1, Priority::head);
    unsigned offered = 0;
    call.read = [&offered](Received) -> base::Task<Verdict> {
        co_return ++offered == 1 ? wrong_contents("asked for 1, got 2") : Verdict();
    };
    const auto answer = ask(std::move(call));
    ASSERT_TRUE(answer);
    EXPECT_EQ(*answer, 1u);
    EXPECT_LT(upstream(0).health().score, 1.0);
}

TEST(RpcSeries, NameAHostThatWantsToBePaid) {
    World world;
    metrics::Registry registry;
    metrics::RpcSeries series(registry);
    auto transport = std::make_shared<FakeHost>(world.io.get_executor());
    std::vector<bool> unpaid;
    UpstreamOptions options;
    options.name = "main";
    options.url.host = "main.test";
    std::vector<std::unique_ptr<Upstream>> hosts;
    hosts.push_back(
        std::make_unique<Upstream>(world.io.get_executor(), world.time, transport, options, &series));
    const auto said = [&](const std::string& value) {
        return registry.serialize().find(R"(receiptd_upstream_unpaid{upstream="main"} )" + value) !=
               std::string::npos;
    };
    transport->script = [&](const auto&) {
        unpaid.push_back(said("1"));
        return transport->seen.size() == 1 ? http(402, "") : result("{}");
    };
    Router router(world.io.get_executor(), world.time, std::move(hosts));
    EXPECT_TRUE(world.run(router.call(ask_block(7, Priority::head))));
    EXPECT_EQ(unpaid, (std::vector<bool>{false, true}));
    EXPECT_TRUE(said("0")) << "it has been paid";
}

TEST(RpcSeries, CountRequestsByUpstreamMethodAndClass) {
    World world;
    metrics::Registry registry;
    metrics::RpcSeries series(registry);
    auto transport = std::make_shared<FakeHost>(world.io.get_executor());
    transport->script = [&](const auto&) {
        return transport->seen.size() == 1 ? http(503, "") : result("{}");
    };
    UpstreamOptions options;
    options.name = "main";
    options.url.host = "main.test";
    options.limits.per_second = 5;
    std::vector<std::unique_ptr<Upstream>> hosts;
    hosts.push_back(
        std::make_unique<Upstream>(world.io.get_executor(), world.time, transport, options, &series));
    Router router(world.io.get_executor(), world.time, std::move(hosts));
    EXPECT_TRUE(world.run(router.call(ask_block(7, Priority::head))));
    const auto text = registry.serialize();
    EXPECT_THAT(text,
                HasSubstr(R"(receiptd_rpc_requests_total{method="block",outcome="ok",upstream="main"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(outcome="endpoint_fault",upstream="main"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(receiptd_upstream_head_height{upstream="main"} 7)"));
    EXPECT_THAT(text, HasSubstr(R"(receiptd_rpc_received_bytes_total{upstream="main"})"));
    EXPECT_THAT(text, HasSubstr(R"(receiptd_rpc_request_seconds_count{upstream="main"} 2)"));
    EXPECT_THAT(text, HasSubstr(R"(receiptd_upstream_wait_seconds_count{purpose="head",upstream="main"} 2)"));
    EXPECT_THAT(text, HasSubstr(R"(receiptd_upstream_budget_limit{upstream="main"} 5)"));
    EXPECT_EQ(router.states()[0].requests, (std::map<std::string, std::uint64_t>{{"head", 2}}));
}

}  // namespace
}  // namespace receiptd::rpc
