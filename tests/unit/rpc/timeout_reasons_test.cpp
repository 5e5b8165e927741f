// A node of 2.14 says why a lookup ended in TIMEOUT_ERROR (rpc.md §5.4).
#include "rpc/questions.hpp"
#include "rpc/tree_source.hpp"
#include "unit/rpc/status_json.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::HasSubstr;

FakeHost::Script timeout(const std::string& info) {
    return [info](const net::HttpRequest&) {
        return http(408,
                    R"({"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"name":"TIMEOUT_ERROR")" +
                        (info.empty() ? "" : R"(,"info":)" + info) +
                        R"(},"code":-32000,"message":"Server error","data":"Timeout"},"id":"receiptd"})");
    };
}

class TimeoutReasons : public RouterTest {
protected:
    CallError of_one_host(const std::string& info) {
        World one;
        one.host("main", HostKind::regular).script = timeout(info);
        return one.run(one.router()->call(lookup())).error();
    }
    static Call lookup() { return ask_transaction("tx", {kTreeTx, "a.near", Priority::watch, {}, {}}); }
    TreeSource::TreeResult tree() {
        RpcTreeSource source(world.io.get_executor(), world.pool, world.router(),
                             std::make_shared<BlockCache>());
        return world.run(source.tree({kTreeTx, "a.near", Priority::watch, {}, {}}));
    }
};

TEST_F(TimeoutReasons, AreToldWithTheErrorInEitherShape) {
    for (const char* why : {"NOT_OBSERVED", "PENDING", "ERROR", "DOES_NOT_TRACK_SHARD", "OF_TOMORROW"})
        for (const char* member : {"cause", "reason"}) {
            const auto info = std::string(R"({")") + member + R"(":")" + why + R"("})";
            EXPECT_THAT(of_one_host(info).detail, HasSubstr(info));
        }
    const std::string pending = R"({"cause":"PENDING","status":{"final_execution_status":"INCLUDED"}})";
    EXPECT_THAT(of_one_host(pending).detail,
                HasSubstr("TIMEOUT_ERROR, HTTP 408, Server error: \"Timeout\": " + pending));
    const std::string broken = R"({"cause":"ERROR","debug_info":"DB is locked"})";
    EXPECT_THAT(of_one_host(broken).detail, HasSubstr("DB is locked"));
}

TEST_F(TimeoutReasons, DecideTheClass) {
    for (const char* info : {"", "{}", "null", "[]", R"({"cause":7})", R"({"cause":"NOT_OBSERVED"})",
                             R"({"reason":"OF_TOMORROW"})"}) {
        const auto error = of_one_host(info);
        EXPECT_EQ(error.error_class, ErrorClass::not_yet) << info;
        EXPECT_TRUE(error.absent) << info;
    }
    const auto pending = of_one_host(R"({"reason":"PENDING"})");
    EXPECT_EQ(pending.error_class, ErrorClass::not_yet);
    EXPECT_FALSE(pending.absent) << "the host knows the transaction";
    const auto broken = of_one_host(R"({"cause":"ERROR","debug_info":"x"})");
    EXPECT_EQ(broken.error_class, ErrorClass::endpoint_fault);
    EXPECT_EQ(broken.reason, "TIMEOUT_ERROR");
    EXPECT_FALSE(broken.absent) << "it has not looked";
}

TEST_F(TimeoutReasons, AHostThatDoesNotTrackTheShardIsKnownByIt) {
    world.host("partial", HostKind::regular).script =
        timeout(R"({"cause":"DOES_NOT_TRACK_SHARD","shard_id":3})");
    world.host("complete", HostKind::archival);
    EXPECT_EQ(*ask(lookup()), 1u);
    EXPECT_EQ(upstream(0).state().untracked_shards, std::vector<chain::ShardId>{3});
    EXPECT_EQ(of_one_host(R"({"reason":"DOES_NOT_TRACK_SHARD","shard_id":3})").reason,
              "DOES_NOT_TRACK_SHARD");
}

TEST_F(TimeoutReasons, AHostThatKnowsTheTransactionOrHasNotLookedDeniesNothing) {
    auto& regular = world.host("main", HostKind::regular);
    world.host("old", HostKind::archival).script = [](const auto&) { return error("UNKNOWN_TRANSACTION"); };
    for (const char* why : {"PENDING", "ERROR", "DOES_NOT_TRACK_SHARD"}) {
        regular.script = timeout(std::string(R"({"cause":")") + why + "\"}");
        const auto told = tree();
        ASSERT_TRUE(std::holds_alternative<TreeSource::Unknown>(told)) << why;
        EXPECT_FALSE(std::get<TreeSource::Unknown>(told).by_two) << why;
    }
    regular.script = timeout(R"({"cause":"NOT_OBSERVED"})");
    EXPECT_TRUE(std::get<TreeSource::Unknown>(tree()).by_two);
}

}  // namespace
}  // namespace receiptd::rpc
