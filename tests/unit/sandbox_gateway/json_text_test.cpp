#include "sandbox/gateway/json_text.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace receiptd::sandbox::json_text {
namespace {

constexpr std::string_view kText =
    R"( { "a" : [1, {"x":"]}"} , "\"," ] ,"b":null,"c":{"d": -1.5e3 }, "e":"" } )";

TEST(JsonText, FindsMembersAndElementsWhateverStandsInStrings) {
    EXPECT_EQ(members(kText).size(), 4u);
    const auto array = elements(require(kText, "a"));
    ASSERT_EQ(array.size(), 3u);
    EXPECT_EQ(string_body(require(array[1], "x")), "]}");
    EXPECT_EQ(string_body(array[2]), "\\\",");
    EXPECT_TRUE(is_null(require(kText, "b")));
    EXPECT_EQ(require(require(kText, "c"), "d"), "-1.5e3");
    EXPECT_TRUE(elements("[ ]").empty());
    EXPECT_TRUE(members("{}").empty());
}

TEST(JsonText, NamesWhatIsMissing) {
    EXPECT_EQ(member(kText, "z"), std::nullopt);
    try {
        require(kText, "z");
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("`z`"), std::string::npos);
    }
}

TEST(JsonText, RefusesBrokenTextInsteadOfReadingOn) {
    for (const auto* text :
         {"", "{", "{\"a", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{1:2}", "{\"a\":[1}"})
        EXPECT_THROW(members(text), std::invalid_argument) << text;
    for (const auto* text : {"", "[", "[1", "[1 2]", "[,]", "{}"})
        EXPECT_THROW(elements(text), std::invalid_argument) << text;
}

TEST(JsonText, VisitsEveryString) {
    std::string all;
    for_each_string(R"({"k":["v",{"n":"w\"x"}],"y":1})",
                    [&](std::string_view body) { all.append(body) += '|'; });
    EXPECT_EQ(all, "k|v|n|w\\\"x|y|");
}

TEST(JsonText, ReadsWholeNumbersOnly) {
    EXPECT_EQ(number("18446744073709551615"), 18446744073709551615ull);
    for (const auto* text : {"-1", "1.5", "\"1\"", "", "18446744073709551616"})
        EXPECT_EQ(number(text), std::nullopt);
}

TEST(JsonText, CountsNestingOutsideOfStrings) {
    EXPECT_FALSE(is_too_deep(std::string(127, '[') + std::string(127, ']')));
    EXPECT_TRUE(is_too_deep(std::string(128, '[')));
    EXPECT_TRUE(is_too_deep(std::string(9'000'000, '{')));
    EXPECT_FALSE(is_too_deep("\"" + std::string(500, '[') + "\\\"" + std::string(500, '{') + "\""));
    EXPECT_FALSE(is_too_deep("]]]]" + std::string(127, '[')));
}

}  // namespace
}  // namespace receiptd::sandbox::json_text
