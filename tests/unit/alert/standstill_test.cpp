#include "alert/standstill.hpp"
#include "alert/standstill_payload.hpp"
#include "rule/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace receiptd::alert {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<StandingPart>& parts) {
    std::vector<std::string> all;
    for (const auto& part : parts) all.push_back(part.part);
    return all;
}

class StandstillTest : public ::testing::Test {
protected:
    StandstillTest() {
        for (const char* part : {"database", "follower"}) readings_.parts.push_back({part, now_, true, ""});
        standstill_.look(readings_, now_, wall());
    }
    base::WallTime wall() const { return base::WallTime(500'000h) + now_.time_since_epoch() - 1h; }
    PartReading& part(const std::string& name) {
        return name == "database" ? readings_.parts[0] : readings_.parts[1];
    }
    // Looks once a second for so long; the parts named go on meanwhile. Returns what was told.
    std::vector<EpisodeNews> pass(std::chrono::seconds time, const std::vector<std::string>& going,
                                  bool loop_goes = true) {
        std::vector<EpisodeNews> told;
        for (auto left = time; left > 0s; left -= 1s) {
            now_ += 1s;
            if (loop_goes) readings_.taken_at = now_;
            for (const auto& name : going) part(name).progressed_at = now_;
            if (auto news = standstill_.look(readings_, now_, wall())) told.push_back(std::move(*news));
        }
        return told;
    }
    const std::vector<std::string> all_ = {"database", "follower"};
    base::SteadyTime now_{1h};
    Readings readings_{now_, true, {}};
    Standstill standstill_{2min};
};

TEST_F(StandstillTest, TellsNothingWhileAllGoOn) {
    EXPECT_TRUE(pass(1h, all_).empty());
    EXPECT_TRUE(standstill_.standing().empty());
}

TEST_F(StandstillTest, TellsAPartThatDoesNothingOnce) {
    EXPECT_TRUE(pass(119s, {"database"}).empty());
    part("follower").why = "no host answers";
    const auto told = pass(1s, {"database"});
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].number, 1U);
    EXPECT_EQ(told[0].since, wall() - 2min);
    EXPECT_FALSE(told[0].ended_at);
    ASSERT_THAT(names(told[0].parts), ElementsAre("follower"));
    EXPECT_EQ(told[0].parts[0].why, "no host answers");
    EXPECT_TRUE(pass(14min, {"database"}).empty());
}

TEST_F(StandstillTest, RepeatsItLessAndLessOften) {
    pass(2min, {});
    std::vector<base::Duration> waits;
    for (auto last = now_; waits.size() < 9;)
        if (!pass(1s, {}).empty()) {
            waits.push_back(now_ - last);
            last = now_;
        }
    EXPECT_THAT(waits, ElementsAre(15min, 30min, 1h, 2h, 4h, 8h, 12h, 12h, 12h));
}

TEST_F(StandstillTest, TellsThatAllGoOnAgainWithWhatStoodStill) {
    const auto began = pass(2min, {"database"});
    const auto over = pass(1s, all_);
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over[0].since, began[0].since);
    EXPECT_EQ(over[0].ended_at, wall());
    EXPECT_EQ(over[0].number, 2U);
    EXPECT_THAT(names(over[0].parts), ElementsAre("follower"));
    EXPECT_TRUE(pass(1h, all_).empty());
    const auto again = pass(2min, {"database"});
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].number, 1U) << "another episode";
    EXPECT_NE(again[0].since, began[0].since);
}

TEST_F(StandstillTest, IsNotOverBeforeAllPartsGoOn) {
    pass(2min, {});
    EXPECT_TRUE(pass(1min, {"database"}).empty());
    EXPECT_EQ(pass(1s, all_).size(), 1U);
}

TEST_F(StandstillTest, NamesPartsThatHaveStoppedAlittleLater) {
    pass(50s, {"follower"});
    const auto told = pass(70s, {});
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(names(told[0].parts), ElementsAre("database", "follower"));
    EXPECT_EQ(told[0].since, wall() - 2min);
}

TEST_F(StandstillTest, LeavesAPartWithoutWorkInPeace) {
    part("follower").has_work = false;
    EXPECT_TRUE(pass(1h, {"database"}).empty());
    part("follower").has_work = true;
    EXPECT_TRUE(pass(119s, {"database"}).empty()) << "it counts from when it had work";
    EXPECT_EQ(pass(1s, {"database"}).size(), 1U);
}

TEST_F(StandstillTest, KnowsOnlyOfTheEventLoopWhenNobodyTakesReadings) {
    const auto told = pass(2min, {}, false);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(names(told[0].parts), ElementsAre(kEventLoop));
    EXPECT_EQ(pass(1s, all_).size(), 1U) << "it works again";
}

TEST_F(StandstillTest, BeginsAnewAfterAPauseOfTheWholeProcess) {
    now_ += 10min;  // stopped, or the machine was asleep
    EXPECT_TRUE(pass(120s, {}).empty()) << "a second of them was the first look";
    EXPECT_EQ(pass(1s, {}).size(), 1U);
}

class StandstillMessage : public ::testing::Test {
protected:
    StandstillMessage() {
        news_.since = base::WallTime(1'700'000'000'500ms);
        news_.parts = {{"database", news_.since, ""},
                       {"follower", news_.since + 1s, "line\nbreak \xff" + std::string(600, 'x')}};
    }
    nlohmann::json body() const { return nlohmann::json::parse(message().body); }
    Message message() const {
        return standstill_message(news_, "ops", "host:7", {"mainnet", "https://r.example.org/", ""});
    }
    EpisodeNews news_;
};

TEST_F(StandstillMessage, NamesTheEpisodeAndItsParts) {
    const auto body_is = body();
    EXPECT_EQ(body_is["type"], "daemon.stalled");
    EXPECT_EQ(body_is["network"], "mainnet");
    const auto& data = body_is["data"];
    EXPECT_EQ(data["episode"], "host:7:1700000000");
    EXPECT_EQ(data["since"], "2023-11-14T22:13:20.500Z");
    EXPECT_TRUE(data["ended_at"].is_null());
    EXPECT_TRUE(data["parts"][0]["why"].is_null());
    EXPECT_LE(data["parts"][1]["why"].get<std::string>().size(), 510U);
    EXPECT_EQ(data["links"]["api"], "https://r.example.org/v1/status");
    EXPECT_THAT(
        data["summary"].get<std::string>(),
        HasSubstr("receiptd host:7 stands still: database since 2023-11-14T22:13:20.500Z, follower since"));
    EXPECT_EQ(data["summary"].get<std::string>().find('\n'), std::string::npos);
}

TEST_F(StandstillMessage, HasAnIdOfItsOwnWithinTheEpisode) {
    EXPECT_EQ(message().id, "daemon:host:7:1700000000:1");
    EXPECT_EQ(message().endpoint, "ops");
    EXPECT_EQ(message().body, message().body);
    news_.number = 2;
    EXPECT_EQ(message().id, "daemon:host:7:1700000000:2");
    news_.ended_at = news_.since + 5min;
    EXPECT_EQ(body()["type"], "daemon.recovered");
    EXPECT_EQ(body()["timestamp"], "2023-11-14T22:18:20.500Z");
    EXPECT_EQ(body()["data"]["ended_at"], "2023-11-14T22:18:20.500Z");
    EXPECT_EQ(body()["data"]["summary"], "receiptd host:7 works again; it stood still: database, follower");
}

TEST_F(StandstillMessage, HasTheMembersOfItsSchema) {
    const auto schema = nlohmann::json::parse(rule::message_schema("daemon.stalled"))["properties"]["data"];
    std::vector<std::string> told;
    const auto body_is = body();
    for (const auto& [name, value] : body_is["data"].items()) told.push_back(name);
    EXPECT_THAT(told,
                ::testing::UnorderedElementsAreArray(schema["required"].get<std::vector<std::string>>()));
}

}  // namespace
}  // namespace receiptd::alert
