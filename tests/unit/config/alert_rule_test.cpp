#include "config/load_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace receiptd::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Lines 1 to 6; what a test adds begins in line 7.
const std::string kBefore =
    "[database]\nurl = \"postgresql://receiptd@127.0.0.1/receiptd\"\n\n"
    "[[upstream]]\nname = \"main\"\nurl = \"https://rpc.example.com\"\n";
const std::string kEndpoint =
    "[[endpoint]]\nname = \"ops\"\nurl = \"https://hooks.example.com/\"\nsecret_env = \"SECRET\"\n";

std::optional<std::string> alert_environment(const std::string&) {
    return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
}

Loaded load_alerts(const std::string& toml, const std::string& file = "r.toml") {
    return load_text(kBefore + toml, file, alert_environment);
}

std::vector<std::string> alert_problems(const std::string& toml, const std::string& file = "r.toml") {
    std::vector<std::string> all;
    for (const auto& problem : load_alerts(toml, file).problems) all.push_back(problem.to_string());
    return all;
}

TEST(ConfigRule, TravelsAsCanonicalJsonHoweverItNests) {
    const auto loaded = load_alerts(
        "[[rule]]\nname = \"pay\"\nkind = [\"end\", \"finding\"]\nsigner = \"a.near\"\ngas_at_least = 5\n"
        "[[rule.any]]\nreceiver = \"b.near\"\n[[rule.any]]\nwhere = [{ args = \"x[*]\", at_most = 0.5 }]\n"
        "[rule.not]\nmethod = 'quo\"ted'\n");
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    ASSERT_EQ(loaded.settings.rules.size(), 1u);
    EXPECT_EQ(loaded.settings.rules[0].name, "pay");
    EXPECT_THAT(loaded.settings.rules[0].kinds, ElementsAre("end", "finding"));
    EXPECT_EQ(loaded.settings.rules[0].json,
              R"({"any":[{"receiver":"b.near"},{"where":[{"args":"x[*]","at_most":0.5}]}],"gas_at_least":5,)"
              R"("kind":["end","finding"],"name":"pay","not":{"method":"quo\"ted"},"signer":"a.near"})");
}

TEST(ConfigRule, EachFaultHasItsLineAndColumn) {
    EXPECT_THAT(
        alert_problems("[[rule]]\nname = \"pay\"\nkind = \"finding\"\nreciever = \"a.near\"\n"
                       "any = [{ role = \"callbak\" },\n  { where = { args = \"a..b\", is = 1 } }]\n"
                       "[[rule]]\nkind = \"finding\"\nreceiver = 1979-05-27\ngas_at_least = inf\n"),
        ElementsAre("r.toml:10:12: rule.reciever is no key of a rule; did you mean \"receiver\"?",
                    HasSubstr("r.toml:11:17: rule.any[0].role must be \"initial\""),
                    HasSubstr("r.toml:12:22: rule.any[1].where.args must be a path"),
                    "r.toml:13:1: rule.name is missing",
                    HasSubstr("r.toml:15:12: rule.receiver must be a text or a list of texts, not null"),
                    HasSubstr("r.toml:16:16: rule.gas_at_least must be gas")));
}

std::vector<std::string> draft_problems(const std::string& toml) {
    std::vector<std::string> all;
    for (const auto& problem : load_rules_text(toml, "draft.toml").problems)
        all.push_back(problem.to_string());
    return all;
}

TEST(ConfigRule, ADraftOfRulesNeedsNothingElse) {
    const auto loaded = load_rules_text("[[rule]]\nname = \"pay\"\nkind = \"finding\"\n", "draft.toml");
    EXPECT_TRUE(loaded.problems.empty());
    ASSERT_EQ(loaded.settings.rules.size(), 1u);
    EXPECT_EQ(loaded.settings.rules[0].name, "pay");
}

TEST(ConfigRule, EveryFaultOfADraftIsTold) {
    EXPECT_THAT(draft_problems("[[rule]]\nname = \"a\"\nkind = \"finding\"\nreciever = \"x.near\"\n"
                               "[[rule]]\nname = \"a\"\nkind = \"finding\"\nreceiver = \"@none\"\n[[rul]]\n"),
                ElementsAre(HasSubstr("draft.toml:4:12: rule.reciever is no key of a rule"),
                            "draft.toml:5:1: rule \"a\" names the list \"@none\", which no [[list]] has",
                            "draft.toml:6:8: rule.name \"a\" is taken by the one in line 2",
                            HasSubstr("unknown section [rul]")));
    EXPECT_THAT(draft_problems("[[rule]\n"), testing::SizeIs(1));
}

TEST(ConfigRule, OfADraftFromElsewhereNoFileIsTouched) {
    const std::string draft =
        "[[list]]\nname = \"deposits\"\nfile = \"/none/at-all.txt\"\n"
        "[[rule]]\nname = \"a\"\nkind = \"finding\"\nreceiver = \"@deposits\"\n";
    EXPECT_THAT(draft_problems(draft), ElementsAre(HasSubstr("list.file: cannot read")));
    EXPECT_TRUE(load_rules_text(draft, "draft.toml", ListFiles::left_alone).problems.empty());
}

TEST(ConfigRule, OfAWholeConfigurationOnlyTheRulesAreChecked) {
    EXPECT_THAT(draft_problems("[chain]\nnetwork = 5\n[[upstream]]\n[follow]\nscope = \"headers\"\n" +
                               kEndpoint + "rules = [\"pay\"]\n"),
                ElementsAre(HasSubstr("endpoint.rules names \"pay\", which no [[rule]] has")));
}

TEST(ConfigRule, IsNamedOnce) {
    EXPECT_THAT(alert_problems(
                    "[[rule]]\nname = \"a\"\nkind = \"finding\"\n[[rule]]\nname = \"a\"\nkind = \"end\"\n"),
                ElementsAre("r.toml:11:8: rule.name \"a\" is taken by the one in line 8"));
}

TEST(ConfigRule, AnEndpointNamesRulesThatAreThere) {
    const std::string rules =
        "[[rule]]\nname = \"pay\"\nkind = \"finding\"\n[[rule]]\nname = \"oncall\"\nkind = \"finding\"\n";
    EXPECT_THAT(
        alert_problems(kEndpoint + "rules = [\"pay\", \"on-call\"]\n" + rules),
        ElementsAre(
            "r.toml:11:17: endpoint.rules names \"on-call\", which no [[rule]] has; did you mean \"oncall\"?",
            "r.toml:15:1: warning: no [[endpoint]] of this file takes the rule \"oncall\""));
    EXPECT_THAT(alert_problems(kEndpoint + "rules = []\n"),
                ElementsAre(HasSubstr("must name at least one rule")));
    EXPECT_THAT(alert_problems(kEndpoint + "rules = \"pay\"\n"),
                Contains(HasSubstr("must be a list of names")));
    EXPECT_THAT(load_alerts(kEndpoint + "rules = [\"pay\", \"oncall\", \"default\"]\n" + rules)
                    .settings.endpoints[0]
                    .rules,
                ElementsAre("pay", "oncall", "default"));
}

TEST(ConfigRule, AnErrorClassThatIsMistypedIsAWarning) {
    const auto problems_of = [](const std::string& error_class) {
        return alert_problems(kEndpoint +
                              "rules = [\"a\"]\n[[rule]]\nname = \"a\"\nkind = \"finding\"\n"
                              "any = [{ method = \"f\" }, { error_class = \"" +
                              error_class + "\" }]\n");
    };
    EXPECT_THAT(
        problems_of("contract_panik"),
        ElementsAre(HasSubstr("warning: rule \"a\" asks for the error class \"contract_panik\", which is "
                              "not known; did you mean \"contract_panic\"?")));
    for (const char* error_class : {"contract_panic", "contract_pan*", "shard_on_fire"})
        EXPECT_THAT(problems_of(error_class), IsEmpty()) << error_class;
}

TEST(ConfigRule, OfManyUnknownNamesTheFirstAreSaid) {
    std::string names;
    std::string lists;
    for (int i = 0; i < 25; ++i) {
        names += (i == 0 ? "\"none-" : ", \"none-") + std::to_string(i) + "\"";
        lists += (i == 0 ? "\"@none-" : ", \"@none-") + std::to_string(i) + "\"";
    }
    const auto problems =
        alert_problems(kEndpoint + "rules = [" + names + "]\n" +
                       "[[rule]]\nname = \"pay\"\nkind = \"finding\"\nreceiver = [" + lists + "]\n");
    EXPECT_THAT(problems, Contains(HasSubstr("names \"none-19\"")));
    EXPECT_THAT(problems, Not(Contains(HasSubstr("names \"none-20\""))));
    EXPECT_THAT(problems, Contains(HasSubstr("is the last of 5 more unknown names of rules")));
    EXPECT_THAT(problems, Contains(HasSubstr("names the list \"@none-19\"")));
    EXPECT_THAT(problems, Contains(HasSubstr("is the last of 5 more unknown names of lists")));
    EXPECT_EQ(problems.size(), 43u) << "and nobody takes the rule";
}

TEST(ConfigRule, ThatNobodyTakesIsToldOfTheFirstOnes) {
    std::string rules;
    for (int i = 0; i < 30; ++i) rules += "[[rule]]\nname = \"r" + std::to_string(i) + "\"\nkind = \"end\"\n";
    const auto problems = alert_problems(rules + kEndpoint + "rules = [\"r0\"]\n");
    ASSERT_EQ(problems.size(), 11u);
    EXPECT_THAT(problems.front(), HasSubstr("takes the rule \"r1\""));
    EXPECT_THAT(problems.back(), HasSubstr("takes the rule \"r11\" and perhaps more"));
}

TEST(ConfigRule, TheDefaultRuleOfTheWholeChainIsALot) {
    const auto many =
        HasSubstr("warning: endpoint \"ops\" takes the default rule while follow.scope is \"all\"");
    EXPECT_THAT(alert_problems(kEndpoint), ElementsAre(many));
    EXPECT_THAT(alert_problems(kEndpoint + "[follow]\nscope = \"accounts\"\naccounts = [\"a.near\"]\n"),
                IsEmpty());
    EXPECT_THAT(load_alerts(kEndpoint).settings.endpoints[0].rules, ElementsAre("default"));
}

TEST(ConfigRule, NamesListsThatAreThere) {
    EXPECT_THAT(
        alert_problems(
            "[[rule]]\nname = \"pay\"\nkind = \"finding\"\nsigner = \"@hto\"\n[[list]]\nname = \"hot\"\n"),
        ElementsAre("r.toml:7:1: rule \"pay\" names the list \"@hto\", which no [[list]] has; did you mean "
                    "\"hot\"?"));
    EXPECT_THAT(
        alert_problems(
            "[[rule]]\nname = \"pay\"\nkind = \"finding\"\nsigner = \"@hot\"\n[[list]]\nname = \"hot\"\n"),
        IsEmpty());
}

class ConfigList : public testing::Test {
protected:
    ConfigList() { std::filesystem::create_directories(folder_); }
    ~ConfigList() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& text) const {
        std::ofstream(folder_ / "hot.txt", std::ios::binary) << text;
    }
    std::string file() const { return (folder_ / "r.toml").string(); }

    static constexpr auto kList = "[[list]]\nname = \"hot\"\nfile = \"hot.txt\"\n";
    std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                    ("lists-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ConfigList, HoldsAnAccountOfEachLine) {
    write("# hot wallets\r\n\r\na.near\r\n  b.near # the second\n#c.near\n\td.near");
    const auto loaded = load_alerts(kList, file());
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    ASSERT_EQ(loaded.settings.lists.size(), 1u);
    EXPECT_EQ(loaded.settings.lists[0].name, "hot");
    EXPECT_THAT(loaded.settings.lists[0].accounts, ElementsAre("a.near", "b.near", "d.near"));
}

TEST_F(ConfigList, AFaultHasTheLineOfItsFile) {
    write("a.near\n  A.near\nb.near c.near\n");
    const auto path = (folder_ / "hot.txt").string();
    EXPECT_THAT(alert_problems(kList, file()),
                ElementsAre(HasSubstr(path + ":2:3: must be one account id a line; \"A.near\" may hold only"),
                            HasSubstr(path + ":3:1: must be one account id a line; \"b.near c.near\"")));
}

TEST_F(ConfigList, AFileThatIsNotThereIsAProblemOfItsKey) {
    EXPECT_THAT(alert_problems(kList, file()), ElementsAre(HasSubstr("r.toml:9:8: list.file: cannot read")));
    std::filesystem::create_directory(folder_ / "hot.txt");
    EXPECT_THAT(alert_problems(kList, file()), ElementsAre(HasSubstr("it is no ordinary file")));
}

TEST_F(ConfigList, HasALimit) {
    std::string lines;
    for (int i = 0; i <= 100'000; ++i) lines += "a" + std::to_string(i) + ".near\n";
    write(lines);
    EXPECT_THAT(alert_problems(kList, file()),
                ElementsAre(HasSubstr("hot.txt:100001:1: is one account too many")));
}

std::vector<std::string> changes_between(const Settings& before, const Settings& after, Settings& running) {
    running = before;
    std::vector<std::string> all;
    for (const auto& change : reload(running, after))
        all.push_back(change.key + ": " + change.from + " -> " + change.to +
                      (change.applied ? "" : " (restart)"));
    return all;
}

TEST(ConfigReload, TakesOverRulesListsAndWhoTakesThem) {
    const auto before = load_alerts(
        kEndpoint + "rules = [\"a\"]\n[[rule]]\nname = \"a\"\nkind = \"finding\"\nsigner = \"a.near\"\n" +
        "[[rule]]\nname = \"b\"\nkind = \"end\"\n[[list]]\nname = \"hot\"\n");
    auto after = load_alerts(kEndpoint + "rules = [\"a\", \"c\"]\n[[rule]]\nname = \"c\"\nkind = \"end\"\n" +
                             "[[rule]]\nname = \"a\"\nkind = \"finding\"\nsigner = \"b.near\"\nmethod = "
                             "\"x\"\n[[list]]\nname = \"hot\"\n");
    after.settings.lists[0].accounts = {"x.near"};
    Settings running;
    EXPECT_THAT(changes_between(before.settings, after.settings, running),
                ElementsAre("endpoint.rules (ops): [\"a\"] -> [\"a\", \"c\"]",
                            "rule (a): signer = \"a.near\" -> method = \"x\", signer = \"b.near\"",
                            "rule (b): present -> removed", "rule (c): absent -> added",
                            "list (hot): 0 accounts -> 1 account (1 new, 0 removed)"));
    EXPECT_EQ(running.rules[1].json, after.settings.rules[1].json);
    EXPECT_THAT(running.lists[0].accounts, ElementsAre("x.near"));
    EXPECT_THAT(changes_between(after.settings, after.settings, running), IsEmpty());
}

}  // namespace
}  // namespace receiptd::config
