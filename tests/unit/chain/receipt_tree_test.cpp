// Trees from their parts: verdicts, who handled what, what waits for what.
#include "chain/tree/receipt_tree.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace receiptd::chain {
namespace {

using testing::random_story;
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

const JudgedReceipt& find(const Judgement& tree, const std::string& id) {
    for (const auto& receipt : tree.receipts)
        if (receipt.receipt_id == id) return receipt;
    throw std::out_of_range(id);
}

TEST(ReceiptTree, ATransferCallThatWorksSucceeded) {
    const auto tree = transfer_call(false, false).judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_TRUE(tree.settled);
    EXPECT_EQ(find(tree, "r0").role, Role::initial);
    EXPECT_EQ(find(tree, "call").role, Role::promise);
    EXPECT_EQ(find(tree, "settle").role, Role::callback);
    EXPECT_EQ(find(tree, "gas").role, Role::refund);
    EXPECT_EQ(tree.gas_refunded, 7u);
    EXPECT_EQ(tree.failed_receipts, 0u);
}

TEST(ReceiptTree, ARefundedTransferCallIsAHandledFailure) {
    const auto tree = transfer_call(true, false).judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(find(tree, "call").handling, Handling::handled);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"call"});
}

TEST(ReceiptTree, ACallbackThatFailsUnderASuccessIsCallbackFailed) {
    const auto tree = transfer_call(false, true).judge();
    EXPECT_EQ(tree.verdict, Verdict::callback_failed);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{"settle"});
    EXPECT_TRUE(tree.initial_succeeded);
}

TEST(ReceiptTree, APromiseWhoseCallbackFailedTooIsNotHandled) {
    const auto tree = transfer_call(true, true).judge();
    EXPECT_EQ(tree.verdict, Verdict::callback_failed);
    EXPECT_EQ(find(tree, "call").handling, Handling::unhandled);
}

TEST(ReceiptTree, AFailedInitialReceiptIsFailedAndItsRefundSaysNothing) {
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

TEST(ReceiptTree, ADepositThatCameBackIsNotMoved) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.fails("r0", {"back"});
    auto& refund = story.receipt("back", "system", "alice");
    refund.signer_id = "system";
    refund.deposit = 60;
    story.ok("back");
    EXPECT_EQ(story.judge().net_deposit, 40u);
    EXPECT_EQ(story.judge().deposit_refunded, 60u);
}

TEST(ReceiptTree, ATransactionThatFailedItselfIsFailed) {
    Story story;
    story.parts.pop_back();
    story.outcome("TX", StatusKind::failure);
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::failed);
    EXPECT_TRUE(tree.settled);
    EXPECT_EQ(tree.transaction_failure.error_class, "contract_panic");
    EXPECT_TRUE(tree.decided_by.empty());
}

TEST(ReceiptTree, ADetachedReceiptThatFailedIsReceiptFailed) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"fire"});
    story.receipt("fire", "app", "other");
    story.fails("fire");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "fire").role, Role::detached);
    EXPECT_EQ(tree.verdict, Verdict::receipt_failed);
}

TEST(ReceiptTree, EachReceiverOfJointAndSharedResultsCounts) {
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

TEST(ReceiptTree, AFailedCallbackIsHandledByTheOneThatAwaitsIt) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "settle", "last"});
    story.receipt("call", "app", "x", {}, {"d1"});
    story.fails("call");
    story.receipt("settle", "app", "app", {"d1"}, {"d2"});
    story.fails("settle");
    story.receipt("last", "app", "app", {"d2"});
    story.ok("last");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "call").handling, Handling::handled);
    EXPECT_EQ(find(tree, "settle").handling, Handling::handled);
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
}

TEST(ReceiptTree, AReturnedPromiseIsAwaitedInItsMakersPlace) {
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

TEST(ReceiptTree, TheInnerCallOfADelegateIsJudged) {
    Story story;
    std::get<TransactionFacts>(story.parts[0]).delegate = DelegateFacts{"bob", "token"};
    story.receipt("r0", "alice", "bob").delegate = DelegateFacts{"bob", "token"};
    story.ok("r0", {"inner"});
    story.receipt("inner", "bob", "token");
    story.fails("inner");
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::receipt_failed);
    ASSERT_TRUE(tree.delegate);
    EXPECT_EQ(tree.delegate->relayer_id, "alice");
    EXPECT_EQ(tree.delegate->inner_receipt_id, "inner");
    EXPECT_TRUE(tree.delegate->inner_failed);
}

TEST(ReceiptTree, WhatADeletedAccountLeavesIsAPayout) {
    Story story;
    story.receipt("r0", "alice", "old").deletes_account = true;
    story.ok("r0", {"left"});
    story.receipt("left", "system", "heir").signer_id = "system";
    story.fails("left");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "left").role, Role::payout);
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
}

TEST(ReceiptTree, TellsWhatAReceiptWaitsFor) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"unseen", "ready", "callback", "yield"});
    story.receipt("ready", "app", "x", {}, {"d"});
    story.receipt("callback", "app", "app", {"d", "e"});
    story.data("e");
    story.receipt("yield", "app", "app", {"y"}).is_promise_yield = true;
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "unseen").waiting, Waiting::body);
    EXPECT_EQ(find(tree, "ready").waiting, Waiting::execution);
    EXPECT_EQ(find(tree, "callback").waiting, Waiting::data);
    EXPECT_EQ(find(tree, "callback").missing_data_ids, std::vector<std::string>{"d"});
    EXPECT_EQ(find(tree, "yield").waiting, Waiting::resume);
    EXPECT_FALSE(tree.completed);
}

TEST(ReceiptTree, KnowsAYieldThatTimedOutFromOneThatWasResumed) {
    for (const bool timed_out : {true, false}) {
        Story story;
        story.receipt("r0", "alice", "app");
        story.ok("r0", {"yield"});
        story.receipt("yield", "app", "app", {"y"}).is_promise_yield = true;
        story.data("y", timed_out, true);
        story.ok("yield");
        const auto tree = story.judge();
        EXPECT_EQ(find(tree, "yield").yield_timed_out, timed_out);
        EXPECT_EQ(tree.verdict, Verdict::succeeded);
    }
}

TEST(ReceiptTree, WhatBelongsToNoKnownParentIsKeptApart) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0");
    story.receipt("stray", "app", "x");
    story.fails("stray");
    const auto tree = story.judge();
    EXPECT_FALSE(find(tree, "stray").attached);
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
}

TEST(ReceiptTree, WhatIsNotAttachedIsThereHoweverMuchIsAnnounced) {
    Story story;
    story.receipt("r0", "alice", "app", {}, {"d"});
    story.fails("r0", {"unseen", "unseen too"});
    story.receipt("stray", "app", "app", {"d"});
    story.fails("stray");
    const auto tree = story.judge();
    ASSERT_EQ(tree.receipts.size(), 4u);
    EXPECT_TRUE(find(tree, "stray").failed());
    EXPECT_FALSE(find(tree, "stray").attached);
    EXPECT_EQ(find(tree, "stray").handling, Handling::undecided) << "nobody knows who awaits it";
}

TEST(ReceiptTree, AReceiptThatIsCalledAsItsTransactionIsNoPartOfTheTree) {
    Story story;
    story.receipt("TX", "liar", "app");
    story.receipt("r0", "alice", "app");
    story.ok("r0");
    const auto tree = story.judge();
    EXPECT_TRUE(tree.included);
    EXPECT_EQ(tree.verdict, Verdict::succeeded);
    EXPECT_EQ(tree.receipts.size(), 1u);
}

TEST(ReceiptTree, ThousandsThatAwaitOneDataIdAreJudged) {
    constexpr int kMany = 5'000;
    Story story;
    story.receipt("r0", "alice", "app");
    std::vector<std::string> children;
    for (int i = 0; i < kMany; ++i)
        for (const char* kind : {"p", "c"}) children.push_back(kind + std::to_string(i));
    story.ok("r0", children);
    for (int i = 0; i < kMany; ++i) {
        story.receipt("p" + std::to_string(i), "app", "x", {}, {"d"});
        story.fails("p" + std::to_string(i));
        story.receipt("c" + std::to_string(i), "app", "app", {"d"});
        story.ok("c" + std::to_string(i));
    }
    const auto tree = story.judge();
    EXPECT_EQ(tree.verdict, Verdict::succeeded_with_handled_failure);
    EXPECT_EQ(tree.failed_receipts, static_cast<std::uint64_t>(kMany));
}

TEST(ReceiptTree, OfAnOrphanHasNoTransactionWhateverArrivesFirst) {
    Story story;
    story.parts.clear();
    story.receipt("TX", "app", "token");
    story.fails("TX", {"child"});
    story.receipt("child", "token", "x");
    story.ok("child");
    for (const bool reversed : {false, true}) {
        auto parts = story.parts;
        if (reversed) std::reverse(parts.begin(), parts.end());
        const auto tree = Story::judge(parts);
        EXPECT_FALSE(tree.included);
        EXPECT_FALSE(tree.verdict);
        ASSERT_EQ(tree.receipts.size(), 2u);
        EXPECT_EQ(tree.receipts[0].receipt_id, "TX");
        EXPECT_TRUE(tree.receipts[0].failed());
        EXPECT_EQ(tree.receipts[1].parent_receipt_id, "TX");
    }
}

std::string summary(const Judgement& tree) {
    std::string text = std::string(tree.verdict ? verdict_name(*tree.verdict) : "open");
    for (const auto& id : tree.decided_by) text += " " + id;
    for (const auto& receipt : tree.receipts) {
        text += "\n" + receipt.receipt_id + "<" + receipt.parent_receipt_id + " " +
                std::string(receipt.role ? role_name(*receipt.role) : "?") + " " +
                std::string(handling_name(receipt.handling)) + " " +
                std::string(waiting_name(receipt.waiting));
        for (const auto& id : receipt.missing_data_ids) text += " " + id;
    }
    const auto height = [](const std::optional<ExecutedAt>& at) {
        return at ? std::to_string(at->height) : "-";
    };
    return text + "\n" + height(tree.included_at) + height(tree.completed_at) + height(tree.settled_at);
}

TEST(ReceiptTree, AnyOrderOfArrivalGivesTheSameJudgement) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const auto story = random_story(random);
        const auto told = summary(story.judge());
        for (int shuffle = 0; shuffle < 5; ++shuffle) {
            auto parts = story.parts;
            std::shuffle(parts.begin(), parts.end(), random);
            parts.insert(parts.end(), story.parts.begin(), story.parts.begin() + 3);  // some come twice
            ASSERT_EQ(summary(Story::judge(parts)), told) << "round " << round;
        }
    }
}

TEST(ReceiptTree, ARingOfDataEdgesEndsUndecidedAndNotInALoop) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"a", "b", "later"});
    story.receipt("a", "app", "x", {"db"}, {"da"});
    story.receipt("b", "app", "x", {"da"}, {"db"});
    story.fails("a");
    story.fails("b");
    EXPECT_EQ(find(story.judge(), "a").handling, Handling::undecided);
    story.ok("later");
    EXPECT_EQ(story.judge().verdict, Verdict::callback_failed);
}

TEST(ReceiptTree, AChainOfTenThousandReceiptsIsJudged) {
    Story story;
    story.receipt("r0", "alice", "app");
    std::string last = "r0";
    for (int i = 1; i < 10'000; ++i) {
        const auto id = "r" + std::to_string(i);
        story.ok(last, {id});
        story.receipt(id, "app", "app");
        last = id;
    }
    story.fails(last);
    const auto tree = story.judge();
    EXPECT_EQ(tree.receipts.size(), 10'000u);
    EXPECT_EQ(tree.decided_by, std::vector<std::string>{last});
}

}  // namespace
}  // namespace receiptd::chain
