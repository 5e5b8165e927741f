// Addresses of hosts: where a key may stand in them, and where they may redirect to.
#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kTheDatabase = "[database]\nurl = \"postgresql://receiptd@127.0.0.1/receiptd\"\n\n";

Loaded load_addresses(const std::string& toml) {
    return load_text(toml, "r.toml", [](const std::string&) { return std::optional<std::string>(); });
}

std::vector<std::string> told_of(const Loaded& loaded) {
    std::vector<std::string> all;
    for (const auto& problem : loaded.problems) all.push_back(problem.to_string());
    return all;
}

TEST(ConfigAddresses, AKeyInAnAddressIsAWarningWhereEverybodyMayReadTheFile) {
    const auto with = [](const std::string& url) {
        return kTheDatabase + "[[upstream]]\nname = \"a\"\nurl = \"" + url + "\"\n";
    };
    const auto warning =
        ":6:7: warning: the address seems to hold a key, and everybody may read this file: chmod o-r";
    const std::string key = "0aB3dE6gH9jK2mN5";
    for (const auto& url : {"https://rpc.example/v2/" + key, "https://rpc.example/?k=" + key,
                            "https://rpc.example/" + key + "/near"})
        EXPECT_THAT(told_of(load_addresses(with(url))), ElementsAre("r.toml" + std::string(warning))) << url;
    for (const char* url : {"https://rpc.example", "https://near-mainnet.rpc.example/v2/archival-service-2",
                            "https://rpc0123456789abcdef.example/near"})
        EXPECT_THAT(told_of(load_addresses(with(url))), IsEmpty()) << url;

    const auto path = std::filesystem::temp_directory_path() /
                      ("receiptd-load-test-" + std::to_string(::getpid()) + ".toml");
    std::ofstream(path) << with("https://rpc.example/v2/" + key);
    using std::filesystem::perms;
    std::filesystem::permissions(path, perms::owner_read | perms::group_read);
    EXPECT_THAT(told_of(load_file(path)), IsEmpty());
    std::filesystem::permissions(path, perms::owner_read | perms::others_read);
    EXPECT_THAT(told_of(load_file(path)), ElementsAre(path.string() + warning));
    std::filesystem::remove(path);
}

TEST(ConfigAddresses, AListenerThatStrangersReachWithoutAReadTokenIsAWarning) {
    const auto with = [](const std::string& http) {
        return kTheDatabase + "[[upstream]]\nname = \"a\"\nurl = \"https://rpc.example\"\n[http]\n" + http;
    };
    for (const char* listen : {"0.0.0.0:9464", "[::]:9464", "10.1.2.3:80", "monitor.example:80"})
        EXPECT_THAT(
            told_of(load_addresses(with("listen = \"" + std::string(listen) + "\"\n"))),
            ElementsAre(HasSubstr("warning: everybody who reaches " + std::string(listen) + " can read")))
            << listen;
    for (const char* listen : {"127.0.0.1:9464", "[::1]:9464", "localhost:9464", "unix:/run/receiptd.sock"})
        EXPECT_THAT(told_of(load_addresses(with("listen = \"" + std::string(listen) + "\"\n"))), IsEmpty())
            << listen;
    const auto with_token =
        load_text(with("listen = \"0.0.0.0:9464\"\nread_token_env = \"TOKEN\"\n"), "r.toml",
                  [](const std::string&) { return "a-token-that-is-long-enough-for-all"; });
    EXPECT_THAT(told_of(with_token), IsEmpty());
}

TEST(ConfigAddresses, RedirectHostsAreNamesOrAddresses) {
    const auto with = [](const std::string& hosts) {
        return kTheDatabase + "[[upstream]]\nname = \"main\"\nurl = \"https://rpc.example.com\"\n" +
               "[neardata]\nurl = \"https://blocks.example\"\nredirect_hosts = " + hosts;
    };
    const auto loaded = load_addresses(with("[\"a0.blocks.example\", \"10.0.0.6\", \"2001:db8::1\"]"));
    EXPECT_THAT(told_of(loaded), IsEmpty());
    EXPECT_THAT(loaded.settings.neardata->redirect_hosts,
                ElementsAre("a0.blocks.example", "10.0.0.6", "2001:db8::1"));
    for (const char* bad : {"https://a.example", "a.example:443", "A.example", "*.example", ".example", ""})
        EXPECT_THAT(told_of(load_addresses(with("[\"" + std::string(bad) + "\"]"))),
                    ElementsAre(HasSubstr("neardata.redirect_hosts holds a bad host: \"")))
            << bad;
}

}  // namespace
}  // namespace receiptd::config
