// Transactions that a host shows in a block before it is final.
#include "unit/watch/tracker_fakes.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

using chain::Stage;
using testing::block_with;
using testing::Life;
using Inclusions = std::vector<std::string>;

chain::SeenEarly in_block(const std::string& hash, chain::BlockHeight height) {
    return {{{height, 1'700'000'000'000'000'000}, hash}, "regular"};
}

chain::CommitFacts covering(base::HeightRange heights) {
    chain::CommitFacts facts;
    facts.seen.collected = true;
    facts.covered = base::HeightSet(heights);
    return facts;
}

class EarlyTracker : public ::testing::Test {
protected:
    EarlyTracker() {
        auto& watch = life.store.add("tx");
        watch.transaction.watched_since = 90;
        watch.checks = 2;
        start();
    }
    void start() {
        life.start();
        EXPECT_TRUE(life.until([&] { return life.tracker->idle(); }));
    }
    void show(const std::string& hash, chain::BlockHeight height) {
        life.tracker->seen_early("tx", in_block(hash, height));
        EXPECT_TRUE(life.until([&] { return life.tracker->idle(); }));
    }
    // The height is final: its block, if it has one, is stored.
    void become_final(chain::BlockHeight height, const std::string& hash, bool lists_it) {
        life.covered = life.final_height = height;
        if (!hash.empty()) life.blocks[hash] = height;
        if (lists_it) life.store.include("tx", height, false);
        auto facts = lists_it ? block_with("tx") : chain::CommitFacts{};
        if (lists_it) facts.seen.transactions[0].included_at.height = height;
        facts.covered = covering({height, height}).covered;
        facts.seen.collected = true;
        life.tracker->committed(facts);
        EXPECT_TRUE(life.until([&] { return life.tracker->idle(); }));
    }
    const Inclusions& inclusions() { return life.store.inclusions["tx"]; }

    Life life;
};

TEST_F(EarlyTracker, AreToldAndThenConfirmed) {
    EXPECT_TRUE(life.tracker->awaits_inclusion());
    show("A", 102);
    EXPECT_EQ(life.stage("tx"), Stage::included);
    EXPECT_TRUE(life.tracker->awaits_inclusion()) << "a fork may take it back";
    become_final(102, "A", true);
    EXPECT_EQ(inclusions(), (Inclusions{"tx:A early", "tx:A confirmed"}));
    EXPECT_EQ(life.stage("tx"), Stage::included);
    EXPECT_FALSE(life.tracker->awaits_inclusion());
    EXPECT_TRUE(life.hosts.asked.empty());
}

TEST_F(EarlyTracker, OfAForkThatLosesAreTakenBack) {
    show("A", 102);
    become_final(102, "", false);
    EXPECT_EQ(inclusions(), (Inclusions{"tx:A early", "tx:A retracted"}));
    EXPECT_EQ(life.stage("tx"), Stage::pending);
    show("B", 104);
    become_final(104, "B", true);
    EXPECT_EQ(inclusions().back(), "tx:B confirmed");
}

TEST_F(EarlyTracker, InAnotherFinalBlockOfTheSameHeightAreAnotherInclusion) {
    show("A", 102);
    become_final(102, "B", true);
    EXPECT_EQ(inclusions(), (Inclusions{"tx:A early", "tx:A retracted"}));
    EXPECT_EQ(life.stage("tx"), Stage::included);
    EXPECT_FALSE(life.store.rows["tx"].state.early);
}

TEST_F(EarlyTracker, OfFinalHeightsAreNoNews) {
    show("A", 100);
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
}

TEST_F(EarlyTracker, ThatTheFinalBlockDoesNotListAreAskedFor) {
    show("A", 102);
    become_final(102, "A", false);
    EXPECT_EQ(inclusions(), Inclusions{"tx:A early"}) << "rows may lack it";
    life.final_height = life.covered.emplace(120);
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::pending; })) << "without the clock";
    EXPECT_GE(life.hosts.asked["tx"], 1u);
}

TEST_F(EarlyTracker, WaitForAHeightThatCannotBeHad) {
    show("A", 102);
    life.stored = base::HeightSet({0, 101});
    life.stored->add({103, 110});
    life.final_height = 110;
    life.tracker->committed(covering({103, 110}));
    EXPECT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_EQ(inclusions(), Inclusions{"tx:A early"});
    life.stored->add({102, 102});
    life.tracker->committed(covering({102, 102}));
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::pending; }));
}

TEST_F(EarlyTracker, AreDecidedByADaemonThatStartsLater) {
    show("A", 102);
    life.running->cancel();
    EXPECT_TRUE(life.until([&] { return life.running->running() == 0; }));
    life.covered = life.final_height = 105;
    start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::pending; }));
    EXPECT_EQ(inclusions().back(), "tx:A retracted");
}

TEST_F(EarlyTracker, AreDecidedThoughTheFinalBlockComesWhileTheyAreLookedAt) {
    life.store.after_trees = [this] {
        life.covered = life.final_height = 103;
        life.tracker->committed(covering({101, 103}));
    };
    life.tracker->seen_early("tx", in_block("A", 102));
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::pending && life.tracker->idle(); }));
    EXPECT_EQ(inclusions(), (Inclusions{"tx:A early", "tx:A retracted"}));
}

TEST_F(EarlyTracker, AtAHoleThatStaysAreAskedForAndToldOnce) {
    show("A", 102);
    life.stored = base::HeightSet({0, 101});  // and nobody fills 102
    life.final_height = 130;
    life.clock.passed += std::chrono::minutes(2);
    EXPECT_TRUE(life.until([&] { return life.hosts.asked["tx"] > 0; }));
    life.clock.passed += std::chrono::minutes(20);
    EXPECT_TRUE(life.until([&] { return life.hosts.asked["tx"] > 1; }));
    EXPECT_EQ(inclusions().front(), "tx:A early");
    EXPECT_LE(inclusions().size(), 2u);
}

TEST_F(EarlyTracker, OfHeightsThatCannotBeAreNoNews) {
    show("A", 100 + 1'000'000);
    EXPECT_EQ(life.stage("tx"), Stage::accepted) << "far above what the hosts agree on";
    life.store.add("other").transaction.watched_since = 90;
    life.store.rows["other"].transaction.valid_until = 103;
    EXPECT_TRUE(life.until([&] { return life.tracker->wants("other") && life.tracker->idle(); }));
    life.tracker->seen_early("other", in_block("B", 104));
    EXPECT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_EQ(life.stage("other"), Stage::accepted) << "no block may include it any more";
}

TEST(EarlyWatches, OfRulesAwaitNothing) {
    Life life;
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.origin = storage::WatchOrigin::rule;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_FALSE(life.tracker->awaits_inclusion());
}

TEST(EarlyWatches, ThatCanBeInNoBlockAnyMoreAwaitNothing) {
    Life life;
    life.hosts.silent = true;
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.transaction.valid_until = 110;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_TRUE(life.tracker->awaits_inclusion());
    life.final_height = 130;
    EXPECT_FALSE(life.tracker->awaits_inclusion());
}

}  // namespace
}  // namespace receiptd::watch
