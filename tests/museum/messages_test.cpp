// Reports of webhooks that were believed though they should not have been, or sent too often.
#include "alert/attempt.hpp"
#include "alert/verify.hpp"
#include "config/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace receiptd::museum {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::int64_t kSentAt = 1'790'000'000;
const std::string kBody = R"({"type":"finding.failed_receipt","data":{"tx_hash":"T"}})";

alert::Signer signer() {
    return *alert::Signer::from(base::Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
}

std::string received(const std::string& signature, const std::string& body = kBody, std::int64_t later = 1,
                     const std::string& timestamp = std::to_string(kSentAt)) {
    const auto verified = alert::verify(
        signer(), {{"webhook-id", "a"}, {"webhook-timestamp", timestamp}, {"webhook-signature", signature}},
        body, base::WallTime(std::chrono::seconds(kSentAt + later)));
    return verified ? "verified" : verified.error().because;
}
std::string right() { return signer().sign("a", kSentAt, kBody); }

TEST(Messages, OfSixMinutesAgoOrAheadAreRefused) {
    EXPECT_EQ(received(right()), "verified");
    EXPECT_THAT(received(right(), kBody, 360), HasSubstr("360 seconds old"));
    EXPECT_THAT(received(right(), kBody, -360), HasSubstr("360 seconds ahead"));
    const auto milliseconds = std::to_string(kSentAt * 1000);
    EXPECT_NE(received(signer().sign("a", kSentAt * 1000, kBody), kBody, 1, milliseconds), "verified");
}

TEST(Messages, AreByteForByteWhatWasSigned) {
    EXPECT_NE(received(right(), R"({"type": "finding.failed_receipt","data":{"tx_hash":"T"}})"), "verified");
    EXPECT_NE(received("v1,\u00e4\u00e4\u00e4\u00e4"), "verified");
    EXPECT_NE(received("v1a," + right().substr(3)), "verified");
    EXPECT_EQ(received("v1,AAAA " + right()), "verified") << "one of two is enough";
}

TEST(Messages, ThatWaitedTwoDaysAreSignedWithTheTimeOfTheirAttempt) {
    const auto again = kSentAt + 2 * 86'400;
    EXPECT_EQ(received(signer().sign("a", again, kBody), kBody, again - kSentAt + 1, std::to_string(again)),
              "verified");
}

TEST(Messages, ToAnEndpointThatFailsAreAFewInTenMinutes) {
    storage::DeliveryOutcome outcome;
    storage::DueDelivery delivery;
    int attempts = 0;
    for (std::chrono::milliseconds waited{0}; waited < 10min; waited += *outcome.again_in) {
        outcome = alert::after_attempt(delivery, {500, "", {}, ""}, config::Endpoint{}.retry, 0);
        delivery.attempts = static_cast<unsigned>(++attempts);
    }
    EXPECT_EQ(attempts, 3);
}

}  // namespace
}  // namespace receiptd::museum
