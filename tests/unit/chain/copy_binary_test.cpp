#include "chain/rows/copy_binary.hpp"

#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace receiptd::chain {
namespace {

using test::Cell;
using testing::read_array;

// One field, read back as a cell of the column's type.
template <class Write>
Cell field(const char* column, Write write) {
    std::string out;
    CopyWriter row(out);
    write(row);
    row.end_row();
    return test::read_copy(out, {column}).at(0).at(0);
}

Cell stored(const std::string& text) {
    return field("text", [&](CopyWriter& row) { row.text(text); });
}
std::vector<std::string> stored(const std::vector<Text>& texts) {
    return read_array(field("logs", [&](CopyWriter& row) { row.texts(texts); }));
}
Cell stored(u128 amount) {
    return field("deposit", [&](CopyWriter& row) { row.numeric(amount); });
}
Cell stored_time(std::uint64_t nanoseconds) {
    return field("block_time", [&](CopyWriter& row) { row.time(RowTime(nanoseconds)); });
}

TEST(CopyBinary, KeepsEveryCharacterOfAText) {
    for (const std::string text : {"a\tb\nc\rd\\e", "\\N", "\\.", "", "\x01\x02\b\f\x0e\x1f\x7f",
                                   "żółw \xf0\x9f\x90\xa2", "\xff\xff\xff\xff"}) {
        EXPECT_EQ(stored(text), text);
        EXPECT_EQ(stored({Text(text), Text()}), (std::vector<std::string>{text, ""}));
    }
}

TEST(CopyBinary, ShowsNulAsItsSymbol) {
    const std::string text("a\0b\0\0", 5);
    EXPECT_EQ(stored(text), "a\u2400b\u2400\u2400");
    EXPECT_EQ(stored({Text(text)}).at(0), "a\u2400b\u2400\u2400");
    EXPECT_EQ(field("text",
                    [&](CopyWriter& row) {
                        row.begin_pieces();
                        row.piece(text);
                        row.piece("c");
                        row.end_pieces();
                    }),
              "a\u2400b\u2400\u2400c");
}

TEST(CopyBinary, RandomTextsComeBackFromFieldsAndArrays) {
    std::mt19937 random(7);
    const std::string alphabet = "abc\\\\\"\"\t\n\r{},NULL \x01\x0f\xc3\xa9";
    for (int round = 0; round < 500; ++round) {
        std::string text(random() % 60, ' ');
        for (auto& c : text) c = alphabet[random() % alphabet.size()];
        if (round % 100 == 0) text.append(5000 + random() % 5000, '\\');
        EXPECT_EQ(stored(text), text);
        EXPECT_EQ(stored({Text(text), Text(), Text(text)}), (std::vector<std::string>{text, "", text}));
    }
}

TEST(CopyBinary, RowsAndTheirFieldsAreCounted) {
    std::string out;
    for (const bool more : {true, false}) {
        CopyWriter row(out);
        row.text("a");
        row.null();
        row.boolean(more);
        row.integer(7);
        row.data_ids(std::vector<DataReceiver>{{"d1", "x.near"}, {"d2", "y.near"}});
        row.end_row();
    }
    const auto lines = test::read_copy(out, {"text", "text", "missing", "index", "output_data_ids"});
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], (test::Line{"a", std::nullopt, "t", "7", "{\"d1\",\"d2\"}"}));
    EXPECT_EQ(lines[1], (test::Line{"a", std::nullopt, "f", "7", "{\"d1\",\"d2\"}"}));
}

TEST(CopyBinary, AnEmptyArrayAndAnEmptyOptionalTextAreNull) {
    EXPECT_EQ(field("logs", [](CopyWriter& row) { row.texts({}); }), std::nullopt);
    EXPECT_EQ(field("output_data_ids", [](CopyWriter& row) { row.data_ids({}); }), std::nullopt);
    EXPECT_EQ(field("text", [](CopyWriter& row) { row.text_or_null(""); }), std::nullopt);
    EXPECT_EQ(field("block_height", [](CopyWriter& row) { row.bigint_or_null(std::nullopt); }), std::nullopt);
    EXPECT_EQ(field("index", [](CopyWriter& row) { row.integer_or_null(std::nullopt); }), std::nullopt);
}

TEST(CopyBinary, AmountsAreExact) {
    for (const std::string amount :
         {"0", "9999", "10000", "100000000", "18446744073709551615", "18446744073709551616",
          "99999999999999999999999999999999999999", "100000000000000000000000000000000000000",
          "100000000000000000000000000000000000001", "199999999999999999999999999999999999999",
          "340282366920938463463374607431768211455"})
        EXPECT_EQ(stored(*base::parse_u128(amount)), amount);
    u128 value = 1;
    for (int i = 0; i < 128; ++i, value <<= 1) EXPECT_EQ(stored(value), base::to_string(value));
    value = 1;
    for (int i = 0; i < 39; ++i, value *= 10) EXPECT_EQ(stored(value), base::to_string(value));
}

TEST(CopyBinary, NumbersStayInTheirColumnsRange) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(field("block_height", [](CopyWriter& row) { row.bigint(76538229); }), "76538229");
    EXPECT_EQ(field("block_height", [](CopyWriter& row) { row.bigint(kMost); }), "9223372036854775807");
    EXPECT_EQ(field("index", [](CopyWriter& row) { row.integer(kMost); }), "2147483647");
}

TEST(CopyBinary, TimesAreUtcCutToMicroseconds) {
    EXPECT_EQ(stored_time(0), "1970-01-01 00:00:00.000000+00");
    EXPECT_EQ(stored_time(1595350551591948299), "2020-07-21 16:55:51.591948+00");
    EXPECT_EQ(stored_time(1582934400000000999), "2020-02-29 00:00:00.000000+00");
    EXPECT_EQ(stored_time(1709251199999999999), "2024-02-29 23:59:59.999999+00");
    EXPECT_EQ(stored_time(4107542400000000000), "2100-03-01 00:00:00.000000+00");
    EXPECT_EQ(stored_time(std::numeric_limits<std::uint64_t>::max()), "2554-07-21 23:34:33.709551+00");
}

TEST(CopyReader, WalksOverRowsAndStopsAtWhatIsNone) {
    std::string rows;
    CopyWriter row(rows);
    row.bigint(7);
    row.null();
    row.end_row();
    CopyReader reader(rows);
    ASSERT_TRUE(reader.next_row());
    EXPECT_EQ(reader.fields(), 2u);
    EXPECT_EQ(big_endian<std::int64_t>(reader.field().value()), 7);
    EXPECT_FALSE(reader.field());
    EXPECT_FALSE(reader.next_row());
    EXPECT_TRUE(reader.rest().empty());

    CopyReader broken(std::string_view(rows).substr(0, 1));
    EXPECT_FALSE(broken.next_row());
    EXPECT_FALSE(broken.rest().empty());
}

}  // namespace
}  // namespace receiptd::chain
