#include "alert/signature.hpp"

#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

std::string sign(const char* secret, const char* id, std::int64_t timestamp, const char* body) {
    const auto signer = Signer::from(base::Secret(secret));
    return signer ? signer->sign(id, timestamp, body) : "no signer";
}

constexpr const char* kSecret24 = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
// 64 bytes of 7
constexpr const char* kSecret64 =
    "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw==";

// Made by the npm package standardwebhooks 1.1.1: new Webhook(secret).sign(id, date, body).
TEST(Signature, IsThatOfTheReferenceLibrary) {
    EXPECT_EQ(sign(kSecret24, "failed_receipt:8GdYYzhwV7DZ5ek8wTFRNXhzSnYnHSmSGfjPpBuUMfJ6", 1'700'000'000,
                   "{\"type\":\"finding.failed_receipt\",\"data\":{\"error_text\":\"no such token – ä\"}}"),
              "v1,k4FGfKZHu094+6qZLR0QkpK6Afx1jXOF79kJmI66THQ=");
    EXPECT_EQ(sign(kSecret64, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1'614'265'330, "{\"test\": 2432232314}"),
              "v1,bFT/YYdfvILXS6yP84jIDsnfRcfYDDYNzOFlHn1RRwE=");
    EXPECT_EQ(sign(kSecret64, "empty", 1'614'265'330, ""), "v1,F7XP7C/KPMZQfv+CpUogFdp7AOW31UbHXh3/NVar590=");
}

TEST(Signature, SecretIsPrefixAndBase64) {
    for (const char* bad : {"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8", "whsec_????"})
        EXPECT_FALSE(Signer::from(base::Secret(bad))) << bad;
}

}  // namespace
}  // namespace receiptd::alert
