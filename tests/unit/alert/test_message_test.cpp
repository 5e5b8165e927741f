#include "alert/test_message.hpp"
#include "alert/verify.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace receiptd::alert {
namespace {

constexpr const char* kTestSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

TEST(TestMessage, IsVerifiedAsAnyOtherAndSaysThatNothingHappened) {
    const base::WallTime now{std::chrono::seconds(1'700'000'000)};
    const auto message = test_message("ops", "testnet", now);
    const auto body = nlohmann::json::parse(message.body);
    EXPECT_EQ(message.endpoint, "ops");
    EXPECT_EQ(message.id, "test:1700000000000000");
    EXPECT_EQ(body["network"], "testnet");
    EXPECT_TRUE(body["rules"].empty());
    EXPECT_NE(body["data"]["summary"].get<std::string>().find("nothing has happened"), std::string::npos);
    const auto signer = Signer::from(base::Secret(kTestSecret));
    const std::vector<net::Header> headers = {
        {"webhook-id", message.id},
        {"webhook-timestamp", "1700000000"},
        {"webhook-signature", signer->sign(message.id, 1'700'000'000, message.body)}};
    const auto verified = verify(*signer, headers, message.body, now);
    ASSERT_TRUE(verified);
    EXPECT_EQ(verified->type, "test");
}

}  // namespace
}  // namespace receiptd::alert
