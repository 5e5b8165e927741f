#include "watch/metadata.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

std::string fault_of(const std::string& json) {
    const auto read = read_metadata(json);
    return read ? "" : read.error().text;
}

TEST(Metadata, IsASmallObject) {
    EXPECT_EQ(*read_metadata(R"({ "order": 7, "note": "für Bob", "items": [1.5, null, {}] })"),
              R"({"items":[1.5,null,{}],"note":"für Bob","order":7})");
    EXPECT_EQ(*read_metadata("{}"), "{}");
    for (const char* json : {"", "7", "[]", "null", "{", "{} {}", R"({"a":1e999})", "{\"a\":\"\xff\"}"})
        EXPECT_EQ(fault_of(json), "must be a JSON object") << json;
}

TEST(Metadata, IsBounded) {
    const auto of_length = [](std::size_t bytes) {
        return R"({"a":")" + std::string(bytes - 8, 'x') + "\"}";
    };
    EXPECT_EQ(read_metadata(of_length(4'096))->size(), 4'096U);
    EXPECT_EQ(fault_of(of_length(4'097)), "must have at most 4096 bytes");
    EXPECT_EQ(fault_of(of_length(1 << 20)), "must have at most 4096 bytes");
    const auto deep = [](std::size_t levels) {
        return R"({"a":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    };
    EXPECT_EQ(fault_of(deep(32)), "");
    EXPECT_EQ(fault_of(deep(33)), "must not be deeper than 32 levels");
    EXPECT_EQ(fault_of(deep(2'000)), "must not be deeper than 32 levels");
    EXPECT_EQ(fault_of(R"({"a":)" + std::string(16'000, '[')), "must be a JSON object");
}

TEST(Metadata, IsKeptAsItIsOrRefused) {
    EXPECT_EQ(*read_metadata(R"({"n":18446744073709551615})"), R"({"n":18446744073709551615})");
    EXPECT_EQ(fault_of(R"({"n":18446744073709551616})"),
              "holds a number that is too large to stay exact: write it as a string");
    EXPECT_EQ(fault_of(R"({"a":["\u0000"]})"), "must not hold a NUL character");
    EXPECT_EQ(fault_of(R"({"\u0000":1})"), "must not hold a NUL character");
}

TEST(Metadata, OfATransactionIsOne) {
    EXPECT_TRUE(may_have_metadata("", R"({"a":1})"));
    EXPECT_TRUE(may_have_metadata(R"({"a":1})", ""));
    EXPECT_TRUE(may_have_metadata(R"({ "a" : 1 })", R"({"a":1})"));
    EXPECT_FALSE(may_have_metadata(R"({"a":1})", "{}"));
}

}  // namespace
}  // namespace receiptd::watch
