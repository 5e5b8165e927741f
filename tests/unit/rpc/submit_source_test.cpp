#include "rpc/submit_source.hpp"

#include "rpc/tree_source.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::HasSubstr;

const std::string kSubmittedTx = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";

class SubmitSourceTest : public ::testing::Test {
protected:
    template <class T>
    T ask(base::Task<T> task) {
        return world.run(std::move(task));
    }
    SubmitSource::Broadcast broadcast() {
        return ask(source().broadcast("AAAA", kSubmittedTx, Priority::submit));
    }
    RpcSubmitSource& source() {
        if (!source_) {
            trees_ =
                std::make_unique<RpcTreeSource>(world.io.get_executor(), world.pool, world.router(), cache_);
            source_ = std::make_unique<RpcSubmitSource>(world.io.get_executor(), world.pool, world.time,
                                                        world.router(), *trees_, 77);
        }
        return *source_;
    }

    static Transport::Reply taking(const net::HttpRequest&) { return result("\"" + kSubmittedTx + "\""); }
    static Transport::Reply refusing(const net::HttpRequest&) {
        return error("INVALID_TRANSACTION", 200, "HANDLER_ERROR",
                     R"({"TxExecutionError":{"InvalidTxError":"InvalidSignature"}})");
    }
    static Transport::Reply failing(const net::HttpRequest&) { return broken(net::TransportFault::timeout); }
    static Transport::Reply busy(const net::HttpRequest&) { return http(503, "busy"); }

    World world;
    FakeHost& regular = world.host("regular", HostKind::regular);
    FakeHost& archival = world.host("archival", HostKind::archival);

private:
    std::shared_ptr<BlockCache> cache_ = std::make_shared<BlockCache>();
    std::unique_ptr<RpcTreeSource> trees_;
    std::unique_ptr<RpcSubmitSource> source_;
};

TEST_F(SubmitSourceTest, ARegularHostTakesATransaction) {
    regular.script = [](const auto&) { return result("\"" + kSubmittedTx + "\""); };
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).hosts, "regular");
    EXPECT_EQ(regular.asked(R"("method":"broadcast_tx_async","params":["AAAA"])"), 1);
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SubmitSourceTest, AHostThatSpeaksOfAnotherTransactionIsNotBelieved) {
    regular.script = [](const auto&) { return result("\"A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2\""); };
    archival.script = [](const auto&) { return result("\"" + kSubmittedTx + "\""); };
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).hosts, "archival");
}

TEST_F(SubmitSourceTest, ARefusalComesWithTheWholeError) {
    regular.script = archival.script = [](const auto&) {
        return error(
            "INVALID_TRANSACTION", 200, "HANDLER_ERROR",
            R"({"TxExecutionError":{"InvalidTxError":{"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}}}})");
    };
    const auto refused = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Refused>(refused));
    EXPECT_EQ(std::get<SubmitSource::Refused>(refused).error_json,
              R"({"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}})");
    EXPECT_EQ(std::get<SubmitSource::Refused>(refused).hosts, "regular, archival");
}

TEST_F(SubmitSourceTest, TheRefusalOfOneOfTwoHostsIsNotEnough) {
    regular.script = refusing;
    for (const auto& other : {failing, busy}) {
        archival.script = other;
        const auto answer = broadcast();
        ASSERT_TRUE(std::holds_alternative<SubmitSource::NotTaken>(answer));
        EXPECT_THAT(std::get<SubmitSource::NotTaken>(answer).detail, HasSubstr("InvalidSignature"));
    }
    archival.script = taking;
    world.time->advance(std::chrono::minutes(5));
    EXPECT_TRUE(std::holds_alternative<SubmitSource::Taken>(broadcast()));
}

TEST_F(SubmitSourceTest, AHostThatTakesNoTransactionsHasNoWord) {
    regular.script = refusing;
    archival.script = [](const auto&) { return error("METHOD_NOT_FOUND"); };
    const auto refused = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Refused>(refused));
    EXPECT_EQ(std::get<SubmitSource::Refused>(refused).hosts, "regular");
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

// Several regular hosts: which of them passes it on, nobody can tell.
class SeveralHostsTest : public SubmitSourceTest {
protected:
    FakeHost& second = world.host("second", HostKind::regular);
};

TEST_F(SeveralHostsTest, EachRegularHostGetsTheTransaction) {
    regular.script = second.script = taking;
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).hosts, "regular, second");
    EXPECT_EQ(regular.asked("broadcast_tx_async"), 1);
    EXPECT_EQ(second.asked("broadcast_tx_async"), 1);
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SeveralHostsTest, ItIsTakenIfOneTakesIt) {
    for (const auto& other : {refusing, failing}) {
        regular.script = other;
        second.script = taking;
        const auto taken = broadcast();
        ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
        EXPECT_EQ(std::get<SubmitSource::Taken>(taken).hosts, "second");
    }
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SeveralHostsTest, ItIsRefusedIfAllWhoWereAskedRefuseIt) {
    regular.script = second.script = refusing;
    EXPECT_TRUE(std::holds_alternative<SubmitSource::Refused>(broadcast()));
    second.script = failing;  // it may have got it all the same
    const auto answer = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::NotTaken>(answer));
    EXPECT_THAT(std::get<SubmitSource::NotTaken>(answer).detail, HasSubstr("InvalidSignature"));
    EXPECT_THAT(std::get<SubmitSource::NotTaken>(answer).detail, HasSubstr("second"));
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SeveralHostsTest, AnArchivalHostTakesWhatNoRegularOneCan) {
    regular.script = second.script = failing;
    archival.script = taking;
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).hosts, "archival");
}

TEST_F(SeveralHostsTest, AHostThatHangsKeepsNobodyWaitingLong) {
    regular.script = second.script = taking;
    regular.held = true;
    const auto started = world.time->now();
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Taken>(taken));
    EXPECT_EQ(std::get<SubmitSource::Taken>(taken).hosts, "second");
    EXPECT_LE(world.time->now() - started, std::chrono::seconds(1));
    regular.release();
    world.settle();
    EXPECT_EQ(regular.asked("broadcast_tx_async"), 1);
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

TEST_F(SubmitSourceTest, OfTwoHeightsOfOneHashTheHigherOneCounts) {
    const std::string hash = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";
    regular.script = [](const auto&) { return result(block_json(7)); };
    archival.script = [](const auto&) { return result(block_json(900)); };
    EXPECT_EQ((*ask(source().block(hash)))->height, 900u);
    EXPECT_EQ((*ask(source().block(hash)))->height, 900u);
    EXPECT_EQ(regular.seen.size(), 1u) << "it is remembered";
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
    world.time->advance(std::chrono::hours(25));
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    EXPECT_EQ(regular.asked("EXPERIMENTAL_protocol_config"), 2);
}

FakeHost::Script network(const std::string& price, const std::string& validity) {
    return [=](const net::HttpRequest& request) {
        return request.body.find("gas_price") != std::string::npos
                   ? result(R"({"gas_price":")" + price + "\"}")
                   : result(R"({"transaction_validity_period":)" + validity + "}");
    };
}

TEST_F(SubmitSourceTest, OfTwoHostsTheValueThatEndsLessCounts) {
    regular.script = network("100000000", "86400");
    archival.script = network("900000000000", "1200");
    EXPECT_TRUE(*ask(source().gas_price()) == 100'000'000U);
    EXPECT_EQ(*ask(source().validity_blocks()), 86'400U);
}

TEST_F(SubmitSourceTest, AValueBeyondAllBoundsIsNotBelieved) {
    regular.script = archival.script = network("99999999999999999999999", "18446744073709551615");
    EXPECT_FALSE(ask(source().gas_price()));
    EXPECT_EQ(*ask(source().validity_blocks()), 77U) << "as it is configured";
}

TEST_F(SubmitSourceTest, AShortValidityIsBelievedIfItIsConfigured) {
    regular.script = archival.script = network("1", "10");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    world.time->advance(std::chrono::hours(25));
    regular.script = archival.script = network("1", "77");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
}

TEST_F(SubmitSourceTest, DeeplyNestedJsonBlamesTheHostAndEndsNothing) {
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    regular.script = [&](const auto&) { return result(deep); };
    archival.script = [](const auto&) { return result(R"({"gas_price":"100000000"})"); };
    EXPECT_TRUE(*ask(source().gas_price()) == 100'000'000U);
    archival.script = regular.script;
    EXPECT_FALSE(ask(source().validity_blocks()));
    EXPECT_TRUE(std::holds_alternative<SubmitSource::NotTaken>(broadcast()));
}

}  // namespace
}  // namespace receiptd::rpc
