#include "base/proxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Proxy, AddressIsReadAsEnvironmentsHaveIt) {
    for (const auto* text :
         {"http://Proxy.example.org:3128", "http://proxy.example.org:3128/", "proxy.example.org:3128"}) {
        const auto proxy = parse_proxy(text);
        ASSERT_TRUE(proxy) << text;
        EXPECT_EQ(proxy->name(), "proxy.example.org:3128") << text;
        EXPECT_TRUE(proxy->login.empty()) << text;
    }
    EXPECT_EQ(parse_proxy("http://proxy")->name(), "proxy:80");
    EXPECT_EQ(parse_proxy("http://[::1]:8080")->name(), "[::1]:8080");
}

TEST(Proxy, LoginIsDecodedAndNotInTheName) {
    const auto proxy = parse_proxy("http://me:p%40ss:w@10.0.0.1:3128");
    ASSERT_TRUE(proxy);
    EXPECT_EQ(proxy->login.reveal(), "me:p@ss:w");
    EXPECT_EQ(proxy->name(), "10.0.0.1:3128");
    EXPECT_EQ(parse_proxy("http://me@proxy")->login.reveal(), "me:");
}

TEST(Proxy, FaultHoldsNoPartOfTheAddress) {
    for (const auto* text :
         {"socks5://me:s3cret@proxy:1080", "https://s3cret@proxy", "http://s3cret%0a@proxy",
          "http://me:s3cret@proxy:0", "http://me:s3cret@", "http://s3cret:x", "http://s3cret/x",
          "http://me:s3cret@[zz]:1", "s3cret%2", "", "http://"}) {
        const auto proxy = parse_proxy(text);
        ASSERT_FALSE(proxy) << text;
        EXPECT_THAT(proxy.error().text, Not(HasSubstr("s3cret"))) << text;
    }
}

TEST(Proxy, ListNamesWhatNeedsNone) {
    const auto* list = "example.org, .inner.net,*.wild.com 10.0.0.0/8,node:8080,[::1],192.168.1.7";
    for (const auto* host :
         {"example.org", "A.Example.org", "x.inner.net", "a.wild.com", "10.20.30.40", "::1", "192.168.1.7"})
        EXPECT_TRUE(is_without_proxy(list, host, 443)) << host;
    for (const auto* host : {"anexample.org", "example.org.evil.net", "11.0.0.1", "192.168.1.70", "node"})
        EXPECT_FALSE(is_without_proxy(list, host, 443)) << host;
    EXPECT_TRUE(is_without_proxy(list, "node", 8080));
    EXPECT_TRUE(is_without_proxy("*", "any.example", 80));
    EXPECT_FALSE(is_without_proxy("", "any.example", 80));
    EXPECT_FALSE(is_without_proxy(" , ,.", "any.example", 80));
}

}  // namespace
}  // namespace receiptd::base
