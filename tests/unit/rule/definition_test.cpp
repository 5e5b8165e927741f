#include "made_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::rule {
namespace {

using testing::definition;
using ::testing::ElementsAre;
using testing::faults_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string one_fault(std::string_view json) {
    const auto faults = faults_of(json);
    return faults.size() == 1 ? faults.front() : std::to_string(faults.size()) + " faults";
}

// The fault of a rule for events with these members.
std::string event_fault(const std::string& members) {
    return one_fault(R"({"name":"r","kind":"event",)" + members + "}");
}

TEST(RuleDefinitions, TravelAsJsonWithSortedKeysWithoutSpaces) {
    const auto rule = definition(R"({ "name": "pay", "receiver": ["b.near", "a.near"], "kind": "finding" })");
    EXPECT_EQ(rule.name, "pay");
    EXPECT_EQ(rule.json, R"({"kind":"finding","name":"pay","receiver":["b.near","a.near"]})");
    EXPECT_EQ(rule.kinds, kFindings);
    EXPECT_EQ(definition(rule.json).json, rule.json);
}

TEST(RuleDefinitions, NameTheListsTheyNeed) {
    const auto rule = definition(R"({"name":"r","kind":"event","receiver":["@hot","a.near"],
        "where":{"data":"[*].to","is":["@cold","@hot"]}})");
    EXPECT_THAT(rule.lists, ElementsAre("hot", "cold"));
}

TEST(RuleDefinitions, OfWordsThatAreNotKnownAreRefusedWithTheNearestOne) {
    EXPECT_EQ(event_fault(R"("reciever":"a.near","account":"*")"),
              "rule.reciever is no key of a rule; did you mean \"receiver\"?");
    EXPECT_EQ(event_fault(R"("contract":"a.near","account":"*")"),
              "rule.contract is no key of a rule; did you mean \"receiver\"?");
    EXPECT_THAT(one_fault(R"({"name":"r","kind":["finding","transfr"]})"),
                HasSubstr("not \"transfr\"; did you mean \"transfer\"?"));
    EXPECT_EQ(event_fault(R"("account":"*","any":[{"where":[{"data":"[*].a","at_lest":1,"is":2}]}])"),
              "rule.any[0].where[0].at_lest is no key of what is asked of JSON; did you mean \"at_least\"?");
    EXPECT_THAT(event_fault(R"("where":{"data":"a","is":"1","matches":"x*"})"),
                HasSubstr("which takes * and ?"));
}

TEST(RuleDefinitions, WithHabitsOfOtherToolsAreRefusedAsTheyWouldNeverMatch) {
    EXPECT_EQ(event_fault(R"("account":"*","standard":"NEP-141")"),
              "rule.standard is no standard as events name it; did you mean \"nep141\"?");
    EXPECT_EQ(event_fault(R"("account":"*","standard":["nep171","NEP-245"])"),
              "rule.standard[1] is no standard as events name it; did you mean \"nep245\"?");
    EXPECT_EQ(event_fault(R"("where":{"data":"$.amount","is":"1"})"),
              "rule.where.data begins with $, which paths here do not: \"amount\"");
    EXPECT_THAT(
        faults_of(R"({"name":"r","kind":"event","account":"*","standard":["nep141","My-Standard","nep-*"]})"),
        IsEmpty());
}

TEST(RuleDefinitions, OfWrongTypesAreRefusedWithTheirPlace) {
    EXPECT_EQ(event_fault(R"("receiver":5)"),
              "rule.receiver must be a text or a list of texts, not a number");
    EXPECT_EQ(event_fault(R"("receiver":["a.near",true])"),
              "rule.receiver[1] must be a text or a list of texts, not a boolean");
    EXPECT_EQ(event_fault(R"("any":[{"receiver":"a.near"},7])"),
              "rule.any[1] must be a table of conditions, { receiver = \"app.near\" }, not a number");
    EXPECT_EQ(event_fault(R"("not":[{"receiver":"a.near"}])"),
              "rule.not must be one table of conditions, not a list");
    EXPECT_EQ(
        event_fault(R"("where":"x","account":"*")"),
        "rule.where must be a table such as { args = \"receiver_id\", is = \"@treasury\" }, not a text");
    EXPECT_EQ(one_fault(R"({"name":5,"kind":"finding"})"), "rule.name must be a text, not a number");
    EXPECT_EQ(one_fault(R"({"name":"r","kind":"finding","handled":"no"})"),
              "rule.handled must be true or false, not a text");
}

TEST(RuleDefinitions, ThatCouldNeverMatchAreRefused) {
    EXPECT_EQ(event_fault(R"("receiver":[])"),
              "rule.receiver must not be an empty list: it could never hold");
    EXPECT_EQ(event_fault(R"("receiver":"")"), "rule.receiver must not be empty");
    EXPECT_EQ(event_fault(R"("any":[{}],"account":"*")"), "rule.any[0] asks nothing");
    EXPECT_THAT(event_fault(R"("receiver":"App.near")"), HasSubstr("must be an account id; \"App.near\""));
    EXPECT_THAT(event_fault(R"("receiver":"App*")"), HasSubstr("may hold only a-z"));
    EXPECT_THAT(event_fault(R"("method":"two words","account":"*")"), HasSubstr("must not hold blanks"));
    EXPECT_THAT(event_fault(R"("account":"*","deposit_at_least":"2 NEAR","deposit_at_most":"1 NEAR")"),
                HasSubstr("nothing could match"));
    EXPECT_THAT(event_fault(R"("where":{"data":"a","at_least":2,"at_most":1})"),
                HasSubstr("nothing could match"));
    EXPECT_EQ(event_fault(R"("receiver":["a.near","a.near"])"),
              "rule.receiver[1] stands in the list twice: \"a.near\"");
}

TEST(RuleDefinitions, AConditionMustApplyToTheKinds) {
    EXPECT_EQ(event_fault(R"("handled":false)"),
              "rule.handled does not apply to kind \"event\": it would never match");
    EXPECT_EQ(one_fault(R"({"name":"r","kind":["finding","transfer"],"token":"near"})"),
              "rule.token does not apply to kind \"finding\": it would never match; write two rules");
    // Elsewhere than at the top it may decide between the kinds.
    EXPECT_THAT(
        faults_of(
            R"({"name":"r","kind":["finding","transfer"],"any":[{"token":"near"},{"role":"callback"}]})"),
        IsEmpty());
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"finding","where":{"data":"a","is":1}})"),
                HasSubstr("applies to kind \"event\" only"));
    EXPECT_THAT(faults_of(R"({"name":"r","kind":"finding","role":"callback"})"), IsEmpty());
}

TEST(RuleDefinitions, NeedAConditionWhereEverythingElseWouldMatch) {
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"event"})"), HasSubstr("needs a condition"));
    EXPECT_THAT(faults_of(R"({"name":"r","kind":"event","account":"*"})"), IsEmpty());
    EXPECT_THAT(faults_of(R"({"name":"r","kind":"finding"})"), IsEmpty());
}

TEST(RuleDefinitions, TellAllFaultsAtOnce) {
    EXPECT_THAT(
        faults_of(R"({"kind":"event","receiver":[],"where":{"is":1},"x":1})"),
        ElementsAre("rule.name is missing", "rule.receiver must not be an empty list: it could never hold",
                    "rule.where needs data or args, with a path", "rule.x is no key of a rule"));
}

TEST(RuleDefinitions, HaveNamesOfTheirOwn) {
    EXPECT_THAT(one_fault(R"({"name":"Pay Ments","kind":"finding"})"), HasSubstr("must be 1 to 40 of a-z"));
    EXPECT_THAT(one_fault(R"({"name":"default","kind":"finding"})"), HasSubstr("built-in rule"));
}

TEST(RuleDefinitions, AmountsHaveUnits) {
    EXPECT_THAT(event_fault(R"("deposit_at_least":"1.5 Near")"), HasSubstr("such as \"1.5 NEAR\""));
    EXPECT_THAT(event_fault(R"("deposit_at_least":"0.0000000000000000000000001 NEAR")"),
                HasSubstr("must be an amount"));
    EXPECT_THAT(event_fault(R"("deposit_at_least":"340282366920938463463374607431768211456")"),
                HasSubstr("must be an amount"));
    EXPECT_THAT(event_fault(R"("gas_at_least":"1 NEAR")"), HasSubstr("must be gas such as \"100 Tgas\""));
    EXPECT_THAT(event_fault(R"("gas_at_least":-1)"), HasSubstr("must be gas"));
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"transfer","token":"usdt.near","amount_at_least":"1 NEAR"})"),
                HasSubstr("NEAR counts only with token"));
    EXPECT_THAT(faults_of(R"({"name":"r","kind":"transfer","token":"near","amount_at_least":"1 NEAR"})"),
                IsEmpty());
    EXPECT_THAT(faults_of(R"({"name":"r","kind":"burnt_tokens","amount_at_least":"1 NEAR"})"), IsEmpty());
}

TEST(RuleDefinitions, OfTimedKindsHaveTheirTimes) {
    const auto absence = definition(R"({"name":"r","kind":"absence","receiver":"a.near","for":"10m"})");
    ASSERT_TRUE(absence.absence);
    EXPECT_EQ(absence.absence->at_least, 1u);
    EXPECT_EQ(absence.absence->within, std::chrono::minutes(10));
    const auto latency = definition(
        R"({"name":"r","kind":"latency","stage":"final","percentile":99.5,"over":"30s","window":"10m"})");
    ASSERT_TRUE(latency.latency);
    EXPECT_EQ(latency.latency->percentile, 99.5);
    EXPECT_EQ(latency.latency->over, std::chrono::seconds(30));
    EXPECT_EQ(latency.latency->window, std::chrono::minutes(10));
    EXPECT_EQ(one_fault(R"({"name":"r","kind":"absence","account":"*","for":"1s"})"),
              "rule.for must be between \"1m\" and \"7d\"");
    EXPECT_EQ(one_fault(R"({"name":"r","kind":"latency","over":"1s","window":"1h"})"),
              "rule.stage is missing");
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"absence","account":"*","for":"1m","at_least":0})"),
                HasSubstr("whole number between 1 and"));
    EXPECT_THAT(
        one_fault(R"({"name":"r","kind":["latency","end"],"stage":"final","over":"1s","window":"1h"})"),
        HasSubstr("other kinds beside"));
    EXPECT_EQ(one_fault(R"({"name":"r","kind":"end","for":"10m"})"), "rule.for belongs to kind \"absence\"");
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"end","stage":"final"})"), HasSubstr("others have stages"));
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"finding","stages":"final"})"),
                HasSubstr("belongs to the kinds"));
}

TEST(RuleDefinitions, OfStagesMustSayWhich) {
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"finding","when_late":true})"),
                HasSubstr("rule.when_late must be \"send\" or \"withhold\""));
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"stage"})"), HasSubstr("rule.stages is missing"));
    EXPECT_THAT(one_fault(R"({"name":"r","kind":"end","stages":["included"]})"),
                HasSubstr("rule.stages[0] must be"));
    EXPECT_THAT(one_fault(R"({"name":"r","kind":["stage","end"],"stages":["final"]})"),
                HasSubstr("includes"));
    EXPECT_THAT(one_fault(R"({"name":"r","kind":["stuck","finding"]})"), HasSubstr("includes"));
}

std::string nested(std::size_t depth) {
    std::string table = R"({"receiver":"a.near"})";
    for (; depth > 0; --depth) table = R"({"any":[)" + table + "]}";
    return R"({"name":"r","kind":"event",)" + table.substr(1);
}

std::string of_conditions(std::size_t count) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) items += R"({"data":"a","is":1},)";
    return R"({"name":"r","kind":"event","where":[)" + items.substr(0, items.size() - 1) + "]}";
}

TEST(RuleDefinitions, HaveLimits) {
    EXPECT_THAT(faults_of(nested(kDeepest)), IsEmpty());
    EXPECT_THAT(one_fault(nested(kDeepest + 1)), HasSubstr("is nested too deep"));
    EXPECT_THAT(faults_of(of_conditions(kMostConditions)), IsEmpty());
    EXPECT_THAT(one_fault(of_conditions(kMostConditions + 2)),
                HasSubstr("rule.where[100] is one condition too many"));
    EXPECT_EQ(one_fault(std::string(kLongestRule + 1, ' ')), "rule is longer than 64 KiB");
    EXPECT_EQ(one_fault(R"({"a":)" + std::string(9'000, '[') + std::string(9'000, ']') + "}"),
              "rule is nested too deep");
}

TEST(RuleDefinitions, ThatAreNoObjectAreRefused) {
    for (const std::string bad : {"", "[]", "5", "{", "{\"name\":\"\xff\"}"})
        EXPECT_EQ(one_fault(bad), "rule is no JSON object") << bad;
    EXPECT_EQ(one_fault(R"({"name":"a","name":"b","kind":"finding"})"),
              "rule.name stands in its table twice");
}

TEST(RuleDefinitions, TheDefaultIsWhatIsNeitherHandledNorExpected) {
    const auto& rule = default_definition();
    EXPECT_EQ(rule.name, kDefaultName);
    Subject subject{.kind = Kind::failed_receipt};
    EXPECT_TRUE(testing::matches(rule, subject));
    subject.handled = false;
    EXPECT_TRUE(testing::matches(rule, subject));
    subject.handled = true;
    EXPECT_FALSE(testing::matches(rule, subject));
    subject = {.kind = Kind::dropped};
    EXPECT_TRUE(testing::matches(rule, subject));
    subject.expected = true;
    EXPECT_FALSE(testing::matches(rule, subject));
    EXPECT_FALSE(testing::matches(rule, {.kind = Kind::stage}));
}

TEST(Definitions, SayWhetherLateAlertsAreSent) {
    EXPECT_FALSE(parse(R"({"name":"r","kind":"finding"})")->withholds_late);
    EXPECT_FALSE(parse(R"({"name":"r","kind":"finding","when_late":"send"})")->withholds_late);
    EXPECT_TRUE(parse(R"({"name":"r","kind":"finding","when_late":"withhold"})")->withholds_late);
}

}  // namespace
}  // namespace receiptd::rule
