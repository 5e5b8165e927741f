#include "rpc/submit_source.hpp"

#include "rpc/tree_source.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::HasSubstr;

const std::string kTx = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";

class SubmitSourceTest : public ::testing::Test {
protected:
    template <class T>
    T ask(base::Task<T> task) {
        return world.run(std::move(task));
    }
    SubmitSource::Broadcast broadcast() { return ask(source().broadcast("AAAA", kTx, Priority::submit)); }
    RpcSubmitSource& source() {
        if (!source_) {
            trees_ =
                std::make_unique<RpcTreeSource>(world.io.get_executor(), world.pool, world.router(), cache_);
            source_ = std::make_unique<RpcSubmitSource>(world.pool, world.router(), cache_, *trees_);
        }
        return *source_;
    }

    World world;
    FakeHost& regular = world.host("regular", HostKind::regular);
    FakeHost& archival = world.host("archival", HostKind::archival);

private:
    std::shared_ptr<BlockCache> cache_ = std::make_shared<BlockCache>();
    std::unique_ptr<RpcTreeSource> trees_;
    std::unique_ptr<RpcSubmitSource> source_;
};

TEST_F(SubmitSourceTest, ARegularHostTakesATransaction) {
    regular.script = [](const auto&) { return result("\"" + kTx + "\""); };
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).host, "regular");
    EXPECT_EQ(regular.asked(R"("method":"broadcast_tx_async","params":["AAAA"])"), 1);
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SubmitSourceTest, AHostThatSpeaksOfAnotherTransactionIsNotBelieved) {
    regular.script = [](const auto&) { return result("\"A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2\""); };
    archival.script = [](const auto&) { return result("\"" + kTx + "\""); };
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).host, "archival");
}

TEST_F(SubmitSourceTest, ARefusalComesWithTheWholeError) {
    regular.script = [](const auto&) {
        return error(
            "INVALID_TRANSACTION", 200, "HANDLER_ERROR",
            R"({"TxExecutionError":{"InvalidTxError":{"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}}}})");
    };
    const auto refused = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Refused>(refused));
    EXPECT_EQ(std::get<SubmitSource::Refused>(refused).error_json,
              R"({"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}})");
    EXPECT_EQ(std::get<SubmitSource::Refused>(refused).host, "regular");
}

TEST_F(SubmitSourceTest, CongestionIsNoRefusal) {
    regular.script = archival.script = [](const auto&) {
        return error(
            "INVALID_TRANSACTION", 200, "HANDLER_ERROR",
            R"({"TxExecutionError":{"InvalidTxError":{"ShardCongested":{"shard_id":1,"congestion_level":1.0}}}})");
    };
    EXPECT_TRUE(std::holds_alternative<SubmitSource::NotTaken>(broadcast()));
}

TEST_F(SubmitSourceTest, WhatNoHostTakesSaysWhatEachSaid) {
    regular.script = archival.script = [](const auto&) { return broken(net::TransportFault::timeout); };
    const auto answer = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::NotTaken>(answer));
    EXPECT_THAT(std::get<SubmitSource::NotTaken>(answer).detail, HasSubstr("archival"));
}

TEST_F(SubmitSourceTest, AKeyThatDoesNotExistIsAnAnswer) {
    regular.script = [](const auto&) {
        return result(
            R"({"error":"access key ed25519:x does not exist while viewing","logs":[],"block_height":1,)"
            R"("block_hash":"x"})");
    };
    const auto key = ask(source().access_key("alice.near", "ed25519:x"));
    ASSERT_TRUE(key);
    EXPECT_FALSE(*key);
}

TEST_F(SubmitSourceTest, AnAccountThatDoesNotExistIsAnAnswer) {
    regular.script = [](const auto&) { return error("UNKNOWN_ACCOUNT"); };
    const auto account = ask(source().account("alice.near"));
    ASSERT_TRUE(account);
    EXPECT_FALSE(*account);
}

TEST_F(SubmitSourceTest, ABlockThatNoHostKnowsIsAnAnswer) {
    regular.script = archival.script = [](const auto&) { return error("UNKNOWN_BLOCK", 422); };
    const auto block = ask(source().block("72JMWj22x3ze1pUFQd6aE8EffpsWNtHezeqgxGENyMvc"));
    ASSERT_TRUE(block);
    EXPECT_FALSE(*block);
    EXPECT_FALSE(archival.seen.empty());
}

TEST_F(SubmitSourceTest, AFaultIsNoAnswer) {
    regular.script = archival.script = [](const auto&) { return http(503, "busy"); };
    EXPECT_FALSE(ask(source().account("alice.near")));
    EXPECT_FALSE(ask(source().final_head()));
}

TEST_F(SubmitSourceTest, ThePriceAndTheValidityOfTheNetwork) {
    regular.script = [](const net::HttpRequest& request) {
        return request.body.find("gas_price") != std::string::npos
                   ? result(R"({"gas_price":"100000000"})")
                   : result(R"({"transaction_validity_period":77})");
    };
    EXPECT_TRUE(*ask(source().gas_price()) == 100'000'000U);
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    EXPECT_EQ(regular.asked("EXPERIMENTAL_protocol_config"), 1);
}

}  // namespace
}  // namespace receiptd::rpc
