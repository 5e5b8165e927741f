#include "base/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::base {
namespace {

TEST(Glob, StarsAndQuestionMarksStandForTextAndForOneCharacter) {
    EXPECT_TRUE(matches_glob("*", ""));
    EXPECT_FALSE(matches_glob("", "anything"));
    EXPECT_TRUE(matches_glob("", ""));
    EXPECT_TRUE(matches_glob("*.near", "app.near"));
    EXPECT_FALSE(matches_glob("*.near", "near"));
    EXPECT_TRUE(matches_glob("a?c", "abc"));
    EXPECT_FALSE(matches_glob("a?c", "ac"));
    EXPECT_TRUE(matches_glob("ft_*_call", "ft_transfer_call"));
    EXPECT_FALSE(matches_glob("ft_*_call", "ft_transfer_calls"));
    EXPECT_TRUE(matches_glob("*a*b*", "xxaxxabxx"));
    EXPECT_FALSE(matches_glob("app", "app.near"));
    EXPECT_TRUE(matches_glob("app**", "app"));
}

TEST(Glob, ManyStarsTakeNoLongTime) {
    const std::string text(5'000, 'a');
    EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*a*a*a*b", text));
}

TEST(Glob, OneCharacterMayBeSeveralBytes) {
    EXPECT_TRUE(matches_glob("?", "\xC3\xA4"));
    EXPECT_TRUE(matches_glob("a?b",
                             "a\xF0\x9F\x98\x80"
                             "b"));
    EXPECT_FALSE(matches_glob("??", "\xC3\xA4"));
    EXPECT_TRUE(matches_glob("?", "\xBF"));  // no UTF-8 at all
    EXPECT_TRUE(matches_glob("*?", "\xC3\xA4"));
}

}  // namespace
}  // namespace receiptd::base
