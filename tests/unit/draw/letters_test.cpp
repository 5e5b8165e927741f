#include "draw/letters.hpp"

#include "draw/unicode.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace receiptd::draw {
namespace {

constexpr Font kFont{Face::sans, 10};

TEST(Letters, FitWhereTheyAreCut) {
    EXPECT_EQ(cut("short", 100, kFont), "short");
    EXPECT_EQ(cut("a long text that does not fit", 60, kFont), "a long te…");
    EXPECT_EQ(cut_middle("0123456789abcdef", 60, kFont), "012…cdef");
    EXPECT_EQ(cut("anything", 3, kFont), "");
}

TEST(Letters, AreBrokenBetweenWords) {
    const auto lines = wrapped("one two three four five six seven", 60, kFont, 9);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0], "one two");
    EXPECT_EQ(lines[1], "three four");
    EXPECT_EQ(wrapped("one two three four", 60, kFont, 1).front(), "one two t…");
    EXPECT_TRUE(wrapped("   ", 60, kFont, 3).empty());
}

TEST(Letters, OfAnyTextFitTheirRoom) {
    std::mt19937 random(11);
    for (int round = 0; round < 2'000; ++round) {
        std::string text;
        for (auto length = random() % 80; length > 0; --length)
            random() % 3 == 0 ? append(text, static_cast<char32_t>(random() % 0x20000))
                              : append(text, static_cast<char32_t>(' ' + random() % 95));
        const double room = static_cast<double>(random() % 200);
        for (const auto face : {Face::sans, Face::bold, Face::mono}) {
            const Font font{face, 11};
            EXPECT_LE(width_of(cut(text, room, font), font), room);
            EXPECT_LE(width_of(cut_middle(text, room, font), font), room);
            const auto lines = wrapped(text, room, font, 3);
            EXPECT_LE(lines.size(), 3u);
            for (const auto& line : lines) EXPECT_LE(width_of(line, font), room) << line;
        }
    }
}

TEST(Unicode, ReplacesWhatIsNoUtf8OneByteAtATime) {
    EXPECT_EQ(drawable("a\xff\xfe"
                       "b"),
              "a\xef\xbf\xbd\xef\xbf\xbd"
              "b");
    EXPECT_EQ(drawable("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd") << "a NUL in too many bytes";
    EXPECT_EQ(drawable("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "half of a pair";
    EXPECT_EQ(drawable("é漢字→"), "é漢字→");
}

TEST(Unicode, EscapesTheSignsOfXml) {
    EXPECT_EQ(escaped("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
    EXPECT_EQ(escaped(std::string_view("x\0y\nz", 5)), "x\xef\xbf\xbdy&#10;z");
    for (const char* hidden :
         {"\u2800", "\u3164", "\u115f", "\u034f", "\uffa0", "\u180b", "\u202e", "\ue000", "\ufffe"})
        EXPECT_EQ(escaped(hidden), "\xef\xbf\xbd") << hidden;
    EXPECT_EQ(escaped("a\r\tb"), "a\xef\xbf\xbd b");
}

}  // namespace
}  // namespace receiptd::draw
