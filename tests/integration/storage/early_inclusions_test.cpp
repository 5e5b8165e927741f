// Inclusions in blocks that are not final yet: the row, the transitions and the stream say so.
#include "watch_test_support.hpp"

namespace receiptd::test {
namespace {

class EarlyInclusions : public WatchStoreTest {
protected:
    void SetUp() override {
        WatchStoreTest::SetUp();
        add({new_watch(1)});
    }
    Watch watch() { return *await(watches().watch(hash_of(1))); }
    void see(const chain::Observation& observation) {
        EXPECT_TRUE(update(observed(watch(), observation)).empty());
    }
};

TEST_F(EarlyInclusions, AreConfirmedByTheFinalBlock) {
    see(seen_early("A", 104));
    ASSERT_TRUE(watch().state.early);
    EXPECT_EQ(watch().state.early->block_hash, "A");
    EXPECT_EQ(watch().state.early->at, executed_at(104));
    EXPECT_FALSE(watch().certainty.conclusive);
    EXPECT_EQ(value("SELECT final FROM open_watches"), "f");
    see(included_at(104));
    EXPECT_FALSE(watch().state.early);
    EXPECT_EQ(value("SELECT final FROM open_watches"), "t");
    const auto id = hash_of(1) + ":A";
    EXPECT_EQ(rows("SELECT from_stage, to_stage, final, inclusion_id, conclusive FROM watch_transitions "
                   "ORDER BY at"),
              "accepted|included|f|" + id + "|f\nincluded|included|t|" + id + "|t\n");
    EXPECT_EQ(rows("SELECT body ->> 'to_stage', body ->> 'final', body ->> 'inclusion_id' FROM stream_events "
                   "ORDER BY id"),
              "included|false|" + id + "\nincluded|true|" + id + "\n");
    const auto steps = await(watches().transitions(hash_of(1)));
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(steps[0].transition.final, false);
    EXPECT_TRUE(steps[1].transition.confirms());
}

TEST_F(EarlyInclusions, AreTakenBack) {
    see(seen_early("A", 104));
    see(chain::EarlyBlockLost{});
    EXPECT_EQ(watch().state.stage, Stage::pending);
    see(seen_early("B", 105));
    see(included_at(105));
    EXPECT_EQ(rows("SELECT to_stage, final, right(inclusion_id, 1), block_height FROM watch_transitions "
                   "ORDER BY at"),
              "included|f|A|104\npending|-|A|-\nincluded|f|B|105\nincluded|t|B|105\n");
    EXPECT_EQ(value("SELECT num_nulls(early_block_hash, early_block_height, early_block_time) FROM watches"),
              "3");
}

TEST_F(EarlyInclusions, AreWrittenOnceWhoeverLearnsMore) {
    const auto before = watch();
    see(seen_early("A", 104));
    const auto early = watch();
    see(chain::EarlyBlockLost{});
    see(seen_early("B", 105));
    EXPECT_EQ(update(observed(early, included_at(104))).size(), 1u) << "it is another inclusion by now";
    EXPECT_EQ(update(observed(before, seen_early("C", 106))).size(), 1u);
    EXPECT_EQ(watch().state.early->block_hash, "B");
}

}  // namespace
}  // namespace receiptd::test
