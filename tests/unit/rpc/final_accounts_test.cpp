// Nothing ends by the word of one host where two have a word.
#include "unit/rpc/world.hpp"

#include "rpc/final_accounts.hpp"

#include <gmock/gmock.h>

namespace receiptd::rpc::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kOwnNonce = 7;
constexpr chain::u128 kCost = 1'000;

FakeHost::Script key_with(std::uint64_t nonce, int height = 100) {
    return [nonce, height](const net::HttpRequest&) {
        return result(R"({"nonce":)" + std::to_string(nonce) +
                      R"(,"permission":"FullAccess","block_height":)" + std::to_string(height) +
                      R"(,"block_hash":")" + zero_hash() + "\"}");
    };
}

FakeHost::Script balance_of(const std::string& amount, int height = 100) {
    return [amount, height](const net::HttpRequest&) {
        return result(R"({"amount":")" + amount + R"(","locked":"0","code_hash":")" + zero_hash() +
                      R"(","storage_usage":1,"storage_paid_at":0,"block_height":)" + std::to_string(height) +
                      R"(,"block_hash":")" + zero_hash() + "\"}");
    };
}

Transport::Reply missing_account(int height) {
    return http(200,
                R"({"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"info":{"block_height":)" +
                    std::to_string(height) + R"(,"requested_account_id":"alice.near"},)" +
                    R"("name":"UNKNOWN_ACCOUNT"},"code":-32000,"message":"Server error"},"id":"receiptd"})");
}

class FinalAccountsTest : public ::testing::Test {
protected:
    base::Result<FinalKey, Unavailable> key() {
        RpcFinalAccounts accounts(world.pool, world.router());
        return world.run(accounts.key("alice.near", "ed25519:x", kOwnNonce));
    }
    base::Result<FinalBalance, Unavailable> balance() {
        RpcFinalAccounts accounts(world.pool, world.router());
        return world.run(accounts.balance("alice.near", kCost));
    }
    static Transport::Reply failing(const net::HttpRequest&) { return broken(net::TransportFault::timeout); }

    World world;
    FakeHost& first = world.host("first", HostKind::regular);
};

class TwoHosts : public FinalAccountsTest {
protected:
    FakeHost& second = world.host("second", HostKind::archival);
};

TEST_F(FinalAccountsTest, OneHostAloneIsBelieved) {
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
    first.script = balance_of("1000");
    EXPECT_TRUE(*balance()->amount == 1'000u);
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

TEST_F(TwoHosts, ABalanceThatOneHostDeniesIsThere) {
    for (const auto& lie :
         {balance_of("0"), FakeHost::Script([](const auto&) { return error("UNKNOWN_ACCOUNT"); })}) {
        first.script = lie;
        second.script = balance_of("5000");
        const auto told = balance();
        ASSERT_TRUE(told);
        EXPECT_TRUE(*told->amount == 5'000u);
    }
}

TEST_F(TwoHosts, AnAccountThatBothDenyIsGone) {
    first.script = second.script = [](const auto&) { return error("UNKNOWN_ACCOUNT"); };
    const auto told = balance();
    ASSERT_TRUE(told);
    EXPECT_FALSE(told->amount);
    EXPECT_THAT(told->hosts, ElementsAre("first", "second"));
}

TEST_F(TwoHosts, ASecondHostThatIsDownIsWaitedFor) {
    first.script = key_with(9);
    second.script = failing;
    EXPECT_FALSE(key());
    first.script = balance_of("0");
    EXPECT_FALSE(balance());
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
