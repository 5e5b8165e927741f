#include "base/network.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace receiptd::base {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Network, ContainsTheAddressesThatShareItsLeadingBits) {
    const auto ten = parse_network("10.20.0.0/14");
    ASSERT_TRUE(ten);
    EXPECT_TRUE(ten->contains(Bytes{10, 23, 255, 255}));
    EXPECT_FALSE(ten->contains(Bytes{10, 24, 0, 0}));
    EXPECT_FALSE(ten->contains(Bytes(16)));
    const auto one = parse_network("192.168.1.7/32");
    ASSERT_TRUE(one);
    EXPECT_TRUE(one->contains(Bytes{192, 168, 1, 7}));
    EXPECT_FALSE(one->contains(Bytes{192, 168, 1, 6}));
    const auto local = parse_network("fd12:3456::/32");
    ASSERT_TRUE(local);
    auto inside = Bytes{0xfd, 0x12, 0x34, 0x56, 1};
    inside.resize(16);
    EXPECT_TRUE(local->contains(inside));
    inside[3] = 0x57;
    EXPECT_FALSE(local->contains(inside));
    EXPECT_TRUE(parse_network("0.0.0.0/0")->contains(Bytes{8, 8, 8, 8}));
}

TEST(Network, IsAnAddressAndANumberOfBitsAndNothingElse) {
    for (const auto* text :
         {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8 ", "10.0.0.1/8", "10.0.0/8", "/8",
          "fd00::/129", "fd00::1/64", "host/8", "10.0.0.0/-1", "10.0.0.0/8/8"})
        EXPECT_FALSE(parse_network(text)) << text;
}

}  // namespace
}  // namespace receiptd::base
