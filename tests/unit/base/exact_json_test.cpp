#include "base/exact_json.hpp"
#include "base/json_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::base {
namespace {

using testing::ElementsAre;

std::string again(std::string_view text) {
    const auto json = read_json(text);
    return json.is_discarded() ? "no JSON" : write_json(json);
}

TEST(ExactJson, KeepsEveryNumberAsItWasWritten) {
    for (const char* text :
         {"0", "-0", "-0.0", "5", "-5", "1.0", "1.10", "0.1", "1e2", "1E+2", "1e400", "-1e-400",
          "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809",
          "340282366920938463463374607431768211455", "0.30000000000000004441", "12345678901234567890.5"})
        EXPECT_EQ(again(text), text);
    const std::string many = R"({"b":[1e400,{"a":-0,"c":[]}],"a":{},"s":"1e400, \"2.50\" and \\"})";
    EXPECT_EQ(again(many), many);
    EXPECT_EQ(again("[" + std::string(5'000, '9') + "]"), "[" + std::string(5'000, '9') + "]");
}

TEST(ExactJson, GivesNumbersOfItsTypesAsSuch) {
    EXPECT_EQ(read_json("18446744073709551615").get<std::uint64_t>(), 18446744073709551615u);
    EXPECT_EQ(read_json("-7").get<int>(), -7);
    EXPECT_EQ(read_json("45.5").get<double>(), 45.5);
    EXPECT_EQ(number_in(read_json("45.50")), 45.5);
    EXPECT_EQ(number_in(read_json("340282366920938463463374607431768211455")),
              340282366920938463463374607431768211455.0);
    EXPECT_EQ(number_in(read_json(R"("45")")), std::nullopt);
}

TEST(ExactJson, WritesLinesAsTheLibraryDoes) {
    const auto plain = read_json(R"({"a":[1,{"b":null}],"c":{},"d":[],"e":"\u00e4"})");
    auto exact = plain;
    exact["a"][0] = read_json("1e400");
    auto lines = plain.dump(2);
    lines.replace(lines.find("1,"), 2, "1e400,");
    EXPECT_EQ(write_json(exact, 2), lines);
    EXPECT_EQ(write_json(plain, 2), plain.dump(2));
    EXPECT_EQ(write_json(nlohmann::json(exact)), R"({"a":[1e400,{"b":null}],"c":{},"d":[],"e":"ä"})");
}

TEST(ExactJson, TakesHalfASurrogatePairForAnUnknownCharacter) {
    EXPECT_EQ(again(R"("\ud800 \udc00\ud83d\ude00 \ud83dx \\ud800")"),
              "\"\uFFFD \uFFFD\U0001F600 \uFFFDx \\\\ud800\"");
}

TEST(ExactJson, RefusesWhatIsNoJson) {
    for (const std::string text :
         {"",          "01",  "1.",   ".5",       "+1",   "-",        "1e",   "1e+",
          "1.2.3",     "1 2", "nul1", "true1",    "NaN",  "Infinity", "[1,]", "{\"a\":1",
          "\"\\u00\"", "\"a", "\"\\", "\"\xff\"", "0x10", "1_0",      "--1"})
        EXPECT_EQ(again(text), "no JSON") << text;
}

TEST(JsonNumbers, StandAsideInTheirOrder) {
    const auto apart = without_numbers(R"({"a":-1.50,"9":["2",3]})");
    EXPECT_EQ(apart.json, R"({"a":0,"9":["2",1]})");
    EXPECT_THAT(apart.numbers, ElementsAre("-1.50", "3"));
}

}  // namespace
}  // namespace receiptd::base
