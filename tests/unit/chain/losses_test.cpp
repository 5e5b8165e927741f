// Tokens that nobody has any more, and those that came back.
#include "chain/tree/losses.hpp"

#include "chain/tree/judgement.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/text.hpp"

#include "tree_story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using ::testing::HasSubstr;
using testing::Story;

constexpr u128 kNear = u128{1'000'000'000'000} * 1'000'000'000'000;
constexpr Gas kGas = 200'000'000'000;
constexpr u128 kGasPrice = 100'000'000;

OutcomeFacts& last_outcome(Story& story) { return std::get<OutcomeFacts>(story.parts.back()); }

TransactionFacts transaction_of(const Story& story) {
    return std::get<TransactionFacts>(story.parts.front());
}

// Alice deletes her account; `left` and the gas that was not used are for `heir` and for her.
Story deletion(const std::string& heir) {
    Story story;
    auto& deletes = story.receipt("r0", "alice", "alice");
    deletes.beneficiary_id = heir;
    deletes.action_names = {"DeleteAccount"};
    story.ok("r0", {"left", "gas"});
    auto& left = story.receipt("left", "system", heir);
    left.signer_id = "system";
    left.deposit = 5 * kNear;
    story.receipt("gas", "system", "alice").deposit = kNear / 5'000;
    return story;
}

TEST(Losses, OfADeletionAreWhatNobodyInherits) {
    auto story = deletion("nobody");
    story.fails("left");
    story.fails("gas");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_EQ(tree.effect, Effect::tokens_lost);
    EXPECT_EQ(tree.tokens_lost, 5 * kNear) << "unused gas of an account that is gone is dust";
    EXPECT_EQ(sentences_of(transaction_of(story), tree).headline,
              "The transaction succeeded, but 5 NEAR were lost: nobody has them any more.");
    TreeStyle style;
    style.details = true;
    EXPECT_THAT(render_tree("TX", transaction_of(story), tree, style),
                HasSubstr("0 NEAR in fees, 5 NEAR lost"));
    for (const auto& finding : tree.other_findings)
        EXPECT_EQ(finding.expected, finding.receipt_id == "gas") << finding.receipt_id;
}

TEST(Losses, AreNoneWhereTheDeletedAccountHasAnHeir) {
    auto story = deletion("bob");
    story.ok("left");
    story.fails("gas");
    const auto tree = story.judge();
    EXPECT_EQ(tree.effect, std::nullopt);
    EXPECT_EQ(tree.tokens_lost, 0u);
    ASSERT_EQ(tree.other_findings.size(), 1u);
    EXPECT_TRUE(tree.other_findings.front().expected) << "the chain burns it with every deletion";
}

TEST(Losses, AreGasRefundsOfAccountsThatAnotherTreeDeleted) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"gas"});
    story.receipt("gas", "system", "alice").deposit = 7;
    story.fails("gas");
    const auto tree = story.judge();
    EXPECT_EQ(tree.tokens_lost, 7u) << "the amount does not make it dust";
    EXPECT_EQ(tree.effect, Effect::tokens_lost);
}

// A gas key that holds `balance` is deleted; `actions`: of the receipt.
Judgement key_deleted(u128 balance, std::vector<std::string> actions = {"DeleteKey"}) {
    Story story;
    last_outcome(story).gas_burnt = kGas;
    last_outcome(story).tokens_burnt = kGas * kGasPrice;
    story.receipt("r0", "alice", "alice").action_names = std::move(actions);
    story.ok("r0");
    last_outcome(story).gas_burnt = kGas;
    last_outcome(story).tokens_burnt = kGas * kGasPrice + balance;
    return story.judge();
}

TEST(Losses, OfAGasKeyAreWhatItHeld) {
    const auto tree = key_deleted(kNear);
    EXPECT_EQ(tree.tokens_lost, kNear);
    EXPECT_EQ(tree.tokens_burnt, 2 * kGas * kGasPrice) << "fees and losses are two sums";
    EXPECT_EQ(tree.effect, Effect::tokens_lost);
    ASSERT_EQ(tree.other_findings.size(), 1u);
    const auto& finding = tree.other_findings.front();
    EXPECT_EQ(finding.finding_id, "burnt_tokens:r0");
    EXPECT_EQ(finding.failure.error_class, kGasKeyBalance);
    EXPECT_EQ(finding.burnt, kNear);
}

TEST(Losses, AreNoneWhereAKeyIsDeletedThatHeldNothing) {
    EXPECT_EQ(key_deleted(0).tokens_lost, 0u);
    EXPECT_EQ(key_deleted(kGas * kGasPrice * 3).tokens_lost, 0u) << "gas may have become dearer";
}

TEST(Losses, AreNoneWhereAReceiptPaysForSomethingElse) {
    EXPECT_EQ(key_deleted(kNear, {"CreateAccount", "DeleteKey"}).tokens_lost, 0u);
    EXPECT_EQ(key_deleted(kNear, {"DeployGlobalContract", "DeleteKey"}).tokens_lost, 0u);
    EXPECT_EQ(key_deleted(kNear, {"FunctionCall"}).tokens_lost, 0u);
}

TEST(Losses, AreTokensThatATokenContractCannotGiveBack) {
    Story story;
    story.receipt("r0", "alice", "token").method_name = "ft_transfer_call";
    story.returns("r0", "r2", {"r1", "r2"});
    story.receipt("r1", "token", "dex", {}, {"d1"}).method_name = "ft_on_transfer";
    story.ok("r1");
    auto& resolve = story.receipt("r2", "token", "token", {"d1"});
    resolve.method_name = "ft_resolve_transfer";
    resolve.token_args = R"({"amount":"1000"})";
    story.ok("r2");
    last_outcome(story).value = R"("1000")";
    last_outcome(story).gone = 400;
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_EQ(tree.effect, Effect::tokens_lost);
    EXPECT_EQ(tree.tokens_lost, 0u) << "no NEAR";
    ASSERT_EQ(tree.other_findings.size(), 1u);
    EXPECT_EQ(tree.other_findings.front().failure.error_class, kSenderGone);
    EXPECT_EQ(tree.other_findings.front().burnt, std::nullopt);
    EXPECT_THAT(tree.other_findings.front().failure.error_text, HasSubstr("400"));
    EXPECT_THAT(render_tree("TX", std::nullopt, tree, {.details = true}),
                HasSubstr("! Tokens of token: 400 (in the token's smallest unit) could not be given back"));
}

TEST(Losses, OfTokensAreToldByEvents) {
    const Text burn =
        R"(EVENT_JSON:{"standard":"nep141","version":"1.0.0","event":"ft_burn","data":[{"owner_id":"dex","amount":"400"}]})";
    const Text transfer =
        R"(EVENT_JSON:{"standard":"nep141","version":"1.0.0","event":"ft_transfer","data":[{"old_owner_id":"dex","new_owner_id":"alice","amount":"5","memo":"_burn"}]})";
    EXPECT_EQ(burnt_in_events({burn, transfer, "a _burn in words"}), 400u);
    EXPECT_EQ(burnt_in_events({}), 0u);
}

TEST(Losses, AreNoneWhereADepositComesBackFromAFailedCall) {
    Story story;
    story.receipt("r0", "alice", "app").deposit = 100;
    story.fails("r0", {"back"});
    auto& back = story.receipt("back", "system", "alice");
    back.signer_id = "system";
    back.deposit = 100;
    story.ok("back");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::failed);
    EXPECT_EQ(tree.effect, Effect::refunded);
}

TEST(Losses, AreNotTheDepositsOfAContractThatComeBackToIt) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"r1"});
    story.receipt("r1", "app", "dex").deposit = 100;
    story.fails("r1", {"back"});
    auto& back = story.receipt("back", "system", "app");
    back.signer_id = "system";
    back.deposit = 100;
    story.ok("back");
    EXPECT_EQ(story.judge().effect, std::nullopt) << "the user has nothing back";
}

}  // namespace
}  // namespace receiptd::chain
