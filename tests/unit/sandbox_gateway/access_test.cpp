#include "sandbox/gateway/access.hpp"
#include "support/sandbox_requests.hpp"

#include <gtest/gtest.h>

namespace receiptd::sandbox {
namespace {

using namespace std::chrono_literals;
using test::FakeClock;
using test::get;

AccessOptions keys(bool required) {
    AccessOptions options;
    options.api_keys = {base::Secret("first"), base::Secret("second")};
    options.require_key = required;
    return options;
}

net::ServerRequest with_bearer(const std::string& key) {
    auto request = get("/status");
    request.headers = {{"authorization", "Bearer " + key}};
    return request;
}

TEST(Access, TakesAKeyFromHeaderOrQuery) {
    FakeClock clock;
    Access access(keys(true), clock);
    EXPECT_FALSE(access.admit(with_bearer("first")).refusal);
    EXPECT_FALSE(access.admit(get("/status", "x=1&apiKey=second")).refusal);
}

TEST(Access, RefusesAMissingKeyOnlyWhereOneIsNeeded) {
    FakeClock clock;
    Access open(keys(false), clock);
    Access closed(keys(true), clock);
    EXPECT_FALSE(open.admit(get("/status")).refusal);
    const auto refused = closed.admit(get("/status")).refusal;
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 401);
    EXPECT_TRUE(nlohmann::json::accept(refused->body));
}

TEST(Access, RefusesAWrongKeyAlways) {
    FakeClock clock;
    Access access(keys(false), clock);
    EXPECT_EQ(access.admit(with_bearer("third")).refusal->status, 401);
    EXPECT_EQ(access.admit(get("/status", "apiKey=third")).refusal->status, 401);
    auto basic = get("/status");
    basic.headers = {{"Authorization", "Basic first"}};
    EXPECT_EQ(access.admit(basic).refusal->status, 401);
}

TEST(Access, TellsTheWaitWhenTheLimitIsReached) {
    FakeClock clock;
    auto options = keys(false);
    options.requests_per_second = 2;
    Access access(std::move(options), clock);
    EXPECT_FALSE(access.admit(with_bearer("first")).refusal);
    EXPECT_FALSE(access.admit(with_bearer("first")).refusal);
    const auto refused = access.admit(with_bearer("first")).refusal;
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 429);
    EXPECT_EQ(test::header_of(*refused, "Retry-After"), "1");
    EXPECT_FALSE(access.admit(with_bearer("second")).refusal) << "each key has its own limit";
    clock.passed = 500ms;
    EXPECT_FALSE(access.admit(with_bearer("first")).refusal);
}

TEST(Access, TellsWhichKeyItWasByItsPlaceInTheList) {
    FakeClock clock;
    Access access(keys(false), clock);
    EXPECT_EQ(access.admit(with_bearer("second")).key, "2");
    EXPECT_EQ(access.admit(get("/status")).key, "none");
    EXPECT_EQ(access.admit(with_bearer("third")).key, "wrong");
    Access open(AccessOptions{}, clock);
    EXPECT_EQ(open.admit(with_bearer("whatever")).key, "any") << "no keys are configured";
}

TEST(Access, GivesKeylessRequestsTogetherTheirShareOfTheLimit) {
    FakeClock clock;
    auto options = keys(false);
    options.requests_per_second = 8;
    options.keyless_share = 0.25;
    Access access(std::move(options), clock);
    EXPECT_FALSE(access.admit(get("/status")).refusal);
    EXPECT_FALSE(access.admit(get("/status")).refusal);
    EXPECT_EQ(access.admit(get("/status")).refusal->status, 429);
    for (int i = 0; i < 8; ++i) EXPECT_FALSE(access.admit(get("/status", "apiKey=first")).refusal) << i;
    EXPECT_EQ(access.admit(with_bearer("first")).refusal->status, 429) << "both forms are one credential";
}

}  // namespace
}  // namespace receiptd::sandbox
