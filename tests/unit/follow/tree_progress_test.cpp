#include "follow/tree_progress.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace receiptd::follow {
namespace {

using Tree = rpc::TreeSource::Tree;

chain::Receipt body(chain::Text id) {
    chain::Receipt receipt;
    receipt.receipt_id = id;
    receipt.kind = chain::ReceiptKind::action;
    receipt.predecessor_id = "alice";
    receipt.receiver_id = "bob";
    receipt.signer_id = "alice";
    return receipt;
}

chain::Outcome outcome(chain::Text id, chain::StatusKind status, std::vector<chain::Text> children) {
    chain::Outcome made;
    made.id = id;
    made.status.kind = status;
    made.receipt_ids = std::move(children);
    return made;
}

// tx → initial, which is executed and has spawned one more.
Tree tree_with(chain::Receipt spawned) {
    Tree tree;
    auto& status = tree.status.value;
    status.transaction.emplace();
    status.transaction->hash = "tx";
    status.transaction->signer_id = "alice";
    status.transaction->receiver_id = "bob";
    status.transaction_outcome = outcome("tx", chain::StatusKind::success_receipt_id, {"initial"});
    status.receipts_outcome.push_back(
        outcome("initial", chain::StatusKind::success_value, {spawned.receipt_id}));
    status.receipts.emplace();
    status.receipts->push_back(body("initial"));
    status.receipts->push_back(std::move(spawned));
    return tree;
}

TEST(TreeProgress, TheFirstAnswerIsAskedForOneBlockLater) { EXPECT_EQ(first_ask(100).at, 101u); }

TEST(TreeProgress, WhatIsUnderWayIsAskedForAfterTheBlocksANodeHasShownAlready) {
    const auto tree = tree_with(body("second"));
    const auto next = next_ask(tree, 1, 101);
    EXPECT_EQ(next.at, 103u);
    EXPECT_TRUE(next.waits_for_data.empty());
}

TEST(TreeProgress, ALongTreeIsAskedForLessAndLessOften) {
    const auto tree = tree_with(body("second"));
    base::Height pause = 0;
    for (unsigned asks = 1; asks < 20; ++asks) {
        const auto next = next_ask(tree, asks, 1'000).at - 1'000;
        EXPECT_GE(next, pause);
        pause = next;
    }
    EXPECT_LE(pause, 20u);
}

TEST(TreeProgress, AYieldIsAskedForWhenItsDataIsListed) {
    auto yielded = body("yielded");
    yielded.is_promise_yield = true;
    yielded.input_data_ids = {"data"};
    const auto next = next_ask(tree_with(yielded), 1, 101);
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
    EXPECT_TRUE(next_ask(tree, 1, 101).waits_for_data.empty());
}

}  // namespace
}  // namespace receiptd::follow
