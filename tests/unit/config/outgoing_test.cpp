#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Variables = std::map<std::string, std::string>;

// What is added begins in line 9.
Loaded load_outgoing(const std::string& upstream, const Variables& variables, const std::string& rest = "") {
    const std::string before =
        "follow.scope = \"headers\"\n[database]\nurl = \"host=/tmp\"\n\n"
        "[[upstream]]\nname = \"inner\"\nurl = \"http://node.inner.org\"\n\n";
    return load_text(
        before + "[[upstream]]\nname = \"a\"\nurl = \"https://rpc.example.org\"\n" + upstream + rest,
        "r.toml", [variables](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        });
}

std::vector<std::string> texts(const Loaded& loaded) {
    std::vector<std::string> lines;
    for (const auto& problem : loaded.problems) lines.push_back(problem.to_string());
    return lines;
}

TEST(ConfigProxy, EnvironmentNamesItByScheme) {
    const auto loaded = load_outgoing(
        "", {{"HTTPS_PROXY", "http://upper:1"}, {"https_proxy", "http://s:p@one:1"}, {"HTTP_PROXY", "two:2"}},
        "[[endpoint]]\nname = \"e\"\nurl = \"https://hooks.example.org/\"\nsecret_env = \"SECRET\"\n");
    EXPECT_EQ(loaded.settings.upstreams[0].proxy.reveal(), "two:2");
    EXPECT_EQ(loaded.settings.upstreams[1].proxy.reveal(), "http://s:p@one:1");
    EXPECT_EQ(loaded.settings.endpoints[0].proxy.reveal(), "http://s:p@one:1");
}

TEST(ConfigProxy, NoProxyAndLoopbackAreReachedDirectly) {
    const auto loaded =
        load_outgoing("", {{"HTTPS_PROXY", "one:1"}, {"HTTP_PROXY", "two:2"}, {"NO_PROXY", "inner.org"}},
                      "[[upstream]]\nname = \"b\"\nurl = \"http://127.0.0.1:3030\"\n");
    ASSERT_THAT(texts(loaded), IsEmpty());
    EXPECT_TRUE(loaded.settings.upstreams[0].proxy.empty());
    EXPECT_FALSE(loaded.settings.upstreams[1].proxy.empty());
    EXPECT_TRUE(loaded.settings.upstreams[2].proxy.empty());
}

TEST(ConfigProxy, FileComesBeforeTheEnvironment) {
    const Variables variables = {{"HTTPS_PROXY", "one:1"}, {"MINE", "http://me:pw@mine:3"}};
    EXPECT_TRUE(load_outgoing("proxy = \"none\"\n", variables).settings.upstreams[1].proxy.empty());
    EXPECT_EQ(load_outgoing("proxy = \"mine:3\"\n", variables).settings.upstreams[1].proxy.reveal(),
              "mine:3");
    EXPECT_EQ(load_outgoing("proxy_env = \"MINE\"\n", variables).settings.upstreams[1].proxy.reveal(),
              "http://me:pw@mine:3");
}

TEST(ConfigProxy, FaultsNameThePlaceAndNoSecret) {
    EXPECT_THAT(
        texts(load_outgoing("proxy = \"http://me:s3cret@mine:3\"\n", {})),
        ElementsAre("r.toml:12:9: upstream.proxy must not hold a user or password; they go to proxy_env or "
                    "proxy_file"));
    EXPECT_THAT(
        texts(load_outgoing("proxy_env = \"MINE\"\n", {{"MINE", "socks5://me:s3cret@mine:3"}})),
        ElementsAre("r.toml:12:13: upstream.proxy is not http://HOST:PORT: other kinds of proxies are not "
                    "supported"));
    EXPECT_THAT(texts(load_outgoing("proxy_env = \"MINE\"\nproxy = \"mine:3\"\n", {{"MINE", "s3cret"}})),
                ElementsAre("r.toml:13:9: upstream.proxy: give one place of the proxy"));
    EXPECT_THAT(texts(load_outgoing("", {{"HTTPS_PROXY", "https://s3cret@mine"}})),
                ElementsAre(HasSubstr("the environment variable HTTPS_PROXY is not http://HOST:PORT")));
}

TEST(ConfigProxy, EmailHasNone) {
    const std::string mail =
        "[[endpoint]]\nname = \"m\"\nchannel = \"email\"\nurl = \"smtps://mail.example.org\"\n"
        "from = \"a@example.org\"\nto = [\"b@example.org\"]\n";
    const Variables variables = {{"HTTPS_PROXY", "one:1"}, {"HTTP_PROXY", "one:1"}};
    const auto loaded = load_outgoing("", variables, mail);
    ASSERT_TRUE(loaded.ok());
    EXPECT_TRUE(loaded.settings.endpoints[0].proxy.empty());
    EXPECT_THAT(texts(load_outgoing("", variables, mail + "proxy = \"mine:3\"\n")),
                ElementsAre(HasSubstr("endpoint.proxy: e-mail does not go through an HTTP proxy")));
}

TEST(ConfigCaFile, OfAHostIsLookedForBesideTheConfiguration) {
    const auto loaded = load_text(
        "follow.scope = \"headers\"\n[database]\nurl = \"host=/tmp\"\n[[upstream]]\nname = \"a\"\n"
        "url = \"https://x\"\nca_file = \"none.pem\"\n",
        "/nowhere/r.toml", [](const std::string&) { return std::nullopt; });
    EXPECT_THAT(texts(loaded),
                ElementsAre("/nowhere/r.toml:7:11: upstream.ca_file: \"/nowhere/none.pem\" cannot be read"));
}

}  // namespace
}  // namespace receiptd::config
