// The steps for a receipt that touches a followed account and whose tree is not stored yet.
#include "follow/unplaced_step.hpp"

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

TEST(UnplacedStep, AsksWhoseAReceiptIsIfNoTreeCanBringIt) {
    EXPECT_EQ(next_step(unplaced(), {}), UnplacedStep::ask_transaction);
}

TEST(UnplacedStep, WaitsForATreeOfItsSignerButNotForEver) {
    auto receipt = unplaced();
    receipt.signer_pending = true;
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::wait);
    receipt.age = 31s;
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::ask_transaction);
}

TEST(UnplacedStep, WaitsLongerWhereManyTreesAreToBeFetched) {
    auto receipt = unplaced();
    receipt.signer_pending = true;
    receipt.age = 31s;
    EXPECT_EQ(next_step(receipt, {true, 1000}), UnplacedStep::wait);
}

TEST(UnplacedStep, WaitsForItsOwnTreeHoweverLong) {
    auto receipt = unplaced();
    receipt.tree_pending = true;
    receipt.age = std::chrono::hours(2);
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::wait);
    EXPECT_EQ(next_step(receipt, {false, 0}), UnplacedStep::wait);
}

TEST(UnplacedStep, ARefundOfADepositWaitsForTheTreeThatItsCauseFinds) {
    auto receipt = unplaced("system");
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::wait);
    receipt.age = 5s;
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::ask_transaction);
}

TEST(UnplacedStep, WantsTheOutcomeOfWhatNobodyCanTell) {
    auto receipt = unplaced();
    EXPECT_EQ(next_step(receipt, {false, 0}), UnplacedStep::want_outcome);
    receipt.attempts = 6;
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::want_outcome);
    receipt.wants_outcome = true;
    EXPECT_EQ(next_step(receipt, {}), UnplacedStep::ask_outcome);
}

TEST(UnplacedStep, AsksLessAndLessOftenAndThenNoMore) {
    EXPECT_EQ(pause_before_transaction(1), 1s);
    EXPECT_EQ(pause_before_transaction(4), 8s);
    EXPECT_EQ(pause_before_transaction(6), std::nullopt);
    EXPECT_LT(*pause_before_outcome(2), *pause_before_outcome(5));
    EXPECT_EQ(pause_before_outcome(19), 60s);
    EXPECT_EQ(pause_before_outcome(20), std::nullopt);
}

TEST(UnplacedStep, OfOneSignerOnlyTheFirstAsks) {
    auto outcome = unplaced();
    outcome.wants_outcome = true;
    const std::vector<UnplacedReceipt> due{unplaced("a"), unplaced("b"),      unplaced("a"),
                                           outcome,       unplaced("system"), unplaced("system")};
    EXPECT_EQ(may_ask_together(due), (std::vector<bool>{true, true, false, true, true, true}));
    EXPECT_EQ(may_ask_together(due, {"a", "system"}),
              (std::vector<bool>{false, true, false, true, true, true}));
}

TEST(UnplacedStep, TheBlockOfATransactionInScopeBringsItIfItIsWanted) {
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

TEST(UnplacedStep, AnAnswerNamesTheReceiptsOfItsTree) {
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
