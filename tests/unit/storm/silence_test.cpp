// A silence matches what it names, and nothing by accident.
#include "storm/silence.hpp"

#include <gtest/gtest.h>

namespace receiptd::storm {
namespace {

using namespace std::chrono_literals;

About failure() {
    About about;
    about.endpoint = "ops";
    about.kind = "failed_receipt";
    about.rules = {"dex", "on-call"};
    about.contract_id = "v1.dex.near";
    about.method_name = "swap";
    about.error_class = "contract_panic";
    about.signer_id = "relay.near";
    about.user_id = "alice.near";
    return about;
}

bool silences(const std::string& json, const About& about = failure()) {
    const auto matcher = parse_matcher(json);
    EXPECT_TRUE(matcher) << json << ": " << (matcher ? "" : matcher.error());
    return matcher && matches(*matcher, about);
}

std::string fault(const std::string& json) {
    const auto matcher = parse_matcher(json);
    return matcher ? "" : matcher.error();
}

TEST(Silences, AllOfTheirNamesMustMatchAndOnePatternOfEach) {
    EXPECT_TRUE(silences(R"({"contract": "*.dex.near", "method": ["add", "sw?p"]})"));
    EXPECT_FALSE(silences(R"({"contract": "*.dex.near", "method": "add"})"));
    EXPECT_TRUE(silences(R"({"rule": "on-*"})")) << "one of its rules";
    EXPECT_TRUE(silences(R"({"endpoint": "ops", "kind": "failed_*", "error_class": "contract_panic"})"));
    EXPECT_TRUE(silences(R"({"account": "alice.near"})")) << "the user behind the relayer";
    EXPECT_TRUE(silences(R"({"account": "relay.near"})"));
    EXPECT_FALSE(silences(R"({"account": "bob.near"})"));
}

TEST(Silences, AValueThatIsMissingMatchesNoPattern) {
    auto about = failure();
    about.error_class.clear();
    EXPECT_FALSE(silences(R"({"error_class": "*"})", about));
}

TEST(Silences, OfTransactionsMustNameTheKindWithoutAWildcard) {
    auto about = failure();
    about.kind = "completed";
    about.is_of_transaction = true;
    EXPECT_FALSE(silences(R"({"contract": "*"})", about));
    EXPECT_FALSE(silences(R"({"kind": "*"})", about));
    EXPECT_TRUE(silences(R"({"kind": ["failed_*", "completed"]})", about));
}

TEST(Silences, LastFromTheirStartToTheirEnd) {
    const base::WallTime now{std::chrono::hours(500'000)};
    const std::vector<Silence> all = {{1, *parse_matcher(R"({"method": "add"})"), now, now + 1h},
                                      {2, *parse_matcher(R"({"method": "swap"})"), now, now + 1h}};
    EXPECT_EQ(silence_of(all, failure(), now - 1ms), nullptr);
    ASSERT_NE(silence_of(all, failure(), now), nullptr);
    EXPECT_EQ(silence_of(all, failure(), now)->id, 2);
    EXPECT_EQ(silence_of(all, failure(), now + 1h), nullptr);
}

TEST(Silences, AreWrittenAsTheyAreRead) {
    const auto* canonical = R"({"contract":["a","b"],"rule":["r"]})";
    EXPECT_EQ(to_json(*parse_matcher(R"({ "rule": "r", "contract": ["a", "b"] })")), canonical);
    EXPECT_EQ(to_json(*parse_matcher(canonical)), canonical);
}

TEST(Silences, ThatCannotBeReadSayWhy) {
    EXPECT_EQ(fault("[]"), "must be a JSON object");
    EXPECT_EQ(fault("{"), "must be a JSON object");
    EXPECT_EQ(fault("{}"),
              "needs at least one of account, contract, endpoint, error_class, kind, method, rule; \"*\" "
              "matches everything");
    EXPECT_EQ(fault(R"({"receiver": "a"})"),
              "has no \"receiver\"; there are: account, contract, endpoint, error_class, kind, method, rule");
    EXPECT_EQ(fault(R"({"rule": 7})"), "rule must be a text or a list of texts");
    EXPECT_EQ(fault(R"({"rule": []})"), "rule must not be an empty list");
    EXPECT_EQ(fault(R"({"rule": ""})"), "rule holds a text that is empty or longer than 256 bytes");
    EXPECT_EQ(fault(R"({"rule": "a\u0000"})"), "rule holds a NUL");
    std::string many;
    for (int i = 0; i <= 100; ++i) many += (i ? ",\"x\"" : "\"x\"");
    EXPECT_EQ(fault(R"({"rule": [)" + many + "]}"), "has more than 100 patterns");
}

}  // namespace
}  // namespace receiptd::storm
