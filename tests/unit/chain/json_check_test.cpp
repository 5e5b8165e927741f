#include "chain/json/json_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::chain {
namespace {

TEST(JsonCheck, AcceptsWhatPostgresqlAccepts) {
    for (const char* text :
         {"1", "-0", "0.5e-3", "1E+9", "\"\"", "true", "false", "null", "{}", "[]", " [ 1 , 2 ]\r\n\t",
          "{\"a\":{\"a\":[]}}", "{\"a\":1,\"a\":2}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
          "340282366920938463463374607431768211455", "1e999999", "\"\x7f żółw\"", "[[],{},[{}]]"})
        EXPECT_TRUE(check_json(text).valid) << text;
}

TEST(JsonCheck, RefusesTheRest) {
    for (const char* text : {"",
                             " ",
                             "01",
                             "-",
                             "1.",
                             ".5",
                             "1e",
                             "+1",
                             "1 2",
                             "nul",
                             "truex",
                             "\"",
                             "\"a",
                             "\"\\x\"",
                             "\"\\u12g4\"",
                             "\"\\u12",
                             "\"\\",
                             "\"\x01\"",
                             "\"\n\"",
                             "{",
                             "[",
                             "]",
                             "}",
                             "[1,]",
                             "{\"a\":1,}",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{1:2}",
                             "[1}",
                             "{\"a\":1]",
                             "[,1]",
                             "{,}",
                             "[1 2]",
                             "\xef\xbb\xbf{}",
                             "\"\xff\"",
                             "\"\xed\xa0\x80\"",
                             "NaN",
                             "Infinity",
                             "'a'",
                             "{a:1}",
                             "/**/1",
                             "[1]]",
                             ",",
                             ":",
                             "\"a\":1"})
        EXPECT_FALSE(check_json(text).valid) << text;
    EXPECT_FALSE(check_json(std::string("1\0", 2)).valid);
    EXPECT_FALSE(check_json(std::string("\"a\0b\"", 5)).valid);
    EXPECT_FALSE(check_json(std::string("\"\\\0\"", 4)).valid);
}

TEST(JsonCheck, DepthIsBounded) {
    EXPECT_TRUE(check_json(std::string(1024, '[') + std::string(1024, ']')).valid);
    EXPECT_FALSE(check_json(std::string(1025, '[') + std::string(1025, ']')).valid);
    EXPECT_FALSE(check_json(std::string(1000000, '[')).valid);
}

TEST(JsonCheck, TellsTextsThatPostgresqlKeepsButCannotSearch) {
    EXPECT_TRUE(check_json(R"("\u0001 \\u0000")").queryable());
    EXPECT_FALSE(check_json(R"("\\u0000")").nul_escape);
    EXPECT_TRUE(check_json(R"(["a\u0000"])").nul_escape);
    EXPECT_FALSE(check_json(R"(["a\u0000"])").queryable());
    const auto pair = check_json(R"("\ud83d\uDE00")");
    EXPECT_TRUE(pair.surrogate_escape && pair.queryable());
    for (const char* lone :
         {R"("\ud83d")", R"("\ude00")", R"("\ud83d\u0041")", R"("\ud83d\ud83d\ude00")", R"("\ud83dx")"}) {
        EXPECT_TRUE(check_json(lone).valid) << lone;
        EXPECT_FALSE(check_json(lone).queryable()) << lone;
    }
}

TEST(JsonCheck, TellsWhatPostgresqlCanSearchInstead) {
    const std::pair<const char*, const char*> cases[] = {
        {R"(["a\u0000b\u0000"])", R"(["a\u2400b\u2400"])"},     {R"({"\u0000":1})", R"({"\u2400":1})"},
        {R"("\\u0000 \\\u0000")", R"("\\u0000 \\\u2400")"},     {R"("\ud83d\uDE00")", R"("\ud83d\uDE00")"},
        {R"("\ud83d\ud83d\ude00")", R"("\ufffd\ud83d\ude00")"}, {R"("\ude00\ud83d")", R"("\ufffd\ufffd")"},
        {R"("\uDBFFx\uD800\n")", R"("\ufffdx\ufffd\n")"},
    };
    for (const auto& [text, searched] : cases) {
        EXPECT_EQ(queryable_json(text), searched);
        EXPECT_TRUE(check_json(searched).queryable()) << searched;
    }
}

}  // namespace
}  // namespace receiptd::chain
