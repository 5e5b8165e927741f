// The first alert of a group is sent at once, the others are counted, and all of them exactly once.
#include "storm/group.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace receiptd::storm {
namespace {

using namespace std::chrono_literals;

const base::WallTime kStart{std::chrono::hours(500'000)};

Settings minutes() {
    Settings settings;
    settings.digest_after = 1min;
    settings.resolve_after = 10min;
    return settings;
}

Group of_one() { return {1, 1, 0, kStart, kStart}; }

// As storage does it: what is due is done, and counted.
struct Life {
    explicit Life(Settings how) : settings(how) {}

    void add(base::WallTime at) {
        run_until(at);
        if (!open) {
            group = {1, 1, 0, at, at};
            open = true;
            ++messages;
            ++counted;
        } else {
            ++group.members;
            group.last_member_at = at;
        }
        next = next_step(group, settings, at, condition).next;
    }
    void run_until(base::WallTime until) {
        while (open && next <= until) {
            const auto now = next;
            const auto step = next_step(group, settings, now, condition);
            if (step.act != Act::wait) {
                counted += group.members - group.told;
                group.told = group.members;
                group.told_at = now;
                if (step.act == Act::digest || is_end_told(group, settings, condition)) ++messages;
            }
            if (step.act == Act::digest) ++group.digests;
            if (step.act == Act::resolve) open = false;
            next = step.act == Act::wait ? step.next : next_step(group, settings, now, condition).next;
        }
    }

    Settings settings;
    Group group;
    base::WallTime next{};
    bool open = false;
    Condition condition = Condition::none;
    std::uint64_t messages = 0;
    std::uint64_t counted = 0;
};

TEST(Groups, OneAlertWaitsForItsEndAndIsToldNoDigest) {
    auto group = of_one();
    const auto step = next_step(group, minutes(), kStart + 1min);
    EXPECT_EQ(step.act, Act::wait);
    EXPECT_EQ(step.next, kStart + 10min);
    EXPECT_EQ(next_step(group, minutes(), kStart + 10min).act, Act::resolve);
    EXPECT_FALSE(is_end_told(group, minutes())) << "one alert and its end would be two messages";
}

TEST(Groups, DigestsComeAtGrowingIntervals) {
    auto group = of_one();
    auto now = kStart;
    for (const auto wait : {1min, 5min, 15min, 60min, 60min}) {
        ++group.members;
        group.last_member_at = now + wait;
        EXPECT_EQ(next_step(group, minutes(), now + wait - 1ms).next, now + wait);
        now += wait;
        EXPECT_EQ(next_step(group, minutes(), now).act, Act::digest);
        group.told = group.members;
        group.told_at = now;
        ++group.digests;
    }
}

TEST(Groups, AStormOfFiveThousandIsAFewMessagesThatCountThemAll) {
    Life life(minutes());
    for (int i = 0; i < 5'000; ++i) life.add(kStart + i * 12ms);
    life.run_until(kStart + 24h);
    EXPECT_FALSE(life.open);
    EXPECT_EQ(life.counted, 5'000u);
    EXPECT_LE(life.messages, 4u);
}

TEST(Groups, WhateverComesWhenEveryAlertIsCountedOnce) {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::minstd_rand random(seed);
        Life life(minutes());
        auto now = kStart;
        const std::uint64_t alerts = 1 + random() % 300;
        for (std::uint64_t i = 0; i < alerts; ++i) {
            now += std::chrono::seconds(random() % (random() % 10 == 0 ? 1'500 : 30));
            life.add(now);
        }
        life.run_until(now + 24h);
        EXPECT_FALSE(life.open);
        EXPECT_EQ(life.counted, alerts) << "seed " << seed;
    }
}

TEST(Groups, WhoMustRepeatDoesSoWhileTheGroupLasts) {
    auto settings = minutes();
    settings.repeats = true;
    Life life(settings);
    life.add(kStart);
    life.run_until(kStart + 9min + 59s);
    EXPECT_EQ(life.messages, 10u) << "the first, and one each minute";
    life.run_until(kStart + 10min);
    EXPECT_FALSE(life.open);
    EXPECT_EQ(life.messages, 11u);
}

TEST(Groups, WhatStaysOpenElsewhereIsToldItsEndEvenIfItWasOneAlert) {
    auto settings = minutes();
    settings.keeps_open = true;
    EXPECT_TRUE(is_end_told(of_one(), settings));
}

TEST(Groups, AConditionThatLastsKeepsItsGroupOpen) {
    Life life(minutes());
    life.condition = Condition::holds;
    life.add(kStart);
    life.run_until(kStart + 3h);
    EXPECT_TRUE(life.open);
    EXPECT_EQ(life.messages, 1u);
    life.condition = Condition::over;
    life.run_until(kStart + 3h + 10s);
    EXPECT_FALSE(life.open);
    EXPECT_EQ(life.messages, 2u) << "its end is told, though it was one alert";
}

TEST(Groups, OfConditionsAreKnownByTheirKeys) {
    About about;
    about.kind = "stuck";
    EXPECT_TRUE(has_condition(group_key(about, {KeyPart::method})));
    EXPECT_EQ(group_key(about, {}, "stuck:T"), R"({"kind":"stuck","alert_id":"stuck:T"})");
    about.kind = "failed_receipt";
    about.method_name = R"({"kind":"stuck"})";
    EXPECT_FALSE(has_condition(group_key(about, {KeyPart::method})));
}

TEST(Groups, NamesOfWhatDoesNotExistTellNoGroupsApart) {
    const std::vector<KeyPart> all = {KeyPart::rule, KeyPart::receiver, KeyPart::method,
                                      KeyPart::error_class};
    const auto keys = [&](const std::string& error_class) {
        std::set<std::string> different;
        for (const char* receiver : {"a.near", "b.near"})
            for (const char* method : {"x", "y"}) {
                About about;
                about.contract_id = receiver;
                about.method_name = method;
                about.error_class = error_class;
                different.insert(group_key(about, all));
            }
        return different.size();
    };
    EXPECT_EQ(keys("contract_panic"), 4u);
    EXPECT_EQ(keys("method_not_found"), 2u);
    EXPECT_EQ(keys("code_missing"), 2u);
    EXPECT_EQ(keys("account_missing"), 1u);
}

TEST(Groups, TheRestOfARuleIsOneGroup) {
    About about;
    about.rules = {"a", "b"};
    about.contract_id = "dex.near";
    EXPECT_EQ(rest_key(about), R"({"rules":["a","b"]})");
    about.kind = "stuck";
    EXPECT_TRUE(has_condition(rest_key(about)));
}

TEST(Groups, AreKeptApartByWhatTheEndpointNames) {
    About about;
    about.rules = {"a", "b"};
    about.contract_id = "dex.near";
    about.method_name = "swap";
    about.error_class = "contract_panic";
    auto other = about;
    other.method_name = "add";
    const std::vector<KeyPart> by_method = {KeyPart::receiver, KeyPart::method};
    EXPECT_NE(group_key(about, by_method), group_key(other, by_method));
    EXPECT_EQ(group_key(about, {KeyPart::rule}), group_key(other, {KeyPart::rule}));
    other.contract_id = "dex.near\",\"method\":\"swap";
    other.method_name.clear();
    EXPECT_NE(group_key(about, by_method), group_key(other, by_method)) << "a text is no key";
}

}  // namespace
}  // namespace receiptd::storm
