#include "unit/watch/tracker_fakes.hpp"

#include "base/coroutine.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

using chain::Stage;
using testing::block_with;
using testing::Life;
using testing::submission_with_used_nonce;

const std::string kUniversalAccount = "0u" + std::string(51, 'x') + "g";

chain::TreeSeen settled_at(chain::BlockHeight height) {
    chain::TreeSeen seen;
    const chain::ExecutedAt at{height, 1'700'000'000'000'000'000};
    seen.included_at = seen.initial_at = seen.completed_at = seen.settled_at = at;
    seen.verdict = chain::Verdict::succeeded;
    return seen;
}

TEST(Tracker, WhatIsStoredAtTheStartIsJudgedAtOnce) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.store.include("tx", 95, true);
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
    const std::vector<Stage> stages{Stage::included, Stage::executing, Stage::completed, Stage::final};
    EXPECT_EQ(life.store.made["tx"], stages);
    EXPECT_FALSE(life.tracker->listening());
    EXPECT_TRUE(life.hosts.asked.empty());
}

TEST(Tracker, ACommitThatTouchesAWatchMovesIt) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.store.rows["tx"].checks = 2;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    life.store.include("tx", 101, false);
    life.tracker->committed(block_with("tx"));
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::included; }));
    life.store.include("tx", 101, true);
    chain::CommitFacts next;
    next.seen.collected = true;
    next.seen.trees = {"another", "tx"};
    life.tracker->committed(next);
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
    EXPECT_TRUE(life.hosts.asked.empty()) << "the follower sees it";
}

TEST(Tracker, AWatchOfSomebodyElseIsTakenIn) {
    Life life;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    life.store.include("tx", 95, true);
    life.store.add("tx");
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
    EXPECT_EQ(life.store.rows["tx"].transaction.watched_since, 100u);
}

TEST(Tracker, AWatchThatAnotherDaemonHasTakenInIsWatchedHereToo) {
    Life life;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.checks = 2;
    EXPECT_TRUE(life.until([&] { return life.tracker->wants("tx"); }));
}

TEST(Tracker, WhatARuleNamesIsWatchedAsSoonAsItsBlockIsStored) {
    Life life({{"all of alice", "alice", "", ""}});
    EXPECT_TRUE(life.tracker->listening());
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    const auto wanted = life.tracker->wanted(block_with("tx").seen);
    ASSERT_EQ(wanted.size(), 1u);
    EXPECT_EQ(wanted[0].rule, "all of alice");
    life.store.include("tx", 101, true);
    life.tracker->committed(block_with("tx"));
    EXPECT_FALSE(life.tracker->idle()) << "it is still to be taken in";
    life.store.want(wanted);
    EXPECT_TRUE(
        life.until([&] { return life.store.rows.contains("tx") && life.stage("tx") == Stage::final; }));
    EXPECT_EQ(life.store.rows["tx"].origin, storage::WatchOrigin::rule);
    EXPECT_TRUE(life.hosts.asked.empty());
    EXPECT_TRUE(life.until([&] { return life.tracker->idle(); }));
}

TEST(Tracker, AWatchThatASessionHoldsUpIsMadeLaterAndHoldsUpNoOther) {
    Life life({{"all of alice", "alice", "", ""}});
    life.store.held = {"tx"};
    life.start();
    life.store.include("tx", 101, true);
    life.store.want(life.tracker->wanted(block_with("tx").seen));
    life.tracker->committed(block_with("tx"));
    life.store.include("other", 101, true);
    life.store.want({{"other", "alice", "all of alice"}});
    EXPECT_TRUE(
        life.until([&] { return life.store.rows.contains("other") && life.stage("other") == Stage::final; }));
    EXPECT_TRUE(life.until([&] { return life.tracker->idle(); })) << "a restart finds what is held";
    EXPECT_FALSE(life.store.rows.contains("tx"));
    life.store.held.clear();
    life.store.wake();
    EXPECT_TRUE(
        life.until([&] { return life.store.rows.contains("tx") && life.stage("tx") == Stage::final; }));
}

TEST(Tracker, NoRuleLooksAtHistory) {
    Life life({{"everything", "*", "", ""}});
    auto seen = block_with("tx").seen;
    seen.history = true;
    EXPECT_TRUE(life.tracker->wanted(seen).empty());
}

TEST(Tracker, ATransactionFromBeforeItsWatchIsAskedForOnce) {
    Life life;
    life.hosts.known["tx"].included_at = chain::ExecutedAt{80, 1'700'000'000'000'000'000};
    life.store.add("tx");
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::included; }));
    EXPECT_EQ(life.store.evidence["tx"], R"({"host":"archival","final_height":100})");
    EXPECT_EQ(life.store.rows["tx"].checks, 1u);
}

TEST(Tracker, WhatNoBlockWillBringIsKept) {
    Life life;
    life.hosts.known["older"] = settled_at(80);
    life.store.add("older");
    life.store.add("followed").transaction.watched_since = 90;
    life.store.include("followed", 95, true);
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("older") == Stage::final; }));
    EXPECT_EQ(life.kept, std::set<std::string>{"older"});
}

TEST(Tracker, AnEndWithoutATreeIsTakenBackByTheChain) {
    for (const bool at_the_start : {false, true}) {
        Life life;
        auto& watch = life.store.add("tx");
        watch.transaction.watched_since = 90;
        watch.state.stage = Stage::dropped;
        watch.state.reason = chain::reason::kSuperseded;
        if (at_the_start) life.store.include("tx", 95, true);
        life.start();
        ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
        if (!at_the_start) {
            EXPECT_TRUE(life.tracker->listening());
            life.store.include("tx", 101, true);
            life.tracker->committed(block_with("tx"));
        }
        EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
        EXPECT_EQ(life.store.rows["tx"].state.reason, "");
        EXPECT_TRUE(life.hosts.asked.empty());
    }
}

TEST(Tracker, AHeadThatAHostAloneTellsEndsNothing) {
    Life life;
    life.store.add("by its hash").transaction.watched_since = 90;
    life.store.add("submitted").transaction.watched_since = 90;
    life.store.rows["submitted"].transaction.valid_until = 120;
    life.final_height = 200'000;
    life.agreed = life.covered = 100;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["by its hash"].checks > 0; }));
    ASSERT_TRUE(life.until([&] { return life.store.rows["submitted"].checks > 0; }));
    EXPECT_EQ(life.stage("by its hash"), Stage::accepted);
    EXPECT_EQ(life.stage("submitted"), Stage::accepted);
    life.agreed = life.covered = 200;
    life.clock.passed += std::chrono::minutes(2);
    EXPECT_TRUE(life.until([&] { return life.stage("by its hash") == Stage::unknown; }));
    EXPECT_TRUE(life.until([&] { return life.stage("submitted") == Stage::expired; }));
}

TEST(Tracker, ATreeThatCannotBeReadEndsNothing) {
    Life life;
    for (const std::string tx_hash : {"readable", "unreadable"}) {
        life.store.add(tx_hash).transaction.watched_since = 90;
        life.store.rows[tx_hash].transaction.valid_until = 120;
    }
    life.store.trees["unreadable"].unreadable = true;
    life.final_height = 200'000;
    life.agreed = life.covered = 200;
    life.start();
    life.clock.passed += std::chrono::minutes(2);
    EXPECT_TRUE(life.until([&] { return life.stage("readable") == Stage::expired; }));
    EXPECT_EQ(life.stage("unreadable"), Stage::accepted);
}

TEST(Tracker, AHashNobodyKnowsEndsUnknownWithWhatWasAsked) {
    Life life;
    life.store.add("tx");
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].checks == 1; }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
    life.final_height = 170;
    life.covered = 170;
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::unknown; }));
    EXPECT_EQ(life.store.rows["tx"].state.reason, chain::reason::kNeverSeen);
    EXPECT_NE(life.store.evidence["tx"].find("archival: UNKNOWN_TRANSACTION"), std::string::npos);
}

TEST(Tracker, AUsedNonceProvesThatItWasSuperseded) {
    Life life;
    submission_with_used_nonce(life, 100);
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::dropped; }));
    EXPECT_EQ(life.store.rows["tx"].state.reason, chain::reason::kSuperseded);
    EXPECT_EQ(life.hosts.asked["tx"], 1u) << "before it ends, whether a block from before its watch has it";
    EXPECT_NE(life.store.evidence["tx"].find("archival: UNKNOWN_TRANSACTION"), std::string::npos);
}

TEST(Tracker, ATransactionFromBeforeItsSubmissionHasUsedItsNonceItself) {
    Life life;
    submission_with_used_nonce(life, 100).checks = 3;
    life.hosts.known["tx"] = settled_at(80);
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
    EXPECT_EQ(life.store.made["tx"].front(), Stage::included) << "never dropped on the way";
}

TEST(Tracker, ADeletedKeyIsInTheEvidence) {
    Life life;
    auto& watch = submission_with_used_nonce(life, 100);
    watch.transaction.valid_until = 99;
    life.hosts.told->nonce.reset();
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::expired; }));
    const auto& evidence = life.store.evidence["tx"];
    EXPECT_NE(evidence.find("regular: the access key does not exist"), std::string::npos) << evidence;
}

TEST(Tracker, AUniversalAccountMaySignBeforeItsKeyIsThere) {
    for (const bool has_no_account : {false, true}) {
        for (const auto& sender : {std::string("alice"), kUniversalAccount}) {
            Life life;
            submission_with_used_nonce(life, 100).sender_id = sender;
            life.hosts.told->nonce.reset();
            life.hosts.told->key_missing_at = 100;
            life.hosts.told->has_no_account = has_no_account;
            life.start();
            if (sender == "alice") {
                EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::dropped; }));
                continue;
            }
            EXPECT_TRUE(life.until([&] { return life.store.rows["tx"].checks > 0; }));
            EXPECT_EQ(life.stage("tx"), Stage::accepted) << "its state init may come with that very nonce";
        }
    }
}

TEST(Tracker, ANonceOfABlockThatWasNotLookedThroughProvesNothing) {
    Life life;
    submission_with_used_nonce(life, 101);
    life.start();
    ASSERT_TRUE(life.until([&] { return life.hosts.sender_asked == 1; }));
    life.store.include("tx", 101, true);
    life.covered = 101;
    life.tracker->committed(block_with("tx"));
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
}

TEST(Tracker, WhatWasExecutedInAHoleThatNobodyFillsIsAskedFor) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.store.include("tx", 95, false);
    life.followed_since = 99;
    life.hosts.known["tx"] = settled_at(95);
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
}

TEST(Tracker, AHostThatDoesNotAnswerIsAskedAgain) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.hosts.silent = true;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.hosts.asked["tx"] == 1; }));
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].next_check_at > life.clock.wall(); }));
    EXPECT_EQ(life.store.rows["tx"].checks, 0u);
    life.hosts.silent = false;
    life.hosts.known["tx"] = settled_at(80);
    life.clock.passed += std::chrono::seconds(11);
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
}

TEST(Tracker, AConflictIsReadAgain) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.store.include("tx", 95, true);
    life.store.stolen.insert("tx");
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
}

TEST(Tracker, ARemovedWatchIsForgotten) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.store.rows["tx"].checks = 1;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    life.store.rows.clear();
    life.tracker->committed(block_with("tx"));
    EXPECT_TRUE(life.until([&] { return !life.tracker->listening(); }));
}

TEST(Tracker, ATransactionOutOfScopeIsIncludedByWhatWasSeen) {
    Life life({}, false);
    life.store.add("tx").transaction.watched_since = 90;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.hosts.asked["tx"] == 1; }));
    life.tracker->committed(block_with("tx", false));
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::included; }));
}

TEST(Tracker, WhatWasSeenInALostBlockDidNotHappen) {
    Life life;
    life.store.add("tx");
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    life.tracker->committed(block_with("tx", false));
    ASSERT_TRUE(life.until([&] { return life.stage("tx") == Stage::included; }));
    life.store.rows["tx"].state.stage = Stage::accepted;  // as the store begins it anew
    life.tracker->lost(base::HeightSet(base::HeightRange{102, 103}));
    ASSERT_TRUE(life.until([&] { return life.stage("tx") == Stage::included; })) << "of another block";
    life.store.rows["tx"].state.stage = Stage::accepted;
    life.tracker->lost(base::HeightSet(base::HeightRange{101, 101}));
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
}

TEST(Tracker, WhatWasReadBeforeABlockWasLostIsReadAgain) {
    Life life;
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.next_check_at += std::chrono::hours(1);
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    bool is_lost = false;
    life.store.after_trees = [&] {
        life.tracker->lost(base::HeightSet(base::HeightRange{101, 101}));
        is_lost = true;
    };
    life.tracker->committed(block_with("tx", false));
    ASSERT_TRUE(life.until([&] { return is_lost && life.tracker->idle(); }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
    EXPECT_TRUE(life.store.made["tx"].empty());
}

TEST(Tracker, WhatRpcTellsOfATreeMovesItsWatch) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.store.rows["tx"].checks = 1;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    ASSERT_TRUE(life.tracker->wants("tx"));
    chain::TreeSeen seen;
    seen.included_at = chain::ExecutedAt{101, 1};
    seen.initial_at = chain::ExecutedAt{102, 2};
    life.tracker->progressed("tx", seen);
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::executing; }));
}

}  // namespace
}  // namespace receiptd::watch
