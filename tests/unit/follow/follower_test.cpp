#include "base/coroutine.hpp"
#include "follower_fixture.hpp"
#include "storage/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace receiptd::follow {
namespace {

using base::Height;
using base::HeightSet;
using testing::Daemon;
using testing::FollowerTest;
using testing::hash_of;
using testing::Listener;
using testing::MemoryStore;
using testing::PaperChain;

TEST_F(FollowerTest, StoresEveryHeightUpToTheAskedOne) {
    chain.add_range(100, 150);
    EXPECT_TRUE(follow(100, 140).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 140}));
    EXPECT_EQ(store.blocks.size(), 41u);
}

TEST_F(FollowerTest, KnowsSkippedHeightsFromTheChildsParent) {
    chain.add_range(100, 103);
    chain.add_range(106, 110);
    EXPECT_TRUE(follow(100, 110).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 110}));
    EXPECT_EQ(store.blocks.count(104), 0u);
    EXPECT_EQ(store.blocks.at(106).prev_height, 103u);
}

class FollowerOfAService : public FollowerTest {
protected:
    PaperChain hosts{context.get_executor(), config::Source::rpc};

    void SetUp() override {
        for (auto* each : {&chain, &hosts}) each->add_range(100, 110);
        chain.elsewhere = &hosts;
    }
};

TEST_F(FollowerOfAService, StoresWhatItLeavesOutAsOtherHostsTellIt) {
    for (const Height height : {100, 104, 105}) chain.forget(height);
    EXPECT_TRUE(follow(100, 110).missing.empty());
    EXPECT_EQ(store.blocks.size(), 11u);
    HeightSet expected({100, 100});
    expected.add({104, 105});
    EXPECT_EQ(store.coverage.without_outcomes, expected);
}

TEST_F(FollowerOfAService, StoresAsOtherHostsTellWhatItDoesNotTellInTime) {
    for (auto* each : {&chain, &hosts}) each->add_range(112, 115);  // 111 is skipped
    chain.late = HeightSet({108, 113});
    EXPECT_TRUE(follow(100, 115).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 115}));
    EXPECT_EQ(store.coverage.without_outcomes, chain.late);
}

TEST_F(FollowerOfAService, TakesNoOtherBlockThanTheOneThatTheNextOneNames) {
    chain.forget(104);
    hosts.lie({104, "other", hash_of(103), 103, chain.time_of(104)}, 100);
    EXPECT_EQ(follow(100, 110).missing, HeightSet({104, 104}));
}

TEST_F(FollowerOfAService, KnowsSkippedHeightsBelowABlockThatItLeavesOut) {
    for (auto* each : {&chain, &hosts}) {
        each->add(113);
        each->add(114);
    }
    chain.forget(113);
    EXPECT_TRUE(follow(100, 114).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 114}));
    EXPECT_EQ(store.blocks.at(113).prev_height, 110u);
}

TEST_F(FollowerTest, SkippedHeightsAtTheEndAreProvenByTheBlockAbove) {
    chain.add_range(100, 103);
    chain.add_range(106, 110);
    EXPECT_TRUE(follow(100, 105).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 105}));
    EXPECT_EQ(store.blocks.count(106), 0u) << "the block above was only looked at";
}

TEST_F(FollowerTest, AHeightThatCannotBeHadIsAGapAndStopsNobodyElse) {
    chain.add_range(100, 110);
    chain.fail(105, 1000);
    const auto end = follow(100, 110);
    EXPECT_EQ(end.missing, HeightSet({105, 105}));
    EXPECT_EQ(store.blocks.size(), 10u);
    EXPECT_EQ(store.unavailable.at(105).reason, "UNKNOWN_CHUNK");
}

TEST_F(FollowerTest, AHeightThatItsChildNamesIsAGapNotASkip) {
    chain.add_range(100, 110);
    chain.forget(105);
    EXPECT_EQ(follow(100, 110).missing, HeightSet({105, 105}));
    EXPECT_EQ(store.unavailable.at(105).reason, "UNKNOWN_BLOCK");
}

TEST_F(FollowerTest, AGapIsFilledWhenTheNextDaemonCanHaveIt) {
    chain.add_range(100, 120);
    chain.fail(105, 1);
    EXPECT_EQ(follow(100, 110).missing, HeightSet({105, 105}));
    EXPECT_TRUE(resume(120).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 120}));
    EXPECT_TRUE(store.unavailable.empty());
}

TEST_F(FollowerTest, AForkIsNeverStored) {
    chain.add_range(100, 110);
    chain.forge(105, "somebody else's 104");
    Daemon daemon(context, chain, store, config::Start(std::uint64_t{100}));
    store.on_unavailable = [&](base::Height) { base::asio::post(context, [&] { daemon.follower->stop(); }); };
    daemon.follow(110);
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 104}));
    EXPECT_EQ(store.unavailable.at(105).reason, "broken_chain");
    ASSERT_TRUE(daemon.state.heights.broken());
    EXPECT_EQ(daemon.state.heights.broken()->height, 105u);
}

TEST_F(FollowerTest, AFillingBlockThatDoesNotFitItsStoredChildIsRefused) {
    chain.add_range(100, 110);
    chain.fail(105, 1);
    follow(100, 110);
    store.blocks.at(106).prev_hash = "not the chain's 105";
    const auto end = resume(110);
    EXPECT_EQ(end.missing, HeightSet({105, 105}));
    EXPECT_EQ(store.blocks.count(105), 0u);
}

TEST_F(FollowerTest, ResumesAfterTheHighestStoredHeightWithoutAskingAgain) {
    chain.add_range(100, 120);
    follow(100, 110);
    chain.fetches.clear();
    EXPECT_TRUE(resume(120).missing.empty());
    EXPECT_EQ(chain.fetches.begin()->first, 111u);
    EXPECT_EQ(store.blocks.size(), 21u);
}

TEST_F(FollowerTest, HolesLeftByACrashAreFilled) {
    chain.add_range(100, 120);
    follow(100, 120);
    store.coverage.covered.subtract({107, 109});
    for (base::Height height = 107; height <= 109; ++height) store.blocks.erase(height);
    EXPECT_TRUE(resume(120).missing.empty());
    EXPECT_EQ(store.blocks.size(), 21u);
}

TEST_F(FollowerTest, StoppingInTheMiddleCommitsWholeBatchesOnly) {
    chain.add_range(100, 200);
    Daemon daemon(context, chain, store, config::Start(std::uint64_t{100}));
    chain.on_fetch = [&](base::Height height) {
        if (height == 130) daemon.follower->stop();
    };
    daemon.follow(200);
    EXPECT_EQ(store.coverage.covered.size(), store.blocks.size());
    EXPECT_LT(store.blocks.size(), 60u);
    EXPECT_TRUE(resume(200).missing.empty());
    EXPECT_EQ(store.blocks.size(), 101u);
}

TEST_F(FollowerTest, BackfillsARangeBelowWhatIsStored) {
    chain.add_range(100, 200);
    follow(190, 200);
    Daemon daemon(context, chain, store, config::Start(config::StartAtHead{}));
    EXPECT_TRUE(daemon.backfill({120, 195}).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({120, 200}));
    EXPECT_TRUE(store.backfills.at(1).finished);
    EXPECT_EQ(chain.fetches.count(201), 0u);
}

TEST_F(FollowerTest, WhatAnotherDaemonCommittedFirstIsNotRepeated) {
    chain.add_range(100, 110);
    bool raced = false;
    store.before_commit = [&](const chain::RowBatch& batch) {
        if (std::exchange(raced, true)) return;
        const auto& theirs = batch.facts.blocks.front();
        store.coverage.covered.add(theirs.height);
        store.blocks[theirs.height] = theirs;
    };
    EXPECT_TRUE(follow(100, 110).missing.empty()) << "the rest of the refused batch is repaired as a gap";
    EXPECT_EQ(store.blocks.size(), 11u);
}

// Watched transactions may be in it, and only this daemon may watch them.
TEST_F(FollowerTest, WhatAnotherDaemonCommittedFirstIsToldToo) {
    chain.add_range(100, 110);
    Listener listener;
    Daemon daemon(context, chain, store, config::Start(std::uint64_t{100}));
    daemon.follower->tell(listener);
    store.before_commit = [&](const chain::RowBatch& batch) {
        for (const auto& block : batch.facts.blocks) {
            store.coverage.covered.add(block.height);
            store.blocks[block.height] = block;
        }
    };
    daemon.follow(110);
    EXPECT_EQ(listener.told.size(), 11u);
    EXPECT_EQ(daemon.state.heights.tip()->height, 110u);
}

TEST_F(FollowerTest, WhatHappenedSinceTheDatabaseWasMadeIsNewsHoweverLate) {
    using namespace std::chrono_literals;
    Daemon daemon(context, chain, store, config::Start(std::uint64_t{100}));
    const auto now = daemon.clock.wall();
    const auto news_since = [&](base::WallTime made_at) {
        storage::Coverage coverage;
        coverage.made_at = made_at;
        daemon.state.heights.load(std::move(coverage), {}, std::nullopt);
        return daemon.state.news_since(false);
    };
    EXPECT_LT(news_since(now - 48h).time, now - 47h);
    EXPECT_GT(news_since(now).time, now - 2h) << "what was before it is history";
    EXPECT_EQ(news_since(now).older_are, chain::withheld::kBeforeDatabase);
    EXPECT_LT(news_since(now - 1000h).time, now - 999h) << "alerts about it are stored";
    EXPECT_GT(news_since(now - 1000h).sent_since, now - 200h) << "and are not sent";
}

TEST_F(FollowerTest, AClockThatIsAheadMakesNoNewsOld) {
    using namespace std::chrono_literals;
    Daemon daemon(context, chain, store, config::Start(std::uint64_t{100}));
    chain::BlockRef newest;
    newest.height = 100;
    newest.timestamp_nanosec = static_cast<std::uint64_t>(daemon.clock.wall().time_since_epoch().count());
    const auto before = daemon.clock.wall();
    storage::Coverage coverage;
    coverage.made_at = before - 1000h;
    daemon.state.heights.load(std::move(coverage), {}, std::nullopt);
    daemon.state.head.learn(newest);
    daemon.clock.passed += 8 * 24h;
    EXPECT_EQ(daemon.state.chain_now(), before);
    EXPECT_LT(daemon.state.news_since(false).sent_since, before - 6 * 24h);
    newest.height = 101;
    newest.timestamp_nanosec *= 1000;
    daemon.state.head.learn(newest);
    EXPECT_EQ(daemon.state.chain_now(), daemon.clock.wall()) << "a block's time may be wrong, too";
}

TEST_F(FollowerTest, ACommitThatFailsForGoodEndsTheDaemon) {
    chain.add_range(100, 200);
    store.before_commit = [](const chain::RowBatch& batch) {
        if (batch.facts.blocks.back().height > 120) throw storage::StorageError("no rights");
    };
    EXPECT_THROW(follow(100, 200), std::runtime_error);
    EXPECT_EQ(store.coverage.covered.size(), store.blocks.size());
}

TEST_F(FollowerTest, ASeamThatNobodyCameToCloseIsClosedAtTheNextStart) {
    chain.add_range(80, 120);
    follow(100, 120);
    EXPECT_TRUE(store.seams.empty());
    bool killed = false;
    store.before_adoption = [&](base::HeightRange) {
        if (store.coverage.covered.contains(99) && !std::exchange(killed, true))
            throw std::runtime_error("killed after the last commit");
    };
    Daemon backfiller(context, chain, store, config::Start(config::StartAtHead{}));
    EXPECT_THROW(backfiller.backfill({80, 99}), std::runtime_error);
    EXPECT_EQ(store.coverage.covered, HeightSet({80, 120}));
    ASSERT_EQ(store.seams.size(), 1u);
    EXPECT_TRUE(store.seams.begin()->second.history);
    store.adopted_since_commit.clear();
    follow(100, 120);
    EXPECT_TRUE(store.seams.empty());
    const auto adopted = [&](base::Height at) {
        return std::any_of(store.adopted_since_commit.begin(), store.adopted_since_commit.end(),
                           [&](const auto& around) {
                               return around == base::HeightRange{at, at};
                           });
    };
    EXPECT_TRUE(adopted(80));
    EXPECT_TRUE(adopted(100));
}

TEST_F(FollowerTest, HeightsThatTheDatabaseLostAreFetchedAgain) {
    chain.add_range(100, 140);
    store.before_commit = [&](const chain::RowBatch& batch) {
        if (store.reconnected > 0 || !batch.facts.covered.contains(130)) return;
        for (base::Height height = 112; height <= 116; ++height) store.blocks.erase(height);
        store.coverage.covered.subtract({112, 116});
        store.coverage.wanted = store.coverage.covered;
        ++store.reconnected;
    };
    EXPECT_TRUE(follow(100, 140).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({100, 140}));
    EXPECT_EQ(store.blocks.size(), 41u);
}

TEST_F(FollowerTest, WhatTheDatabaseRefusesIsAGapOfOneHeight) {
    chain.add_range(100, 120);
    bool refuses = true;
    store.before_commit = [&](const chain::RowBatch& batch) {
        if (refuses && batch.facts.covered.contains(110) && !batch.facts.refused_before)
            throw storage::StorageRefused("too long");
    };
    EXPECT_EQ(follow(100, 120).missing, HeightSet({110, 110}));
    EXPECT_EQ(store.unavailable.at(110).reason, "refused_by_database");
    EXPECT_EQ(store.unavailable.at(110).detail, "paper: too long");
    EXPECT_EQ(chain.doubted, std::vector<std::string>{"paper"}) << "others are asked first now";
    EXPECT_EQ(store.unavailable.size(), 1u);
    EXPECT_TRUE(follow(100, 120).missing.empty()) << "the next time without what is refused";
}

TEST_F(FollowerTest, ABackfillDoesNotWaitForGapsOutsideItsRange) {
    chain.add_range(100, 200);
    store.coverage.wanted.add({110, 112});
    Daemon daemon(context, chain, store, config::Start(config::StartAtHead{}));
    EXPECT_TRUE(daemon.backfill({150, 160}).missing.empty());
    EXPECT_EQ(store.coverage.covered, HeightSet({150, 160}));
}

TEST_F(FollowerTest, ATreeThatLackedAResumeIsLookedAtBeforeTheEnd) {
    chain.add_range(100, 120);
    store.late_for_a_resume = {"T1"};
    follow(100, 110);
    EXPECT_TRUE(store.complete.contains("T1")) << "of a daemon that was killed";
    store.late_for_a_resume = {"T2"};
    Daemon(context, chain, store, config::Start(config::StartAtHead{})).backfill({112, 115});
    EXPECT_TRUE(store.complete.contains("T2"));
}

TEST_F(FollowerTest, StoppedBeforeAnyHeadIsKnownNothingIsWanted) {
    Daemon daemon(context, chain, store, config::Start(config::StartAtHead{}));
    daemon.follower->stop();
    chain.add_range(100, 110);
    daemon.follow(200);
    EXPECT_TRUE(store.coverage.wanted.empty());
}

}  // namespace
}  // namespace receiptd::follow
