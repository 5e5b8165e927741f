#include "base/line.hpp"

#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

TEST(Line, IsCutBetweenCharacters) {
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcdefgh", 6), "abc…");
    EXPECT_EQ(shortened("aäääää", 7), "aä…");
}

TEST(Line, HasNoLineEnds) { EXPECT_EQ(one_line(std::string_view("a\nb\0c\x7f", 6)), "a b c "); }

}  // namespace
}  // namespace receiptd::base
