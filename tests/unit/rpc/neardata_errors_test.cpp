#include "rpc/error_class.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace receiptd::rpc {
namespace {

using enum ErrorClass;

constexpr std::string_view kPage = "<!DOCTYPE html><html><body>Bad gateway</body></html>";

TEST(NeardataErrors, FollowStatusAndType) {
    const auto judge_neardata = [](int status, std::string_view body) {
        HttpObservation seen;
        seen.status = status;
        seen.body = body;
        return classify_neardata(seen);
    };
    EXPECT_EQ(judge_neardata(200, R"({"block":{}})").error_class, ok);
    EXPECT_TRUE(judge_neardata(200, "null").absent);
    EXPECT_EQ(judge_neardata(200, "null").error_class, chain_state);
    EXPECT_EQ(judge_neardata(404, R"({"error":"e","type":"BLOCK_DOES_NOT_EXIST"})").error_class, not_yet);
    EXPECT_EQ(judge_neardata(404, R"({"error":"e","type":"BLOCK_HEIGHT_TOO_HIGH"})").error_class,
              caller_fault);
    EXPECT_EQ(judge_neardata(404, R"({"error":"e","type":"BLOCK_HEIGHT_TOO_LOW"})").error_class, chain_state);
    EXPECT_EQ(judge_neardata(404, "not found").reason, "http_404");
    EXPECT_EQ(judge_neardata(400, R"("Invalid argument")").error_class, caller_fault);
    EXPECT_EQ(judge_neardata(500, R"("Internal data error")").reason, "http_500");
    EXPECT_EQ(judge_neardata(429, "").error_class, rate_limited);
    EXPECT_TRUE(judge_neardata(401, "Unauthorized").unauthorized);
    EXPECT_EQ(judge_neardata(200, kPage).reason, "malformed");
}

}  // namespace
}  // namespace receiptd::rpc
