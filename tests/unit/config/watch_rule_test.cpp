#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kWithoutRules =
    "[database]\nurl = \"postgresql://receiptd@127.0.0.1/receiptd\"\n\n"
    "[[upstream]]\nname = \"main\"\nurl = \"https://rpc.example.com\"\n";

std::optional<std::string> no_environment(const std::string&) { return std::nullopt; }

Loaded load_rules(const std::string& toml) {
    return load_text(kWithoutRules + toml, "r.toml", no_environment);
}

std::vector<std::string> rule_problems(const std::string& toml) {
    std::vector<std::string> all;
    for (const auto& problem : load_rules(toml).problems) all.push_back(problem.to_string());
    return all;
}

TEST(ConfigWatch, EveryKeyReachesItsField) {
    const auto loaded = load_rules(
        "[watching]\nstuck_after_pending = \"2m\"\nstuck_after_included = \"3s\"\nstuck_after_executing = "
        "\"1h\"\n"
        "stuck_after_completed = \"90s\"\nforwarding_failed_after = \"10s\"\nvalidity_blocks = 60\n"
        "[[watch]]\nname = \"payments\"\nsigner = \"*.shop.near\"\nreceiver = \"token.near\"\nmethod = "
        "\"ft_*\"\n"
        "[[watch]]\nname = \"everything\"\nsigner = \"*\"\n");
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    const auto& settings = loaded.settings;
    EXPECT_EQ(settings.stuck_after.pending, std::chrono::minutes(2));
    EXPECT_EQ(settings.stuck_after.included, std::chrono::seconds(3));
    EXPECT_EQ(settings.stuck_after.executing, std::chrono::hours(1));
    EXPECT_EQ(settings.stuck_after.completed, std::chrono::seconds(90));
    EXPECT_EQ(settings.forwarding_failed_after, std::chrono::seconds(10));
    EXPECT_EQ(settings.validity_blocks, 60u);
    ASSERT_EQ(settings.watch_rules.size(), 2u);
    EXPECT_EQ(settings.watch_rules[0].name, "payments");
    EXPECT_EQ(settings.watch_rules[0].signer, "*.shop.near");
    EXPECT_EQ(settings.watch_rules[0].receiver, "token.near");
    EXPECT_EQ(settings.watch_rules[0].method, "ft_*");
    EXPECT_EQ(settings.watch_rules[1].signer, "*");
    EXPECT_EQ(settings.watch_rules[1].receiver, "");
}

TEST(ConfigWatch, ARuleWithoutAGlobIsRefused) {
    EXPECT_THAT(rule_problems("[[watch]]\nname = \"all\"\n"),
                ElementsAre("r.toml:7:1: watch needs signer, receiver or method; \"*\" matches everything"));
}

TEST(ConfigWatch, NamesAreUniqueAndGlobsHaveNoBlanks) {
    EXPECT_THAT(
        rule_problems("[[watch]]\nname = \"a\"\nsigner = \"x\"\n[[watch]]\nname = \"a\"\nmethod = \"y z\"\n"),
        ElementsAre("r.toml:11:8: watch.name \"a\" is taken by the one in line 8",
                    "r.toml:12:10: watch.method must not hold blanks or control characters"));
}

TEST(ConfigExpected, NamesContractMethodAndErrorClass) {
    const auto settings =
        load_rules(
            "[[expected]]\nname = \"slippage\"\ncontract = \"dex.near\"\nmethod = \"swap*\"\n"
            "error_class = \"contract_panic\"\n")
            .settings;
    ASSERT_EQ(settings.expected.size(), 1u);
    EXPECT_EQ(settings.expected[0].name, "slippage");
    EXPECT_EQ(settings.expected[0].contract, "dex.near");
    EXPECT_EQ(settings.expected[0].method, "swap*");
    EXPECT_EQ(settings.expected[0].error_class, "contract_panic");
}

TEST(ConfigExpected, AMistypedErrorClassIsAWarning) {
    EXPECT_THAT(
        rule_problems("[[expected]]\nname = \"a\"\nerror_class = \"contract_panik\"\n"),
        ElementsAre("r.toml:9:15: warning: expected.error_class \"contract_panik\" is not known; did you "
                    "mean \"contract_panic\"?"));
}

TEST(ConfigExpected, WithoutAGlobOrWithATakenNameIsRefused) {
    EXPECT_THAT(
        rule_problems("[[expected]]\nname = \"a\"\n[[expected]]\nname = \"a\"\nmethod = \"swap\"\n"),
        ElementsAre("r.toml:7:1: expected needs contract, method or error_class; \"*\" matches everything",
                    "r.toml:10:8: expected.name \"a\" is taken by the one in line 8"));
}

TEST(ConfigWatch, AChangedRuleNeedsARestart) {
    const std::string before = "[[watch]]\nname = \"a\"\nsigner = \"x\"\n";
    const std::string after =
        "[[watch]]\nname = \"a\"\nsigner = \"y\"\n[[watch]]\nname = \"b\"\nsigner = \"*\"\n";
    auto running = load_rules(before).settings;
    std::vector<std::string> keys;
    for (const auto& change : reload(running, load_rules(after).settings)) {
        keys.push_back(change.key);
        EXPECT_FALSE(change.applied);
    }
    EXPECT_THAT(keys, ElementsAre("watch.signer (a)", "watch (b)"));
    EXPECT_EQ(running.watch_rules.at(0).signer, "x");
    EXPECT_THAT(reload(running, running), IsEmpty());
}

}  // namespace
}  // namespace receiptd::config
