#include "config/depth.hpp"
#include "config/load_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::config {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string times(std::size_t count, const std::string& piece) {
    std::string text;
    for (; count > 0; --count) text += piece;
    return text;
}

// A key of so many parts.
std::string key(std::size_t parts, const std::string& part = "a", const std::string& dot = ".") {
    return times(parts - 1, part + dot) + part;
}

TEST(DepthOfToml, AKeyHasAtMost32Parts) {
    for (const std::string part : {"a", "\"a\"", "'='", "\"\\\".\""})
        for (const std::string dot : {".", " . ", "\t."}) {
            EXPECT_FALSE(too_deep(key(32, part, dot) + " = 1")) << part;
            EXPECT_TRUE(too_deep(key(33, part, dot) + " = 1")) << part;
        }
}

TEST(DepthOfToml, CountsKeysOfHeadersAndOfInlineTables) {
    EXPECT_TRUE(too_deep("[" + key(33) + "]"));
    EXPECT_TRUE(too_deep("[[" + key(33) + "]]"));
    EXPECT_TRUE(too_deep("[a]\nb = 1\nc = { d = 1, " + key(33) + " = 1 }"));
    EXPECT_FALSE(too_deep("[" + key(32) + "]\n" + times(50, key(32) + " = { " + key(32) + " = 1.5 }\n")));
}

TEST(DepthOfToml, ListsAndTablesGo32LevelsDown) {
    EXPECT_FALSE(too_deep("a = " + times(32, "[") + times(32, "]")));
    EXPECT_TRUE(too_deep("a = " + times(33, "[\n") + times(33, "]")));
    EXPECT_TRUE(too_deep("a = " + times(17, "[{a=")));
    EXPECT_FALSE(too_deep(times(100, "[a]\nb = [{ c = [1] }]\n")));
}

TEST(DepthOfToml, TextsAndCommentsMayHaveAnyDots) {
    const auto dots = times(100, "a.[");
    EXPECT_FALSE(too_deep("a = \"" + dots + "\" # " + dots));
    EXPECT_FALSE(too_deep("a = '" + dots + "'"));
    EXPECT_FALSE(too_deep("a = \"\"\"\n" + dots + "\\\"\"\"" + dots + "\n\"\"\""));
    EXPECT_FALSE(too_deep("a = '''\n" + dots + "\n'''"));
}

// A string that ended at another place than toml++ has it would hide a key.
TEST(DepthOfToml, KnowsWhereATextEnds) {
    const auto behind = "\n" + key(33) + " = 1";
    for (const std::string text :
         {R"("")", R"("\\")", R"("""""")", R"("""a"""")", R"("""a""""")", R"("""\"""")", R"("a\""")", "''",
          "'\\'", "''''''", "'''a''''", "'''a\\'''", "'''\"'''", "'\"'", "\"'\""})
        EXPECT_TRUE(too_deep("a = " + text + behind)) << text;
}

TEST(DepthOfToml, IsSaidWithItsPlace) {
    const auto loaded = load_rules_text("[[rule]]\n  " + key(100'000) + " = 1\n", "draft");
    ASSERT_THAT(loaded.problems, SizeIs(1));
    EXPECT_THAT(loaded.problems[0].to_string(), HasSubstr("draft:2:66: is nested too deep"));
    for (const auto& text :
         {"[[" + key(100'000) + "]]", "[" + key(100'000) + "]", "a = {" + key(100'000) + "=1}"})
        EXPECT_THAT(load_rules_text(text, "draft").problems, SizeIs(1));
}

}  // namespace
}  // namespace receiptd::config
