// Trees from their parts, in any order and with any of them missing.
#include "chain/tree/receipt_tree.hpp"

#include "tree_story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace receiptd::chain {
namespace {

using testing::find;
using testing::random_story;
using testing::Story;

TEST(ReceiptTree, ADepositThatCameBackIsNotMoved) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.fails("r0", {"back"});
    auto& refund = story.receipt("back", "system", "alice");
    refund.signer_id = "system";
    refund.deposit = 60;
    story.ok("back");
    EXPECT_EQ(story.judge().net_deposit, 40u);
    EXPECT_EQ(story.judge().refunds.deposits, 60u);
}

// Whichever of the two is told first.
TEST(ReceiptTree, AnExecutionCountsMoreThanAnInvalidOutcomeOfTheSameTransaction) {
    OutcomeFacts invalid;
    invalid.id = "TX";
    invalid.status = StatusKind::failure;
    invalid.failure = {"invalid_nonce", "no"};
    invalid.at = ExecutedAt{5, 5};
    for (const bool first : {true, false}) {
        Story story;
        story.receipt("r0", "alice", "app");
        story.ok("r0");
        story.parts.insert(first ? story.parts.begin() : story.parts.end(), invalid);
        const auto tree = story.judge();
        EXPECT_FALSE(tree.transaction_failed);
        EXPECT_EQ(tree.verdict, Verdict::succeeded);
    }
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
    if (tree.near_status) text += " " + std::string(tree.near_status->name()) + tree.near_status->receipt_id;
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

TEST(ReceiptTree, ARingOfDataEdgesEndsAndNotInALoop) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"a", "b", "later"});
    story.receipt("a", "app", "x", {"db"}, {"da"});
    story.receipt("b", "app", "x", {"da"}, {"db"});
    story.fails("a");
    story.fails("b");
    EXPECT_EQ(find(story.judge(), "a").handling, Handling::unhandled) << "both are callbacks";
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

// A returned receipt is awaited in its maker's place: the edge of the data begins at it.
TEST(ReceiptTree, NamesWhoseResultAReceiptAwaits) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "back", {"call", "other", "back"});
    story.receipt("call", "app", "router", {}, {"d1"});
    story.returns("call", "deeper", {"deeper"});
    story.receipt("deeper", "router", "dex", {}, {"d1"});
    story.ok("deeper");
    story.receipt("other", "app", "token", {}, {"d2"});
    story.ok("other");
    story.receipt("back", "app", "app", {"d2", "d1", "unknown"});
    story.ok("back");
    const auto tree = story.judge();
    EXPECT_EQ(find(tree, "back").awaits, (std::vector<std::string>{"other", "deeper"}));
    EXPECT_TRUE(find(tree, "deeper").awaits.empty());
    EXPECT_TRUE(find(tree, "r0").on_result_chain);
    EXPECT_TRUE(find(tree, "back").on_result_chain);
    EXPECT_FALSE(find(tree, "call").on_result_chain);
    EXPECT_FALSE(find(tree, "deeper").on_result_chain) << "nobody on the result chain returned its maker";
}

}  // namespace
}  // namespace receiptd::chain
