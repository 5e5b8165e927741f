#include "follow/tree_progress.hpp"

#include "unit/follow/small_tree.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace receiptd::follow {
namespace {

TEST(TreeProgress, TheFirstAnswerIsAskedForOneBlockLater) { EXPECT_EQ(first_ask(100, false).at, 101u); }

TEST(TreeProgress, AWatchedTreeIsAskedForAtOnce) { EXPECT_EQ(first_ask(100, true).at, 100u); }

TEST(TreeProgress, WhatIsUnderWayIsAskedForAfterTheBlocksANodeHasShownAlready) {
    const auto tree = tree_with(body("second"));
    const auto next = next_ask(waits_of(tree), {}, 101);
    EXPECT_EQ(next.at, 103u);
    EXPECT_TRUE(next.waits_for_data.empty());
}

base::Height pause(unsigned answers_alike, bool watched) {
    return next_ask(waits_of(tree_with(body("second"))), {answers_alike, watched}, 1'000).at - 1'000;
}

TEST(TreeProgress, ATreeThatStandsStillIsAskedForLessAndLessOften) {
    for (unsigned alike = 1; alike < 20; ++alike) EXPECT_LE(pause(alike, false), pause(alike + 1, false));
    EXPECT_EQ(pause(1, false), 2u);
    EXPECT_EQ(pause(20, false), 13u);
}

TEST(TreeProgress, AWatchedTreeIsAskedForInTimeForEachStage) {
    for (unsigned alike = 1; alike <= 20; ++alike) EXPECT_EQ(pause(alike, true), 2u);
    EXPECT_EQ(pause(21, true), 13u) << "it stands still for long";
}

TEST(TreeProgress, AYieldIsAskedForWhenItsDataIsListed) {
    auto yielded = body("yielded");
    yielded.is_promise_yield = true;
    yielded.input_data_ids = {"data"};
    const auto next = next_ask(waits_of(tree_with(yielded)), {}, 101);
    EXPECT_EQ(next.waits_for_data, std::vector<std::string>{"data"});
    EXPECT_GT(next.at, 120u);
}

TEST(TreeProgress, AYieldBesideAReceiptUnderWayIsNoReasonToWait) {
    auto yielded = body("yielded");
    yielded.is_promise_yield = true;
    yielded.input_data_ids = {"data"};
    auto tree = tree_with(yielded);
    tree.status.value.receipts_outcome[0].receipt_ids.push_back("second");
    tree.status.value.receipts->push_back(body("second"));
    EXPECT_TRUE(next_ask(waits_of(tree), {}, 101).waits_for_data.empty());
}

TEST(TreeProgress, WhatAwaitsAnotherReceiptOfTheTreeIsNoReasonToAsk) {
    auto yielded = body("yielded");
    yielded.is_promise_yield = true;
    yielded.input_data_ids = {"data"};
    auto tree = tree_with(yielded);
    auto callback = body("callback");
    callback.input_data_ids = {"result of the yielded one"};
    tree.status.value.receipts_outcome[0].receipt_ids.push_back("callback");
    tree.status.value.receipts->push_back(callback);
    EXPECT_EQ(waits_of(tree).for_data, std::vector<std::string>{"data"});
    EXPECT_FALSE(waits_of(tree).moves);
}

TEST(TreeProgress, AReceiptOfWhichNothingButItsIdIsKnownMayBeExecutedAnyTime) {
    auto tree = tree_with(body("second"));
    tree.status.value.receipts->pop_back();
    EXPECT_TRUE(waits_of(tree).moves);
    tree.extra_receipts.push_back({nullptr, body("second")});
    tree.extra_receipts[0].receipt.input_data_ids = {"data"};
    EXPECT_FALSE(waits_of(tree).moves) << "it is listed elsewhere, and awaits another one";
}

TEST(TreeProgress, AnExecutedReceiptAwaitsNothing) {
    auto yielded = body("yielded");
    yielded.is_promise_yield = true;
    yielded.input_data_ids = {"data"};
    auto tree = tree_with(yielded);
    tree.status.value.receipts_outcome.push_back(
        outcome("yielded", chain::StatusKind::success_value, {"third"}));
    tree.status.value.receipts->push_back(body("third"));
    EXPECT_TRUE(waits_of(tree).moves);
    EXPECT_TRUE(waits_of(tree).for_data.empty());
}

TEST(TreeProgress, ATreeThatAwaitsVeryMuchIsAskedForByTime) {
    auto yielded = body("second");
    yielded.is_promise_yield = true;
    const std::vector<std::string> ids(300, "data");
    yielded.input_data_ids.assign(ids.begin(), ids.end());
    const auto next = next_ask(waits_of(tree_with(yielded)), {}, 101);
    EXPECT_TRUE(next.waits_for_data.empty());
    EXPECT_LT(next.at, 110u);
}

}  // namespace
}  // namespace receiptd::follow
