#include "chain/copy_text.hpp"

#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace receiptd::chain {
namespace {

using testing::Cell;
using testing::read_array;
using testing::read_copy;

template <class Write>
std::string field(Write write) {
    std::string out;
    CopyWriter row(out);
    write(row);
    row.end_row();
    return out;
}

Cell stored(const std::string& text) {
    return read_copy(field([&](CopyWriter& row) { row.text(text); })).at(0).at(0);
}

TEST(CopyText, KeepsEveryCharacterOfAText) {
    EXPECT_EQ(stored("a\tb\nc\rd\\e"), "a\tb\nc\rd\\e");
    EXPECT_EQ(stored("\\N"), "\\N");
    EXPECT_EQ(stored("\\."), "\\.");
    EXPECT_EQ(stored(""), "");
    EXPECT_EQ(stored("\x01\x02\b\f\x0e\x1f\x7f"), "\x01\x02\b\f\x0e\x1f\x7f");
    EXPECT_EQ(stored("żółw \xf0\x9f\x90\xa2"), "żółw \xf0\x9f\x90\xa2");
}

TEST(CopyText, ShowsNulAsItsSymbol) { EXPECT_EQ(stored(std::string("a\0b", 3)), "a\u2400b"); }

TEST(CopyText, EscapesWhereverInAWordTheCharacterStands) {
    for (std::size_t length = 0; length < 20; ++length)
        for (std::size_t at = 0; at < length; ++at)
            for (const char special : {'\t', '\n', '\r', '\\', '"', '{', ','}) {
                std::string text(length, 'x');
                text[at] = special;
                EXPECT_EQ(stored(text), text);
            }
}

TEST(CopyText, RandomTextsComeBackFromFieldsAndArrays) {
    std::mt19937 random(7);
    const std::string alphabet = "abc\\\\\"\"\t\n\r{},NULL \x01\x0f\xc3\xa9";
    for (int round = 0; round < 2000; ++round) {
        std::string text(random() % 60, ' ');
        for (auto& c : text) c = alphabet[random() % alphabet.size()];
        if (round % 100 == 0) text.append(5000 + random() % 5000, '\\');
        EXPECT_EQ(stored(text), text);
        const std::vector<Text> elements{text, "", text};
        const auto lines = read_copy(field([&](CopyWriter& row) { row.texts(elements); }));
        EXPECT_EQ(read_array(lines.at(0).at(0)), std::vector<std::string>(elements.begin(), elements.end()));
    }
}

TEST(CopyText, AnEmptyArrayAndAnEmptyOptionalTextAreNull) {
    EXPECT_EQ(field([](CopyWriter& row) { row.texts({}); }), "\\N\n");
    EXPECT_EQ(field([](CopyWriter& row) { row.data_ids({}); }), "\\N\n");
    EXPECT_EQ(field([](CopyWriter& row) { row.text_or_null(""); }), "\\N\n");
    EXPECT_EQ(field([](CopyWriter& row) { row.bigint_or_null(std::nullopt); }), "\\N\n");
}

TEST(CopyText, WritesArraysAsPostgresqlReadsThem) {
    EXPECT_EQ(field([](CopyWriter& row) {
                  row.texts({"a", "b\"c", "d\\e"});
              }),
              "{\"a\",\"b\\\\\"c\",\"d\\\\\\\\e\"}\n");
    EXPECT_EQ(field([](CopyWriter& row) {
                  row.data_ids({{"d1", "x.near"}, {"d2", "y.near"}});
              }),
              "{\"d1\",\"d2\"}\n");
}

TEST(CopyText, AmountsAreExact) {
    const std::vector<std::string> amounts{"0",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "99999999999999999999999999999999999999",
                                           "100000000000000000000000000000000000000",
                                           "100000000000000000000000000000000000001",
                                           "199999999999999999999999999999999999999",
                                           "340282366920938463463374607431768211455"};
    for (const auto& amount : amounts)
        EXPECT_EQ(field([&](CopyWriter& row) { row.numeric(*base::parse_u128(amount)); }), amount + "\n");
    u128 value = 1;
    for (int i = 0; i < 128; ++i, value <<= 1)
        EXPECT_EQ(field([&](CopyWriter& row) { row.numeric(value); }), base::to_string(value) + "\n");
}

TEST(CopyText, NumbersStayInTheirColumnsRange) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(field([](CopyWriter& row) { row.bigint(76538229); }), "76538229\n");
    EXPECT_EQ(field([](CopyWriter& row) { row.bigint(kMost); }), "9223372036854775807\n");
    EXPECT_EQ(field([](CopyWriter& row) { row.integer(kMost); }), "2147483647\n");
}

TEST(CopyText, TimesAreUtcCutToMicroseconds) {
    EXPECT_EQ(TimestampText(0).view(), "1970-01-01 00:00:00.000000+00");
    EXPECT_EQ(TimestampText(1595350551591948299).view(), "2020-07-21 16:55:51.591948+00");
    EXPECT_EQ(TimestampText(1582934400000000999).view(), "2020-02-29 00:00:00.000000+00");
    EXPECT_EQ(TimestampText(1709251199999999999).view(), "2024-02-29 23:59:59.999999+00");
    EXPECT_EQ(TimestampText(4107542400000000000).view(), "2100-03-01 00:00:00.000000+00");
    EXPECT_EQ(TimestampText(std::numeric_limits<std::uint64_t>::max()).view(),
              "2554-07-21 23:34:33.709551+00");
}

}  // namespace
}  // namespace receiptd::chain
