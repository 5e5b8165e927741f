#include "made_up.hpp"

#include <gtest/gtest.h>

namespace receiptd::rule {
namespace {

using testing::matches;
using testing::rule_of;

constexpr auto kNear = base::u128{1'000'000'000'000} * base::u128{1'000'000'000'000};  // yoctoNEAR

Subject failure() {
    return {
        .kind = Kind::failed_receipt,
        .signer_id = "relay.near",
        .user_id = "alice.near",
        .predecessor_id = "router.near",
        .receiver_id = "dex.app.near",
        .method_name = "ft_on_transfer",
        .args_json = R"({"sender_id":"alice.near","amount":"250","msg":{"paths":[{"pool":7},{"pool":9}]}})",
        .actions = bit(Action::function_call) | bit(Action::transfer),
        .deposit = kNear,
        .gas = 5'000'000'000'000,
        .role = "callback",
        .error_class = "contract_panic",
        .error_text = "no such pool (src/lib.rs:7:5)",
        .verdict = "callback_failed",
        .near_status = "success",
        .effect = "told",
        .handled = false,
        .expected = false};
}

bool failure_matches(std::string conditions, const Lists& lists = Lists()) {
    return matches(rule_of("failed_receipt", std::move(conditions)), failure(), lists);
}

TEST(RuleConditions, OfAccountsGoByTheirRole) {
    EXPECT_TRUE(failure_matches(R"({"signer":"relay.near"})"));
    EXPECT_TRUE(failure_matches(R"({"user":"alice.near"})"));
    EXPECT_TRUE(failure_matches(R"({"predecessor":"router.near"})"));
    EXPECT_TRUE(failure_matches(R"({"receiver":"dex.app.near"})"));
    EXPECT_FALSE(failure_matches(R"({"signer":"alice.near"})"));
    EXPECT_FALSE(failure_matches(R"({"receiver":"relay.near"})"));
    for (const std::string any : {"relay.near", "alice.near", "router.near", "dex.app.near"})
        EXPECT_TRUE(failure_matches(R"({"account":")" + any + "\"}")) << any;
    EXPECT_FALSE(failure_matches(R"({"account":"app.near"})"));
}

TEST(RuleConditions, TheUserIsTheSignerWithoutARelayer) {
    auto subject = failure();
    subject.user_id = {};
    EXPECT_TRUE(matches(rule_of("failed_receipt", R"({"user":"relay.near"})"), subject));
}

TEST(RuleConditions, TakeGlobsAndListsAndAnyOfSeveral) {
    const auto lists = testing::one_list("team", {"bob.near", "alice.near"});
    EXPECT_TRUE(failure_matches(R"({"receiver":"*.app.near"})"));
    EXPECT_FALSE(failure_matches(R"({"receiver":"*.dex.near"})"));
    EXPECT_TRUE(failure_matches(R"({"receiver":["x.near","dex.*"]})"));
    EXPECT_TRUE(failure_matches(R"({"user":"@team"})", lists));
    EXPECT_FALSE(failure_matches(R"({"signer":"@team"})", lists));
    EXPECT_FALSE(failure_matches(R"({"user":"@absent"})", lists));
    EXPECT_TRUE(failure_matches(R"({"method":["ft_*","x"]})"));
    EXPECT_TRUE(failure_matches(R"({"text":"no such pool*"})"));
    EXPECT_FALSE(failure_matches(R"({"text":"no such pool"})"));
}

TEST(RuleConditions, OfClosedSetsOfWords) {
    EXPECT_TRUE(
        failure_matches(R"({"role":["promise","callback"],"verdict":"callback_failed","near_status":"success",
                                    "effect":"told","error_class":"contract_*"})"));
    EXPECT_FALSE(failure_matches(R"({"role":"promise"})"));
    EXPECT_TRUE(failure_matches(R"({"action":"transfer"})"));
    EXPECT_FALSE(failure_matches(R"({"action":["stake","add_key"]})"));
}

TEST(RuleConditions, OfAmountsHoldAtTheirBounds) {
    EXPECT_TRUE(failure_matches(R"({"deposit_at_least":"1 NEAR","deposit_at_most":"1 NEAR"})"));
    EXPECT_FALSE(failure_matches(R"({"deposit_at_least":"1.000000000000000000000001 NEAR"})"));
    EXPECT_FALSE(failure_matches(R"({"deposit_at_most":"999999999999999999999999"})"));
    EXPECT_TRUE(failure_matches(R"({"gas_at_least":"5 Tgas","gas_at_most":5000000000000})"));
    EXPECT_FALSE(failure_matches(R"({"gas_at_least":"5.000000000001 Tgas"})"));
}

TEST(RuleConditions, AMissingValueSatisfiesNothingButItsNegation) {
    const Subject bare{.kind = Kind::failed_receipt};
    for (const char* condition : {R"({"signer":"*"})", R"({"text":"*"})", R"({"handled":[true,false]})",
                                  R"({"deposit_at_least":0})", R"({"deposit_at_most":"9 NEAR"})",
                                  R"({"action":"unknown"})", R"({"where":{"args":"a","is_not":1}})"}) {
        EXPECT_FALSE(matches(rule_of("failed_receipt", condition), bare)) << condition;
        EXPECT_TRUE(matches(rule_of("failed_receipt", R"({"not":)" + std::string(condition) + "}"), bare))
            << condition;
    }
}

TEST(RuleConditions, NestInOneAnother) {
    EXPECT_TRUE(
        failure_matches(R"({"any":[{"signer":"x.near"},{"role":"callback","not":{"user":"bob.near"}}]})"));
    EXPECT_FALSE(
        failure_matches(R"({"any":[{"signer":"x.near"},{"role":"callback","not":{"user":"alice.near"}}]})"));
    EXPECT_TRUE(failure_matches(R"({"all":[{"any":[{"role":"callback"}]},{"receiver":"dex.app.near"}]})"));
    EXPECT_FALSE(failure_matches(R"({"not":{"role":"callback","receiver":"dex.app.near"}})"));
    EXPECT_TRUE(failure_matches(R"({"not":{"role":"callback","receiver":"x.near"}})"));
}

TEST(RuleConditions, WhatIsExpectedIsLeftOutUnlessAskedFor) {
    auto subject = failure();
    subject.expected = true;
    EXPECT_FALSE(matches(rule_of("failed_receipt", "{}"), subject));
    EXPECT_TRUE(matches(rule_of("failed_receipt", R"({"expected":true})"), subject));
    EXPECT_TRUE(matches(rule_of("failed_receipt", R"({"expected":[true,false]})"), subject));
    EXPECT_FALSE(failure_matches(R"({"expected":true})"));
    EXPECT_TRUE(failure_matches(R"({"expected":[true,false]})"));
}

TEST(RuleConditions, LookIntoArguments) {
    EXPECT_TRUE(failure_matches(R"({"where":{"args":"sender_id","is":"alice.near"}})"));
    EXPECT_TRUE(failure_matches(R"({"where":{"args":"sender_id","is":"@team"}})",
                                testing::one_list("team", {"alice.near"})));
    EXPECT_TRUE(failure_matches(R"({"where":{"args":"sender_id","is":"*.near"}})"));
    EXPECT_FALSE(failure_matches(R"({"where":{"args":"sender_id","is_not":["bob.near","alice.near"]}})"));
    EXPECT_TRUE(failure_matches(R"({"where":{"args":"sender_id","is_not":"bob.near"}})"));
    EXPECT_FALSE(failure_matches(R"({"where":{"args":"absent","is_not":"bob.near"}})"));
    EXPECT_TRUE(failure_matches(R"({"where":{"args":"msg.paths[*].pool","is":9}})"));
    EXPECT_TRUE(failure_matches(R"({"where":{"args":"msg.paths[0].pool","is":"7"}})"));
    EXPECT_FALSE(failure_matches(R"({"where":{"args":"msg.paths[0].pool","is":9}})"));
    EXPECT_TRUE(
        failure_matches(R"({"where":[{"args":"amount","at_least":250},{"args":"amount","at_most":"250"}]})"));
    EXPECT_FALSE(failure_matches(R"({"where":{"args":"amount","at_least":"251"}})"));
}

bool data_matches(std::string data, const std::string& test) {
    const Subject subject{
        .kind = Kind::event, .standard = "nep141", .event = "ft_transfer", .data_json = data};
    return matches(rule_of("event", R"({"where":)" + test + "}"), subject);
}

TEST(RuleConditions, CompareDigitsAsNumbersOfAnySize) {
    constexpr auto kHuge = R"({"a":"340282366920938463463374607431768211456"})";
    EXPECT_TRUE(data_matches(kHuge, R"({"data":"a","at_least":"340282366920938463463374607431768211455"})"));
    EXPECT_FALSE(data_matches(kHuge, R"({"data":"a","at_most":"340282366920938463463374607431768211455"})"));
    EXPECT_TRUE(data_matches(R"({"a":340282366920938463463374607431768211457})",
                             R"({"data":"a","is":"340282366920938463463374607431768211457"})"));
    EXPECT_FALSE(data_matches(R"({"a":340282366920938463463374607431768211457})",
                              R"({"data":"a","is":"340282366920938463463374607431768211456"})"));
    EXPECT_TRUE(data_matches(R"({"a":"9"})", R"({"data":"a","at_most":"10"})"));
    EXPECT_TRUE(data_matches(R"({"a":"007"})", R"({"data":"a","is":"7"})"));
    EXPECT_TRUE(data_matches(R"({"a":-1.5})", R"({"data":"a","at_most":0.5})"));
    EXPECT_TRUE(data_matches(R"({"a":"2000000000000000000000000"})", R"({"data":"a","at_least":"2 NEAR"})"));
}

TEST(RuleConditions, ABoundNeedsANumber) {
    for (const std::string value :
         {R"("x")", R"("")", R"("-1")", R"("1.5")", "null", "true", "[1]", R"({"b":1})"})
        EXPECT_FALSE(data_matches(R"({"a":)" + value + "}", R"({"data":"a","at_least":-9})")) << value;
}

TEST(RuleConditions, TellTypesApart) {
    EXPECT_TRUE(data_matches(R"({"a":true})", R"({"data":"a","is":true})"));
    EXPECT_FALSE(data_matches(R"({"a":true})", R"({"data":"a","is":[false,"true"]})"));
    EXPECT_FALSE(data_matches(R"({"a":"true"})", R"({"data":"a","is":true})"));
    EXPECT_TRUE(data_matches(R"({"a":null})", R"({"data":"a","is_not":"x"})"));
    EXPECT_FALSE(data_matches(R"({"a":null})", R"({"data":"a","is":"*"})"));
}

TEST(RuleConditions, SeveralTestsOfOneItemAreAskedOfOneItem) {
    constexpr auto kData = R"([{"to":"a.near","amount":"5"},{"to":"b.near","amount":"900"}])";
    EXPECT_TRUE(
        data_matches(kData, R"([{"data":"[*].to","is":"a.near"},{"data":"[*].amount","at_least":100}])"));
    EXPECT_FALSE(data_matches(
        kData, R"({"data":"[*]","has":[{"at":"to","is":"a.near"},{"at":"amount","at_least":100}]})"));
    EXPECT_TRUE(data_matches(
        kData, R"({"data":"[*]","has":[{"at":"to","is":"b.near"},{"at":"amount","at_least":100}]})"));
}

TEST(RuleConditions, WhatNobodyCanReadIsMissing) {
    for (const std::string data : {"", "{", "{\"a\":\"\xff\"}", "[[[[", R"({"b":1})"})
        EXPECT_FALSE(data_matches(data, R"({"data":"a","is_not":"x"})")) << data;
}

Subject deposit() {
    return {.kind = Kind::transfer,
            .signer_id = "bob.near",
            .predecessor_id = "bob.near",
            .receiver_id = "usdt.near",
            .account_id = "hot.near",
            .direction = "in",
            .token_id = "usdt.near",
            .cause = "transfer",
            .amount = 5'000'000};
}

TEST(RuleConditions, TheAccountOfATransferIsTheOneThatGaveOrGot) {
    EXPECT_TRUE(matches(rule_of("transfer", R"({"account":"hot.near","direction":"in","token":"usdt.near"})"),
                        deposit()));
    EXPECT_FALSE(matches(rule_of("transfer", R"({"account":"bob.near"})"), deposit()));
    EXPECT_TRUE(
        matches(rule_of("transfer", R"({"signer":"bob.near","amount_at_least":"5000000"})"), deposit()));
    EXPECT_FALSE(
        matches(rule_of("transfer", R"({"account":"hot.near","amount_at_least":"5000001"})"), deposit()));
    EXPECT_FALSE(matches(rule_of("transfer", R"({"account":"hot.near","direction":"out"})"), deposit()));
}

TEST(RuleConditions, RefundsAreNoTransfersUnlessAskedFor) {
    auto subject = deposit();
    subject.cause = "refund";
    EXPECT_FALSE(matches(rule_of("transfer", R"({"account":"hot.near"})"), subject));
    EXPECT_TRUE(
        matches(rule_of("transfer", R"({"account":"hot.near","cause":["refund","returned"]})"), subject));
}

TEST(RuleConditions, AnEndIsTheStageCompletedUnlessOthersAreNamed) {
    Subject subject{.kind = Kind::stage, .receiver_id = "pay.near", .stage = "completed"};
    EXPECT_TRUE(matches(rule_of("end", "{}"), subject));
    EXPECT_TRUE(matches(rule_of("stage", R"({"stages":["pending","completed"]})"), subject));
    EXPECT_FALSE(matches(rule_of("end", R"({"stages":"final"})"), subject));
    subject.stage = "dropped";
    EXPECT_FALSE(matches(rule_of("end", "{}"), subject));
    EXPECT_TRUE(matches(rule_of("end", R"({"stages":["final","dropped"]})"), subject));
}

TEST(RuleConditions, OfSeveralKindsEachKeepsItsOwn) {
    const auto rule = testing::definition(
        R"({"name":"r","kind":["end","failed_receipt","transfer"],"receiver":"pay.near"})");
    EXPECT_TRUE(matches(rule, {.kind = Kind::stage, .receiver_id = "pay.near", .stage = "completed"}));
    EXPECT_FALSE(matches(rule, {.kind = Kind::stage, .receiver_id = "pay.near", .stage = "final"}));
    EXPECT_TRUE(matches(rule, {.kind = Kind::failed_receipt, .receiver_id = "pay.near"}));
    EXPECT_TRUE(matches(rule, {.kind = Kind::transfer, .receiver_id = "pay.near", .cause = "transfer"}));
    EXPECT_FALSE(matches(rule, {.kind = Kind::transfer, .receiver_id = "pay.near", .cause = "refund"}));
    EXPECT_FALSE(matches(rule, {.kind = Kind::event, .receiver_id = "pay.near"}));
}

TEST(RuleConditions, OfALatencyNameItsStage) {
    const auto rule = testing::definition(
        R"({"name":"r","kind":"latency","stage":"completed","over":"30s","window":"10m","receiver":"a.near"})");
    EXPECT_TRUE(matches(rule, {.kind = Kind::latency, .receiver_id = "a.near", .stage = "completed"}));
    EXPECT_FALSE(matches(rule, {.kind = Kind::latency, .receiver_id = "a.near", .stage = "final"}));
}

}  // namespace
}  // namespace receiptd::rule
