#include "alert/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSentAt = 1'700'000'000;
const std::string kBody = R"({"type":"finding.stuck","data":{}})";

Signer signer_with(const char* secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") {
    return *Signer::from(base::Secret(secret));
}

std::vector<net::Header> headers_of(const std::string& signature) {
    return {{"Webhook-Id", "stuck:T"},
            {"webhook-timestamp", std::to_string(kSentAt)},
            {"WEBHOOK-SIGNATURE", signature}};
}

std::vector<net::Header> signed_headers(const std::string& body = kBody) {
    return headers_of(signer_with().sign("stuck:T", kSentAt, body));
}

base::WallTime after(std::int64_t seconds) { return base::WallTime(std::chrono::seconds(kSentAt + seconds)); }

std::string refusal_of(const std::vector<net::Header>& headers, const std::string& body = kBody,
                       std::int64_t seconds = 1) {
    const auto verified = verify(signer_with(), headers, body, after(seconds));
    return verified ? "verified" : verified.error().because;
}

TEST(Verify, TellsTheTypeOfWhatWasSignedWithTheSecret) {
    const auto verified = verify(signer_with(), signed_headers(), kBody, after(299));
    ASSERT_TRUE(verified);
    EXPECT_EQ(verified->type, "finding.stuck");
}

TEST(Verify, OneOfSeveralSignaturesIsEnough) {
    const auto right = signer_with().sign("stuck:T", kSentAt, kBody);
    const auto old = signer_with("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").sign("stuck:T", kSentAt, kBody);
    EXPECT_EQ(refusal_of(headers_of(old + " v1a,xyz " + right)), "verified");
    EXPECT_THAT(refusal_of(headers_of(old)), HasSubstr("no signature matches: the secret is another one"));
}

TEST(Verify, NamesTheHeadersThatAreMissing) {
    EXPECT_EQ(refusal_of({{"webhook-id", "stuck:T"}}),
              "missing header: webhook-timestamp, webhook-signature");
    EXPECT_EQ(refusal_of({}), "missing header: webhook-id, webhook-timestamp, webhook-signature");
}

TEST(Verify, RefusesWhatIsOldOrOfTheFuture) {
    EXPECT_EQ(refusal_of(signed_headers(), kBody, 301),
              "webhook-timestamp is 301 seconds old; 300 are the most");
    EXPECT_EQ(refusal_of(signed_headers(), kBody, -400),
              "webhook-timestamp is 400 seconds ahead of this clock; 300 are the most");
    EXPECT_TRUE(verify(signer_with(), signed_headers(), kBody, std::nullopt)) << "its age does not count";
}

TEST(Verify, SaysWhyNothingMatches) {
    EXPECT_THAT(refusal_of(signed_headers(), kBody + " "), HasSubstr("not byte for byte what was sent"));
    EXPECT_THAT(refusal_of(signed_headers(), kBody + "\r\n"),
                HasSubstr("matches without the line break at its end"));
    EXPECT_THAT(refusal_of(headers_of("v2,AAAA")), HasSubstr("no signature of version 1"));
    auto headers = signed_headers();
    headers[1].value = "yesterday";
    EXPECT_THAT(refusal_of(headers), HasSubstr("webhook-timestamp is not a number"));
    headers[1].value = "99999999999999999999";
    EXPECT_THAT(refusal_of(headers), HasSubstr("webhook-timestamp is not a number"));
}

// Each try costs a signature of the whole body, and senders choose how many line breaks there are.
TEST(Verify, LooksForASignatureBehindAFewLineBreaksOnly) {
    EXPECT_THAT(refusal_of(signed_headers(), kBody + std::string(4, '\n')),
                HasSubstr("matches without the line break at its end"));
    EXPECT_THAT(refusal_of(signed_headers(), kBody + std::string(5, '\n')),
                HasSubstr("not byte for byte what was sent"));
}

TEST(Verify, ASignedBodyThatIsNoMessageIsSaid) {
    for (const std::string body : {"", "[]", "{}", R"({"type":5})"})
        EXPECT_THAT(refusal_of(signed_headers(body), body), HasSubstr("it has no type")) << body;
}

}  // namespace
}  // namespace receiptd::alert
