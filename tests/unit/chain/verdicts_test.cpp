// The rules of verdicts, a tree for each: docs/verdicts.md draws them.
#include "chain/tree/receipt_tree.hpp"
#include "chain/tree/wallet.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace receiptd::chain {
namespace {

using testing::find;
using testing::Story;

// A token transfer call: the receiver's part fails or not, the callback that settles it, too.
Story transfer_call(bool receiver_fails, bool callback_fails) {
    Story story;
    story.receipt("r0", "alice", "token");
    story.ok("r0", {"call", "settle"});
    story.receipt("call", "token", "app", {}, {"d"});
    receiver_fails ? story.fails("call") : story.ok("call");
    story.data("d", receiver_fails);
    story.receipt("settle", "token", "token", {"d"});
    callback_fails ? story.fails("settle") : story.ok("settle", {"gas"});
    auto& refund = story.receipt("gas", "system", "alice");
    refund.deposit = 7;
    if (!callback_fails) story.ok("gas");
    return story;
}

TEST(Verdicts, ATransferCallThatWorksSucceeded) {
    const auto tree = transfer_call(false, false).judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_TRUE(tree.settled);
    EXPECT_EQ(find(tree, "r0").role, Role::initial);
    EXPECT_EQ(find(tree, "call").role, Role::promise);
    EXPECT_EQ(find(tree, "settle").role, Role::callback);
    EXPECT_EQ(find(tree, "gas").role, Role::refund);
    EXPECT_EQ(tree.refunds.gas, 7u);
    EXPECT_EQ(tree.failed_receipts, 0u);
}

TEST(Verdicts, ARefundedTransferCallIsAHandledFailure) {
    const auto tree = transfer_call(true, false).judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(find(tree, "call").handling, Handling::handled);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"call"});
}

TEST(Verdicts, ACallbackThatFailsUnderASuccessIsCallbackFailed) {
    const auto tree = transfer_call(false, true).judge();
    EXPECT_EQ(tree.verdict, Verdict::callback_failed);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"settle"});
    EXPECT_TRUE(tree.initial_succeeded);
}

TEST(Verdicts, APromiseWhoseCallbackFailedTooIsNotHandled) {
    const auto tree = transfer_call(true, true).judge();
    EXPECT_EQ(tree.verdict, Verdict::callback_failed);
    EXPECT_EQ(find(tree, "call").handling, Handling::unhandled);
}

TEST(Verdicts, AFailedInitialReceiptIsFailedAndItsRefundSaysNothing) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.fails("r0", {"back"});
    auto& refund = story.receipt("back", "system", "alice");
    refund.signer_id = "system";
    refund.deposit = 100;
    auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::failed);
    EXPECT_TRUE(tree.completed);
    EXPECT_FALSE(tree.settled);
    EXPECT_EQ(tree.net_deposit, 100u) << "the refund is under way";
    story.fails("back");
    EXPECT_EQ(story.judge().verdict, Verdict::failed);
    EXPECT_EQ(story.judge().failed_receipts, 1u);
    EXPECT_EQ(story.judge().net_deposit, 100u) << "a failed refund is burnt";
}

TEST(Verdicts, ATransactionThatFailedItselfIsFailed) {
    Story story;
    story.parts.pop_back();
    story.outcome("TX", StatusKind::failure);
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::failed);
    EXPECT_EQ(tree.near_status, (NearStatus{true, ""}));
    EXPECT_TRUE(tree.settled);
    EXPECT_EQ(tree.transaction_failure.error_class, "contract_panic");
    EXPECT_TRUE(tree.decided_by.empty());
}

// r0 returns `last`, which nobody awaits.
Story returned_promise() {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "last", {"last"});
    story.receipt("last", "app", "token");
    return story;
}

TEST(Verdicts, TheTransactionsResultIsThatOfWhatIsReturned) {
    auto story = returned_promise();
    EXPECT_FALSE(story.judge().near_status) << "its end is not there yet";
    story.ok("last");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "last").role, Role::returned);
    EXPECT_EQ(tree.near_status, (NearStatus{false, "last"}));
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
}

TEST(Verdicts, AReturnedPromiseThatFailedIsAFailedTransactionAsNearSays) {
    auto story = returned_promise();
    story.fails("last");
    const auto tree = story.judge();
    EXPECT_EQ(tree.near_status, (NearStatus{true, "last"}));
    EXPECT_EQ(tree.verdict, Verdict::failed);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"last"});
}

TEST(Verdicts, AReturnedCallbackThatFailedIsCallbackFailed) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "then", {"call", "then"});
    story.receipt("call", "app", "x", {}, {"d"});
    story.ok("call");
    story.receipt("then", "app", "app", {"d"});
    story.fails("then");
    EXPECT_EQ(story.judge().near_status, (NearStatus{true, "then"}));
    EXPECT_EQ(story.judge().verdict, Verdict::callback_failed);
}

TEST(Verdicts, AReturnedPromiseThatACallbackObservedIsFailedAllTheSame) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "call", {"call", "then"});
    story.receipt("call", "app", "x", {}, {"d"});
    story.fails("call");
    story.receipt("then", "app", "app", {"d"});
    story.ok("then");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "call").role, Role::promise);
    EXPECT_EQ(find(tree, "call").handling, Handling::handled);
    EXPECT_EQ(tree.near_status, (NearStatus{true, "call"}));
    EXPECT_EQ(tree.verdict, Verdict::failed);
}

TEST(Verdicts, ADetachedReceiptThatFailedIsReceiptFailed) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"fire"});
    story.receipt("fire", "app", "other");
    story.fails("fire");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "fire").role, Role::detached);
    EXPECT_EQ(tree.verdict, Verdict::receipt_failed);
}

TEST(Verdicts, EachReceiverOfJointAndSharedResultsCounts) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"a", "b", "join", "second"});
    story.receipt("a", "app", "x", {}, {"a1", "a2"});  // two receipts await it
    story.fails("a");
    story.receipt("b", "app", "y", {}, {"b1"});
    story.ok("b");
    story.receipt("join", "app", "app", {"a1", "b1"});
    story.ok("join");
    story.receipt("second", "app", "app", {"a2"});
    auto open = story.judge();
    EXPECT_EQ(find(open, "a").handling, Handling::undecided);
    EXPECT_FALSE(open.verdict);
    auto failing = story;
    failing.fails("second");
    EXPECT_EQ(failing.judge().verdict, Verdict::callback_failed);
    EXPECT_EQ(find(failing.judge(), "a").handling, Handling::unhandled);
    story.ok("second");
    EXPECT_EQ(story.judge().verdict, Verdict::succeeded_with_handled_failure);
}

TEST(Verdicts, AFailedCallbackIsNeverHandledWhoeverLooksOn) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "last", {"call", "settle", "last"});
    story.receipt("call", "app", "x", {}, {"d1"});
    story.fails("call");
    story.receipt("settle", "app", "app", {"d1"}, {"d2"});
    story.fails("settle");
    story.receipt("last", "app", "app", {"d2"});
    story.ok("last");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "settle").handling, Handling::unhandled);
    EXPECT_EQ(find(tree, "call").handling, Handling::unhandled) << "only a failed callback awaited it";
    EXPECT_EQ(tree.verdict, Verdict::callback_failed);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"settle"});
    EXPECT_EQ(tree.near_status, (NearStatus{false, "last"}));
}

TEST(Verdicts, AHandledFailureNamesWhoHandledIt) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"a", "second", "first"});
    story.receipt("a", "app", "x", {}, {"a1", "a2", "a3"});
    story.fails("a");
    story.receipt("second", "app", "app", {"a1", "a3"});
    story.ok("second");
    story.receipt("first", "app", "app", {"a2"});
    story.ok("first");
    const auto tree = story.judge();
    ASSERT_EQ(tree.failures.size(), 1u);
    EXPECT_EQ(tree.failures[0].finding.handled_by, (std::vector<std::string>{"first", "second"}));
}

TEST(Verdicts, AReturnedPromiseIsAwaitedInItsMakersPlace) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"first", "then"});
    story.receipt("first", "app", "x", {}, {"d"});
    story.outcome("first", StatusKind::success_receipt_id, {"second"});
    story.receipt("second", "x", "y", {}, {"d"});
    story.fails("second");
    story.data("d", true);
    story.receipt("then", "app", "app", {"d"});
    story.ok("then");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "second").handling, Handling::handled);
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
}

TEST(Verdicts, TheInnerCallOfADelegateIsJudged) {
    Story story;
    std::get<TransactionFacts>(story.parts[0]).delegate = DelegateFacts{"bob", "token"};
    story.receipt("r0", "alice", "bob").delegate = DelegateFacts{"bob", "token"};
    story.ok("r0", {"inner"});
    story.receipt("inner", "bob", "token");
    story.fails("inner");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::receipt_failed);
    EXPECT_EQ(tree.near_status, (NearStatus{false, "r0"})) << "the relayer's part";
    ASSERT_TRUE(tree.delegate);
    EXPECT_EQ(tree.delegate->relayer_id, "alice");
    EXPECT_EQ(tree.delegate->inner_receipt_id, "inner");
    EXPECT_TRUE(tree.delegate->inner_failed);
}

const std::string& root_of(const Judgement& tree, const std::string& receipt_id) {
    for (const auto& failure : tree.failures)
        if (failure.finding.receipt_id == receipt_id) return failure.finding.root_cause;
    throw std::out_of_range(receipt_id);
}

TEST(Verdicts, ACallbackThatFailsOfAFailureGoesBackToIt) {
    const auto tree = transfer_call(true, true).judge();
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"settle"});
    EXPECT_EQ(tree.root_cause, "call");
    EXPECT_EQ(root_of(tree, "settle"), "call");
    EXPECT_EQ(root_of(tree, "call"), "");
    EXPECT_EQ(tree.root_cause_of("settle")->receipt_id, "call");
    EXPECT_EQ(transfer_call(false, true).judge().root_cause, "settle") << "nothing failed before";
}

TEST(Verdicts, TheRootCauseIsFoundThroughThoseThatLookedOn) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "settle", "last"});
    story.receipt("call", "app", "x", {}, {"d1"});
    story.fails("call");
    story.receipt("settle", "app", "app", {"d1"}, {"d2"});
    story.returns("settle", "pay", {"fire", "pay"});
    story.receipt("fire", "app", "log");
    story.fails("fire");
    story.receipt("pay", "app", "token", {}, {"d2"});
    story.ok("pay");
    story.receipt("last", "app", "app", {"d2"});
    story.fails("last");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "call").handling, Handling::handled);
    EXPECT_EQ(root_of(tree, "fire"), "call") << "along a spawn edge";
    EXPECT_EQ(root_of(tree, "last"), "call") << "along data edges";
    EXPECT_EQ(tree.root_cause, "call");
}

TEST(Verdicts, OfSeveralFailuresThatAreAwaitedTheFirstInOrderIsTheRootCause) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"a", "b", "then"});
    story.receipt("a", "app", "x", {}, {"da"});
    story.fails("a");
    story.receipt("b", "app", "y", {}, {"db"});
    story.fails("b");
    story.receipt("then", "app", "app", {"db", "da"});
    story.fails("then");
    EXPECT_EQ(root_of(story.judge(), "then"), "b");
}

// r0 of the wallet 0xabc returns `then`, which awaits the owner's call.
Story wallet_call(bool call_fails) {
    Story story;
    story.receipt("r0", "relayer", "0xabc").method_name = kWalletMethod;
    story.returns("r0", "then", {"call", "then"});
    story.receipt("call", "0xabc", "app", {}, {"d"});
    call_fails ? story.fails("call") : story.ok("call");
    story.receipt("then", "0xabc", "0xabc", {"d"});
    story.ok("then");
    if (call_fails) std::get<OutcomeFacts>(story.parts.back()).wallet_refusal = "Failed Near promise";
    return story;
}

TEST(Verdicts, TheCallOfAnEthWalletsOwnerIsTheUsersOwn) {
    EXPECT_EQ(wallet_call(false).judge().verdict, Verdict::succeeded);
    const auto tree = wallet_call(true).judge();
    EXPECT_EQ(tree.near_status, (NearStatus{false, "then"}));
    EXPECT_EQ(find(tree, "call").handling, Handling::handled);
    EXPECT_EQ(tree.verdict, Verdict::receipt_failed);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"call"});
    EXPECT_EQ(tree.deciding_class(), "contract_panic");
    EXPECT_TRUE(tree.other_findings.empty()) << "the failed call's finding tells it";
}

TEST(Verdicts, WhatAnEthWalletRefusesFailsWithoutAFailedReceipt) {
    Story story;
    story.receipt("r0", "relayer", "0xabc").method_name = kWalletMethod;
    story.ok("r0");
    std::get<OutcomeFacts>(story.parts.back()).wallet_refusal = "Error: invalid nonce value";
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::receipt_failed);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"r0"});
    const auto result = decided({"TX", "relayer", "0xabc", 0, {}}, tree).results.at(0);
    EXPECT_EQ(result.failure.error_class, kWalletRefused);
    EXPECT_EQ(result.failure.error_text, "Error: invalid nonce value");
    ASSERT_EQ(tree.other_findings.size(), 1u);
    const auto& finding = tree.other_findings[0];
    EXPECT_EQ(finding.finding_id, "wallet_refused:r0");
    EXPECT_EQ(finding.contract_id, "0xabc");
    EXPECT_EQ(finding.handled, false);
    EXPECT_EQ(finding.failure, result.failure);
}

// The relayer's fault: the wallet takes its key away, and answers when that is done.
TEST(Verdicts, AWalletThatRefusesByAnotherReceiptIsJudgedByTheOneThatWasAsked) {
    Story story;
    story.receipt("r0", "relayer", "0xabc").method_name = kWalletMethod;
    story.returns("r0", "ban", {"ban"});
    story.receipt("ban", "0xabc", "0xabc").method_name = "ban_relayer";
    story.ok("ban");
    std::get<OutcomeFacts>(story.parts.back()).wallet_refusal = "Error: faulty relayer";
    const auto tree = story.judge();
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"r0"});
    EXPECT_EQ(tree.other_findings.at(0).finding_id, "wallet_refused:r0");
}

TEST(Verdicts, AnAnswerOfAnEthAccountThatWasAskedForSomethingElseIsNoRefusal) {
    Story story;
    story.receipt("r0", "relayer", "0xabc").method_name = "get_status";
    story.ok("r0");
    std::get<OutcomeFacts>(story.parts.back()).wallet_refusal = "not yet";
    EXPECT_EQ(story.judge().verdict, Verdict::succeeded);
}

TEST(Verdicts, WhatADeletedAccountLeavesIsAPayout) {
    Story story;
    story.receipt("r0", "alice", "old").beneficiary_id = "heir";
    story.ok("r0", {"left"});
    auto& left = story.receipt("left", "system", "heir");
    left.signer_id = "system";
    left.deposit = 70;
    story.fails("left");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "left").role, Role::payout);
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    ASSERT_EQ(tree.other_findings.size(), 1u);
    const auto& burnt = tree.other_findings[0];
    EXPECT_EQ(burnt.finding_id, "burnt_tokens:left");
    EXPECT_EQ(burnt.contract_id, "heir");
    EXPECT_EQ(burnt.role, Role::payout);
    EXPECT_EQ(burnt.burnt, 70u);
}

}  // namespace
}  // namespace receiptd::chain
