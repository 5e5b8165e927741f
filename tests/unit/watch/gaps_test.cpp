// Ends of watches where heights are missing that may include them.
#include "unit/watch/tracker_fakes.hpp"

#include <gtest/gtest.h>

namespace receiptd::watch {
namespace {

using chain::Stage;
using testing::block_with;
using testing::Life;
using testing::submission_with_used_nonce;

// Handed in, good up to height 150, and listed at 95 where it was invalid.
void submission_invalid_in_a_block(Life& life) {
    auto& watch = life.store.add("tx");
    watch.origin = storage::WatchOrigin::submission;
    watch.transaction.watched_since = 90;
    watch.transaction.valid_until = 150;
    life.store.include_invalid("tx", 95);
    auto& known = life.hosts.known["tx"];
    known.included_at = known.completed_at = known.settled_at = chain::ExecutedAt{95, 0};
    known.verdict = chain::Verdict::failed;
    known.reason = "invalid_nonce";
    known.is_invalid = true;
}

TEST(Gaps, AboveAGapTheHostsWordEndsAWatch) {
    Life life;
    life.store.add("tx").transaction.watched_since = 90;
    life.covered = 95;
    life.final_height = 200;
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::unknown; }));
}

TEST(Gaps, AboveAGapTheWordOfHostsThatHaveForgottenItsBlocksProvesNothing) {
    Life life;
    auto& watch = submission_with_used_nonce(life, 200);
    watch.transaction.valid_until = 150;
    life.covered = 95;
    life.final_height = 300;
    life.hosts.held = std::nullopt;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.hosts.held_asked == 96; })) << "the lowest that is missing";
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted) << "one that may hold it did not answer";
    life.hosts.held = false;
    life.clock.passed += std::chrono::minutes(2);
    ASSERT_TRUE(life.until([&] { return life.stage("tx") == Stage::unknown; }));
    EXPECT_EQ(life.store.rows["tx"].state.reason, chain::reason::kHeightsMissing);
    EXPECT_NE(life.store.evidence["tx"].find(R"("missing_heights":"96-150")"), std::string::npos)
        << life.store.evidence["tx"];
    EXPECT_FALSE(life.store.rows["tx"].certainty.conclusive);
    EXPECT_FALSE(life.store.rows["tx"].certainty.safe_to_resign_after_height);
}

TEST(Gaps, AboveAGapThatHostsHoldTheirWordIsAProof) {
    Life life;
    auto& watch = submission_with_used_nonce(life, 200);
    watch.transaction.valid_until = 150;
    life.covered = 95;
    life.final_height = 300;
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::dropped; }));
}

TEST(Gaps, HostsThatDoNotTrackItsShardProveNothingAboveAGap) {
    for (const bool has_gap : {true, false}) {
        Life life;
        auto& watch = life.store.add("tx");
        watch.transaction.watched_since = 90;
        watch.transaction.valid_until = 150;
        life.hosts.word = WatchUpstream::Word::none;
        life.hosts.held = false;
        life.covered = has_gap ? 95 : 300;
        life.final_height = 300;
        life.start();
        EXPECT_TRUE(
            life.until([&] { return life.stage("tx") == (has_gap ? Stage::unknown : Stage::expired); }));
    }
}

// Good up to height 150, with the hash of block 80, and watched since 90.
TEST(Gaps, AChunkOfWhichNoHostTellsTheOutcomesProvesNothingAboveAGap) {
    for (const base::HeightRange& stored : {base::HeightRange{81, 300}, base::HeightRange{85, 300}}) {
        Life life;
        life.stored = base::HeightSet(stored);
        life.gaps = {};  // nobody wants what is below
        auto& watch = submission_with_used_nonce(life, 200);
        watch.transaction.block_hash_height = 80;
        watch.transaction.valid_until = 150;
        life.hosts.word = WatchUpstream::Word::in_a_chunk;
        life.final_height = 300;
        life.covered = 300;
        life.start();
        const bool has_gap = stored.from > 81;
        EXPECT_TRUE(
            life.until([&] { return life.stage("tx") == (has_gap ? Stage::unknown : Stage::dropped); }));
        const auto& evidence = life.store.evidence["tx"];
        EXPECT_NE(evidence.find("a host says INCLUDED"), std::string::npos) << evidence;
        EXPECT_EQ(evidence.find(R"("missing_heights":"81-84")") != std::string::npos, has_gap) << evidence;
    }
}

TEST(Gaps, AnInvalidOutcomeIsNoEndWhileAHeightThatMayExecuteItIsMissing) {
    Life life;
    submission_invalid_in_a_block(life);
    life.covered = 120;
    life.final_height = 300;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.hosts.held_asked == 121; }));
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted) << "hosts tell one outcome of several";
    life.store.include("tx", 130, true);
    life.covered = 300;
    life.tracker->committed(block_with("tx"));
    ASSERT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
    EXPECT_EQ(life.store.rows["tx"].state.verdict, chain::Verdict::succeeded);
}

TEST(Gaps, AnInvalidOutcomeIsTheEndWhenEveryHeightThatMayExecuteItIsStored) {
    Life life;
    submission_invalid_in_a_block(life);
    life.covered = life.final_height = 149;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.tracker->idle(); }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
    life.covered = life.final_height = 150;
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
    EXPECT_EQ(life.store.rows["tx"].state.verdict, chain::Verdict::failed);
}

TEST(Gaps, HostsMustHoldEachOfThem) {
    Life life;
    auto& watch = submission_with_used_nonce(life, 200);
    watch.transaction.valid_until = 150;
    life.covered = life.final_height = 300;
    life.stored = base::HeightSet({0, 300});
    life.stored->subtract({100, 101});
    life.stored->subtract({120, 122});
    life.hosts.forgotten.add(121);
    life.start();
    ASSERT_TRUE(life.until([&] { return life.stage("tx") != Stage::accepted; }));
    EXPECT_EQ(life.stage("tx"), Stage::unknown);
    EXPECT_NE(life.store.evidence["tx"].find(R"("missing_heights":"100-101, 120-122")"), std::string::npos)
        << life.store.evidence["tx"];
}

TEST(Gaps, ThatNobodyFillsAreNotWaitedFor) {
    Life life;
    submission_invalid_in_a_block(life);
    life.covered = 120;
    life.final_height = 300;
    life.gaps = {};
    life.start();
    ASSERT_TRUE(life.until([&] { return life.stage("tx") == Stage::unknown; }));
    EXPECT_EQ(life.store.rows["tx"].state.reason, chain::reason::kHeightsMissing);
}

TEST(Gaps, ThatNoHostHoldsAreWaitedForUntilTheFollowerHasAskedInVain) {
    Life life;
    submission_with_used_nonce(life, 200).transaction.valid_until = 150;
    life.covered = 95;
    life.final_height = 300;
    life.hosts.held = false;
    life.untried.add({150, 200});
    life.start();
    ASSERT_TRUE(life.until([&] { return life.store.rows["tx"].next_check_at > life.clock.wall(); }));
    ASSERT_TRUE(life.until([&] { return life.hosts.held_asked == 96 && life.tracker->idle(); }));
    EXPECT_EQ(life.stage("tx"), Stage::accepted);
    life.untried = {};
    life.clock.passed += std::chrono::minutes(2);
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::unknown; }));
}

TEST(Gaps, AnInvalidOutcomeBelowHeightsThatNobodyShowsEndsWithoutAProof) {
    Life life;
    submission_invalid_in_a_block(life);
    life.covered = 120;
    life.final_height = 300;
    life.hosts.held = false;
    life.start();
    ASSERT_TRUE(life.until([&] { return life.stage("tx") == Stage::unknown; }));
    EXPECT_NE(life.store.evidence["tx"].find("invalid_nonce"), std::string::npos)
        << life.store.evidence["tx"];
    life.store.include("tx", 130, true);
    life.tracker->committed(block_with("tx"));
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; })) << "the heights came back";
}

TEST(Gaps, AHeightThatIsStoredWhileALostWatchIsLookedAtIsNotMissed) {
    Life life;
    auto& watch = life.store.add("tx");
    watch.transaction.watched_since = 90;
    watch.transaction.valid_until = 98;
    watch.state.stage = Stage::unknown;
    watch.state.reason = chain::reason::kHeightsMissing;
    life.store.after_trees = [&] {
        life.store.include("tx", 95, true);
        life.tracker->committed(block_with("tx"));
    };
    life.start();
    EXPECT_TRUE(life.until([&] { return life.stage("tx") == Stage::final; }));
}

}  // namespace
}  // namespace receiptd::watch
