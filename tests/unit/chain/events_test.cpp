#include "chain/json/events.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::chain {
namespace {

TEST(Events, ANep297LogIsReadAndItsDataKeptVerbatim) {
    const auto event = read_event(
        R"(EVENT_JSON:{"standard":"nep141","version":"1.0.0","event":"ft_transfer","data":[{"amount": "1",)"
        "\n"
        R"("memo":"\"x\""}]})");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->standard, "nep141");
    EXPECT_EQ(event->version, "1.0.0");
    EXPECT_EQ(event->event, "ft_transfer");
    EXPECT_EQ(event->data, "[{\"amount\": \"1\",\n\"memo\":\"\\\"x\\\"\"}]");
}

TEST(Events, MembersComeInAnyOrderAndWithWhiteSpace) {
    const auto event =
        read_event("EVENT_JSON: \n{ \"data\" : {\"a\":[1,{}]} , \"x\":[[]], \"event\":\"e\\u0301\\n\"}");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->event, "e\u0301\n");
    EXPECT_EQ(event->standard, "");
    EXPECT_EQ(event->data, R"({"a":[1,{}]})");
}

TEST(Events, NumbersOfAnySizeAreNoError) {
    const auto event =
        read_event(R"(EVENT_JSON:{"event":"e","data":{"amount":340282366920938463463374607431768211455}})");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->data, R"({"amount":340282366920938463463374607431768211455})");
}

TEST(Events, ScalarDataIsKeptAndNullIsNone) {
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"data":"text"})")->data, "\"text\"");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"data":12.5e3})")->data, "12.5e3");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"data":null})")->data, "");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{})")->data, "");
}

TEST(Events, AMemberThatIsNoStringCountsAsMissing) {
    const auto event = read_event(R"(EVENT_JSON:{"standard":{"a":1},"version":1,"event":"e"})");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->standard, "");
    EXPECT_EQ(event->version, "");
    EXPECT_EQ(event->event, "e");
}

TEST(Events, OtherLogsAndMalformedEventsAreNone) {
    for (const char* log :
         {"", "hello", "EVENT_JSON", "EVENT_JSON:", "EVENT_JSON:{", "EVENT_JSON:{}x", "EVENT_JSON:[{}]",
          "EVENT_JSON:1", " EVENT_JSON:{}", "event_json:{}", "EVENT_JSON:{\"event\":\"\\x\"}"})
        EXPECT_FALSE(read_event(log)) << log;
}

TEST(Events, WhatPostgresqlCannotTakeApartIsReadAsItsPicture) {
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"event":"e","data":{"a":"\u0000"}})")->data, R"({"a":"\u2400"})");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"event":"e","data":{"a":"\ud800"}})")->data, R"({"a":"\ufffd"})");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"event":"e","data":{"a":"\ud83d\ude00"}})")->data,
              R"({"a":"\ud83d\ude00"})");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"event":"e\u0000","data":{"a":"b"}})")->data, R"({"a":"b"})");
    EXPECT_EQ(read_event(R"(EVENT_JSON:{"event":"\u0000\ud800"})")->event, "\u2400\ufffd");
}

TEST(Events, LongNamesAreCutBetweenCharacters) {
    const std::string name = "x" + std::string(300, 'y');
    EXPECT_EQ(read_event("EVENT_JSON:{\"event\":\"" + name + "\"}")->event, name.substr(0, 256));
    std::string turtles;
    for (int i = 0; i < 100; ++i) turtles += "\xf0\x9f\x90\xa2";
    EXPECT_EQ(read_event("EVENT_JSON:{\"event\":\"xy" + turtles + "\"}")->event,
              "xy" + turtles.substr(0, 252));
}

TEST(Events, LogsOfAnyLengthAreRead) {
    for (std::size_t length = 0; length < 20000; length += 997) {
        const std::string value(length, 'v');
        const auto event = read_event("EVENT_JSON:{\"event\":\"e\",\"data\":\"" + value + "\"}");
        ASSERT_TRUE(event);
        EXPECT_EQ(event->data, "\"" + value + "\"");
    }
}

}  // namespace
}  // namespace receiptd::chain
