#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace receiptd::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::map<std::string, std::string> kPingVariables = {
    {"SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
    {"PING", "https://ping.example.org/T0KEN"},
    {"CLEAR", "http://ping.example.org/T0KEN"},
    {"LOCAL", "http://127.0.0.1:8000/T0KEN"},
    {"BAD", "ping.example.org/T0KEN"}};

// [watchdog] is line 11.
Loaded load_watchdog(const std::string& toml) {
    const std::string before =
        "follow.scope = \"headers\"\n[database]\nurl = \"host=/tmp\"\n[[upstream]]\nname = \"a\"\nurl = "
        "\"https://x\"\n[[endpoint]]\n"
        "name = \"ops\"\nurl = \"https://hooks.example.org/\"\nsecret_env = \"SECRET\"\n[watchdog]\n";
    return load_text(before + toml, "r.toml", [](const std::string& name) -> std::optional<std::string> {
        const auto found = kPingVariables.find(name);
        if (found == kPingVariables.end()) return std::nullopt;
        return found->second;
    });
}

std::vector<std::string> watchdog_problems(const std::string& toml) {
    std::vector<std::string> lines;
    for (const auto& problem : load_watchdog(toml).problems) lines.push_back(problem.to_string());
    return lines;
}

TEST(ConfigWatchdog, EveryKeyReachesItsField) {
    const auto loaded = load_watchdog(
        "endpoint = \"ops\"\nstalled_after = \"30s\"\nping_url_env = \"PING\"\nping_every = \"20s\"\n");
    EXPECT_THAT(loaded.problems, IsEmpty());
    const auto& watchdog = loaded.settings.watchdog;
    EXPECT_EQ(watchdog.endpoint, "ops");
    EXPECT_EQ(watchdog.stalled_after, 30s);
    EXPECT_EQ(watchdog.ping_url.reveal(), "https://ping.example.org/T0KEN");
    EXPECT_EQ(watchdog.ping_every, 20s);
}

TEST(ConfigWatchdog, WithoutItNobodyIsTold) {
    const auto loaded = load_watchdog("");
    EXPECT_THAT(loaded.problems, IsEmpty());
    EXPECT_TRUE(loaded.settings.watchdog.endpoint.empty());
    EXPECT_TRUE(loaded.settings.watchdog.ping_url.empty());
    EXPECT_EQ(loaded.settings.watchdog.stalled_after, 2min);
}

TEST(ConfigWatchdog, NamesAnEndpointThatIsThere) {
    EXPECT_THAT(
        watchdog_problems("endpoint = \"opps\"\n"),
        ElementsAre(HasSubstr("r.toml:12:12: watchdog.endpoint: there is no [[endpoint]] with the name "
                              "\"opps\"")));
    EXPECT_THAT(watchdog_problems("stalled_after = \"5s\"\n"),
                ElementsAre(HasSubstr("watchdog.stalled_after")));
}

TEST(ConfigWatchdog, AnAddressThatCannotBeOneIsRefusedWithoutBeingShown) {
    EXPECT_THAT(
        watchdog_problems("ping_url_env = \"BAD\"\n"),
        ElementsAre("r.toml:12:16: watchdog.ping_url_env: the value is no address: https://HOST/PATH"));
    EXPECT_THAT(watchdog_problems("ping_url_env = \"CLEAR\"\n"), ElementsAre(HasSubstr("use https://")));
    EXPECT_THAT(watchdog_problems("ping_url_env = \"CLEAR\"\n"), ElementsAre(Not(HasSubstr("T0KEN"))));
    EXPECT_THAT(watchdog_problems("ping_url_env = \"LOCAL\"\n"), IsEmpty());
    EXPECT_THAT(watchdog_problems("ping_url = \"https://ping.example.org\"\n"),
                ElementsAre(HasSubstr("watchdog.ping_url is refused")));
}

TEST(ConfigWatchdog, ReloadTakesAnotherAddressAndShowsNeither) {
    auto running = load_watchdog("ping_url_env = \"PING\"\n").settings;
    const auto read = load_watchdog("ping_url_env = \"LOCAL\"\n").settings;
    const auto changes = reload(running, read);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].key, "watchdog.ping_url");
    EXPECT_EQ(changes[0].from + changes[0].to, "******");
    EXPECT_TRUE(changes[0].applied);
    EXPECT_EQ(running.watchdog.ping_url.reveal(), "http://127.0.0.1:8000/T0KEN");
}

}  // namespace
}  // namespace receiptd::config
