#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Loaded load_token(const std::string& http, const std::string& value = "0123456789abcdef") {
    const std::string text =
        "[database]\nurl = \"host=/tmp\"\n[[upstream]]\nname = \"a\"\nurl = \"https://x\"\n[http]\n" + http;
    return load_text(text, "r.toml", [&](const std::string& name) -> std::optional<std::string> {
        if (name != "TOKEN") return std::nullopt;
        return value;
    });
}

std::vector<std::string> token_problems(const Loaded& loaded) {
    std::vector<std::string> lines;
    for (const auto& problem : loaded.problems) lines.push_back(problem.to_string());
    return lines;
}

TEST(ConfigToken, IsReadFromItsVariableAndNoneIsAllRight) {
    const auto with = load_token("token_env = \"TOKEN\"\n");
    EXPECT_THAT(token_problems(with), IsEmpty());
    EXPECT_EQ(with.settings.http.token.reveal(), "0123456789abcdef");
    const auto without = load_token("");
    EXPECT_THAT(token_problems(without), IsEmpty());
    EXPECT_TRUE(without.settings.http.token.empty());
}

TEST(ConfigToken, ThatCannotBeOneIsRefusedWithoutBeingShown) {
    for (const char* bad : {"too short", "short", "sixteen chars but spaces", "öööööööööööööööö"})
        EXPECT_THAT(token_problems(load_token("token_env = \"TOKEN\"\n", bad)),
                    ElementsAre("r.toml:7:13: http.token_env: the token needs 16 visible ASCII characters or "
                                "more, and no spaces"));
    EXPECT_THAT(token_problems(load_token("token_env = \"ABSENT\"\n")),
                ElementsAre("r.toml:7:13: http.token_env: environment variable ABSENT is not set"));
    EXPECT_THAT(token_problems(load_token("token_env = \"TOKEN\"\ntoken_file = \"/x\"\n")),
                ElementsAre(HasSubstr("http.token_file is contradicted by token_env")));
    EXPECT_THAT(token_problems(load_token("token = \"0123456789abcdef\"\n")),
                ElementsAre(HasSubstr("http.token is refused: a secret does not stand in this file")));
}

TEST(ConfigToken, ReloadTakesAnotherOneAndShowsNeither) {
    auto running = load_token("token_env = \"TOKEN\"\n").settings;
    auto after = running;
    after.http.token = base::Secret("another-long-token");
    const auto changes = reload(running, after);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].key, "http.token");
    EXPECT_EQ(changes[0].from + changes[0].to, "******");
    EXPECT_TRUE(changes[0].applied);
}

}  // namespace
}  // namespace receiptd::config
