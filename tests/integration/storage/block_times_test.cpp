// Times of heights: with them a question by height leaves out the partitions of other times.
#include "storage/block_times.hpp"

#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

class BlockTimes : public WithOwnDatabase<StoreTest> {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        execute("SELECT make_partitions('2022-10-10', '2022-10-19')");
    }
    // At noon of days of October 2022.
    void store_on(base::Height height, int day) {
        commit_block_at(height, "timestamptz '2022-10-" + std::to_string(day) + " 12:00Z'");
    }
    std::string times(const std::string& heights) {
        return value("SELECT from_time || ' ' || to_time FROM times_of_heights(" + heights + ")");
    }
    std::string above(int height) {
        return value("SELECT coalesce(max(block_height)::text, 'none') FROM block_above(" +
                     std::to_string(height) + ")");
    }
    std::string below(int height) {
        return value("SELECT coalesce(max(block_height)::text, 'none') FROM block_below(" +
                     std::to_string(height) + ")");
    }
    // How many partitions the question locks, asked for the tenth time.
    std::string locked_by(const std::string& question) {
        pqxx::connection connection(database().url());
        pqxx::work tx(connection);
        for (int i = 0; i < 10; ++i) tx.exec(question);
        return tx
            .exec(
                "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
                "WHERE l.pid = pg_backend_pid() AND c.relkind = 'r' AND c.relispartition")[0][0]
            .as<std::string>();
    }
};

TEST_F(BlockTimes, LieBetweenTheBlocksOfDaysAround) {
    for (const int day : {12, 14, 16}) store_on(static_cast<base::Height>(day * 10), day);
    EXPECT_EQ(times("140, 140"), "2022-10-14 12:00:00+00 2022-10-14 12:00:00+00");
    EXPECT_EQ(times("145, 150"), "2022-10-14 12:00:00+00 2022-10-16 12:00:00+00");
    EXPECT_EQ(times("1, 130"), "-infinity 2022-10-14 12:00:00+00");
    EXPECT_EQ(times("161, 999"), "2022-10-16 12:00:00+00 infinity");
}

TEST_F(BlockTimes, OfNoMarkAreAllTimes) {
    store_on(140, 14);
    execute("DELETE FROM block_marks");
    EXPECT_EQ(times("140, 140"), "-infinity infinity");
    EXPECT_EQ(above(100), "140");
    EXPECT_EQ(below(150), "140");
    EXPECT_EQ(value("SELECT newest_block_time()"), "2022-10-14 12:00:00+00");
}

TEST_F(BlockTimes, TellTheNearestBlocksWhereDaysAreEmptyByNow) {
    for (const int day : {12, 14, 16}) store_on(static_cast<base::Height>(day * 10), day);
    execute("DELETE FROM blocks WHERE block_height = 140");
    EXPECT_EQ(above(120), "160");
    EXPECT_EQ(below(160), "120");
    EXPECT_EQ(above(160), "none");
    EXPECT_EQ(below(120), "none");
    EXPECT_EQ(value("SELECT oldest_block_time() || ' ' || newest_block_time()"),
              "2022-10-12 12:00:00+00 2022-10-16 12:00:00+00");
    execute("DELETE FROM blocks");
    EXPECT_EQ(value("SELECT coalesce(newest_block_time()::text, 'none')"), "none");
}

TEST_F(BlockTimes, OfTheNewestBlocksReachOverAsManyDaysAsTheyNeed) {
    for (int day = 10; day <= 18; ++day) store_on(static_cast<base::Height>(day * 10), day);
    const auto newest = [this](unsigned count) {
        pqxx::connection connection(database().url());
        pqxx::work tx(connection);
        const auto times = storage::times_of_newest_blocks(tx, count).value();
        constexpr std::int64_t kDay = 86'400'000'000;
        return (times.until - times.since) / kDay;
    };
    EXPECT_EQ(newest(1), 0);
    EXPECT_EQ(newest(3), 2);
    EXPECT_EQ(newest(8), 7);
    EXPECT_EQ(newest(100), 8);
}

TEST_F(BlockTimes, LeaveOutThePartitionsOfOtherTimes) {
    for (int day = 10; day <= 19; ++day) store_on(static_cast<base::Height>(day * 10), day);
    EXPECT_EQ(locked_by("SELECT * FROM block_above(135)"), "2");
    EXPECT_EQ(locked_by("SELECT * FROM block_below(135)"), "2");
    EXPECT_EQ(locked_by("SELECT oldest_block_time()"), "1");
}

TEST_F(BlockTimes, AreKnownOfEachBlockThatIsCommittedAndForgottenWithIt) {
    commit(block_batch(100));
    EXPECT_EQ(value("SELECT block_height || ' ' || (block_time = (SELECT block_time FROM blocks)) FROM "
                    "block_marks"),
              "100 true");
    await(store().blocks.remove_block(100));
    EXPECT_EQ(value("SELECT count(*) FROM block_marks"), "0");
}

}  // namespace
}  // namespace receiptd::test
