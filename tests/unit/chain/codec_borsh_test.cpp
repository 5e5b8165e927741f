#include "chain/wire/borsh.hpp"
#include "chain/wire/hex.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace receiptd::chain {
namespace {

std::string first_error(ByteView input, void (*read)(Reader&)) {
    Reader reader(input);
    read(reader);
    return reader.ok() ? "" : reader.error().to_string();
}

TEST(BorshReader, ReadsWhatTheWriterWrote) {
    Writer writer;
    writer.u8(1);
    writer.u16(0x0203);
    writer.u32(0x04050607);
    writer.u64(std::numeric_limits<std::uint64_t>::max());
    writer.u128(~base::u128{0} - 1);
    writer.boolean(true);
    writer.hash(sha256({}));
    writer.bytes(Bytes{9, 8});
    writer.string("żółw");
    writer.option(false);
    const Bytes bytes = writer.take();
    EXPECT_EQ(hex_encode(ByteView(bytes).first(7)), "01030207060504");

    Reader reader(bytes);
    EXPECT_EQ(reader.u8(""), 1);
    EXPECT_EQ(reader.u16(""), 0x0203);
    EXPECT_EQ(reader.u32(""), 0x04050607u);
    EXPECT_EQ(reader.u64(""), std::numeric_limits<std::uint64_t>::max());
    EXPECT_TRUE(reader.u128("") == ~base::u128{0} - 1);
    EXPECT_TRUE(reader.boolean(""));
    EXPECT_EQ(reader.hash(""), sha256({}));
    EXPECT_EQ(reader.bytes(""), (Bytes{9, 8}));
    EXPECT_EQ(reader.string(""), "żółw");
    EXPECT_FALSE(reader.option(""));
    reader.expect_end();
    EXPECT_TRUE(reader.ok());
}

TEST(BorshReader, NamesThePlaceOfTheFirstError) {
    Bytes input(10);
    Reader reader(input);
    reader.u32("a");
    {
        const Reader::Scope list(reader, "list", 3);
        const Reader::Scope item(reader, "item");
        reader.u64("value");
        EXPECT_EQ(reader.u8("later"), 0);
    }
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.error().to_string(), "list[3].item.value: needs 8 bytes, 6 left (at byte 4)");
}

TEST(BorshReader, RefusesWhatIsNotCanonical) {
    EXPECT_EQ(first_error(Bytes{2}, [](Reader& r) { r.boolean("flag"); }), "flag: bool is 2 (at byte 0)");
    EXPECT_EQ(first_error(Bytes{7}, [](Reader& r) { r.option("tag"); }), "tag: option tag is 7 (at byte 0)");
    EXPECT_EQ(first_error(Bytes{4}, [](Reader& r) { r.variant("kind", 4); }),
              "kind: unknown variant 4 (at byte 0)");
    EXPECT_EQ(first_error(Bytes{1, 0, 0, 0, 0xff}, [](Reader& r) { r.string("name"); }),
              "name: invalid UTF-8 (at byte 4)");
    EXPECT_EQ(first_error(Bytes{1, 2, 3}, [](Reader& r) { r.u8("a"), r.expect_end(); }),
              "2 trailing bytes (at byte 1)");
}

TEST(BorshReader, RefusesSurrogatesAndOverlongFormsInStrings) {
    for (const Bytes& text :
         {Bytes{0xed, 0xa0, 0x80}, Bytes{0xc0, 0x80}, Bytes{0xf4, 0x90, 0x80, 0x80}, Bytes{0xe2, 0x82}}) {
        Writer writer;
        writer.bytes(text);
        EXPECT_NE(first_error(writer.result(), [](Reader& r) { r.string("s"); }), "");
    }
}

TEST(BorshReader, RefusesAbsurdLengthsBeforeAllocating) {
    const Bytes input{0xff, 0xff, 0xff, 0xff, 1, 2, 3};
    EXPECT_EQ(first_error(input, [](Reader& r) { r.bytes("code"); }),
              "code: length 4294967295, but 3 bytes left (at byte 0)");
    EXPECT_NE(first_error(Bytes{2, 0, 0, 0, 1, 2, 3, 4, 5}, [](Reader& r) { r.count("names", 4); }), "");
    EXPECT_EQ(first_error(Bytes{2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, [](Reader& r) { r.count("names", 4); }),
              "");
}

TEST(BorshReader, FinishGivesTheValueOrTheError) {
    const Bytes input{5, 6};
    Reader half(input);
    EXPECT_FALSE(half.finish(int{half.u8("a")}).has_value());
    Reader whole(input);
    whole.u8("a");
    const auto result = whole.finish(int{whole.u8("b")});
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(*result, 6);
}

}  // namespace
}  // namespace receiptd::chain
