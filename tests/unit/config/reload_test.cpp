#include "config/keys.hpp"
#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> lines(const std::vector<Change>& changes) {
    std::vector<std::string> all;
    for (const auto& change : changes)
        all.push_back(change.key + ": " + change.from + " -> " + change.to +
                      (change.applied ? "" : " (restart)"));
    return all;
}

Settings two_upstreams() {
    Settings settings;
    settings.upstreams.resize(2);
    settings.upstreams[0].name = "a";
    settings.upstreams[0].api_key = base::Secret("old");
    settings.upstreams[1].name = "b";
    return settings;
}

Settings with_neardata() {
    Settings settings;
    settings.neardata.emplace();
    settings.neardata->api_key = base::Secret("old");
    return settings;
}

TEST(ConfigReload, SaysWhatChangedAndWhatNeedsARestart) {
    auto running = two_upstreams();
    auto read = running;
    read.log_level = log::Level::debug;
    read.follow.writers = 5;
    read.upstreams[0].api_key = base::Secret("new");
    read.upstreams[1].name = "c";
    EXPECT_THAT(
        lines(reload(running, read)),
        UnorderedElementsAre("log.level: \"info\" -> \"debug\"", "follow.writers: 2 -> 5 (restart)",
                             "upstream.api_key (a): *** -> ***", "upstream (b): present -> removed (restart)",
                             "upstream (c): absent -> added (restart)"));
}

TEST(ConfigReload, TakesOverWhatIsReloadableAndNothingElse) {
    auto running = two_upstreams();
    auto read = running;
    read.log_level = log::Level::debug;
    read.follow.writers = 5;
    read.http.token = base::Secret("token");
    read.database.url = base::Secret("host=/tmp");
    read.upstreams[0].api_key = base::Secret("new");
    read.upstreams[0].auth = AuthForm::query;
    read.upstreams[0].max_requests_per_second = 7;
    read.upstreams[0].max_in_flight = 3;
    reload(running, read);
    EXPECT_EQ(running.log_level, log::Level::debug);
    EXPECT_EQ(running.follow.writers, 2u);
    EXPECT_EQ(running.http.token, base::Secret("token"));
    EXPECT_TRUE(running.database.url.empty());
    EXPECT_EQ(running.upstreams[0].api_key, base::Secret("new"));
    EXPECT_EQ(running.upstreams[0].auth, AuthForm::bearer);
    EXPECT_EQ(running.upstreams[0].max_requests_per_second, 7);
    EXPECT_EQ(running.upstreams[0].max_in_flight, 8u);
}

// A changed key of [neardata] was told as reloaded at every later reload.
TEST(ConfigReload, TellsNoPathOfAnAddressAsItMayHoldAKey) {
    auto running = two_upstreams();
    running.upstreams[0].url = "https://rpc.example/v1/OLDKEY/";
    running.upstreams[1].url = "https://other.example";
    auto read = running;
    read.upstreams[0].url = "https://rpc.example:8443/v1/NEWKEY?x=1";
    read.upstreams[1].url = "https://third.example";
    EXPECT_THAT(lines(reload(running, read)),
                UnorderedElementsAre(
                    "upstream.url (a): \"https://rpc.example/…\" -> \"https://rpc.example:8443/…\" (restart)",
                    "upstream.url (b): \"https://other.example\" -> \"https://third.example\" (restart)"));
}

TEST(ConfigReload, TellsAChangeThatItTookOverOnce) {
    auto running = with_neardata();
    auto read = running;
    read.neardata->api_key = base::Secret("new");
    read.neardata->max_requests_per_second = 3;
    EXPECT_THAT(lines(reload(running, read)),
                ElementsAre("neardata.api_key: *** -> ***", "neardata.max_requests_per_second: 0 -> 3"));
    EXPECT_THAT(lines(reload(running, read)), IsEmpty());
}

TEST(ConfigReload, TellsAChangeThatWaitsForARestartEachTime) {
    auto running = with_neardata();
    auto read = running;
    read.neardata.reset();
    EXPECT_THAT(lines(reload(running, read)), ElementsAre("neardata: present -> removed (restart)"));
    EXPECT_THAT(lines(reload(running, read)), ElementsAre("neardata: present -> removed (restart)"));
    EXPECT_TRUE(running.neardata);
}

TEST(ConfigReload, FindsEntriesByNameWhateverTheirOrder) {
    auto running = two_upstreams();
    auto read = running;
    std::swap(read.upstreams[0], read.upstreams[1]);
    read.upstreams[0].max_requests_per_second = 9;
    EXPECT_THAT(lines(reload(running, read)), ElementsAre("upstream.max_requests_per_second (b): 0 -> 9",
                                                          "upstream order: a, b -> b, a (restart)"));
    EXPECT_EQ(running.upstreams[0].name, "a");
    EXPECT_EQ(running.upstreams[1].max_requests_per_second, 9);
}

TEST(ConfigReload, AnEntryThatCameOrWentChangesNoOrder) {
    auto running = two_upstreams();
    auto read = running;
    read.upstreams.erase(read.upstreams.begin());
    read.upstreams.insert(read.upstreams.begin(), 1, config::Upstream());
    read.upstreams[0].name = "c";
    EXPECT_THAT(lines(reload(running, read)),
                UnorderedElementsAre("upstream (a): present -> removed (restart)",
                                     "upstream (c): absent -> added (restart)"));
}

TEST(ConfigReload, KeysOfOneSecretSayTheSame) {
    for (const auto& one : keys())
        for (const auto& other : keys())
            if (one.is_secret() && one.subject() == other.subject()) {
                EXPECT_EQ(one.reloadable, other.reloadable) << one.full_name();
                EXPECT_EQ(one.at.secret, other.at.secret) << one.full_name();
            }
}

}  // namespace
}  // namespace receiptd::config
