#include "config/keys.hpp"
#include "config/describe.hpp"
#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace receiptd::config {
namespace {

using testing::HasSubstr;
using testing::Not;

// No proxy: those count without being named.
const Environment kAnyVariable = [](const std::string& name) -> std::optional<std::string> {
    if (name.ends_with("_PROXY") || name.ends_with("_proxy")) return std::nullopt;
    return "host=/tmp";
};

TEST(ConfigKeys, EachHasATextAndAWayToItsFieldAndStandsOnce) {
    std::set<std::string> seen;
    for (const auto& key : keys()) {
        EXPECT_TRUE(seen.insert(key.full_name()).second) << key.full_name();
        EXPECT_FALSE(key.help.empty()) << key.full_name();
        EXPECT_TRUE(key.at.get && key.at.set) << key.full_name();
        EXPECT_EQ(key.type == Type::choice, !key.choices.empty()) << key.full_name();
    }
}

TEST(ConfigKeys, SettingADefaultChangesNothing) {
    Draft draft;
    for (const auto& section : sections())
        if (section.add) section.add(draft);
    for (const auto& key : keys()) {
        if (key.is_secret()) continue;
        const auto before = key.at.get(draft, 0);
        key.at.set(draft, 0, before);
        EXPECT_EQ(to_toml(key, key.at.get(draft, 0)), to_toml(key, before)) << key.full_name();
    }
}

TEST(ConfigExample, LoadsWithoutAnyProblem) {
    const auto loaded = load_text(example_toml(), "example.toml", kAnyVariable);
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
}

TEST(ConfigExample, HoldsEveryKey) {
    const auto text = example_toml();
    for (const auto& key : keys())
        EXPECT_THAT(text, HasSubstr(std::string(key.name) + " = ")) << key.full_name();
}

// A commented key is a default or an alternative: its name and form must be right, though a
// secret's file need not exist and an alternative may contradict the rest.
TEST(ConfigExample, EveryCommentedLineHasARightForm) {
    std::istringstream text(example_toml());
    std::string section;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with('[') || line.starts_with("#["))
            section = line.substr(line.starts_with('#') ? 1 : 0);
        if (!line.starts_with('#') || line.starts_with("# ") || line.starts_with("#[")) continue;
        const auto loaded = load_text(section + "\n" + line.substr(1) + "\n", "x", kAnyVariable);
        for (const auto& problem : loaded.problems) {
            EXPECT_THAT(problem.message, Not(HasSubstr("unknown"))) << section << line;
            EXPECT_TRUE(problem.line != 2 || !testing::Matches(HasSubstr(" must "))(problem.message))
                << section << line << ": " << problem.message;
        }
    }
}

TEST(ConfigMarkdown, HasARowForEveryKeyWithItsDefaultAndBounds) {
    const auto text = describe_keys_markdown();
    for (const auto& key : keys()) EXPECT_THAT(text, HasSubstr("| `" + std::string(key.name) + "` |"));
    EXPECT_THAT(text, HasSubstr("| `writers` | integer, 1 to 16 | `2` | no |"));
    EXPECT_THAT(text, HasSubstr("| `patience` | duration, \"0s\" to \"1d\" | `\"1m\"` |"));
    EXPECT_THAT(text, HasSubstr("`\"forever\"` | yes |"));
}

}  // namespace
}  // namespace receiptd::config
