// Ids that anybody finds from a hash, and the header of a caller.
#include "trace/ids.hpp"

#include "chain/wire/hash.hpp"
#include "chain/wire/hex.hpp"

#include <gtest/gtest.h>

namespace receiptd::trace {
namespace {

const std::string kHash = "9av2U6cova7LZPA9NPij6CTUrpBbgPG6LKVkyhcCqtk3";
const std::string kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceIds, AreTheFirstBytesOfTheHash) {
    const auto whole = chain::hex_encode(chain::CryptoHash::parse(kHash)->view());
    EXPECT_EQ(to_hex(trace_id_of(kHash)), whole.substr(0, 32));
    EXPECT_EQ(to_hex(span_id_of(kHash)), whole.substr(0, 16));
}

TEST(TraceIds, OfWhatIsNoHashAreThoseOfItsDigest) {
    const auto digest = chain::hex_encode(chain::sha256(chain::bytes_of("no hash")).view());
    EXPECT_EQ(to_hex(trace_id_of("no hash")), digest.substr(0, 32));
}

TEST(Traceparent, NamesTheCallersSpan) {
    const auto caller = parse_traceparent(kParent);
    ASSERT_TRUE(caller);
    EXPECT_EQ(to_hex(caller->trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(to_hex(caller->span_id), "00f067aa0ba902b7");
}

TEST(Traceparent, OfALaterVersionIsReadAsFarAsItIsKnown) {
    EXPECT_TRUE(parse_traceparent("01" + kParent.substr(2)));
    EXPECT_TRUE(parse_traceparent("01" + kParent.substr(2) + "-more"));
    EXPECT_FALSE(parse_traceparent(kParent + "-more"));
    EXPECT_FALSE(parse_traceparent("01" + kParent.substr(2) + "more"));
    EXPECT_FALSE(parse_traceparent("ff" + kParent.substr(2)));
}

class NoTraceparent : public ::testing::TestWithParam<std::string> {};

TEST_P(NoTraceparent, IsRefused) { EXPECT_FALSE(parse_traceparent(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Headers, NoTraceparent,
                         ::testing::Values("", "00", kParent.substr(0, 54),
                                           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                           "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
                                           "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                                           "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01"));

}  // namespace
}  // namespace receiptd::trace
