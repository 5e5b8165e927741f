// [traces] and its headers.
#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Loaded load_traces(const std::string& keys) {
    const std::map<std::string, std::string> variables = {
        {"HEADERS", "Authorization: Bearer s3cret\nX-Scope: a"}, {"BAD", "no header, s3cret"}};
    return load_text(
        "[[upstream]]\nname = \"a\"\nkind = \"regular\"\nurl = \"http://127.0.0.1:1\"\n"
        "[database]\nurl_env = \"DATABASE\"\n[traces]\n" +
            keys,
        "r.toml", [variables](const std::string& name) -> std::optional<std::string> {
            if (name == "DATABASE") return "postgresql://localhost/receiptd";
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
}

std::vector<std::string> trace_problems(const std::string& keys) {
    std::vector<std::string> texts;
    for (const auto& problem : load_traces(keys).problems)
        if (problem.message.find("traces") != std::string::npos) texts.push_back(problem.to_string());
    return texts;
}

TEST(ConfigTraces, EveryKeyReachesItsField) {
    const auto loaded = load_traces(
        "otlp_url = \"https://tempo.example:4318\"\nheaders_env = \"HEADERS\"\nwatched = false\nfailed = "
        "false\n"
        "sample = 0.25\nmost_per_second = 7\nmost_services = 9\narguments = true\n");
    const auto& traces = loaded.settings.traces;
    EXPECT_TRUE(loaded.ok());
    EXPECT_EQ(traces.otlp_url, "https://tempo.example:4318");
    EXPECT_EQ(traces.headers.reveal(), "Authorization: Bearer s3cret\nX-Scope: a");
    EXPECT_FALSE(traces.watched || traces.failed);
    EXPECT_EQ(traces.sample, 0.25);
    EXPECT_EQ(traces.most_per_second, 7);
    EXPECT_EQ(traces.most_services, 9u);
    EXPECT_TRUE(traces.arguments);
}

TEST(ConfigTraces, WithoutAnAddressNothingLeaves) {
    const auto traces = load_traces("").settings.traces;
    EXPECT_TRUE(traces.otlp_url.empty());
    EXPECT_TRUE(traces.watched && traces.failed) << "with one, these do";
    EXPECT_FALSE(traces.arguments);
}

TEST(ConfigTraces, HeadersAreCheckedAndNeverShown) {
    EXPECT_THAT(trace_problems("headers_env = \"BAD\"\n"),
                ElementsAre(HasSubstr("traces.headers_env: header 1 is not \"Name: value\"")));
    EXPECT_THAT(trace_problems("headers_env = \"BAD\"\n"), ElementsAre(Not(HasSubstr("s3cret"))));
    EXPECT_THAT(trace_problems("otlp_url = \"http://tempo:4318\"\nheaders_env = \"HEADERS\"\n"),
                ElementsAre(HasSubstr("use https://")));
    EXPECT_THAT(trace_problems("otlp_url = \"http://127.0.0.1:4318\"\nheaders_env = \"HEADERS\"\n"),
                IsEmpty());
    EXPECT_THAT(trace_problems("sample = 1.5\n"), ElementsAre(HasSubstr("traces.sample")));
}

TEST(ConfigTraces, ReloadTakesWhatMayChange) {
    auto running = load_traces("otlp_url = \"http://127.0.0.1:1\"\nmost_services = 9\n").settings;
    const auto read =
        load_traces("otlp_url = \"http://127.0.0.1:2\"\nheaders_env = \"HEADERS\"\nmost_services = 10\n")
            .settings;
    std::map<std::string, bool> applied;
    for (const auto& change : reload(running, read)) applied[change.key] = change.applied;
    const std::map<std::string, bool> expected = {
        {"traces.otlp_url", true}, {"traces.headers", true}, {"traces.most_services", false}};
    EXPECT_EQ(applied, expected);
    EXPECT_EQ(running.traces.otlp_url, "http://127.0.0.1:2");
}

}  // namespace
}  // namespace receiptd::config
