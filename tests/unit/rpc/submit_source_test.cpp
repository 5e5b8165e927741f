#include "rpc/submit_source.hpp"

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
            source_ = std::make_unique<RpcSubmitSource>(world.io.get_executor(), world.pool, world.time,
                                                        world.router(), 77, is_public_network);
        }
        return *source_;
    }

    static Transport::Reply taking(const net::HttpRequest&) { return result("\"" + kSubmittedTx + "\""); }
    static Transport::Reply failing(const net::HttpRequest&) { return broken(net::TransportFault::timeout); }
    static Transport::Reply busy(const net::HttpRequest&) { return http(503, "busy"); }

    bool is_public_network = true;
    World world;
    FakeHost& regular = world.host("regular", HostKind::regular);
    FakeHost& archival = world.host("archival", HostKind::archival);

private:
    std::unique_ptr<RpcSubmitSource> source_;
};

TEST_F(SubmitSourceTest, ARegularHostTakesATransaction) {
    regular.script = [](const auto&) { return result("\"" + kSubmittedTx + "\""); };
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Sent>(taken));
    EXPECT_EQ(std::get<SubmitSource::Sent>(taken).hosts, "regular");
    EXPECT_EQ(regular.asked(R"("method":"broadcast_tx_async","params":["AAAA"])"), 1);
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SubmitSourceTest, AHostThatSpeaksOfAnotherTransactionIsNotBelieved) {
    regular.script = [](const auto&) { return result("\"A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2\""); };
    archival.script = [](const auto&) { return result("\"" + kSubmittedTx + "\""); };
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Sent>(taken));
    EXPECT_EQ(std::get<SubmitSource::Sent>(taken).hosts, "archival");
}

TEST_F(SubmitSourceTest, WhatNoHostTakesSaysWhatEachSaid) {
    regular.script = archival.script = [](const auto&) { return broken(net::TransportFault::timeout); };
    const auto answer = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::NotSent>(answer));
    EXPECT_THAT(std::get<SubmitSource::NotSent>(answer).detail, HasSubstr("archival"));
}

// Several regular hosts: which of them passes it on, nobody can tell.
class SeveralHostsTest : public SubmitSourceTest {
protected:
    FakeHost& second = world.host("second", HostKind::regular);
};

TEST_F(SeveralHostsTest, EachRegularHostGetsTheTransaction) {
    regular.script = second.script = taking;
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Sent>(taken));
    EXPECT_EQ(std::get<SubmitSource::Sent>(taken).hosts, "regular, second");
    EXPECT_EQ(regular.asked("broadcast_tx_async"), 1);
    EXPECT_EQ(second.asked("broadcast_tx_async"), 1);
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SeveralHostsTest, ItIsSentIfOneReadsIt) {
    regular.script = failing;
    second.script = taking;
    const auto sent = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Sent>(sent));
    EXPECT_EQ(std::get<SubmitSource::Sent>(sent).hosts, "second");
    EXPECT_TRUE(archival.seen.empty());
}

TEST_F(SeveralHostsTest, AnArchivalHostTakesWhatNoRegularOneCan) {
    regular.script = second.script = failing;
    archival.script = taking;
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Sent>(taken));
    EXPECT_EQ(std::get<SubmitSource::Sent>(taken).hosts, "archival");
}

TEST_F(SeveralHostsTest, AHostThatHangsKeepsNobodyWaitingLong) {
    regular.script = second.script = taking;
    regular.held = true;
    const auto started = world.time->now();
    const auto taken = broadcast();
    ASSERT_TRUE(std::holds_alternative<SubmitSource::Sent>(taken));
    EXPECT_EQ(std::get<SubmitSource::Sent>(taken).hosts, "second");
    EXPECT_LE(world.time->now() - started, std::chrono::seconds(1));
    regular.release();
    world.settle();
    EXPECT_EQ(regular.asked("broadcast_tx_async"), 1);
}

// The meaning of each kind of answer to `tx` with the bytes (rpc.md §5.2).
class OpinionsTest : public SubmitSourceTest {
protected:
    using Says = SubmitSource::Opinion::Says;
    std::vector<SubmitSource::Opinion> opinions() {
        return ask(source().opinions("AAAA", kSubmittedTx, "alice.near", Priority::submit));
    }
    SubmitSource::Opinion of_regular(FakeHost::Script script) {
        regular.script = std::move(script);
        auto all = opinions();
        EXPECT_EQ(all.size(), 2u);
        EXPECT_EQ(all.at(0).host, "regular");
        return all.at(0);
    }
    static Transport::Reply unknown(const net::HttpRequest&) { return error("UNKNOWN_TRANSACTION"); }
    // A host that verifies the bytes first; `by_hash` answers whether a block holds it.
    static FakeHost::Script objecting(const std::string& invalid_tx_error, FakeHost::Script by_hash) {
        return [invalid_tx_error, by_hash = std::move(by_hash)](const net::HttpRequest& request) {
            if (request.body.find("signed_tx_base64") == std::string::npos) return by_hash(request);
            return error("INVALID_TRANSACTION", 200, "HANDLER_ERROR",
                         R"({"TxExecutionError":{"InvalidTxError":)" + invalid_tx_error + "}}");
        };
    }
};

TEST_F(OpinionsTest, EachHostIsAskedWithTheBytesAndSendsNothing) {
    regular.script = archival.script = unknown;
    for (const auto& opinion : opinions()) EXPECT_EQ(opinion.says, Says::no_objection) << opinion.host;
    EXPECT_EQ(archival.asked(R"("method":"tx","params":{"signed_tx_base64":"AAAA","wait_until":"NONE"})"), 1);
    EXPECT_EQ(regular.seen.size(), 1u);
}

TEST_F(OpinionsTest, AnObjectionComesWithTheWholeError) {
    archival.script = unknown;
    const auto told = of_regular(objecting(R"({"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}})", unknown));
    EXPECT_EQ(told.says, Says::objects);
    EXPECT_EQ(told.error_json, R"({"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}})");
    EXPECT_EQ(regular.asked(R"("sender_account_id":"alice.near")"), 1u) << "it knows no block that holds it";
}

TEST_F(OpinionsTest, ALevelWithoutAnOutcomeSaysNothing) {
    archival.script = unknown;
    for (const char* level : {"NONE", "INCLUDED"})
        EXPECT_EQ(of_regular([level](const auto&) {
                      return result(std::string(R"({"final_execution_status":")") + level + "\"}");
                  }).says,
                  Says::nothing)
            << level;
    for (const char* cause : {"DOES_NOT_TRACK_SHARD", "UNAVAILABLE_SHARD"})
        EXPECT_EQ(of_regular([cause](const auto&) { return error(cause); }).says, Says::nothing) << cause;
    EXPECT_EQ(of_regular([](const auto&) { return error("METHOD_NOT_FOUND"); }).says, Says::not_offered);
}

TEST_F(OpinionsTest, AHostThatFailsOrDoesNotKnowInTimeIsSilent) {
    archival.script = unknown;
    EXPECT_EQ(of_regular([](const auto&) { return error("TIMEOUT_ERROR", 408); }).says, Says::silent);
    EXPECT_EQ(of_regular(failing).says, Says::silent);
}

TEST_F(OpinionsTest, AHostThatHangsKeepsNobodyWaitingLong) {
    regular.script = archival.script = unknown;
    regular.held = true;
    const auto started = world.time->now();
    const auto all = opinions();
    EXPECT_EQ(all.at(0).says, Says::silent);
    EXPECT_EQ(all.at(1).says, Says::no_objection);
    EXPECT_LE(world.time->now() - started, std::chrono::seconds(1));
    regular.release();
    world.settle();
}

// An answer about a transaction that is in a block.
FakeHost::Script included(const std::string& result_of_it, const std::string& receipts) {
    return [=](const auto&) {
        return result(R"({"final_execution_status":"FINAL","status":"Started","transaction":null,)"
                      R"("receipts_outcome":[],"transaction_outcome":{"id":")" +
                      kSubmittedTx + R"(","block_hash":")" + kSubmittedTx + R"(","proof":[],"outcome":)" +
                      R"({"logs":[],"receipt_ids":)" + receipts +
                      R"(,"gas_burnt":0,"tokens_burnt":"0","executor_id":"alice.near","status":)" +
                      result_of_it + "}}}");
    };
}

FakeHost::Script executed() {
    return included(R"({"SuccessReceiptId":")" + kSubmittedTx + "\"}", "[\"" + kSubmittedTx + "\"]");
}

TEST_F(OpinionsTest, AnOutcomeWithAReceiptIsABlockThatHasIt) {
    archival.script = unknown;
    EXPECT_EQ(of_regular(executed()).says, Says::on_chain);
    EXPECT_EQ(of_regular(included(R"({"Failure":{"InvalidTxError":"InvalidSignature"}})", "[]")).says,
              Says::nothing)
        << "another block may execute it";
}

const std::string kNoKey =
    R"({"InvalidAccessKeyError":{"AccessKeyNotFound":{"account_id":"alice.near","public_key":"ed25519:1"}}})";

TEST_F(OpinionsTest, AHostThatMissesTheKeyIsAskedWhetherABlockHoldsWhatDeletedIt) {
    archival.script = unknown;
    const auto told = of_regular(objecting(kNoKey, executed()));
    EXPECT_EQ(told.says, Says::on_chain);
    EXPECT_EQ(told.error_json, "");
    EXPECT_EQ(regular.asked(R"("sender_account_id":"alice.near")"), 1u);
}

TEST_F(OpinionsTest, AnObjectionOfAHostThatCannotSayWhetherABlockHoldsItIsNone) {
    archival.script = unknown;
    const FakeHost::Script busy_host = [](const auto&) { return error("BUSY"); };
    const FakeHost::Script pending = [](const auto&) {
        return http(408, R"({"jsonrpc":"2.0","id":"receiptd","error":{"name":"HANDLER_ERROR","code":-32000,)"
                         R"("cause":{"name":"TIMEOUT_ERROR","info":{"cause":"PENDING"}},"message":"x"}})");
    };
    const FakeHost::Script level = [](const auto&) { return result(R"({"final_execution_status":"NONE"})"); };
    for (const auto& by_hash :
         {busy_host, pending, level, FakeHost::Script(failing), FakeHost::Script(busy)}) {
        const auto told = of_regular(objecting(kNoKey, by_hash));
        EXPECT_EQ(told.says, Says::silent);
        EXPECT_EQ(told.error_json, "");
        world.time->advance(std::chrono::minutes(10));
    }
}

TEST_F(OpinionsTest, AHostThatDidNotSayWhetherABlockHoldsItIsAskedAgain) {
    archival.script = failing;
    int asked = 0;
    const auto told = of_regular(objecting(kNoKey, [&asked](const net::HttpRequest& request) {
        if (++asked < 3) return error("BUSY");
        return executed()(request);
    }));
    EXPECT_EQ(told.says, Says::on_chain);
    EXPECT_EQ(asked, 3);
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
    EXPECT_FALSE(ask(source().final_head()));
}

FakeHost::Script network(const std::string& validity) {
    return [=](const auto&) { return result(R"({"transaction_validity_period":)" + validity + "}"); };
}

TEST_F(SubmitSourceTest, TheValidityOfTheNetworkIsAskedForOnceADay) {
    regular.script = archival.script = network("77");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    EXPECT_EQ(regular.asked("EXPERIMENTAL_protocol_config"), 1);
    world.time->advance(std::chrono::hours(25));
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    EXPECT_EQ(regular.asked("EXPERIMENTAL_protocol_config"), 2);
}

TEST_F(SubmitSourceTest, TheValidityThatOneOfTwoHostsTellsIsAskedForAgain) {
    regular.script = network("1200");
    EXPECT_EQ(*ask(source().validity_blocks()), 1'200U);
    archival.script = network("86400");
    EXPECT_EQ(*ask(source().validity_blocks()), 86'400U);
}

TEST_F(SubmitSourceTest, OfTwoHostsTheValidityThatEndsLessCounts) {
    regular.script = network("86400");
    archival.script = network("1200");
    EXPECT_EQ(*ask(source().validity_blocks()), 86'400U);
}

TEST_F(SubmitSourceTest, AValidityBeyondAllBoundsIsNotBelieved) {
    regular.script = archival.script = network("18446744073709551615");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U) << "as it is configured";
}

TEST_F(SubmitSourceTest, AShortValidityIsBelievedIfItIsConfigured) {
    regular.script = archival.script = network("10");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    world.time->advance(std::chrono::hours(25));
    regular.script = archival.script = network("77");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
}

TEST_F(SubmitSourceTest, AShortValidityOfAPrivateNetworkIsTheWordOfTwo) {
    is_public_network = false;
    regular.script = network("100");
    archival.script = network("60");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    world.time->advance(std::chrono::hours(25));
    archival.script = network("100");
    EXPECT_EQ(*ask(source().validity_blocks()), 100U);
}

TEST_F(SubmitSourceTest, DeeplyNestedJsonBlamesTheHostAndEndsNothing) {
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    regular.script = [&](const auto&) { return result(deep); };
    archival.script = network("77");
    EXPECT_EQ(*ask(source().validity_blocks()), 77U);
    archival.script = regular.script;
    world.time->advance(std::chrono::hours(25));
    EXPECT_EQ(*ask(source().validity_blocks()), 77U) << "as it was told before";
    EXPECT_TRUE(std::holds_alternative<SubmitSource::NotSent>(broadcast()));
}

}  // namespace
}  // namespace receiptd::rpc
