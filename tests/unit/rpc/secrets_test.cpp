// Keys of hosts: how they travel, and what hosts that echo them achieve.
#include "rpc/questions.hpp"
#include "rpc/router.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

class Secrets : public RouterTest {
protected:
    const std::string key = "sEcReT/Key+1";
    const std::string encoded = "sEcReT%2FKey%2B1";
};

TEST_F(Secrets, TravelAsBearerHeaderOrAsQueryNeverBoth) {
    auto& bearer = world.host("bearer", HostKind::regular, {base::Secret(key), config::AuthForm::bearer});
    auto& query = world.host("query", HostKind::archival, {base::Secret(key), config::AuthForm::query});
    bearer.script = [](const auto&) { return error("UNKNOWN_BLOCK", 422); };
    EXPECT_TRUE(ask(ask_block(1, Priority::head)));
    ASSERT_EQ(bearer.seen.size(), 1u);
    EXPECT_EQ(bearer.seen[0].target, "/");
    EXPECT_EQ(bearer.seen[0].headers.back().value, "Bearer " + key);
    ASSERT_EQ(query.seen.size(), 1u);
    EXPECT_EQ(query.seen[0].target, "/?apiKey=" + encoded);
    for (const auto& header : query.seen[0].headers) EXPECT_NE(header.name, "Authorization");
}

TEST_F(Secrets, AreStruckOutOfWhatHostsEcho) {
    auto& only = world.host("only", HostKind::regular, {base::Secret(key), config::AuthForm::query});
    const std::string echo = "bad key " + key + " in /?apiKey=" + encoded;
    const std::vector<Transport::Reply> answers = {
        http(401, echo),
        http(500, echo),
        http(429, echo),
        broken(net::TransportFault::reset, echo),
        error("SOMETHING", 200, "HANDLER_ERROR", "\"" + echo + "\""),
        http(400, echo),
    };
    ::testing::internal::CaptureStderr();
    std::string told;
    for (const auto& answer : answers) {
        only.script = [&](const auto&) { return answer; };
        const auto failed = ask(ask_block(1, Priority::head));
        ASSERT_FALSE(failed);
        told += failed.error().detail + failed.error().reason + upstream(0).state().last_error;
        upstream(0).set_credential({base::Secret(key), config::AuthForm::query});
    }
    told += ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(told, HasSubstr("***"));
    EXPECT_THAT(told, Not(HasSubstr(key)));
    EXPECT_THAT(told, Not(HasSubstr(encoded)));
}

// Providers put keys into paths; a text that is cut short may end within one.
TEST_F(Secrets, OfAPathAreStruckOutOfWhatHostsEcho) {
    const std::string path_key = "0123456789abcdefXYZ";
    auto& only =
        world.host("only", HostKind::regular, {}, {}, "/v2/" + path_key + "/rpc?token=Query%2Fsecret-1");
    only.script = [&](const net::HttpRequest& request) {
        return http(404, std::string(185, '.') + " no " + request.target);
    };
    ::testing::internal::CaptureStderr();
    auto failed = ask(ask_block(1, Priority::head));
    ASSERT_FALSE(failed);
    auto told = failed.error().detail;
    EXPECT_THAT(told, HasSubstr("no /v2/***"));
    only.script = [](const auto&) { return http(500, "no token Query/secret-1 or Query%2Fsecret-1"); };
    failed = ask(ask_block(1, Priority::head));
    ASSERT_FALSE(failed);
    told += failed.error().detail + ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(told, HasSubstr("no token *** or ***"));
    EXPECT_THAT(told, Not(HasSubstr("01234")));
}

TEST_F(Secrets, AreStruckOutOfTheNameOfANetwork) {
    world.host("only", HostKind::regular, {base::Secret(key), config::AuthForm::query});
    world.router();
    NetworkProof proof;
    proof.state = NetworkState::other_network;
    proof.detail = "is of network " + key;
    upstream(0).set_network(proof);
    EXPECT_EQ(upstream(0).network().detail, "is of network ***");
}

}  // namespace
}  // namespace receiptd::rpc
