#include "rule/json_document.hpp"
#include "rule/json_path.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace receiptd::rule {
namespace {

std::vector<std::string> texts_at(std::string_view json, std::string_view path) {
    const auto document = JsonDocument::parse(json);
    const auto steps = parse_path(path);
    std::vector<std::string> texts;
    if (!document || !steps) return {"refused"};
    any_at(*document, document->root(), *steps, [&](const JsonNode& value) {
        texts.push_back(value.text);
        return false;
    });
    return texts;
}

using Found = std::vector<std::string>;

TEST(JsonPaths, GoByNamesIndicesAndEachItem) {
    constexpr auto kJson = R"([{"amount":"1","msg":{"to":["a","b"]}},{"amount":"2"},{"other":"3"}])";
    EXPECT_EQ(texts_at(kJson, "[*].amount"), (Found{"1", "2"}));
    EXPECT_EQ(texts_at(kJson, "[0].msg.to[1]"), (Found{"b"}));
    EXPECT_EQ(texts_at(kJson, "[0].msg.to[*]"), (Found{"a", "b"}));
    EXPECT_EQ(texts_at(kJson, "[3].amount"), Found());
    EXPECT_EQ(texts_at(kJson, "amount"), Found());
    EXPECT_EQ(texts_at(kJson, "[0].amount[0]"), Found());
}

TEST(JsonPaths, ReachNamesOfAnyForm) {
    EXPECT_EQ(texts_at(R"({"a.b":{"c[0]":"1"}})", R"(["a.b"]["c[0]"])"), (Found{"1"}));
    EXPECT_EQ(texts_at(R"({"a":{"\"":"1"}})", R"(a["\""])"), (Found{"1"}));
    EXPECT_EQ(texts_at(R"({"":"1"})", R"([""])"), (Found{"1"}));
}

TEST(JsonPaths, OfAnotherFormAreRefused) {
    for (const char* bad : {"", ".", ".a", "a.", "a..b", "a[", "a[]", "a[-1]", "a[x]", "a[100000]", "a]b",
                            "[*]x", "a[\"b]", "a[\"b\\", "a\"b\""})
        EXPECT_FALSE(parse_path(bad)) << bad;
    EXPECT_FALSE(parse_path(std::string(257, 'a')));
    EXPECT_FALSE(parse_path("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"));
    EXPECT_TRUE(parse_path("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"));
}

TEST(Json, KeepsEveryDigit) {
    EXPECT_EQ(texts_at("[340282366920938463463374607431768211455, 1.10, -5, 1e400]", "[*]"),
              (Found{"340282366920938463463374607431768211455", "1.10", "-5", "1e400"}));
}

TEST(Json, OfTwoMembersWithOneNameTheLastCounts) {
    EXPECT_EQ(texts_at(R"({"a":"1","a":"2"})", "a"), (Found{"2"}));
}

TEST(Json, ThatNobodyCanReadIsRefused) {
    for (const std::string bad : {"", "{", "nul", "[1,]", "\"\xff\"", "01", "1.", "[1] 2"})
        EXPECT_FALSE(JsonDocument::parse(bad)) << bad;
    EXPECT_FALSE(JsonDocument::parse('"' + std::string(JsonDocument::kLongest, 'a') + '"'));
}

TEST(Json, MayBeAsDeepAsItsTextIsLong) {
    const auto depth = JsonDocument::kLongest / 2;
    EXPECT_TRUE(JsonDocument::parse(std::string(depth, '[') + std::string(depth, ']')));
}

}  // namespace
}  // namespace receiptd::rule
