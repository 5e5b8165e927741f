#include "page/texts.hpp"

#include "page/lists.hpp"
#include "page/now.hpp"
#include "rule/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::page {
namespace {

using namespace std::chrono_literals;

TEST(Texts, LongIdsKeepBothEnds) {
    EXPECT_EQ(short_id("4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh"), "4XXtr7…NaEh");
    EXPECT_EQ(short_id("short"), "short");
    EXPECT_EQ(short_account("alice.near"), "alice.near");
    EXPECT_EQ(short_account(std::string(64, 'a')), std::string(16, 'a') + "…" + std::string(15, 'a'));
}

TEST(Texts, TimesAreTold) {
    EXPECT_EQ(ago_text(1s), "just now");
    EXPECT_EQ(ago_text(89s), "89 s ago");
    EXPECT_EQ(ago_text(90s), "2 min ago");
    EXPECT_EQ(ago_text(5h), "5 h ago");
    EXPECT_EQ(ago_text(72h), "3 days ago");
    EXPECT_EQ(ago_text(-10min), "in 10 min");
    const base::WallTime now{1'767'225'700s};
    const auto time = time_json(std::string("2026-01-01T00:00:40.123456Z"), now);
    EXPECT_EQ(time["ago"], "60 s ago");
    EXPECT_EQ(time["iso"], "2026-01-01T00:00:40.123456Z");
    EXPECT_TRUE(time_json(std::string(), now).is_null());
    EXPECT_TRUE(time_json(std::string("yesterday, as it were"), now).is_null());
    EXPECT_TRUE(time_json(std::uint64_t{0}, now).is_null());
}

TEST(Texts, CountsAndLinks) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1'234'567), "1,234,567");
    EXPECT_EQ(height_text(1'234'567), "1234567");
    EXPECT_EQ(plural(1, "receipt", "receipts"), "1 receipt");
    EXPECT_EQ(url_encoded("a.near/é?&"), "a.near%2F%C3%A9%3F%26");
    EXPECT_TRUE(transaction_link("").is_null());
}

TEST(Texts, EachVerdictStageKindAndRoleIsExplained) {
    for (const auto verdict :
         {chain::Verdict::succeeded, chain::Verdict::failed, chain::Verdict::callback_failed,
          chain::Verdict::receipt_failed, chain::Verdict::succeeded_with_handled_failure})
        EXPECT_FALSE(verdict_badge(verdict)["means"].get<std::string>().empty());
    for (auto stage = chain::Stage::accepted; stage <= chain::Stage::unknown;
         stage = static_cast<chain::Stage>(static_cast<int>(stage) + 1))
        EXPECT_FALSE(stage_badge(stage)["means"].get<std::string>().empty());
    for (auto role = chain::Role::initial; role <= chain::Role::payout;
         role = static_cast<chain::Role>(static_cast<int>(role) + 1))
        EXPECT_FALSE(role_badge(role)["means"].get<std::string>().empty());
    EXPECT_EQ(kind_badge("novel")["label"], "novel");
    EXPECT_EQ(kind_badge("group_digest")["label"], "Group digest");
    for (const auto& message : rule::message_types())
        EXPECT_FALSE(kind_badge(message.kind)["means"].get<std::string>().empty()) << message.kind;
}

// A watch that ends without a tree is a finding of the kind that its stage names.
TEST(Texts, EachKindOfFindingHasWordsAndCanBeChosen) {
    std::vector<std::string> all = {"stuck", "corrected"};
    for (const auto kind :
         {chain::kind::kFailedReceipt, chain::kind::kFailedTransaction, chain::kind::kTokensReturned,
          chain::kind::kBurntTokens, chain::kind::kWalletRefused, chain::kind::kYieldTimedOut,
          chain::kind::kUndecided})
        all.emplace_back(kind);
    for (auto stage = chain::Stage::accepted; stage <= chain::Stage::unknown;
         stage = static_cast<chain::Stage>(static_cast<int>(stage) + 1))
        if (chain::is_end(stage) && stage != chain::Stage::final) all.emplace_back(chain::stage_name(stage));
    std::vector<std::string> choices;
    for (const auto& choice : kind_choices("")) choices.push_back(choice["value"]);
    for (const auto& kind : all) {
        EXPECT_FALSE(kind_badge(kind)["means"].get<std::string>().empty()) << kind;
        EXPECT_THAT(choices, ::testing::Contains(kind));
    }
    EXPECT_EQ(choices.size(), all.size() + 1) << "and any of them";
    EXPECT_NE(error_class_words(chain::kDiscarded), "discarded");
}

TEST(Trend, BarsFitTheChartAndASingleFindingIsSeen) {
    const auto chart = trend_values({{"2026-01-01T00:00:00Z", 10'000}, {"2026-01-01T01:00:00Z", 1}, {"", 0}});
    const auto height = chart["height"].get<int>();
    EXPECT_EQ(chart["bars"][0]["height"], height);
    EXPECT_EQ(chart["bars"][0]["y"], 0);
    EXPECT_EQ(chart["bars"][1]["height"], 2);
    EXPECT_EQ(chart["bars"][2]["height"], 0);
    EXPECT_EQ(chart["total"], "10,001 findings");
    EXPECT_EQ(trend_values({})["bars"].size(), 0U);
}

TEST(Texts, ACauseWithoutAFailureSaysWhatItsKindMeans) {
    storage::FailureGroup group;
    group.kind = "tokens_returned";
    EXPECT_EQ(group_values(group, {})["why"], kind_badge("tokens_returned")["means"]);
    group.error_text = "no";
    EXPECT_EQ(group_values(group, {})["why"], "no");
}

TEST(Texts, TokensThatCameBackAreCounted) {
    const auto why = [](unsigned returned, unsigned kept) {
        chain::Finding finding;
        finding.flow = chain::TokenFlow{};
        finding.flow->returned = returned;
        finding.flow->kept = kept;
        return finding_values(finding, {})["why"].get<std::string>();
    };
    EXPECT_EQ(why(1, 2'000), "1 token unit came back, 2,000 were kept");
    EXPECT_EQ(why(3, 1), "3 token units came back, 1 was kept");
}

TEST(Texts, AMethodIsAsHealthyAsItsCalls) {
    const auto state = [](std::uint64_t calls, std::uint64_t failures, std::uint64_t callbacks) {
        return method_values({"app.near", "go", calls, failures, callbacks})["state"].get<std::string>();
    };
    EXPECT_EQ(state(5, 0, 0), "healthy");
    EXPECT_EQ(state(5, 1, 0), "some fail");
    EXPECT_EQ(state(5, 5, 0), "all fail");
    EXPECT_EQ(state(5, 5, 1), "callbacks fail");
}

}  // namespace
}  // namespace receiptd::page
