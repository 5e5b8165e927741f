#include "net/authority.hpp"

#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

TEST(Authority, HasAHostInOneForm) {
    EXPECT_EQ(authority_host("Receiptd.Example.ORG"), "receiptd.example.org");
    EXPECT_EQ(authority_host("receiptd.example.org.:9464"), "receiptd.example.org");
    EXPECT_EQ(authority_host("localhost:"), "localhost");
    EXPECT_EQ(authority_host("127.0.0.1:80"), "127.0.0.1");
    EXPECT_EQ(authority_host("[::1]"), "::1");
    EXPECT_EQ(authority_host("[FD00::1]:9464"), "fd00::1");
}

TEST(Authority, OfAnotherFormIsNone) {
    for (const char* text : {"", ":80", "a b", "user@localhost", "localhost:80:80", "localhost:x", "[::1",
                             "[::1]x", "[localhost]", "::1", "a/b", "a,b", "%6c", "a\tb", "[127.0.0.1]", "."})
        EXPECT_FALSE(authority_host(text)) << text;
}

TEST(Authority, AddressesAndLocalhostAreFixed) {
    for (const char* host : {"localhost", "127.0.0.1", "10.1.2.3", "::1", "fd00::1"})
        EXPECT_TRUE(is_fixed_host(host));
    for (const char* host :
         {"localhost.example", "127.0.0.1.example", "127.1", "0x7f.1", "example", "localhost.localdomain"})
        EXPECT_FALSE(is_fixed_host(host)) << host;
}

}  // namespace
}  // namespace receiptd::net
