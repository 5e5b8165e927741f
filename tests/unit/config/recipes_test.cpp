// The recipes of docs/rules.md: each is loaded as it stands there, and matches what it is for and nothing
// like it.
#include "config/load.hpp"
#include "rule/rule_set.hpp"
#include "support/read_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace receiptd::config {
namespace {

using rule::Kind;
using rule::Subject;
using testing::ElementsAre;
using testing::IsEmpty;

std::string document() { return test::read_file(RECEIPTD_TEST_DATA "/../../docs/rules.md"); }

// The TOML under a heading, or all of the page's headings of recipes.
std::string recipe_text(const std::string& title) {
    const auto text = document();
    const auto heading = text.find("\n### " + title + "\n");
    const auto start = text.find("```toml\n", heading) + 8;
    if (heading == std::string::npos) return "no such recipe";
    return text.substr(start, text.find("```\n", start) - start);
}

std::set<std::string> recipe_titles() {
    const auto text = document();
    std::set<std::string> titles;
    for (auto at = text.find("\n### "); at != std::string::npos; at = text.find("\n### ", at + 1))
        titles.insert(text.substr(at + 5, text.find('\n', at + 5) - at - 5));
    return titles;
}

// A folder with the files that recipes name.
class Recipes : public testing::Test {
protected:
    Recipes() {
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "deposits.txt")
            << "# customers\nd1.exchange.near\n\nd2.exchange.near # the second\n";
        std::ofstream(folder_ / "treasury.txt") << "vault.near\r\n";
    }
    ~Recipes() override { std::filesystem::remove_all(folder_); }

    rule::RuleSet recipe(const std::string& title) {
        const auto loaded = load_text(
            "[database]\nurl = \"postgresql://receiptd@127.0.0.1/receiptd\"\n[[upstream]]\nname = "
            "\"main\"\nurl = "
            "\"https://rpc.example.com\"\n" +
                recipe_text(title),
            (folder_ / "receiptd.toml").string(), [](const std::string&) { return std::nullopt; });
        for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
        std::vector<rule::Definition> rules;
        for (const auto& read : loaded.settings.rules) rules.push_back(*rule::parse(read.json));
        std::vector<rule::AccountList> lists;
        for (const auto& list : loaded.settings.lists) lists.push_back({list.name, list.accounts});
        return {std::move(rules), rule::Lists(lists)};
    }

private:
    std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                    ("recipes-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Recipes, OfThePageAreTheseAndNoOthers) {
    EXPECT_EQ(
        recipe_titles(),
        (std::set<std::string>{"Payments", "Relayer", "Token contract", "Exchange deposits", "On call",
                               "Silent failures", "Large withdrawals", "New keys", "Signer that is too late",
                               "Safe to sign again", "Oracle that stopped", "Slow transactions"}));
}

TEST_F(Recipes, Payments) {
    const auto rules = recipe("Payments");
    Subject subject{.kind = Kind::stage, .signer_id = "payout.shop.near", .stage = "completed"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("payouts"));
    subject.stage = "dropped";
    EXPECT_THAT(rules.match_names(subject), ElementsAre("payouts"));
    subject.stage = "included";
    EXPECT_THAT(rules.match(subject), IsEmpty());
    EXPECT_THAT(rules.match_names({.kind = Kind::stuck, .signer_id = "payout.shop.near"}),
                ElementsAre("payouts"));
    EXPECT_THAT(rules.match({.kind = Kind::stuck, .signer_id = "other.near"}), IsEmpty());
}

TEST_F(Recipes, Relayer) {
    const auto rules = recipe("Relayer");
    Subject subject{
        .kind = Kind::failed_receipt, .signer_id = "relayer.shop.near", .error_class = "contract_panic"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("relayed"));
    subject.error_class = "delegate_nonce_used";
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, TokenContract) {
    const auto rules = recipe("Token contract");
    Subject subject{.kind = Kind::tokens_returned, .receiver_id = "usdx.near", .amount = 1'000'000'000};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("refused-tokens"));
    subject.amount = 999'999'999;
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, ExchangeDeposits) {
    const auto rules = recipe("Exchange deposits");
    Subject subject{.kind = Kind::transfer,
                    .account_id = "d2.exchange.near",
                    .direction = "in",
                    .token_id = "near",
                    .cause = "transfer",
                    .amount = base::parse_u128("100000000000000000000000")};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("near-deposits"));
    subject.cause = "refund";
    EXPECT_THAT(rules.match(subject), IsEmpty());
    subject.cause = "transfer";
    subject.token_id = "eth.factory.bridge.near";
    EXPECT_THAT(rules.match_names(subject), ElementsAre("token-deposits"));
    subject.account_id = "d3.exchange.near";
    EXPECT_THAT(rules.match(subject), IsEmpty());
    EXPECT_TRUE(rules.may_match(Kind::transfer, {"d1.exchange.near"}));
    EXPECT_FALSE(rules.may_match(Kind::transfer, {"d3.exchange.near"}));
}

TEST_F(Recipes, OnCall) {
    const auto rules = recipe("On call");
    Subject subject{
        .kind = Kind::failed_receipt, .receiver_id = "dex.app.near", .role = "promise", .handled = false};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("our-contracts"));
    subject.handled = true;
    EXPECT_THAT(rules.match(subject), IsEmpty());
    subject.role = "callback";
    EXPECT_THAT(rules.match_names(subject), ElementsAre("our-contracts"));
    subject.receiver_id = "other.near";
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, SilentFailures) {
    const auto rules = recipe("Silent failures");
    Subject subject{.kind = Kind::failed_receipt,
                    .predecessor_id = "app.near",
                    .receiver_id = "other.near",
                    .near_status = "success",
                    .effect = "swallowed"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("swallowed"));
    subject.effect = "told";
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, LargeWithdrawals) {
    const auto rules = recipe("Large withdrawals");
    Subject subject{.kind = Kind::event,
                    .receiver_id = "usdx.near",
                    .standard = "nep141",
                    .event = "ft_transfer",
                    .data_json = R"([{"old_owner_id":"vault.near","amount":"5000000000"}])"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("large-withdrawals"));
    subject.data_json =
        R"([{"old_owner_id":"vault.near","amount":"1"},{"old_owner_id":"bob.near","amount":"5000000000"}])";
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, NewKeys) {
    const auto rules = recipe("New keys");
    Subject subject{.kind = Kind::key_added, .receiver_id = "app.near", .access = "full"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("full-keys"));
    subject.access = "function_call";
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, SignerThatIsTooLate) {
    const auto rules = recipe("Signer that is too late");
    Subject subject{.kind = Kind::yield_timed_out, .receiver_id = "signer.near", .handled = false};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("late-signatures"));
    subject.handled = true;
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, SafeToSignAgain) {
    const auto rules = recipe("Safe to sign again");
    Subject subject{.kind = Kind::expired, .signer_id = "payout.shop.near", .conclusive = true};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("sign-again"));
    subject.conclusive = false;
    EXPECT_THAT(rules.match(subject), IsEmpty());
}

TEST_F(Recipes, OracleThatStopped) {
    const auto rules = recipe("Oracle that stopped");
    Subject subject{.kind = Kind::absence, .receiver_id = "oracle.near", .method_name = "report_prices"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("no-prices"));
    subject.method_name = "get_price";
    EXPECT_THAT(rules.match(subject), IsEmpty());
    ASSERT_TRUE(rules.definitions()[0].absence);
    EXPECT_EQ(rules.definitions()[0].absence->at_least, 3u);
}

TEST_F(Recipes, SlowTransactions) {
    const auto rules = recipe("Slow transactions");
    Subject subject{.kind = Kind::latency, .signer_id = "payout.shop.near", .stage = "completed"};
    EXPECT_THAT(rules.match_names(subject), ElementsAre("slow-payouts"));
    subject.stage = "included";
    EXPECT_THAT(rules.match(subject), IsEmpty());
    ASSERT_TRUE(rules.definitions()[0].latency);
    EXPECT_EQ(rules.definitions()[0].latency->over, std::chrono::seconds(30));
}

}  // namespace
}  // namespace receiptd::config
