#include "watch/review.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

using namespace std::chrono_literals;
using chain::Stage;

const base::WallTime kNow{1'700'000'000s};
const base::SteadyTime kInStageSince{100s};

chain::ExecutedAt at(chain::BlockHeight height, base::WallTime time = kNow) {
    return {height, static_cast<std::uint64_t>(time.time_since_epoch().count())};
}

storage::Watch watch_in(Stage stage = Stage::accepted) {
    storage::Watch made;
    made.tx_hash = "tx";
    made.sender_id = "alice";
    made.state.stage = stage;
    made.transaction.tx_hash = "tx";
    made.transaction.watched_since = 100;
    made.created_at = made.stage_since = kNow - 20s;
    return made;
}

storage::Watch submission() {
    auto made = watch_in();
    made.origin = storage::WatchOrigin::submission;
    made.transaction.nonce = 7;
    made.transaction.valid_until = 500;
    made.public_key = "ed25519:key";
    return made;
}

ReviewRules rules() {
    ReviewRules made;
    made.now = kNow;
    made.steady_now = kInStageSince + 20s;
    return made;
}

chain::TreeSeen included(chain::ExecutedAt where) {
    chain::TreeSeen seen;
    seen.included_at = where;
    return seen;
}

Sight seen_up_to(chain::BlockHeight height) {
    Sight sight;
    sight.final_height = height;
    sight.looked_up_to = height;
    return sight;
}

TEST(Review, NothingNewIsNothingToWrite) { EXPECT_FALSE(review(watch_in(), {}, rules(), kInStageSince)); }

TEST(Review, AStoredTreeMovesTheWatch) {
    storage::StoredTree tree;
    tree.transaction = chain::TransactionFacts{"tx", "alice", "bob", 0, std::nullopt, "pay"};
    tree.outcomes.push_back({"tx", "alice", chain::StatusKind::success_receipt_id, {"r"}, {}, 0, 0, at(101)});
    const auto update = review(watch_in(), {seen_of("tx", tree)}, rules(), kInStageSince);
    ASSERT_TRUE(update);
    EXPECT_EQ(update->from, Stage::accepted);
    EXPECT_EQ(update->state.stage, Stage::included);
    ASSERT_EQ(update->transitions.size(), 1u);
    EXPECT_EQ(update->transitions[0].at, at(101));
}

TEST(Review, WhoeverAskedForItTheChainKnowsItsSigner) {
    storage::StoredTree tree;
    tree.transaction = chain::TransactionFacts{"tx", "signer", "bob", 0, std::nullopt, "pay"};
    EXPECT_FALSE(review(watch_in(), {seen_of("tx", tree)}, rules(), kInStageSince)) << "no block has it yet";
    tree.listed_at = at(101);
    auto stored = watch_in();
    const auto update = review(stored, {seen_of("tx", tree)}, rules(), kInStageSince);
    ASSERT_TRUE(update);
    EXPECT_EQ(update->sender_id, "signer");
    apply(stored, *update, kNow);
    EXPECT_EQ(stored.sender_id, "signer");
    EXPECT_FALSE(review(stored, {seen_of("tx", tree)}, rules(), kInStageSince));
    auto seen = included(at(101));
    seen.signer_id = "No Account";
    EXPECT_EQ(review(watch_in(), {seen}, rules(), kInStageSince)->sender_id, "");
}

TEST(Review, AListedTransactionIsIncludedBeforeItsOutcomeIsKnown) {
    storage::StoredTree tree;
    tree.transaction = chain::TransactionFacts{"tx", "alice", "bob", 0, std::nullopt, "pay"};
    tree.listed_at = at(101);
    EXPECT_EQ(seen_of("tx", tree).included_at, at(101));
}

TEST(Review, WhoSaidItIsInTheEvidence) {
    const auto update =
        review(watch_in(), {included(at(101))}, rules(), kInStageSince, Witness{"archival", 110});
    ASSERT_TRUE(update);
    EXPECT_EQ(update->transitions[0].evidence, R"({"host":"archival","final_height":110})");
}

TEST(Review, TooLongInAStageIsStuckUntilItMoves) {
    auto made = watch_in(Stage::included);
    auto later = rules();
    later.now = kNow + 24h;
    EXPECT_FALSE(review(made, {}, later, kInStageSince)) << "the wall clock may have jumped";
    later.steady_now = kInStageSince + 31s;
    auto update = review(made, {}, later, kInStageSince);
    ASSERT_TRUE(update);
    EXPECT_EQ(update->stuck, true);
    apply(made, *update, kNow);
    EXPECT_FALSE(review(made, {}, later, kInStageSince)) << "it is known";
    EXPECT_FALSE(review(made, {}, later, later.steady_now)) << "after a restart, too";
    auto seen = included(at(101));
    seen.initial_at = at(102);
    update = review(made, {seen}, later, kInStageSince);
    ASSERT_TRUE(update);
    EXPECT_EQ(update->stuck, false);
    EXPECT_EQ(update->state.stage, Stage::executing);
}

TEST(PlanCheck, WhatTheFollowerSeesIsNotAskedFor) {
    Sight sight = seen_up_to(150);
    sight.tree_is_stored = true;
    EXPECT_FALSE(plan_check(watch_in(Stage::executing), sight, rules()).asks());
    auto by_rule = watch_in();
    by_rule.origin = storage::WatchOrigin::rule;
    EXPECT_FALSE(plan_check(by_rule, seen_up_to(150), rules()).asks());
}

TEST(PlanCheck, AMatchOfARuleWaitsForItsBlockToBeStored) {
    auto made = watch_in();
    made.origin = storage::WatchOrigin::rule;
    made.created_at = kNow;
    Sight behind;
    behind.final_height = 9'000;
    EXPECT_FALSE(plan_check(made, behind, rules()).asks());
}

TEST(PlanCheck, NothingIsAskedBeforeItIsWrittenSinceWhenItIsWatched) {
    auto made = watch_in();
    made.transaction.watched_since = 0;
    Sight sight;
    sight.final_height = 1'000'000;
    EXPECT_FALSE(plan_check(made, sight, rules()).asks());
}

TEST(PlanCheck, ATransactionAddedByItsHashMayBeOlderThanItsWatch) {
    auto made = watch_in();
    EXPECT_TRUE(plan_check(made, seen_up_to(150), rules()).tree);
    made.checks = 1;
    EXPECT_TRUE(plan_check(made, seen_up_to(150), rules()).tree) << "the host may have lagged";
    made.checks = 2;
    EXPECT_FALSE(plan_check(made, seen_up_to(150), rules()).asks()) << "twice is enough";
}

TEST(PlanCheck, ASubmissionThatNoHostTookMayBeInABlockAlready) {
    auto made = watch_in();
    made.origin = storage::WatchOrigin::submission;
    made.created_at = kNow;
    EXPECT_TRUE(plan_check(made, seen_up_to(150), rules()).tree);
    made.state.stage = Stage::pending;
    EXPECT_FALSE(plan_check(made, seen_up_to(150), rules()).tree) << "most come soon";
}

TEST(PlanCheck, WhatTheFollowerCannotSeeIsAskedForLessAndLessOften) {
    auto made = watch_in();
    Sight blind;
    blind.final_height = 150;
    const auto first = plan_check(made, blind, rules());
    made.checks = 4;
    const auto later = plan_check(made, blind, rules());
    EXPECT_TRUE(first.tree);
    EXPECT_TRUE(later.tree);
    EXPECT_LT(first.next, later.next);
    made.checks = 500;
    EXPECT_LE(plan_check(made, blind, rules()).next, kNow + 60s);
}

TEST(PlanCheck, ATreeThatIsNotStoredIsAskedFor) {
    EXPECT_TRUE(plan_check(watch_in(Stage::included), seen_up_to(150), rules()).tree);
}

TEST(PlanCheck, AFollowerFarBehindDoesNotCount) {
    Sight sight = seen_up_to(150);
    sight.final_height = 300;
    EXPECT_TRUE(plan_check(watch_in(), sight, rules()).tree);
}

TEST(PlanCheck, OfASubmissionTheKeyIsAskedForAfterAWhile) {
    auto made = submission();
    made.state.stage = Stage::pending;
    made.created_at = kNow;
    EXPECT_FALSE(plan_check(made, seen_up_to(150), rules()).asks());
    made.created_at = kNow - 6s;
    const auto check = plan_check(made, seen_up_to(150), rules());
    EXPECT_TRUE(check.key);
    EXPECT_TRUE(check.tree) << "it may be older than its watch";
    made.checks = 2;
    EXPECT_FALSE(plan_check(made, seen_up_to(150), rules()).tree);
}

TEST(PlanCheck, BeforeItEndsTheHostsAreAskedOnceMore) {
    EXPECT_TRUE(plan_check(submission(), seen_up_to(500), rules()).tree);
    EXPECT_TRUE(plan_check(submission(), seen_up_to(500), rules()).key) << "it may say why";
    auto made = watch_in();
    made.checks = 1;
    EXPECT_TRUE(plan_check(made, seen_up_to(111 + rules().lifecycle.validity_blocks), rules()).tree);
}

}  // namespace
}  // namespace receiptd::watch
