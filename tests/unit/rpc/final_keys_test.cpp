// Nothing ends by the word of one host where two have a word.
#include "unit/rpc/world.hpp"

#include "rpc/final_keys.hpp"

#include <gmock/gmock.h>

namespace receiptd::rpc::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kOwnNonce = 7;

FakeHost::Script key_with(std::uint64_t nonce, int height = 100) {
    return [nonce, height](const net::HttpRequest&) {
        return result(R"({"nonce":)" + std::to_string(nonce) +
                      R"(,"permission":"FullAccess","block_height":)" + std::to_string(height) +
                      R"(,"block_hash":")" + zero_hash() + "\"}");
    };
}

Transport::Reply missing_account(int height) {
    return http(200,
                R"({"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"info":{"block_height":)" +
                    std::to_string(height) + R"(,"requested_account_id":"alice.near"},)" +
                    R"("name":"UNKNOWN_ACCOUNT"},"code":-32000,"message":"Server error"},"id":"receiptd"})");
}

class FinalKeysTest : public ::testing::Test {
protected:
    base::Result<FinalKey, Unavailable> key(std::optional<std::uint16_t> nonce_index = std::nullopt) {
        RpcFinalKeys keys(world.pool, world.router());
        return world.run(keys.key({"alice.near", "ed25519:x", nonce_index, kOwnNonce}));
    }
    static Transport::Reply failing(const net::HttpRequest&) { return broken(net::TransportFault::timeout); }

    World world;
    FakeHost& first = world.host("first", HostKind::regular);
};

class TwoHosts : public FinalKeysTest {
protected:
    FakeHost& second = world.host("second", HostKind::archival);
};

TEST_F(FinalKeysTest, OneHostAloneIsBelieved) {
    first.script = key_with(9);
    const auto told = key();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->nonce, 9u);
    EXPECT_THAT(told->hosts, ElementsAre("first"));
    EXPECT_EQ(first.seen.size(), 1u);
}

TEST_F(TwoHosts, WhatEndsNothingIsAskedOfOne) {
    first.script = key_with(6);
    EXPECT_EQ(key()->nonce, 6u);
    EXPECT_TRUE(second.seen.empty());
}

TEST_F(TwoHosts, AUsedNonceIsToldByBoth) {
    first.script = key_with(9, 100);
    second.script = key_with(8, 104);
    const auto told = key();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->nonce, 8u);
    EXPECT_EQ(told->height, 104u);
    EXPECT_THAT(told->hosts, ElementsAre("first", "second"));
}

TEST_F(TwoHosts, ANonceThatOneHostInventsUsesNothing) {
    first.script = key_with(1'000);
    second.script = key_with(6);
    const auto told = key();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->nonce, 6u);
    EXPECT_THAT(told->hosts, ElementsAre("second"));
}

FakeHost::Script no_key(int height) {
    return [height](const net::HttpRequest&) {
        return result(
            R"({"error":"access key ed25519:x does not exist while viewing","logs":[],"block_height":)" +
            std::to_string(height) + R"(,"block_hash":")" + zero_hash() + "\"}");
    };
}

TEST_F(TwoHosts, AKeyThatBothDenyIsMissingAtTheLowerHeight) {
    first.script = no_key(104);
    second.script = no_key(100);
    const auto told = key();
    ASSERT_TRUE(told);
    EXPECT_FALSE(told->nonce);
    EXPECT_FALSE(told->has_no_account);
    EXPECT_EQ(told->height, 100u);
    EXPECT_THAT(told->hosts, ElementsAre("first", "second"));
}

TEST_F(TwoHosts, AKeyThatOneHostDeniesIsThere) {
    first.script = no_key(104);
    second.script = key_with(6);
    EXPECT_EQ(key()->nonce, 6u);
}

TEST_F(TwoHosts, AnAccountThatBothDenyHasNoKey) {
    first.script = second.script = [](const auto&) { return missing_account(100); };
    const auto told = key();
    ASSERT_TRUE(told);
    EXPECT_TRUE(told->has_no_account);
    EXPECT_EQ(told->height, 100u);
}

FakeHost::Script gas_key_with(const std::string& nonces) {
    return [nonces](const net::HttpRequest& request) {
        EXPECT_NE(request.body.find("view_gas_key_nonces"), std::string::npos);
        return result(R"({"nonces":)" + nonces + R"(,"block_height":100,"block_hash":")" + zero_hash() +
                      "\"}");
    };
}

TEST_F(FinalKeysTest, OfAGasKeyTheNonceInItsPlaceCounts) {
    first.script = gas_key_with("[1,9,3]");
    EXPECT_EQ(key(1)->nonce, 9u);
    EXPECT_EQ(key(1)->height, 100u);
    EXPECT_EQ(key(7)->nonce, 0u) << "a place that it does not have proves nothing";
    first.script = gas_key_with("\"none\"");
    EXPECT_FALSE(key(1));
}

TEST_F(TwoHosts, AGasKeyThatBothDenyIsMissing) {
    first.script = second.script = [](const auto&) { return error("UNKNOWN_GAS_KEY"); };
    const auto told = key(1);
    ASSERT_TRUE(told);
    EXPECT_FALSE(told->nonce);
    EXPECT_THAT(told->hosts, ElementsAre("first", "second"));
}

TEST_F(TwoHosts, ASecondHostThatIsDownIsWaitedFor) {
    first.script = key_with(9);
    second.script = failing;
    EXPECT_FALSE(key());
}

TEST_F(TwoHosts, AHostWithoutTheMethodOrTheShardHasNoWord) {
    first.script = key_with(9);
    for (const auto* cause : {"UNAVAILABLE_SHARD", "DOES_NOT_TRACK_SHARD"}) {
        second.script = [cause](const auto&) { return error(cause); };
        ASSERT_TRUE(key()) << cause;
        EXPECT_THAT(key()->hosts, ElementsAre("first"));
    }
    second.script = [](const auto&) { return error("METHOD_NOT_FOUND"); };
    ASSERT_TRUE(key());
    EXPECT_THAT(key()->hosts, ElementsAre("first"));
}

TEST_F(TwoHosts, OfThreeTwoAreEnough) {
    auto& third = world.host("third", HostKind::archival);
    first.script = key_with(9);
    second.script = key_with(6);
    third.script = key_with(9);
    EXPECT_THAT(key()->hosts, ElementsAre("first", "third"));
    second.script = failing;
    EXPECT_THAT(key()->hosts, ElementsAre("first", "third"));
}

}  // namespace
}  // namespace receiptd::rpc::testing
