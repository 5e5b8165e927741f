// What is done for a receipt that touches a followed account and whose tree is not stored yet.
#include "follow/orphan_step.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using storage::UnplacedReceipt;

UnplacedReceipt unplaced(const std::string& signer = "alice.near") {
    UnplacedReceipt receipt;
    receipt.receipt.receipt_id = "R";
    receipt.receipt.signer_id = signer;
    return receipt;
}

TEST(OrphanStep, AsksWhoseAReceiptIsIfNoTreeCanBringIt) {
    EXPECT_EQ(next_step(unplaced(), {}), OrphanStep::ask_transaction);
}

TEST(OrphanStep, WaitsForATreeOfItsSignerButNotForEver) {
    auto receipt = unplaced();
    receipt.signer_pending = true;
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::wait);
    receipt.age = 31s;
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::ask_transaction);
}

TEST(OrphanStep, WaitsLongerWhereManyTreesAreToBeFetched) {
    auto receipt = unplaced();
    receipt.signer_pending = true;
    receipt.age = 31s;
    EXPECT_EQ(next_step(receipt, {true, 1000}), OrphanStep::wait);
}

TEST(OrphanStep, WaitsForItsOwnTreeHoweverLong) {
    auto receipt = unplaced();
    receipt.tree_pending = true;
    receipt.age = std::chrono::hours(2);
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::wait);
    EXPECT_EQ(next_step(receipt, {false, 0}), OrphanStep::wait);
}

TEST(OrphanStep, ARefundOfADepositWaitsForTheTreeThatItsCauseFinds) {
    auto receipt = unplaced("system");
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::wait);
    receipt.age = 5s;
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::ask_transaction);
}

TEST(OrphanStep, WantsTheOutcomeOfWhatNobodyCanTell) {
    auto receipt = unplaced();
    EXPECT_EQ(next_step(receipt, {false, 0}), OrphanStep::want_outcome);
    receipt.attempts = 6;
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::want_outcome);
    receipt.wants_outcome = true;
    EXPECT_EQ(next_step(receipt, {}), OrphanStep::ask_outcome);
}

TEST(OrphanStep, AsksLessAndLessOftenAndThenNoMore) {
    EXPECT_EQ(pause_before_transaction(1), 1s);
    EXPECT_EQ(pause_before_transaction(4), 8s);
    EXPECT_EQ(pause_before_transaction(6), std::nullopt);
    EXPECT_LT(*pause_before_outcome(2), *pause_before_outcome(5));
    EXPECT_EQ(pause_before_outcome(19), 60s);
    EXPECT_EQ(pause_before_outcome(20), std::nullopt);
}

TEST(OrphanStep, OfOneSignerOnlyTheFirstAsks) {
    auto outcome = unplaced();
    outcome.wants_outcome = true;
    const std::vector<UnplacedReceipt> due{unplaced("a"), unplaced("b"),      unplaced("a"),
                                           outcome,       unplaced("system"), unplaced("system")};
    EXPECT_EQ(may_ask_together(due), (std::vector<bool>{true, true, false, true, true, true}));
    EXPECT_EQ(may_ask_together(due, {"a", "system"}),
              (std::vector<bool>{false, true, false, true, true, true}));
}

TEST(OrphanStep, TheBlockOfATransactionInScopeBringsItIfItIsWanted) {
    chain::Scope scope;
    scope.kind = chain::ScopeKind::accounts;
    scope.accounts = {"alice.near"};
    chain::SignedTransaction mine;
    mine.hash = "T";
    mine.signer_id = "alice.near";
    mine.receiver_id = "dex.near";
    auto others = mine;
    others.signer_id = "bob.near";
    storage::Coverage coverage;
    coverage.wanted.add({10, 20});
    coverage.covered.add({10, 14});
    EXPECT_TRUE(block_will_bring(scope, mine, 15, coverage));
    EXPECT_FALSE(block_will_bring(scope, mine, 9, coverage)) << "nobody follows it";
    EXPECT_FALSE(block_will_bring(scope, mine, 12, coverage)) << "it is stored";
    EXPECT_FALSE(block_will_bring(scope, others, 15, coverage)) << "the block leaves it out";
}

TEST(OrphanStep, AnAnswerNamesTheReceiptsOfItsTree) {
    chain::TransactionStatus status;
    status.transaction_outcome.emplace().receipt_ids = {"A"};
    chain::Outcome initial;
    initial.receipt_ids = {"B", "C"};
    status.receipts_outcome = {initial};
    EXPECT_EQ(receipts_named(status), (std::vector<std::string>{"A", "B", "C"}));
    EXPECT_TRUE(receipts_named({}).empty());
}

}  // namespace
}  // namespace receiptd::follow
