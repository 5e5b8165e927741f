#include "net/address_guard.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;

std::string judge(const std::string& address) {
    return std::string(not_public(asio::ip::make_address(address)).value_or("public"));
}

struct Case {
    const char* address;
    const char* what;
};

// First and last address of every range, and the neighbours outside.
constexpr Case kCases[] = {
    {"0.0.0.0", "unspecified"},
    {"0.255.255.255", "unspecified"},
    {"1.0.0.0", "public"},
    {"9.255.255.255", "public"},
    {"10.0.0.0", "private"},
    {"10.255.255.255", "private"},
    {"11.0.0.0", "public"},
    {"100.63.255.255", "public"},
    {"100.64.0.0", "shared by a carrier's customers"},
    {"100.100.100.200", "shared by a carrier's customers"},  // metadata of a cloud
    {"100.127.255.255", "shared by a carrier's customers"},
    {"100.128.0.0", "public"},
    {"126.255.255.255", "public"},
    {"127.0.0.1", "loopback"},
    {"127.255.255.255", "loopback"},
    {"128.0.0.0", "public"},
    {"168.63.129.15", "public"},
    {"168.63.129.16", "a cloud's metadata service"},
    {"168.63.129.17", "public"},
    {"169.253.255.255", "public"},
    {"169.254.0.0", "link-local"},
    {"169.254.169.254", "link-local"},
    {"169.254.255.255", "link-local"},
    {"169.255.0.0", "public"},
    {"172.15.255.255", "public"},
    {"172.16.0.0", "private"},
    {"172.31.255.255", "private"},
    {"172.32.0.0", "public"},
    {"192.0.0.0", "reserved"},
    {"192.0.0.192", "reserved"},  // metadata of a cloud
    {"192.0.1.0", "public"},
    {"192.0.2.1", "for documentation"},
    {"192.88.99.1", "reserved"},
    {"192.167.255.255", "public"},
    {"192.168.0.0", "private"},
    {"192.168.255.255", "private"},
    {"192.169.0.0", "public"},
    {"198.17.255.255", "public"},
    {"198.18.0.0", "for benchmarks"},
    {"198.19.255.255", "for benchmarks"},
    {"198.20.0.0", "public"},
    {"198.51.100.7", "for documentation"},
    {"203.0.113.7", "for documentation"},
    {"223.255.255.255", "public"},
    {"224.0.0.0", "multicast"},
    {"239.255.255.255", "multicast"},
    {"240.0.0.0", "reserved"},
    {"255.255.255.255", "reserved"},
    {"::", "unspecified"},
    {"::1", "loopback"},
    {"::2", "reserved"},
    {"::7f00:1", "reserved"},  // IPv4-compatible, abolished
    {"::ffff:127.0.0.1", "an IPv4 address in disguise"},
    {"::ffff:8.8.8.8", "an IPv4 address in disguise"},
    {"64:ff9b::10.0.0.1", "private"},
    {"64:ff9b::8.8.8.8", "public"},
    {"64:ff9b:1::8.8.8.8", "reserved"},
    {"100::1", "reserved"},
    {"1fff:ffff::1", "reserved"},
    {"2000::1", "public"},
    {"2001::1", "a tunnel's"},
    {"2001:1::1", "reserved"},
    {"2001:1ff:ffff::1", "reserved"},
    {"2001:200::1", "public"},
    {"2001:db8::1", "for documentation"},
    {"2001:db9::1", "public"},
    {"2002:7f00:1::1", "a tunnel's"},
    {"2606:4700:4700::1111", "public"},
    {"3fff:fff::1", "for documentation"},
    {"3fff:1000::1", "public"},
    {"4000::1", "reserved"},
    {"fbff::1", "reserved"},
    {"fc00::1", "private"},
    {"fd00:ec2::254", "private"},
    {"fdff:ffff::1", "private"},
    {"fe00::1", "reserved"},
    {"fe80::1", "link-local"},
    {"febf:ffff::1", "link-local"},
    {"fec0::1", "private"},
    {"ff02::1", "multicast"},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"},
};

TEST(AddressGuard, KnowsEveryRangeThatIsNotPublic) {
    for (const auto& each : kCases) EXPECT_EQ(judge(each.address), each.what) << each.address;
}

class AddressFilterTest : public ::testing::Test {
protected:
    base::Result<HttpResponse, TransportError> get(HttpClientOptions options) {
        HttpClient client(io_.get_executor(), std::move(options));
        HttpRequest request;
        return run_on(io_, client.send(std::move(request)));
    }

    asio::io_context io_{1};
    ScriptedServer server_{io_, says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")};
};

TEST_F(AddressFilterTest, NoConnectionIsMadeToARefusedAddressWhateverNameLeadsThere) {
    // The resolver takes all of these for 127.0.0.1.
    for (const char* host : {"127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "017700000001"}) {
        auto options = options_for(server_.port());
        options.origin.host = host;
        options.address_filter = not_public;
        const auto outcome = get(std::move(options));
        ASSERT_TRUE(outcome.has_error()) << host;
        EXPECT_EQ(outcome.error().fault, TransportFault::refused) << outcome.error().text;
        EXPECT_THAT(outcome.error().text, HasSubstr("is loopback"));
    }
    EXPECT_EQ(server_.connections(), 0u);
}

TEST_F(AddressFilterTest, TheAddressThatPassedIsTheOneConnectedTo) {
    auto options = options_for(server_.port());
    options.origin.host = "localhost";
    std::vector<std::string> asked;
    options.address_filter = [&](const asio::ip::address& address) -> std::optional<std::string_view> {
        asked.push_back(address.to_string());
        if (address.is_v6()) return "of the wrong kind";
        return std::nullopt;
    };
    const auto outcome = get(std::move(options));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(outcome->body, "ok");
    EXPECT_THAT(asked, ::testing::Contains("127.0.0.1"));
    EXPECT_EQ(server_.connections(), 1u);
}

}  // namespace
}  // namespace receiptd::net
