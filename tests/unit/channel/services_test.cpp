// Each service's message beside the form that the service has published (channel/encode.hpp names the
// sources).
#include "bodies.hpp"
#include "channel/channel.hpp"
#include "channel/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::channel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "0123456789abcdef0123456789ABCDEF";
constexpr const char* kToken = "12345:AAbb-cc_dd";

Json message(Kind kind, const Json& alert,
             std::vector<std::string> group = {"rule", "receiver", "method", "error_class"},
             const std::string& id = "failed_receipt:r1") {
    Settings settings;
    settings.kind = kind;
    settings.group = std::move(group);
    settings.routing_key = base::Secret(kKey);
    settings.token = base::Secret(kToken);
    settings.chat_id = "-100";
    return Json::parse(body(settings, id, alert.dump()));
}

// "text" of the entity in a message of Telegram.
std::u16string utf16(const std::string& text) {
    std::u16string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto head = static_cast<unsigned char>(text[at]);
        const std::size_t length = head < 0x80 ? 1 : head < 0xe0 ? 2 : head < 0xf0 ? 3 : 4;
        char32_t code = length == 1 ? head : head & (0xffU >> (length + 1));
        for (std::size_t i = 1; i < length; ++i)
            code = (code << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
        if (code > 0xffff) {
            out += static_cast<char16_t>(0xd800 + ((code - 0x10000) >> 10U));
            out += static_cast<char16_t>(0xdc00 + ((code - 0x10000) & 0x3ffU));
        } else {
            out += static_cast<char16_t>(code);
        }
        at += length;
    }
    return out;
}

TEST(Channel, JsonGetsTheBodyAsItIs) {
    EXPECT_EQ(body({}, "x", "{\"a\": 1}"), "{\"a\": 1}");
    EXPECT_EQ(target({}, "/hook?a=1"), "/hook?a=1");
}

TEST(Channel, TargetsLieBelowThePathOfTheUrl) {
    Settings settings;
    settings.kind = Kind::alertmanager;
    EXPECT_EQ(target(settings, "/"), "/api/v2/alerts");
    EXPECT_EQ(target(settings, "/am/?x=1"), "/am/api/v2/alerts?x=1");
    settings.kind = Kind::telegram;
    settings.token = base::Secret(kToken);
    EXPECT_EQ(target(settings, "/"), "/bot12345:AAbb-cc_dd/sendMessage");
}

TEST(Slack, BlocksAreOfPlainTextWithTheLinksBelow) {
    const auto sent = message(Kind::slack, testing::finding("no such pool"));
    EXPECT_EQ(sent["text"], "on_transfer of app.near failed: contract_panic: no such pool");
    EXPECT_EQ(sent["mrkdwn"], false);
    const auto& blocks = sent["blocks"];
    ASSERT_EQ(blocks.size(), 3u);
    EXPECT_EQ(blocks[0]["type"], "header");
    EXPECT_EQ(blocks[0]["text"]["type"], "plain_text");
    EXPECT_EQ(blocks[1]["type"], "section");
    EXPECT_EQ(blocks[1]["text"]["type"], "plain_text");
    EXPECT_EQ(blocks[2]["type"], "context");
    EXPECT_EQ(blocks[2]["elements"][0]["text"], "<https://receiptd.example.org/tx/F8X|page>");
}

TEST(Slack, TextOfTheChainIsNeitherMentionNorLink) {
    const auto sent = message(Kind::slack, testing::finding(testing::kHostile));
    for (const auto& text :
         {sent["text"], sent["blocks"][0]["text"]["text"], sent["blocks"][1]["text"]["text"]})
        for (const char* refused : {"<", ">", "://"})
            EXPECT_THAT(text.get<std::string>(), Not(HasSubstr(refused)));
    EXPECT_THAT(sent["blocks"][1]["text"]["text"].get<std::string>(),
                HasSubstr("@everyone &lt;!channel&gt;"));
}

TEST(Slack, TextsAreCut) {
    const auto sent = message(Kind::slack, testing::finding(testing::emoji() + std::string(5'000, '<')));
    EXPECT_LE(units(sent["blocks"][0]["text"]["text"].get<std::string>()), 150u);
    EXPECT_GT(units(sent["blocks"][0]["text"]["text"].get<std::string>()), 148u);
    EXPECT_LE(units(sent["blocks"][1]["text"]["text"].get<std::string>()), 3'000u);
    EXPECT_LE(units(sent["text"].get<std::string>()), 3'000u);
}

TEST(PagerDuty, TriggersAnEventForItsGroup) {
    const auto sent = message(Kind::pagerduty, testing::finding("no such pool"));
    EXPECT_EQ(sent["routing_key"], kKey);
    EXPECT_EQ(sent["event_action"], "trigger");
    EXPECT_EQ(sent["dedup_key"], "failed_receipt:r1");
    EXPECT_EQ(sent["payload"]["summary"], "on_transfer of app.near failed: contract_panic: no such pool");
    EXPECT_EQ(sent["payload"]["severity"], "error");
    EXPECT_EQ(sent["payload"]["source"], "receiptd");
    EXPECT_EQ(sent["payload"]["timestamp"], "2026-03-01T12:00:00.123456Z");
    EXPECT_EQ(sent["payload"]["custom_details"]["contract_id"], "app.near");
    EXPECT_EQ(sent["links"][0], (Json{{"href", "https://receiptd.example.org/tx/F8X"}, {"text", "page"}}));
}

TEST(PagerDuty, WhatIsOverIsResolved) {
    EXPECT_EQ(message(Kind::pagerduty, testing::group("group.digest"))["dedup_key"], "group-17");
    const auto sent = message(Kind::pagerduty, testing::group("group.resolved"));
    EXPECT_EQ(sent["event_action"], "resolve");
    EXPECT_EQ(sent["dedup_key"], "group-17");
}

TEST(PagerDuty, TextsAreCutAndHoldNoLinks) {
    const auto sent = message(Kind::pagerduty, testing::finding(testing::kHostile + testing::emoji()),
                              {"rule"}, std::string(300, 'x'));
    EXPECT_EQ(units(sent["dedup_key"].get<std::string>()), 255u);
    EXPECT_LE(units(sent["payload"]["summary"].get<std::string>()), 1'024u);
    EXPECT_LT(sent.dump().size(), 512u << 10U);
    EXPECT_THAT(sent["payload"].dump(), Not(HasSubstr("://")));
}

TEST(Alertmanager, LabelsAreTheSameForTheWholeGroup) {
    auto member = testing::finding("no such pool");
    member["rules"] = {"on-call@2"};
    member["group_name"] = "group-17";
    const auto first = message(Kind::alertmanager, member);
    const auto digest = message(Kind::alertmanager, testing::group("group.digest"));
    const auto over = message(Kind::alertmanager, testing::group("group.resolved"));
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0]["labels"], (Json{{"alertname", "on-call"},
                                        {"network", "mainnet"},
                                        {"contract_id", "app.near"},
                                        {"method_name", "on_transfer"},
                                        {"error_class", "contract_panic"},
                                        {"group", "group-17"}}));
    EXPECT_EQ(digest[0]["labels"], first[0]["labels"]);
    EXPECT_EQ(over[0]["labels"], first[0]["labels"]);
    EXPECT_FALSE(digest[0].contains("endsAt"));
    EXPECT_EQ(over[0]["startsAt"], "2026-03-01T12:00:00Z");
    EXPECT_EQ(over[0]["endsAt"], "2026-03-01T13:00:00Z");
    EXPECT_EQ(first[0]["generatorURL"], "https://receiptd.example.org/tx/F8X");
}

TEST(Alertmanager, KeepsWhatTheFirstAlertOfAGroupSays) {
    auto member = testing::finding("no such pool");
    member["group_name"] = "group-17";
    const auto first = message(Kind::alertmanager, member)[0];
    for (const char* type : {"group.digest", "group.resolved"}) {
        auto digest = testing::group(type);
        digest["first_alert"] = testing::finding("no such pool");
        const auto later = message(Kind::alertmanager, digest)[0];
        EXPECT_EQ(later["annotations"]["summary"], first["annotations"]["summary"]);
        EXPECT_EQ(later["annotations"]["severity"], first["annotations"]["severity"]);
        EXPECT_EQ(later["annotations"]["page"], first["annotations"]["page"]);
        for (const char* kept : {"transaction: F8X", "user: alice.near", "no such pool", "alerts: 5000"})
            EXPECT_THAT(later["annotations"]["description"].get<std::string>(), HasSubstr(kept)) << type;
        EXPECT_EQ(later["generatorURL"], first["generatorURL"]);
        EXPECT_EQ(later["labels"]["group"], "group-17");
    }
}

TEST(Alertmanager, TheMessagesOfAGroupHaveTheLabelsOfWhatItsAlertsHaveInCommon) {
    auto member = testing::finding("no such pool");
    member["group_name"] = "group-17";
    auto digest = testing::group("group.digest");
    for (const char* name : {"rules", "method_name", "error_class"}) digest["data"].erase(name);
    digest.erase("rules");
    const auto first = message(Kind::alertmanager, member, {"receiver"});
    EXPECT_EQ(first[0]["labels"], (Json{{"alertname", "receiptd"},
                                        {"network", "mainnet"},
                                        {"contract_id", "app.near"},
                                        {"group", "group-17"}}));
    EXPECT_EQ(message(Kind::alertmanager, digest, {"receiver"})[0]["labels"], first[0]["labels"]);
}

TEST(Alertmanager, TheFirstAlertOfAGroupHasTheLabelsThatTheGroupHas) {
    auto member = testing::finding("no such method");
    member["group_name"] = "group-17";
    member["group"] = {
        {"rules", {"on-call"}}, {"contract_id", "app.near"}, {"error_class", "method_not_found"}};
    const auto sent = message(Kind::alertmanager, member, {"rule", "receiver", "method", "error_class"});
    EXPECT_TRUE(sent[0]["labels"].contains("contract_id"));
    EXPECT_FALSE(sent[0]["labels"].contains("method_name")) << "the others of the group have other ones";
}

TEST(Alertmanager, TextOfTheChainMentionsNobodyInOtherPeoplesTemplates) {
    auto member = testing::finding(testing::kHostile);
    member["data"]["method_name"] = "<!channel> @everyone www.evil.example";
    const auto sent = message(Kind::alertmanager, member, {}).dump();
    for (const char* mention : {"<!channel>", "<@U123>", "@everyone", "www.evil", "https://evil", "<a "})
        EXPECT_THAT(sent, Not(HasSubstr(mention)));
}

TEST(Alertmanager, AnAlertOfNoGroupHasAllItsLabels) {
    const auto sent = message(Kind::alertmanager, testing::finding("no such pool"), {});
    EXPECT_EQ(sent[0]["labels"]["alertname"], "on-call,ops");
    EXPECT_EQ(sent[0]["labels"]["error_class"], "contract_panic");
}

TEST(Alertmanager, TextsHoldNoLinks) {
    const auto sent = message(Kind::alertmanager, testing::finding(testing::kHostile));
    EXPECT_THAT(sent[0]["annotations"]["description"].get<std::string>(), Not(HasSubstr("://")));
    EXPECT_EQ(sent[0]["annotations"]["page"], "https://receiptd.example.org/tx/F8X");
}

TEST(Discord, TextStandsInABlockOfCodeThatItCannotEnd) {
    const auto sent = message(Kind::discord, testing::finding(testing::kHostile));
    const auto content = sent["content"].get<std::string>();
    EXPECT_TRUE(content.starts_with("```text\n")) << content;
    const auto end = content.find("```", 3);
    EXPECT_EQ(content.substr(end),
              "```\n<https://receiptd.example.org/tx/F8X>\n<https://explorer.example.org/txns/F8X>");
    EXPECT_THAT(content, HasSubstr("@everyone <!channel>"));
    EXPECT_EQ(sent["allowed_mentions"], (Json{{"parse", Json::array()}}));
    EXPECT_EQ(sent["flags"], 4);
}

TEST(Discord, TextIsCutWithinItsBlock) {
    const auto content =
        message(Kind::discord, testing::finding(testing::emoji() + "````"))["content"].get<std::string>();
    EXPECT_LE(units(content), 2'000u);
    EXPECT_GT(units(content), 1'990u);
    EXPECT_THAT(content, HasSubstr("…\n```\n<https://receiptd"));
}

TEST(Telegram, TextIsCodeAndOnlyOurLinksAreLinks) {
    const auto sent = message(Kind::telegram, testing::finding(testing::kHostile + "🔥"));
    const auto text = utf16(sent["text"].get<std::string>());
    EXPECT_EQ(sent["chat_id"], "-100");
    EXPECT_FALSE(sent.contains("parse_mode"));
    EXPECT_EQ(sent["link_preview_options"]["is_disabled"], true);
    std::u16string rest;
    std::size_t at = 0;
    for (const auto& entity : sent["entities"]) {
        const auto offset = entity["offset"].get<std::size_t>();
        const auto length = entity["length"].get<std::size_t>();
        rest += text.substr(at, offset - at);
        at = offset + length;
        if (entity["type"] != "text_link") continue;
        EXPECT_EQ(text.substr(offset, length),
                  entity["url"] == "https://receiptd.example.org/tx/F8X" ? u"page" : u"explorer");
    }
    EXPECT_EQ(at, text.size());
    EXPECT_EQ(rest, u"\n\n\n") << "nothing of the chain stands outside of code";
}

TEST(Telegram, AsksInItsAnswerToBeLeftAlone) {
    const std::string busy =
        R"({"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":35}})";
    EXPECT_EQ(asked_wait(Kind::telegram, busy), std::chrono::seconds(35));
    EXPECT_EQ(asked_wait(Kind::slack, busy), std::nullopt);
    for (const char* other : {"", "[]", "{}", R"({"parameters":{"retry_after":-1}})", R"({"parameters":[]})"})
        EXPECT_EQ(asked_wait(Kind::telegram, other), std::nullopt) << other;
}

TEST(Discord, TellsInItsAnswerHowLongItIsToBeLeftAlone) {
    EXPECT_EQ(asked_wait(Kind::discord, R"({"message":"You are being rate limited.","retry_after":0.376})"),
              std::chrono::seconds(1));
    EXPECT_EQ(asked_wait(Kind::discord, R"({"retry_after":64})"), std::chrono::seconds(64));
    EXPECT_EQ(asked_wait(Kind::discord, R"({"retry_after":1e300})"), std::chrono::seconds(366 * 24 * 3'600));
    for (const char* other : {"", "5", R"({"retry_after":-0.5})", R"({"retry_after":"5"})"})
        EXPECT_EQ(asked_wait(Kind::discord, other), std::nullopt) << other;
}

TEST(Telegram, TextIsCut) {
    const auto sent = message(Kind::telegram, testing::finding(testing::emoji()));
    EXPECT_LE(units(sent["text"].get<std::string>()), 4'096u);
    EXPECT_GT(units(sent["text"].get<std::string>()), 4'090u);
}

}  // namespace
}  // namespace receiptd::channel
