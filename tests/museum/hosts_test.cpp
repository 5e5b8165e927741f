// Reports of answers that hosts give: each has one class, which decides what is done next.
#include "base/scrubber.hpp"
#include "net/url.hpp"
#include "rpc/error_class.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace receiptd::museum {
namespace {

using rpc::ErrorClass;

constexpr chain::BlockHeight kHead = 200'000'000;

struct Answer {
    std::string body;
    int status = 200;
    std::string method = "block";
    std::optional<chain::BlockHeight> height = {};
};

rpc::Verdict judge(const Answer& answer) {
    rpc::HttpObservation seen;
    seen.status = answer.status;
    seen.body = answer.body;
    seen.method = answer.method;
    seen.height = answer.height;
    seen.known_head = kHead;
    std::optional<chain::Envelope> envelope;
    if (auto read = chain::read_envelope(answer.body)) envelope = *read;
    if (envelope) seen.envelope = &*envelope;
    return rpc::classify(seen);
}

// An error of JSON-RPC as nodes of today tell it.
std::string error(const std::string& cause, const std::string& info = "{}",
                  const std::string& data = "\"x\"") {
    return R"({"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"name":")" + cause + R"(","info":)" +
           info + R"(},"code":-32000,"message":"Server error","data":)" + data + R"(},"id":"1"})";
}
// As nodes of 2020 told it.
std::string old_error(const std::string& text) {
    return R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Server error","data":")" + text +
           R"("},"id":"1"})";
}

TEST(Hosts, AReceiptThatNoNodeStoresIsAnAnswerAndNoFault) {
    const auto verdict = judge({error("UNKNOWN_RECEIPT"), 200, "EXPERIMENTAL_receipt"});
    EXPECT_EQ(verdict.error_class, ErrorClass::chain_state);
    EXPECT_TRUE(verdict.absent);
    EXPECT_FALSE(verdict.again);
    EXPECT_FALSE(verdict.blames_host());
}

TEST(Hosts, AnUnknownTransactionMayBePendingOrGone) {
    const auto verdict = judge({error("UNKNOWN_TRANSACTION"), 200, "tx"});
    EXPECT_EQ(verdict.error_class, ErrorClass::chain_state);
    EXPECT_TRUE(verdict.absent) << "another host may know it, and no end follows from it";
}

TEST(Hosts, UsedUpCreditsAreSaidAndNoTimeout) {
    for (const auto& answer :
         {Answer{R"({"message":"credits exhausted"})", 402},
          Answer{R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Credits exhausted"},"id":"1"})"}}) {
        const auto verdict = judge(answer);
        EXPECT_EQ(verdict.error_class, ErrorClass::rate_limited) << "the host is left alone for a while";
        EXPECT_EQ(verdict.reason, rpc::kPaymentRequired);
    }
}

TEST(Hosts, NewShapesOfOldErrorsAreKnown) {
    const auto pending = judge({error("TIMEOUT_ERROR", R"({"reason":"PENDING"})"), 408, "tx"});
    EXPECT_EQ(pending.error_class, ErrorClass::not_yet);
    EXPECT_FALSE(pending.absent) << "the host knows the transaction";
    const auto keys = judge({error("TOO_MANY_ACCESS_KEYS"), 200, "query"});
    EXPECT_EQ(keys.error_class, ErrorClass::chain_state);
    EXPECT_FALSE(keys.blames_host());
}

TEST(Hosts, ABlockThatANodeOf2020CannotFindIsPruned) {
    const auto verdict = judge({old_error(R"(DB Not Found Error: BLOCK HEIGHT: 12151662 \n Cause: Unknown)"),
                                200, "block", 12'151'662});
    EXPECT_EQ(verdict.error_class, ErrorClass::pruned);
    EXPECT_EQ(verdict.reason, "UNKNOWN_BLOCK");
    EXPECT_TRUE(verdict.absent);
}

TEST(Hosts, ABrokenDatabaseOfANodeIsItsFaultAndNotPruned) {
    const auto verdict =
        judge({old_error(R"(It is a bug if this is not caught: DB Not Found Error: CHUNK EXTRA: 9xyz)"), 200,
               "chunk", 10});
    EXPECT_EQ(verdict.error_class, ErrorClass::endpoint_fault);
    EXPECT_TRUE(verdict.blames_host());
    EXPECT_FALSE(verdict.absent) << "it says nothing of what the host holds";
}

TEST(Hosts, ACollectedBlockIsPruned) {
    const auto verdict = judge({error("GARBAGE_COLLECTED_BLOCK"), 200, "block", 100});
    EXPECT_EQ(verdict.error_class, ErrorClass::pruned) << "archival hosts are asked";
    EXPECT_FALSE(verdict.blames_host());
}

TEST(Hosts, NotYetAndNoLongerAreToldApartByTheHead) {
    EXPECT_EQ(judge({error("UNKNOWN_BLOCK"), 200, "block", kHead + 1}).error_class, ErrorClass::not_yet);
    EXPECT_EQ(judge({error("UNKNOWN_BLOCK"), 200, "block", 5}).error_class, ErrorClass::pruned);
}

TEST(Hosts, AnErrorWhoseDataIsAnObjectIsReadAsAnyOther) {
    const auto verdict =
        judge({error("UNKNOWN_BLOCK", "{}", R"({"info":{},"name":"UNKNOWN_BLOCK"})"), 200, "block", 5});
    EXPECT_EQ(verdict.reason, "UNKNOWN_BLOCK");
    EXPECT_EQ(verdict.error_class, ErrorClass::pruned);
}

TEST(Hosts, AResultThatIsNullOrAnErrorIsNoBlock) {
    const auto null = judge({R"({"jsonrpc":"2.0","result":null,"id":"1"})", 200, "block", 5});
    EXPECT_EQ(null.error_class, ErrorClass::endpoint_fault);
    EXPECT_EQ(null.reason, "null_result");
    const auto limit =
        judge({R"({"jsonrpc":"2.0","result":{"error":"rate limit exceeded"},"id":"1"})", 200, "block", 5});
    EXPECT_EQ(limit.error_class, ErrorClass::rate_limited);
}

TEST(Hosts, AKeyInAnAddressIsNeverSaid) {
    const auto url = net::parse_url("https://rpc.example.com/v1/SECRET/near?apiKey=SECRET");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->origin(), "https://rpc.example.com:443");
    base::Scrubber scrubber;
    scrubber.add("SECRET");
    EXPECT_EQ(scrubber.scrub("https://rpc.example.com/?apiKey=SECRET: dns error"),
              "https://rpc.example.com/?apiKey=***: dns error");
}

}  // namespace
}  // namespace receiptd::museum
