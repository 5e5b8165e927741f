// Outcomes of stored blocks, compared with the roots in the chunk headers above them.
#include "storage/pg_outcome_store.hpp"

#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Outcomes : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        outcomes_ = std::make_unique<storage::PgOutcomeStore>(store().database);
        for (base::Height height = 100; height <= 105; ++height) commit(block_batch(height));
        execute("UPDATE coverage SET compared = '{}'; DELETE FROM chunks");
    }

    // A chunk that is new there: the root of the outcomes before it, and of those that its block was told
    // with.
    void chunk(base::Height height, int shard, const std::string& before, const std::string& executed,
               bool covered = true) {
        execute(
            "INSERT INTO chunks (block_height, block_time, shard_id, missing, outcome_root, executed_root, "
            "covered) SELECT block_height, block_time, " +
            std::to_string(shard) + ", false, '" + before + "', '" + executed + "', " +
            (covered ? "true" : "false") + " FROM blocks WHERE block_height = " + std::to_string(height));
    }
    void no_chunk(base::Height height, int shard, const std::string& executed) {
        chunk(height, shard, "older", executed);
        execute(
            "UPDATE chunks SET missing = true, executed_root = nullif(executed_root, '') "
            "WHERE block_height = " +
            std::to_string(height) + " AND shard_id = " + std::to_string(shard));
    }
    base::HeightSet compare(base::Height agreed) {
        return await(outcomes_->compare_outcomes(0, agreed)).refuted;
    }
    std::string compared() { return value("SELECT compared FROM coverage"); }
    std::string unconfirmed() { return value("SELECT unconfirmed FROM coverage"); }

    std::unique_ptr<storage::PgOutcomeStore> outcomes_;
};

TEST_F(Outcomes, AreConfirmedByTheNextChunkOfTheirShard) {
    chunk(100, 0, "z", "a");
    chunk(101, 0, "a", "b");
    chunk(102, 0, "b", "c");
    EXPECT_THAT(compare(101).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{[100,101)}") << "the chunk of 102 is in no block that the hosts agree on";
    EXPECT_THAT(compare(102).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{[100,102)}");
    EXPECT_EQ(unconfirmed(), "{}");
}

TEST_F(Outcomes, ThatDifferAreRefuted) {
    chunk(100, 0, "z", "forged");
    chunk(101, 0, "a", "b");
    chunk(102, 0, "b", "c");
    EXPECT_THAT(compare(102).ranges(), ElementsAre(base::HeightRange{100, 100}));
    EXPECT_EQ(compared(), "{[101,102)}");
    const auto wrong = await(outcomes_->false_outcomes(100, 102));
    ASSERT_EQ(wrong.roots.size(), 1U);
    EXPECT_THAT(wrong.roots.at(0), ElementsAre("a"));
    base::HeightSet height;
    height.add(100);
    await(outcomes_->leave_unconfirmed(height));
    EXPECT_THAT(compare(102).ranges(), IsEmpty()) << "it stays as it is";
    EXPECT_EQ(unconfirmed(), "{[100,101)}");
}

TEST_F(Outcomes, OfAShardWithoutAChunkComeWithNoBlock) {
    chunk(100, 0, "z", "a");
    no_chunk(101, 0, "");
    chunk(102, 0, "a", "c");
    EXPECT_THAT(compare(102).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{[100,102)}");
    no_chunk(101, 1, "invented");
    execute("UPDATE coverage SET compared = '{}'");
    EXPECT_THAT(compare(102).ranges(), ElementsAre(base::HeightRange{101, 101}));
}

TEST_F(Outcomes, WaitForAHeightThatIsNotStored) {
    chunk(100, 0, "z", "a");
    chunk(102, 0, "x", "c");
    execute("UPDATE coverage SET heights = heights - '{[101,102)}'::int8multirange");
    EXPECT_THAT(compare(102).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{}");
}

TEST_F(Outcomes, OfASplitShardAreConfirmedByItsChildren) {
    chunk(100, 0, "z", "a");
    chunk(100, 1, "y", "other");
    chunk(101, 1, "other", "b");
    no_chunk(101, 7, "");
    chunk(101, 8, "a", "c");
    EXPECT_THAT(compare(101).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{[100,101)}");
}

TEST_F(Outcomes, OfASplitShardWaitWhileItStandsForAChild) {
    chunk(100, 0, "z", "a");
    no_chunk(101, 0, "");
    no_chunk(102, 0, "");
    chunk(102, 8, "a", "b");
    chunk(103, 8, "b", "c");
    chunk(103, 7, "a", "d");
    EXPECT_THAT(compare(102).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{[101,102)}") << "a chunk of the other child is to come";
    EXPECT_THAT(compare(103).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{[100,103)}");
    EXPECT_EQ(unconfirmed(), "{}");
}

TEST_F(Outcomes, OfAShardWithoutAChunkWaitThoughAnotherOneIsSplit) {
    chunk(100, 0, "z", "a");
    no_chunk(101, 0, "");
    chunk(101, 8, "of another parent", "c");
    EXPECT_THAT(compare(101).ranges(), IsEmpty());
    EXPECT_EQ(compared(), "{}");
}

TEST_F(Outcomes, AreNotConfirmedByHeadersThatNoHashCovers) {
    chunk(100, 0, "z", "a");
    chunk(101, 0, "a", "b", false);
    EXPECT_THAT(compare(101).ranges(), IsEmpty());
    EXPECT_EQ(unconfirmed(), "{[100,101)}");
}

TEST_F(Outcomes, OfTreesLeadToTheRootsOfAnyShard) {
    chunk(100, 0, "z", "a");
    chunk(100, 1, "y", "b");
    chunk(101, 0, "a", "c");
    base::HeightSet height;
    height.add(100);
    auto above = await(outcomes_->roots_above(height, 102));
    EXPECT_THAT(above.at(100).roots, ElementsAre("a"));
    EXPECT_FALSE(above.at(100).are_all);
    chunk(102, 1, "b", "d");
    above = await(outcomes_->roots_above(height, 102));
    EXPECT_THAT(above.at(100).roots, ElementsAre("a", "b"));
    EXPECT_TRUE(above.at(100).are_all);
}

TEST_F(Outcomes, HoldBackTheAlertsAboutThem) {
    await(outcomes_->hold_alerts(std::chrono::seconds(30)));
    EXPECT_EQ(value("SELECT confirm_within FROM coverage"), "00:00:30");
    await(outcomes_->hold_alerts(std::nullopt));
    EXPECT_EQ(value("SELECT confirm_within IS NULL FROM coverage"), "t");
}

}  // namespace
}  // namespace receiptd::test
