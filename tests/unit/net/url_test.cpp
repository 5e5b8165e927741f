#include "net/url.hpp"

#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

TEST(Url, SplitsSchemeHostPortAndTarget) {
    const auto url = parse_url("https://rpc.example.org:8443/v1/near?x=1&y=%2F");
    ASSERT_TRUE(url.has_value());
    EXPECT_TRUE(url->tls);
    EXPECT_EQ(url->host, "rpc.example.org");
    EXPECT_EQ(url->port, 8443);
    EXPECT_EQ(url->target, "/v1/near?x=1&y=%2F");
    EXPECT_EQ(url->origin(), "https://rpc.example.org:8443");
}

TEST(Url, FillsInPortAndPath) {
    const auto plain = parse_url("http://example.org");
    ASSERT_TRUE(plain.has_value());
    EXPECT_FALSE(plain->tls);
    EXPECT_EQ(plain->port, 80);
    EXPECT_EQ(plain->target, "/");
    const auto secure = parse_url("HTTPS://EXAMPLE.org?key=1");
    ASSERT_TRUE(secure.has_value());
    EXPECT_EQ(secure->host, "example.org");
    EXPECT_EQ(secure->port, 443);
    EXPECT_EQ(secure->target, "/?key=1");
}

TEST(Url, TakesAddressesOfBothFamilies) {
    const auto v6 = parse_url("http://[::1]:3030/");
    ASSERT_TRUE(v6.has_value());
    EXPECT_EQ(v6->host, "::1");
    EXPECT_EQ(v6->port, 3030);
    EXPECT_EQ(v6->origin(), "http://[::1]:3030");
    const auto v4 = parse_url("http://127.0.0.1:3030");
    ASSERT_TRUE(v4.has_value());
    EXPECT_EQ(v4->host, "127.0.0.1");
}

TEST(Url, OriginNeverShowsTheTarget) {
    const auto url = parse_url("https://example.org/path?apiKey=secret");
    ASSERT_TRUE(url.has_value());
    EXPECT_EQ(url->origin(), "https://example.org:443");
}

class RefusedUrl : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedUrl, IsRefusedWithAReasonThatDoesNotRepeatIt) {
    const auto url = parse_url(GetParam());
    ASSERT_TRUE(url.has_error());
    EXPECT_FALSE(url.error().reason.empty());
    EXPECT_EQ(url.error().reason.find("hunter2"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Url, RefusedUrl,
    ::testing::Values("", "example.org", "/path", "ftp://example.org", "ws://example.org", "http:",
                      "http:/path", "http://", "http:///path", "http://:80/", "http://user@example.org/",
                      "http://user:hunter2@example.org/", "http://@example.org/", "http://example.org/#top",
                      "http://example.org:0/", "http://example.org:65536/", "http://example.org:99999999999/",
                      "http://example.org:/", "http://example.org:80a/", "http://exa mple.org/",
                      "http://example.org/a b", "http://example.org/a\r\nHost: evil", "http://example.org/\t",
                      std::string("http://example.org/\0", 20), "http://example.org\n", " http://example.org",
                      "http://[::1", "http://[zz]/", "http://[::1]x/", "http://exa%6dple.org/",
                      "http://ex\xc3\xa4mple.org/", "http://example.org/\xc3\xa4", "http://example.org/%zz"));

TEST(Loopback, IsKnownByNameAndByAddress) {
    EXPECT_TRUE(is_loopback("localhost"));
    EXPECT_TRUE(is_loopback("LOCALHOST"));
    EXPECT_TRUE(is_loopback("127.0.0.1"));
    EXPECT_TRUE(is_loopback("127.8.9.1"));
    EXPECT_TRUE(is_loopback("::1"));
    EXPECT_TRUE(is_loopback("::ffff:127.0.0.1"));
    EXPECT_FALSE(is_loopback("0.0.0.0"));
    EXPECT_FALSE(is_loopback("10.0.0.1"));
    EXPECT_FALSE(is_loopback("::2"));
    EXPECT_FALSE(is_loopback("localhost.example.org"));
    EXPECT_FALSE(is_loopback(""));
}

}  // namespace
}  // namespace receiptd::net
