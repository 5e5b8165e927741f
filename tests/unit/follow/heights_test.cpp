#include "follow/heights.hpp"
#include "follow/state.hpp"
#include "metrics/registry.hpp"
#include "unit/follow/memory_store.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using base::HeightSet;

chain::BlockRef block_at(base::Height height) {
    return {height, "hash" + std::to_string(height), "", height - 1, height * 1'000'000'000};
}

class HeightsTest : public ::testing::Test {
protected:
    void store(base::Height from, base::Height to) {
        chain::CommitFacts facts;
        facts.covered.add({from, to});
        facts.blocks = {block_at(to)};
        heights.learn_committed(facts);
    }
    void lack(base::Height height) { heights.learn_unavailable({height, "UNKNOWN_CHUNK", "", 1}); }

    metrics::Registry registry;
    metrics::FollowSeries series{registry};
    Heights heights{series};
};

TEST_F(HeightsTest, AreCoveredUpToTheFirstMissingOne) {
    store(100, 110);
    store(112, 120);
    EXPECT_EQ(heights.covered_up_to(100, 5), 110u);
    EXPECT_EQ(heights.covered_up_to(112, 5), 120u);
}

TEST_F(HeightsTest, WhatTheDatabaseHasLostIsWantedAgain) {
    store(100, 110);
    const auto before = heights.coverage().covered;
    store(111, 112);  // while coverage is read
    storage::Coverage read;
    read.wanted = read.covered = HeightSet({100, 105});
    heights.read_again(before, read, block_at(105));
    EXPECT_EQ(heights.gaps(), HeightSet({106, 110}));
    EXPECT_EQ(heights.tip()->height, 112u);
    heights.read_again(heights.coverage().covered, read, block_at(105));
    EXPECT_EQ(heights.gaps(), HeightSet({106, 112}));
    EXPECT_EQ(heights.tip()->height, 105u);
}

TEST_F(HeightsTest, TheNewestBlocksMayBeOnTheirWay) {
    store(100, 110);
    EXPECT_EQ(heights.covered_up_to(113, 5), 110u);
    EXPECT_EQ(heights.covered_up_to(116, 5), std::nullopt) << "that is no lag any more";
    EXPECT_EQ(heights.covered_up_to(99, 5), std::nullopt) << "nobody stores what is below the first block";
}

TEST_F(HeightsTest, OfGapsThoseThatNobodyHadAreToldApart) {
    store(100, 110);
    heights.want({111, 120});
    lack(115);
    EXPECT_EQ(heights.untried_in({90, 118}).to_multirange(), "{[111,115),[116,119)}");
    store(111, 114);
    EXPECT_EQ(heights.untried_in({90, 118}).to_multirange(), "{[116,119)}");
}

TEST_F(HeightsTest, AreFollowedWhereEachIsWantedAndNoneIsUnavailable) {
    store(100, 110);
    EXPECT_TRUE(heights.follows_since(100));
    EXPECT_FALSE(heights.follows_since(99)) << "height 99 is not wanted";
    lack(105);
    EXPECT_FALSE(heights.follows_since(100));
    EXPECT_TRUE(heights.follows_since(106)) << "the hole is below";
    store(105, 105);
    EXPECT_TRUE(heights.follows_since(100)) << "it was filled";
}

TEST_F(HeightsTest, AgreementEndsBelowWhatIsRemovedOrLost) {
    store(100, 120);
    heights.agree_up_to(118);
    heights.agree_up_to(116);
    EXPECT_EQ(heights.agreed(), 118u);
    heights.learn_removed(HeightSet({115, 115}), std::nullopt);
    EXPECT_EQ(heights.agreed(), 114u);
    const auto before = heights.coverage().covered;
    auto coverage = heights.coverage();
    coverage.covered.subtract({110, 120});
    heights.read_again(before, coverage, std::nullopt);
    EXPECT_EQ(heights.agreed(), 109u);
}

TEST_F(HeightsTest, AnswersAboutOutcomesAreForgottenWhoeverStoresTheBlockAgain) {
    store(100, 120);
    for (const base::Height height : {110, 111}) {
        rpc::BlockContents::Amendment answers;
        answers.statuses.resize(300);
        heights.refute_outcomes(height, std::move(answers));
    }
    EXPECT_EQ(heights.take_false_outcomes(), HeightSet({110, 111}));
    heights.learn_to_be_stored_again(HeightSet({110, 111}));
    store(110, 110);
    EXPECT_FALSE(heights.is_being_corrected(110));
    EXPECT_TRUE(heights.is_being_corrected(111));
    EXPECT_EQ(heights.answers_held(), 300u);
    EXPECT_EQ(heights.take_answers(111)->statuses.size(), 300u);
}

TEST_F(HeightsTest, OfARunThatIsOverAreNoLongerInFlight) {
    heights.claim(HeightSet({100, 110}), true);
    heights.written(HeightSet({100, 105}));
    EXPECT_EQ(heights.in_flight(), HeightSet({106, 110}));
    EXPECT_EQ(heights.unsettled(), HeightSet({100, 110})) << "written, but the run has not come to its end";
    heights.release(HeightSet({100, 110}));
    EXPECT_TRUE(heights.in_flight().empty());
    EXPECT_TRUE(heights.unsettled().empty());
}

TEST_F(HeightsTest, ABrokenChainIsMendedByTheBlockThatFits) {
    store(100, 104);
    heights.set_broken(105, "it names another parent");
    store(105, 106);
    EXPECT_FALSE(heights.broken());
}

TEST_F(HeightsTest, StoredByAnotherDaemonCountAsStored) {
    heights.claim(HeightSet({100, 110}), false);
    storage::Coverage theirs;
    theirs.covered = theirs.wanted = HeightSet({100, 108});
    chain::CommitFacts refused;
    refused.blocks = {block_at(107), block_at(108), block_at(109)};
    heights.learn_stored_by_others(theirs, refused);
    EXPECT_EQ(heights.tip()->height, 108u);
    EXPECT_FALSE(heights.stored(109));
}

TEST(State, IsAtTheHeadWhileTheHeadIsFreshAndStored) {
    metrics::Registry registry;
    metrics::FollowSeries series{registry};
    testing::ManualClock clock;
    State state(series, clock);
    EXPECT_FALSE(state.is_at_head(5));
    state.head.learn(block_at(110));
    EXPECT_FALSE(state.is_at_head(5));
    chain::CommitFacts facts;
    facts.covered.add(105);
    facts.blocks = {block_at(105)};
    state.heights.learn_committed(facts);
    EXPECT_TRUE(state.is_at_head(5));
    EXPECT_FALSE(state.is_at_head(4));
    clock.passed += std::chrono::seconds(31);
    EXPECT_FALSE(state.is_at_head(5)) << "nobody knows how far the chain is";
}

}  // namespace
}  // namespace receiptd::follow
