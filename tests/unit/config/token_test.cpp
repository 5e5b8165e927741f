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

TEST(ConfigToken, OfReadersIsAnotherOne) {
    const auto loaded = load_token("read_token_env = \"TOKEN\"\nopen_metrics = true\n");
    EXPECT_THAT(token_problems(loaded), IsEmpty());
    EXPECT_TRUE(loaded.settings.http.token.empty());
    EXPECT_EQ(loaded.settings.http.read_token.reveal(), "0123456789abcdef");
    EXPECT_TRUE(loaded.settings.http.metrics_are_open);
    EXPECT_THAT(token_problems(load_token("read_token_env = \"TOKEN\"\n", "short")),
                ElementsAre(HasSubstr("http.read_token_env: the token needs 16 visible")));
}

TEST(ConfigHttp, ListensAtAPathToo) {
    const auto loaded = load_token("listen = \"unix:/run/receiptd/http.sock\"\nsocket_mode = \"0600\"\n");
    EXPECT_THAT(token_problems(loaded), IsEmpty());
    EXPECT_EQ(loaded.settings.http.listen, "unix:/run/receiptd/http.sock");
    EXPECT_EQ(loaded.settings.http.socket_mode, 0600U);
    EXPECT_EQ(load_token("").settings.http.socket_mode, 0660U);
    EXPECT_THAT(token_problems(load_token("listen = \"unix:http.sock\"\n")),
                ElementsAre(HasSubstr("must be an absolute path behind unix:")));
    EXPECT_THAT(token_problems(load_token("listen = \"unix:/" + std::string(107, 'x') + "\"\n")),
                ElementsAre(HasSubstr("more than 107 bytes")));
    for (const char* mode : {"\"\"", "\"rw\"", "\"0999\"", "\"01777\"", "432"})
        EXPECT_EQ(token_problems(load_token("socket_mode = " + std::string(mode) + "\n")).size(), 1U) << mode;
}

TEST(ConfigHttp, HasNamesOfItsOwn) {
    const auto loaded = load_token("allowed_hosts = [\"receiptd\", \"receiptd.example.org\"]\n");
    EXPECT_THAT(token_problems(loaded), IsEmpty());
    EXPECT_THAT(loaded.settings.http.allowed_hosts, ElementsAre("receiptd", "receiptd.example.org"));
    for (const char* name : {"", "Receiptd", "receiptd:9464", "receiptd.", "*", "http://receiptd"})
        EXPECT_THAT(token_problems(load_token("allowed_hosts = [\"" + std::string(name) + "\"]\n")),
                    ElementsAre(HasSubstr("http.allowed_hosts holds a bad host: ")))
            << name;
}

}  // namespace
}  // namespace receiptd::config
