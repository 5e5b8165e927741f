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
    EXPECT_FALSE(access.refuse(with_bearer("first")));
    EXPECT_FALSE(access.refuse(get("/status", "x=1&apiKey=second")));
}

TEST(Access, RefusesAMissingKeyOnlyWhereOneIsNeeded) {
    FakeClock clock;
    Access open(keys(false), clock);
    Access closed(keys(true), clock);
    EXPECT_FALSE(open.refuse(get("/status")));
    const auto refused = closed.refuse(get("/status"));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 401);
    EXPECT_TRUE(nlohmann::json::accept(refused->body));
}

TEST(Access, RefusesAWrongKeyAlways) {
    FakeClock clock;
    Access access(keys(false), clock);
    EXPECT_EQ(access.refuse(with_bearer("third"))->status, 401);
    EXPECT_EQ(access.refuse(get("/status", "apiKey=third"))->status, 401);
    auto basic = get("/status");
    basic.headers = {{"Authorization", "Basic first"}};
    EXPECT_EQ(access.refuse(basic)->status, 401);
}

TEST(Access, TellsTheWaitWhenTheLimitIsReached) {
    FakeClock clock;
    auto options = keys(false);
    options.requests_per_second = 2;
    Access access(std::move(options), clock);
    EXPECT_FALSE(access.refuse(with_bearer("first")));
    EXPECT_FALSE(access.refuse(with_bearer("first")));
    const auto refused = access.refuse(with_bearer("first"));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 429);
    EXPECT_EQ(test::header_of(*refused, "Retry-After"), "1");
    EXPECT_FALSE(access.refuse(with_bearer("second"))) << "each key has its own limit";
    clock.passed = 500ms;
    EXPECT_FALSE(access.refuse(with_bearer("first")));
}

}  // namespace
}  // namespace receiptd::sandbox
