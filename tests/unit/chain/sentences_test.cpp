// What a transaction is said to have come to.
#include "chain/tree/sentences.hpp"

#include "chain/tree/units.hpp"

#include "tree_story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Told = testing::Story;

Sentences told(const Told& parts) {
    return sentences_of(std::get<TransactionFacts>(parts.parts.front()), parts.judge());
}

TEST(Sentences, OfASuccessHasNoCause) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    parts.ok("r0");
    const auto story = told(parts);
    EXPECT_EQ(story.headline, "The transaction succeeded.");
    EXPECT_THAT(story.causes, IsEmpty());
}

TEST(Sentences, TellsWhatFailedAndWhatItBeganWith) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    parts.ok("r0", {"call", "back"});
    parts.receipt("call", "app", "token", {}, {"d"}).method_name = "ft_transfer";
    parts.fails("call");
    parts.receipt("back", "app", "app", {"d"}).method_name = "on_done";
    parts.fails("back");
    const auto story = told(parts);
    EXPECT_EQ(story.headline, "A callback failed, though NEAR calls this transaction a success.");
    EXPECT_THAT(story.causes,
                ElementsAre("The callback on_done of app failed in block 104: “no” (contract_panic)",
                            "It began when ft_transfer of token failed in block 103: “no” (contract_panic)"));
}

TEST(Sentences, OfManyFailuresTellsTheOneThatIsCalledTheRootCause) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    parts.ok("r0", {"late", "early", "back"});
    parts.receipt("late", "app", "token", {}, {"d1"}).method_name = "late";
    parts.receipt("early", "app", "token", {}, {"d2"}).method_name = "early";
    parts.fails("early");
    parts.fails("late");
    parts.receipt("back", "app", "app", {"d1", "d2"});
    parts.ok("back");
    parts.logs();
    ASSERT_EQ(parts.judge().decided_by.front(), "late") << "as the tree lists them";
    ASSERT_EQ(parts.judge().root_cause, "early");
    EXPECT_THAT(told(parts).causes, ElementsAre(HasSubstr("early of token failed in block 103")));
    EXPECT_EQ(told(parts).headline,
              "The transaction succeeded. 2 calls in it failed, and their callers dealt with that.");
}

TEST(Sentences, TellsWhatBecameOfTheMoney) {
    constexpr u128 kNear = u128{1'000'000'000'000} * 1'000'000'000'000;
    Told parts;
    std::get<TransactionFacts>(parts.parts.front()).deposit = 2 * kNear;
    parts.receipt("r0", "alice", "app");
    parts.fails("r0", {"back"});
    auto& refund = parts.receipt("back", "system", "alice");
    refund.signer_id = "system";
    refund.deposit = 2 * kNear;
    parts.ok("back");
    EXPECT_EQ(told(parts).headline, "The transaction failed.");
    EXPECT_THAT(told(parts).money, Contains("Of the 2 NEAR sent along, the chain refunded all to alice."));
}

// A token's transfer call whose receiver fails; the callback keeps `kept` of the 10 that were sent, or
// fails.
Told transfer_call(bool callback_fails, const std::string& kept) {
    Told parts;
    parts.receipt("r0", "alice", "token").method_name = "ft_transfer_call";
    parts.returns("r0", "settle", {"call", "settle"});
    parts.receipt("call", "token", "app", {}, {"d"}).method_name = "ft_on_transfer";
    parts.fails("call");
    auto& settle = parts.receipt("settle", "token", "token", {"d"});
    settle.method_name = "ft_resolve_transfer";
    settle.token_args = R"({"sender_id":"alice","receiver_id":"app","amount":"10"})";
    callback_fails ? parts.fails("settle") : parts.ok("settle");
    std::get<OutcomeFacts>(parts.parts.back()).value = "\"" + kept + "\"";
    return parts;
}

TEST(Sentences, TellsWhatBecameOfTheTokens) {
    EXPECT_THAT(told(transfer_call(false, "0")).money, Contains("All tokens sent to app came back."));
    EXPECT_THAT(told(transfer_call(false, "4")).money, Contains("Some of the tokens sent to app came back."));
    EXPECT_THAT(told(transfer_call(true, "0")).money,
                Contains("No tokens of token came back: its ft_resolve_transfer, which gives back what is "
                         "not used, failed."));
}

TEST(Sentences, TellsThatAFailedFirstReceiptMovedNothing) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    parts.fails("r0");
    EXPECT_THAT(told(parts).money, Contains("Nothing was moved: what the first receipt did was undone."));
}

TEST(Sentences, TellsWhatWasRefundedToOtherAccounts) {
    constexpr u128 kNear = u128{1'000'000'000'000} * 1'000'000'000'000;
    Told parts;
    std::get<TransactionFacts>(parts.parts.front()).deposit = 2 * kNear;
    parts.receipt("r0", "alice", "app");
    parts.ok("r0", {"pay"});
    auto& pay = parts.receipt("pay", "app", "nobody");
    pay.action_names = {"Transfer"};
    pay.method_name = "Transfer";
    parts.fails("pay", {"back"});
    auto& refund = parts.receipt("back", "system", "app");
    refund.signer_id = "system";
    refund.deposit = kNear / 2;
    parts.ok("back");
    const auto sentences = told(parts);
    EXPECT_THAT(
        sentences.causes,
        ElementsAre("The detached call Transfer to nobody failed in block 103: “no” (contract_panic)"));
    EXPECT_THAT(sentences.money,
                Contains("Of the 2 NEAR sent along, the chain refunded nothing to alice, and 0.5 NEAR to "
                         "other accounts."));
}

TEST(Sentences, SaysToWhomATransferGoesAndWhoseAMethodIs) {
    const auto words = [](std::vector<std::string> actions, std::string name) {
        JudgedReceipt receipt;
        receipt.action_names = std::move(actions);
        receipt.method_name = std::move(name);
        receipt.receiver_id = "bob";
        return call_in_words(receipt);
    };
    EXPECT_EQ(words({"Transfer"}, "Transfer"), "Transfer to bob");
    EXPECT_EQ(words({"Transfer", "AddKey"}, "Transfer"), "Transfer, AddKey at bob");
    EXPECT_EQ(words({"FunctionCall"}, "Transfer"), "Transfer of bob") << "a contract may call a method so";
    EXPECT_EQ(words({"Transfer", "FunctionCall"}, "buy"), "Transfer, buy at bob");
    EXPECT_EQ(words({"CreateAccount", "Transfer"}, "CreateAccount"), "CreateAccount, Transfer at bob");
    TransactionFacts transaction;
    transaction.action_names = {"CreateAccount", "Transfer", "AddKey"};
    transaction.method_name = "CreateAccount";
    EXPECT_EQ(actions_in_words(transaction), "CreateAccount, Transfer, AddKey");
    Finding finding;
    finding.method_name = "Transfer";
    EXPECT_EQ(joint_of(finding), "at") << "it may be a method";
    finding.method_name = "buy";
    EXPECT_EQ(joint_of(finding), "of");
}

TEST(Sentences, TellsWhatAllStepsCostTogether) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    auto tree = parts.judge();
    tree.tokens_burnt = u128{731'527'157'395'700} * 1'000'000;
    tree.gas_burnt = 7'315'271'573'957;
    EXPECT_THAT(
        sentences_of(std::nullopt, tree).money,
        Contains("It cost 0.000731 NEAR in fees so far: all its steps together burnt 7.31 Tgas of gas."));
    tree.settled = true;
    EXPECT_THAT(sentences_of(std::nullopt, tree).money,
                Contains("It cost 0.000731 NEAR in fees: all its steps together burnt 7.31 Tgas of gas."));
}

TEST(Sentences, TellsOfMoneyThatWasBurnt) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    parts.fails("r0", {"back"});
    parts.receipt("back", "system", "alice").deposit = 5;
    parts.fails("back");
    EXPECT_THAT(told(parts).money, Contains("5 yoctoNEAR for alice was burnt: nobody was there to take it."));
}

TEST(Sentences, OfWhatIsUnderWayCountsWhatHasNotRun) {
    Told parts;
    parts.receipt("r0", "alice", "app");
    EXPECT_EQ(told(parts).headline, "The transaction is under way: 1 receipt has not run yet.");
}

TEST(Sentences, HasNoLineEndsOfOthers) {
    Told parts;
    parts.receipt("r0", "alice", "app").method_name = "a\nb";
    parts.outcome("r0", StatusKind::failure);
    std::get<OutcomeFacts>(parts.parts.back()).failure = {"contract_panic", "two\nlines"};
    const auto story = told(parts);
    EXPECT_THAT(story.causes, ElementsAre(HasSubstr("a b of app failed in block 102: “two lines”")));
}

TEST(Units, AreThoseThatPeopleRead) {
    constexpr u128 kNear = u128{1'000'000'000'000} * 1'000'000'000'000;
    EXPECT_EQ(near_in_words(0), "0 NEAR");
    EXPECT_EQ(near_in_words(1), "1 yoctoNEAR");
    EXPECT_EQ(near_in_words(kNear / 10'000'000), "< 0.000001 NEAR");
    EXPECT_EQ(near_in_words(kNear * 3 / 2), "1.5 NEAR");
    EXPECT_EQ(near_in_words(~u128{0}), "340282366920938.463463 NEAR");
    EXPECT_EQ(gas_in_words(2'431'000'000'000), "2.43 Tgas");
    EXPECT_EQ(gas_in_words(5), "< 0.01 Tgas");
    EXPECT_EQ(gas_in_words(0), "0 Tgas");
}

}  // namespace
}  // namespace receiptd::chain
