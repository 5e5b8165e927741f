#include "bodies.hpp"
#include "channel/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::channel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

Notice notice_of(const Json& body, const std::string& id = "failed_receipt:r1") {
    return read_notice(id, body.dump());
}

TEST(ChannelNotice, TellsAFinding) {
    const auto notice = notice_of(testing::finding("no such pool"));
    EXPECT_EQ(notice.type, "finding.failed_receipt");
    EXPECT_EQ(notice.severity, Severity::error);
    EXPECT_EQ(notice.group, "failed_receipt:r1") << "alone";
    EXPECT_FALSE(notice.is_over);
    EXPECT_EQ(notice.starts_at, "2026-03-01T12:00:00.123456Z");
    EXPECT_THAT(notice.about, ElementsAre(Pair("network", "mainnet"), Pair("rules", "on-call,ops"),
                                          Pair("contract_id", "app.near"), Pair("method_name", "on_transfer"),
                                          Pair("error_class", "contract_panic")));
    ASSERT_EQ(notice.links.size(), 2u);
    EXPECT_EQ(notice.links[0].name, "page");
    EXPECT_EQ(notice.links[1].url, "https://explorer.example.org/txns/F8X");
}

TEST(ChannelNotice, KeepsNumbersAsTheyWereWritten) {
    const auto notice =
        read_notice("event:R:0", R"({"type":"event.emitted","data":{"block_height":7,"amount":1e400,)"
                                 R"("data":[{"amount":340282366920938463463374607431768211455}]}})");
    EXPECT_EQ(notice.values["data"], R"([{"amount":340282366920938463463374607431768211455}])");
    Settings settings;
    settings.title = "{{amount}} at {{block_height}}";
    EXPECT_EQ(fill(settings, notice).title, "1e400 at 7");
}

TEST(ChannelNotice, ShowsABodyThatIsNoMessageAsItIs) {
    const auto words = fill({}, read_notice("x", "{\"type\": tru"));
    EXPECT_EQ(words.title, "unreadable");
    EXPECT_THAT(words.text, HasSubstr("{\"type\": tru"));
}

TEST(ChannelNotice, AMemberOfAGroupBelongsToItsGroup) {
    auto body = testing::finding("x");
    body["group_id"] = 17;
    EXPECT_EQ(notice_of(body).group, "failed_receipt:r1") << "a number of one database is no name";
    body["group_name"] = "group-17";
    EXPECT_EQ(notice_of(body).group, "group-17");
    EXPECT_EQ(notice_of(testing::group("group.digest")).group, "group-17");
}

TEST(ChannelNotice, TellsOfGroupsWithoutASentenceOfTheirOwn) {
    const auto digest = notice_of(testing::group("group.digest"));
    EXPECT_EQ(digest.values["summary"],
              "4999 more alerts, 5000 in all: contract_panic at app.near on_transfer");
    EXPECT_FALSE(digest.is_over);
    EXPECT_EQ(digest.starts_at, "2026-03-01T12:00:00Z");
    const auto over = notice_of(testing::group("group.resolved"));
    EXPECT_EQ(over.values["summary"], "over after 5000 alerts: contract_panic at app.near on_transfer");
    EXPECT_TRUE(over.is_over);
    EXPECT_EQ(over.ends_at, "2026-03-01T13:00:00Z");
    EXPECT_EQ(over.severity, Severity::info);
    const auto withheld = notice_of({{"type", "endpoint.withheld"}, {"data", {{"count", 12}}}});
    EXPECT_EQ(withheld.values["summary"],
              "12 alerts were withheld: there were more than this endpoint takes");
    EXPECT_EQ(withheld.severity, Severity::warning);
}

TEST(ChannelNotice, SeverityFollowsTheType) {
    const auto severity = [](const char* type, const Json& data = Json::object()) {
        return notice_of({{"type", type}, {"data", data}}).severity;
    };
    EXPECT_EQ(severity("rule.absence"), Severity::error);
    EXPECT_EQ(severity("finding.stuck"), Severity::warning);
    EXPECT_EQ(severity("transaction.corrected"), Severity::warning);
    EXPECT_EQ(severity("transaction.judged", {{"near_status", "failure"}}), Severity::error);
    EXPECT_EQ(severity("transaction.judged", {{"near_status", "success"}}), Severity::info);
    EXPECT_EQ(severity("account.transfer"), Severity::info);
}

TEST(ChannelNotice, AGroupLinksToItsDeliveries) {
    auto body = testing::group("group.digest");
    body["data"]["links"] = {{"api", "https://receiptd.example.org/v1/alerts?group=17"}};
    ASSERT_EQ(notice_of(body).links.size(), 1u);
    EXPECT_EQ(notice_of(body).links[0].name, "api");
}

TEST(ChannelNotice, AnEpisodeOfADaemonIsAGroupThatEnds) {
    Json body = {{"type", "daemon.stalled"},
                 {"timestamp", "2026-03-01T12:00:00Z"},
                 {"data", {{"summary", "it stands still"}, {"episode", "host:7:1"}}}};
    body["data"]["since"] = "2026-03-01T12:00:00Z";
    const auto stalled = notice_of(body, "daemon:host:7:1:1");
    EXPECT_EQ(stalled.group, "host:7:1");
    EXPECT_EQ(stalled.severity, Severity::error);
    EXPECT_FALSE(stalled.is_over);
    body["type"] = "daemon.recovered";
    body["timestamp"] = body["data"]["ended_at"] = "2026-03-01T12:30:00Z";
    const auto recovered = notice_of(body, "daemon:host:7:1:2");
    EXPECT_EQ(recovered.group, "host:7:1");
    EXPECT_TRUE(recovered.is_over);
    EXPECT_EQ(recovered.starts_at, "2026-03-01T12:00:00Z");
    EXPECT_EQ(recovered.ends_at, "2026-03-01T12:30:00Z");
}

TEST(ChannelNotice, PathsAreNoLinks) {
    auto body = testing::finding("x");
    body["data"]["links"] = {{"api", "/v1/transactions/F8X"}, {"page", "/tx/F8X"}};
    EXPECT_TRUE(notice_of(body).links.empty());
}

TEST(ChannelNotice, AddressesOfTheChainAreBrokenAndHiddenCharactersShown) {
    const auto notice = notice_of(testing::finding(testing::kHostile));
    const auto text = notice.values["error_text"].get<std::string>();
    EXPECT_THAT(text, Not(HasSubstr("://")));
    EXPECT_THAT(text, Not(HasSubstr("www.")));
    EXPECT_THAT(text, Not(HasSubstr("\u202E")));
    EXPECT_THAT(text, Not(HasSubstr("\r")));
    EXPECT_EQ(notice.values["links"]["page"], "https://receiptd.example.org/tx/F8X");
}

TEST(ChannelNotice, WhatAContractEmittedStandsAsJson) {
    const auto notice = notice_of(
        {{"type", "event.emitted"}, {"data", {{"summary", "s"}, {"data", {{"at", "http://evil.example"}}}}}});
    EXPECT_EQ(notice.values["data"], "{\"at\":\"http:\u2060//evil.example\"}");
    std::string deep(4'000, '[');
    deep += std::string(4'000, ']');
    const auto nested = read_notice("e", R"({"type":"event.emitted","data":{"data":)" + deep + "}}");
    EXPECT_EQ(nested.values["data"], deep);
}

TEST(ChannelNotice, SaysThatABodyIsNotReadable) {
    for (const char* body : {"", "[]", "{", "7", "{\"type\":3,\"data\":[]}"})
        EXPECT_FALSE(read_notice("x", body).values["summary"].get<std::string>().empty()) << body;
}

TEST(ChannelWords, TellWhatIsKnownAndNothingElse) {
    const auto words = fill({}, notice_of(testing::finding("no such pool")));
    EXPECT_EQ(words.title, "on_transfer of app.near failed: contract_panic: no such pool");
    EXPECT_EQ(words.text,
              "contract: app.near\nmethod: on_transfer\nerror: contract_panic\nuser: alice.near\n"
              "transaction: F8X\nblock: 103\nnetwork: mainnet\ntime: 2026-03-01T12:00:00.123456Z\n"
              "rule: on-call@2\nrule: ops@1\ninitial alice.near: succeeded\ncallback app.near: failed\n"
              "no such pool");
}

TEST(ChannelWords, ListsTheAlertsOfADigest) {
    EXPECT_THAT(fill({}, notice_of(testing::group("group.digest"))).text,
                HasSubstr("alerts: 5000\nfirst: 2026-03-01T12:00:00Z\nlast: 2026-03-01T12:50:00Z\n"));
    EXPECT_THAT(fill({}, notice_of(testing::group("group.digest"))).text,
                HasSubstr("failed_receipt:r1\nfailed_receipt:r2"));
}

TEST(ChannelWords, FollowTheEndpointsTemplates) {
    Settings settings;
    settings.title = "{{network}}: {{contract_id}}";
    settings.text =
        "<b>{{links.page}}</b>{{^verdict}} no verdict{{/verdict}} {{{error_text}}} {{&error_text}}";
    const auto words = fill(settings, notice_of(testing::finding("a & b")));
    EXPECT_EQ(words.title, "mainnet: app.near");
    EXPECT_EQ(words.text, "<b>https://receiptd.example.org/tx/F8X</b> no verdict a & b a & b");
}

TEST(ChannelWords, ATitleIsOneLineAndNeverEmpty) {
    Settings settings;
    settings.title = "a\nb";
    EXPECT_EQ(fill(settings, notice_of(testing::finding("x"))).title, "a b");
    settings.title = "{{nothing}} ";
    EXPECT_EQ(fill(settings, notice_of(testing::finding("x"))).title, "finding.failed_receipt");
    settings.text = "{{nothing}}\n";
    EXPECT_EQ(fill(settings, notice_of(testing::finding("x"))).text, "");
}

TEST(ChannelWords, AValueIsNeverATemplate) {
    Settings settings;
    settings.text = "{{error_text}}";
    EXPECT_EQ(fill(settings, notice_of(testing::finding("{{network}} {{> error_text}} {{#rules}}"))).text,
              "{{network}} {{> error_text}} {{#rules}}");
}

TEST(ChannelWords, SayWhatIsWrongWithATemplate) {
    EXPECT_EQ(template_fault(""), std::nullopt);
    EXPECT_EQ(template_fault(kDefaultText), std::nullopt);
    EXPECT_THAT(template_fault("{{#a}}").value_or(""), HasSubstr("is not Mustache: "));
    EXPECT_THAT(template_fault("{{a").value_or(""), HasSubstr("is not Mustache: "));
    EXPECT_THAT(template_fault("x {{ > error_text }}").value_or(""), HasSubstr("must not include"));
    EXPECT_THAT(template_fault("{{=<% %>=}}<%> error_text%>").value_or(""), HasSubstr("delimiters"));
    EXPECT_THAT(template_fault(std::string(9'000, 'x')).value_or(""), HasSubstr("8192"));
}

}  // namespace
}  // namespace receiptd::channel
