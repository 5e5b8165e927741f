#include "channel/text.hpp"

#include <gtest/gtest.h>

namespace receiptd::channel {
namespace {

std::string doubled(std::string_view character) { return std::string(character) + std::string(character); }

TEST(ChannelText, IsCutBetweenCharactersByUnitsOfUtf16) {
    EXPECT_EQ(fitted("abc", 3), "abc");
    EXPECT_EQ(fitted("abcd", 3), "ab…");
    EXPECT_EQ(fitted("äöü", 3), "äöü");
    EXPECT_EQ(fitted("🔥🔥", 4), "🔥🔥");
    EXPECT_EQ(fitted("🔥🔥", 3), "🔥…");
    EXPECT_EQ(fitted("🔥🔥", 2), "…");
    EXPECT_EQ(fitted("", 0), "");
    EXPECT_EQ(fitted("a", 0), "");
}

TEST(ChannelText, WhatEscapingAddsCounts) {
    EXPECT_EQ(fitted("abc", 6, doubled), "aabbcc");
    EXPECT_EQ(fitted("abc", 5, doubled), "aabb…") << "no escape is cut in two";
    EXPECT_EQ(fitted("abc", 4, doubled), "aa…");
}

TEST(ChannelText, CutTextsFillTheirRoom) {
    for (const std::string text : {"abcdefgh", "äöüäöüäö", "日本語日本語日本", "a🔥b🔥c🔥"})
        for (std::size_t most = 1; most < 12; ++most) {
            const auto cut = fitted(text, most);
            EXPECT_LE(units(cut), most) << text << " " << most;
            EXPECT_GE(units(cut) + 1, std::min(most, units(text))) << text << " " << most;
        }
}

TEST(ChannelText, UnitsAreThoseOfUtf16) {
    EXPECT_EQ(units(""), 0u);
    EXPECT_EQ(units("aä語"), 3u);
    EXPECT_EQ(units("🔥"), 2u);
}

TEST(ChannelText, AddressesAreBroken) {
    EXPECT_EQ(inert("see http://evil.example"), "see http:\u2060//evil.example");
    EXPECT_EQ(inert("HTTPS://a ftp://b"), "HTTPS:\u2060//a ftp:\u2060//b");
    EXPECT_EQ(inert("WwW.evil.example"), "WwW\u2060.evil.example");
    EXPECT_EQ(inert("mailto:a@b.example"), "mailto\u2060:a@b.example");
    EXPECT_EQ(inert("app.near: on_transfer"), "app.near: on_transfer") << "names can be copied";
}

}  // namespace
}  // namespace receiptd::channel
