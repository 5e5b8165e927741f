// Blocks by rpc, and the trees of their transactions.
#include "unit/follow/fakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace receiptd::follow {
namespace {

using testing::Daemon;

class TreesByRpc : public ::testing::Test {
protected:
    Follower::End follow(base::Height until) {
        auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
        settings.patience = config::Millis(60'000);
        Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
        return daemon.follow(until);
    }

    base::asio::io_context context_;
    testing::PaperChain chain_{context_.get_executor(), config::Source::rpc};
    testing::PaperTrees trees_{context_.get_executor(), chain_};
    testing::MemoryStore store_;
};

TEST_F(TreesByRpc, AreFetchedForEveryTransactionOfAStoredBlock) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 102);
    chain_.add_failing("T2", 105);
    const auto end = follow(110);
    EXPECT_TRUE(end.missing.empty());
    EXPECT_EQ(end.unfinished_trees, 0u);
    EXPECT_EQ(store_.complete, (std::set<std::string>{"T1", "T2"}));
    EXPECT_TRUE(store_.pending.empty());
    EXPECT_EQ(store_.receipts.at("T1-r"), "T1");
    EXPECT_EQ(store_.told.at("failed_receipt:T2-r"), 1u);
    EXPECT_EQ(trees_.asked["T1"], 1u) << "it was whole in the first answer";
    EXPECT_EQ(trees_.blocks_asked, 0u) << "the follower had those blocks";
}

TEST_F(TreesByRpc, ThatAreNotCompleteAreAskedForAgain) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 102);
    trees_.incomplete["T1"] = 3;
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_EQ(trees_.asked["T1"], 4u);
    EXPECT_TRUE(store_.complete.contains("T1"));
}

// A tree that has its answer waits for its blocks, and the others wait for the room that it takes.
TEST_F(TreesByRpc, ThatAreLargeTakeTurns) {
    trees_.room =
        std::make_shared<net::AnswerRoom>(context_.get_executor(), nullptr, net::AnswerRoom::Limits{1});
    chain_.add_range(100, 112);
    for (int i = 0; i < 40; ++i) chain_.add_failing("T" + std::to_string(10 + i), 110);
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_EQ(store_.complete.size(), 40u);
}

TEST_F(TreesByRpc, ThatWereLargeAreAskedForAgainByTwos) {
    trees_.room =
        std::make_shared<net::AnswerRoom>(context_.get_executor(), nullptr, net::AnswerRoom::Limits{1});
    chain_.add_range(100, 112);
    for (int i = 0; i < 40; ++i) {
        const auto hash = "T" + std::to_string(10 + i);
        chain_.add_failing(hash, 102 + i % 8);
        trees_.incomplete[hash] = 3;
    }
    bool asked_all = false;
    trees_.before_answer = [&]() -> base::Task<void> {
        if (asked_all || trees_.asked.size() < 40 || trees_.waiting > 0) co_return;
        asked_all = true;
        trees_.most_waiting = 0;
    };
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_TRUE(asked_all);
    EXPECT_LE(trees_.most_waiting, 2u);
    EXPECT_EQ(store_.complete.size(), 40u);
}

TEST_F(TreesByRpc, ThatNobodyKnowsStayPendingWithTheReason) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 102);
    chain_.add_failing("T2", 105);
    trees_.unknown.insert("T1");
    EXPECT_EQ(follow(110).unfinished_trees, 1u);
    const auto* pending = store_.pending.of("T1");
    ASSERT_TRUE(pending);
    EXPECT_EQ(pending->reason, "unknown to all hosts: on paper");
    EXPECT_EQ(pending->tree.attempts, trees_.asked["T1"]);
    EXPECT_TRUE(store_.complete.contains("T2")) << "it holds up nobody";
    trees_.unknown.clear();
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_TRUE(store_.complete.contains("T1"));
}

TEST_F(TreesByRpc, ThatTheChainDroppedAreDiscardedByTheWordOfTwoHosts) {
    chain_.add_range(100, 170);
    chain_.add_failing("T1", 102);
    trees_.unknown.insert("T1");
    trees_.unknown_to_two = true;
    EXPECT_EQ(follow(160).unfinished_trees, 1u) << "its protocol leaves an outcome";
    store_.blocks_may_discard = true;
    trees_.unknown_to_two = false;
    EXPECT_EQ(follow(160).unfinished_trees, 1u) << "by the word of one";
    trees_.unknown_to_two = true;
    EXPECT_EQ(follow(160).unfinished_trees, 0u);
    EXPECT_EQ(store_.discarded, std::set<std::string>{"T1"});
}

TEST_F(TreesByRpc, ThatExecuteAboveTheLastHeightAreFinalByTheHostsWord) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 110);
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_TRUE(store_.complete.contains("T1"));
    EXPECT_EQ(trees_.blocks_asked, 1u);
}

TEST_F(TreesByRpc, StayPendingWhileTheirBlocksMayCome) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 105);
    trees_.block_fault = "timeout";
    EXPECT_EQ(follow(105).unfinished_trees, 1u) << "its receipt runs in 106";
    EXPECT_GT(trees_.asked["T1"], 1u) << "another answer may rest on another block";
    EXPECT_FALSE(store_.complete.contains("T1"));
    trees_.block_fault.clear();
    EXPECT_EQ(follow(105).unfinished_trees, 0u);
    EXPECT_TRUE(store_.complete.contains("T1"));
}

TEST_F(TreesByRpc, StayPendingWhileTheirBlocksAreNotFinal) {
    chain_.add_range(100, 110);
    chain_.add_failing("T1", 110);
    EXPECT_EQ(follow(110).unfinished_trees, 1u) << "the block above never came";
    EXPECT_FALSE(store_.complete.contains("T1"));
}

TEST_F(TreesByRpc, ThatRanInABlockThatAllHostsDenyAreStoredWhenPatienceEnds) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 105);
    trees_.block_fault = rpc::kUnknownBlock;
    EXPECT_EQ(follow(105).unfinished_trees, 0u);
    EXPECT_TRUE(store_.complete.contains("T1"));
    EXPECT_GE(store_.clock.passed, std::chrono::seconds(60));
}

TEST_F(TreesByRpc, ThatRanInABlockOfAForkAreAskedForAgain) {
    chain_.add_range(100, 170);
    chain_.add_failing("T1", 102);
    trees_.in_a_fork["T1"] = 2;
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_EQ(trees_.asked["T1"], 3u);
    EXPECT_TRUE(store_.complete.contains("T1"));
    EXPECT_EQ(store_.told.at("failed_receipt:T1-r"), 1u);
}

TEST_F(TreesByRpc, OfAnotherExecutionOfTheHashAreNotStored) {
    chain_.add_range(100, 170);
    chain_.add_failing("T1", 102);
    trees_.executed_in["T1"] = 101;
    EXPECT_EQ(follow(110).unfinished_trees, 1u);
    EXPECT_FALSE(store_.complete.contains("T1"));
    EXPECT_TRUE(store_.told.empty());
}

TEST_F(TreesByRpc, OfALostBlockAreAskedForNoMoreUntilTheyArePendingAgain) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 102);
    trees_.incomplete["T1"] = 100;
    auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
    std::optional<testing::Pending> removed;
    unsigned asked = 0;
    unsigned looks = 0;
    daemon.follow_while([&] {
        if (trees_.asked["T1"] == 3 && !removed) {
            removed = *store_.pending.of("T1");
            store_.pending.clear();
            daemon.state.on_lost(base::HeightSet({102, 102}));
            EXPECT_EQ(trees_.forgotten, base::HeightSet({102, 102}));
        }
        if (!removed) return true;
        if (++looks == 1'000) {
            asked = trees_.asked["T1"];
            trees_.incomplete.clear();
            store_.pending.place(*removed);
        }
        return !store_.complete.contains("T1");
    });
    EXPECT_LE(asked, 4u) << "one question may have been under way";
}

TEST_F(TreesByRpc, AreFetchedInTheOrderOfTheirBlocks) {
    chain_.add_range(100, 112);
    for (int i = 10; i < 40; ++i) {
        chain_.add_failing("Z" + std::to_string(i), 100);
        chain_.add_failing("A" + std::to_string(i), 101);
    }
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    ASSERT_EQ(trees_.asked_in_order.size(), 60u);
    const auto& asked = trees_.asked_in_order;
    EXPECT_TRUE(std::all_of(asked.begin(), asked.begin() + 30, [](const auto& hash) {
        return hash[0] == 'Z';
    })) << "under load the others would wait for ever";
}

TEST_F(TreesByRpc, OfABackfillThatNobodyKnowsEndItThoughOthersGoOn) {
    chain_.add_range(100, 170);
    chain_.add_failing("T1", 102);
    chain_.add_failing("T2", 102);
    chain_.add_failing("of the head", 165);
    trees_.unknown.insert("T1");
    auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
    const auto place = [&](std::string tx_hash) {
        testing::Pending placed;
        placed.tree.tx_hash = std::move(tx_hash);
        placed.tree.included_in = chain_.ref(165);
        store_.pending.place(std::move(placed));
    };
    place("of the head");
    store_.after_tree_commit = [&]() -> base::Task<void> {
        if (store_.complete.erase("of the head") > 0) place("of the head");
        co_return;
    };
    EXPECT_EQ(daemon.backfill({100, 110}).unfinished_trees, 1u);
    EXPECT_EQ(store_.complete, std::set<std::string>{"T2"});
}

TEST_F(TreesByRpc, ThatStayIncompleteDoNotHoldUpOthers) {
    constexpr int kLost = 200;
    chain_.add_range(100, 112);
    for (int i = 0; i < kLost; ++i) {
        const auto lost = "A" + std::to_string(i);
        chain_.add_failing(lost, 100);
        trees_.incomplete[lost] = 1'000'000;
    }
    chain_.add_failing("T1", 101);
    auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
    trees_.before_answer = [&]() -> base::Task<void> {
        base::Wakeup steps(context_.get_executor(), {&daemon.state.stop.signal});
        for (int step = 0; step < 10; ++step) co_await steps.wait();  // a second
    };
    daemon.follow_while(
        [&] { return !store_.complete.contains("T1") && trees_.asked_in_order.size() < 1'000; });
    EXPECT_EQ(trees_.asked["T1"], 1u);
    EXPECT_LT(trees_.asked_in_order.size(), 2u * kLost)
        << "no other one was asked for again and again before";
}

TEST_F(TreesByRpc, OfABackfillComeBeforeThoseOfTheHead) {
    chain_.add_range(100, 170);
    chain_.add_failing("T1", 102);
    testing::Pending placed;
    placed.tree.included_in = chain_.ref(165);
    for (int i = 100; i < 1'100; ++i) {
        placed.tree.tx_hash = "of the head " + std::to_string(i);
        chain_.add_failing(placed.tree.tx_hash, 165);
        store_.pending.place(placed);
    }
    auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
    EXPECT_EQ(daemon.backfill({100, 110}).unfinished_trees, 0u);
    const auto& asked = trees_.asked_in_order;
    EXPECT_LT(std::find(asked.begin(), asked.end(), "T1") - asked.begin(), 300)
        << "some of the others were claimed before its block was stored";
}

// The database counts no pending tree then, and this is the only word that watches hear of the last one.
TEST_F(TreesByRpc, OfWhichTheLastIsBeingWrittenAreToldBeforeTheEnd) {
    chain_.add_range(100, 112);
    chain_.add_failing("T1", 102);
    auto settings = testing::follow_settings(config::Source::rpc, config::Start(std::uint64_t{100}));
    Daemon daemon(context_, store_.clock, chain_, chain_, &trees_, testing::stores_of(store_), settings);
    store_.after_tree_commit = [&]() -> base::Task<void> {
        base::Wakeup steps(context_.get_executor(), {&daemon.state.stop.signal});
        for (int step = 0; step < 20; ++step) co_await steps.wait();
    };
    testing::Listener listener;
    daemon.follower->tell(listener);
    EXPECT_EQ(daemon.follow(110).unfinished_trees, 0u);
    EXPECT_EQ(listener.trees, std::set<std::string>{"T1"});
}

TEST_F(TreesByRpc, OfAFailedLifeAreFetchedByTheNext) {
    chain_.add_range(100, 170);
    chain_.add_failing("T1", 102);
    trees_.unknown.insert("T1");
    follow(110);
    trees_.unknown.clear();
    store_.clock.passed += std::chrono::minutes(1);
    EXPECT_EQ(follow(110).unfinished_trees, 0u);
    EXPECT_TRUE(store_.complete.contains("T1"));
    EXPECT_EQ(trees_.blocks_asked, 0u) << "old blocks are looked for in the database first";
}

// A backfill of whole blocks, beside a daemon that leads: the tree of a transaction at the end of its range.
class TreesBesideWholeBlocks : public TreesByRpc {
protected:
    TreesBesideWholeBlocks() {
        chain_.add_range(100, 112);
        chain_.add_failing("T1", 105);  // its receipt runs in 106
        whole_.add_range(100, 112);
        testing::Pending placed;
        placed.tree.tx_hash = "T1";
        placed.tree.included_in = chain_.ref(105);
        store_.pending.place(std::move(placed));
    }

    Follower::End backfill() {
        auto settings = testing::follow_settings(config::Source::neardata, config::Start(std::uint64_t{100}));
        settings.patience = config::Millis(60'000);
        Daemon daemon(context_, store_.clock, whole_, whole_, &trees_, testing::stores_of(store_), settings);
        return daemon.backfill({100, 105});
    }

    testing::PaperChain whole_{context_.get_executor()};
};

TEST_F(TreesBesideWholeBlocks, AreStoredOnceAnotherDaemonHasTheirBlocks) {
    trees_.before_answer = [&]() -> base::Task<void> {
        store_.blocks[106] = chain_.ref(106);
        store_.coverage.covered.add(106);
        co_return;
    };
    EXPECT_EQ(backfill().unfinished_trees, 0u);
    EXPECT_TRUE(store_.complete.contains("T1"));
}

TEST_F(TreesBesideWholeBlocks, StayPendingBeforeThat) {
    EXPECT_EQ(backfill().unfinished_trees, 1u) << "the block may bring the receipt by itself";
    EXPECT_FALSE(store_.complete.contains("T1"));
}

}  // namespace
}  // namespace receiptd::follow
