#include "base/visible.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

TEST(Visible, NothingInATextIsHidden) {
    EXPECT_EQ(visible("Grüße, 日本語 🎉\n\tline"), "Grüße, 日本語 🎉\n\tline");
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(visible("👨\u200d👩\u200d👧, 1\u20e3, ❤\ufe0f, می\u200cخواهم"),
              "👨\u200d👩\u200d👧, 1\u20e3, ❤\ufe0f, می\u200cخواهم");
    EXPECT_EQ(visible("ali\u200dce.near"), "ali" + bad + "ce.near");
    EXPECT_EQ(visible("👨\u200d"), "👨" + bad);
    EXPECT_EQ(visible("a\u202Eb"), "a" + bad + "b") << "right to left";
    EXPECT_EQ(visible("a\u2066b\u200Bc\uFEFF"), "a" + bad + "b" + bad + "c" + bad);
    EXPECT_EQ(visible(std::string("a\0b\x1b[31m\x7f", 9)), "a" + bad + "b" + bad + "[31m" + bad);
    EXPECT_EQ(visible("\xff\xc0\xafx\xed\xa0\x80"), bad + bad + bad + "x" + bad + bad + bad)
        << "broken UTF-8";
    EXPECT_EQ(visible("cut \xe6\x97"), "cut " + bad + bad);
}

TEST(Visible, ANameOfLettersThatShowNothingIsSeen) {
    for (const char* blank : {"\u2800", "\u3164", "\u115F", "\u1160", "\uFFA0", "\u034F", "\uFE00", "\uFE0F",
                              "\u17B4", "\u180B", "\U000E0100"})
        EXPECT_EQ(visible(blank), "\xef\xbf\xbd") << blank;
}

TEST(Visible, KnowsTextFromOtherBytes) {
    EXPECT_TRUE(is_utf8("Grüße, 日本語 🎉"));
    for (const char* bytes : {"\xff", "\xc0\xaf", "a\xed\xa0\x80", "cut \xe6\x97"})
        EXPECT_FALSE(is_utf8(bytes));
}

}  // namespace
}  // namespace receiptd::base
