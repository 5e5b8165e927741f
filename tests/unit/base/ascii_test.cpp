#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

TEST(Ascii, BlanksAtBothEndsAreTakenAway) {
    EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
    EXPECT_EQ(trimmed("a"), "a");
    EXPECT_EQ(trimmed(" \n "), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(Ascii, OnlyTheGivenBlanksAreTakenAway) {
    EXPECT_EQ(trimmed(" a\n", " "), "a\n");
    EXPECT_EQ(trimmed("\ta ", " "), "\ta");
}

TEST(Ascii, AMultibyteCharacterStaysWhole) {
    EXPECT_EQ(trimmed(" \u00e0 "), "\u00e0") << "its second byte is a blank of Latin-1";
    EXPECT_EQ(lowered("\u00c9A"), "\u00c9a");
}

TEST(Ascii, CapitalsBecomeSmallAndNothingElseChanges) {
    EXPECT_EQ(lowered("AZaz@[`{09"), "azaz@[`{09");
    EXPECT_EQ(lowered('Q'), 'q');
}

TEST(Ascii, CaseIsIgnoredWhereItIsTheOnlyDifference) {
    EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
    EXPECT_FALSE(equals_ignoring_case("a", "ab"));
    EXPECT_FALSE(equals_ignoring_case("@", "`")) << "they differ in the same bit as letters do";
}

TEST(Ascii, ATokenHasNoBlankAndNoSeparator) {
    EXPECT_TRUE(is_token("X-Near_1!#$%&'*+.^`|~"));
    for (const char* bad : {"", "a b", "a:b", "a\r", "a(", "a\"", "\u00e9"})
        EXPECT_FALSE(is_token(bad)) << bad;
}

TEST(Ascii, AFieldValueHoldsNoSecondHeader) {
    EXPECT_TRUE(is_field_value("a\tb \u00e9"));
    EXPECT_TRUE(is_field_value(""));
    for (const char* bad : {"a\rb", "a\nb", "a\x7f", "\x01"}) EXPECT_FALSE(is_field_value(bad)) << bad;
    EXPECT_FALSE(is_field_value(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace receiptd::base
