// How wide partitions are, where they begin and end, and that nobody waits while they are made
// (docs/decisions/0060).
#include "storage/partition_report.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

#include <random>

namespace receiptd::test {
namespace {

using testing::HasSubstr;

class Partitions : public WithOwnDatabase<StoreTest> {
protected:
    void set_width(const std::string& width) {
        storage::PgPartitions partitions(store().database);
        await(partitions.set_width({"testnet", "all"}, width));
    }
    storage::PartitionReport report() {
        storage::PgPartitions partitions(store().database);
        return await(partitions.report());
    }
    void make(const std::string& from, const std::string& until) {
        execute("SELECT make_partitions('" + from + "Z', '" + until + "Z')");
    }
    void make(const std::string& time) { make(time, time); }
    // "10-19 10-20": where they begin, and where the last one ends.
    std::string bounds(const std::string& table = "receipts") {
        return value(
            "SELECT string_agg(to_char(from_time, 'MM-DD'), ' ' ORDER BY from_time) || ' ' || "
            "to_char(max(until_time), 'MM-DD') FROM partitions WHERE table_name = '" +
            table + "'");
    }
    // Periods that some tables have, and others not.
    std::string bounds_that_differ() {
        return value(
            "SELECT count(*) FROM (SELECT FROM partitions GROUP BY from_time, until_time "
            "HAVING count(*) <> (SELECT count(*) FROM history_tables())) odd");
    }
    // Days are closed in the second round.
    void close_days() {
        for (int round = 0; round < 2; ++round) await(store().keep_partitions());
    }
};

TEST_F(Partitions, AreDaysWhileNoDayIsKnown) {
    set_width("auto");
    make("2022-10-19", "2022-10-21");
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-22");
    EXPECT_EQ(report().width, "day");
    EXPECT_TRUE(report().is_automatic);
    EXPECT_FALSE(report().bytes_a_day);
}

TEST_F(Partitions, AreMonthsOnceDaysAreKnownToBeSmall) {
    set_width("auto");
    commit_block_at(100, "timestamptz '2022-10-19 01:00Z'");
    commit_block_at(101, "timestamptz '2022-10-20 07:00Z'");
    close_days();
    const auto known = report();
    EXPECT_EQ(known.width, "month");
    EXPECT_GT(known.bytes_a_day.value_or(0), 0u);
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-22 10-23") << "these were made ahead before that was known";
    make("2022-10-24");
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-22 10-23 11-01") << "the rest of the month";
    make("2022-11-01");
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-22 10-23 11-01 12-01");
    EXPECT_EQ(bounds_that_differ(), "0");
}

TEST_F(Partitions, ChangeTheirWidthOnlyWhereADayIsMuchLargerOrSmaller) {
    const auto width = [this](const std::string& now, const std::string& bytes) {
        return value("SELECT automatic_width('" + now + "', " + bytes + ")");
    };
    for (const std::string now : {"day", "week", "month"}) {
        EXPECT_EQ(width(now, "NULL"), now);
        EXPECT_EQ(width(now, "20e9"), "day");
        EXPECT_EQ(width(now, "500e6"), "week");
        EXPECT_EQ(width(now, "1e6"), "month");
        EXPECT_EQ(width(now, "1.5e9"), now == "day" ? "day" : "week");
        EXPECT_EQ(width(now, "150e6"), now == "month" ? "month" : "week");
    }
}

TEST_F(Partitions, HaveANewWidthFromTheNextOneOn) {
    make("2022-10-19", "2022-10-20");
    set_width("week");
    make("2022-10-20", "2022-10-25");
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-24 10-31") << "up to Monday, then a week";
    set_width("month");
    make("2022-10-31");
    make("2022-11-01");
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-24 10-31 11-01 12-01");
    set_width("day");
    make("2022-11-30", "2022-12-01");
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-24 10-31 11-01 12-01 12-02");
    EXPECT_EQ(report().width, "day");
    EXPECT_FALSE(report().is_automatic);
}

TEST_F(Partitions, OfOlderDaysEndWhereTheirNeighboursBegin) {
    make("2022-10-12");
    make("2022-10-20");
    set_width("month");
    make("2022-10-15");
    EXPECT_EQ(bounds(), "10-12 10-13 10-20 10-21");
    make("2022-10-02");
    make("2022-10-30");
    EXPECT_EQ(bounds(), "10-01 10-12 10-13 10-20 10-21 11-01");
    EXPECT_EQ(bounds_that_differ(), "0");
}

// Retention has dropped receipts of a day and left its results.
TEST_F(Partitions, AreTheSameOfAllTablesWhateverIsThereOfADay) {
    make("2022-10-12", "2022-10-14");
    while (value("SELECT count(*) FROM retire_partitions('2022-10-14', NULL)") != "0") continue;
    EXPECT_EQ(bounds(), "10-14 10-15");
    EXPECT_EQ(bounds("findings"), "10-12 10-13 10-14 10-15");
    set_width("month");
    make("2022-10-13");
    EXPECT_EQ(bounds(), "10-13 10-14 10-15");
    make("2022-10-03", "2022-10-31");
    EXPECT_EQ(bounds(), "10-01 10-12 10-13 10-14 10-15 11-01");
    EXPECT_EQ(bounds_that_differ(), "0");
}

TEST_F(Partitions, NeverOverlapAndHoldEveryTimeThatIsAskedFor) {
    const auto seed = testing::UnitTest::GetInstance()->random_seed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto below = [&random](int limit) {
        return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    const std::vector<std::string> widths{"day", "week", "month"};
    for (int step = 0; step < 40; ++step) {
        execute("UPDATE chain_identity SET partition_width = '" + widths[static_cast<std::size_t>(below(3))] +
                "'");
        const auto from =
            "timestamptz '2022-10-01Z' + interval '" + std::to_string(below(24 * 150)) + " hours'";
        const auto until = from + " + interval '" + std::to_string(below(5)) + " days'";
        execute("SELECT make_partitions(" + from + ", " + until + ")");
        EXPECT_EQ(value("SELECT count(*) FROM generate_series(" + from + ", " + until +
                        ", '1 hour') t, history_tables() name WHERE NOT EXISTS (SELECT FROM partitions "
                        "WHERE table_name = name AND t >= from_time AND t < until_time)"),
                  "0");
    }
    EXPECT_EQ(bounds_that_differ(), "0");
    EXPECT_EQ(value("SELECT count(*) FROM partitions a JOIN partitions b ON a.table_name = b.table_name AND "
                    "a.partition_name < b.partition_name AND a.from_time < b.until_time AND b.from_time < "
                    "a.until_time"),
              "0");
}

TEST_F(Partitions, AreMadeAheadByTwoDaysAndByOneOfTheirWidth) {
    set_width("month");
    commit_block_at(100, "timestamptz '2022-10-19 01:00Z'");
    EXPECT_TRUE(await(store().keep_partitions()));
    EXPECT_EQ(bounds(), "10-01 11-01 12-01");
    commit_block_at(101, "timestamptz '2022-11-29 12:00Z'");
    EXPECT_TRUE(await(store().keep_partitions()));
    EXPECT_EQ(bounds(), "10-01 11-01 12-01 01-01");
}

TEST_F(Partitions, AreMadeWhileSomebodyReadsAndWrites) {
    commit(full_batch(100));
    auto analyst = storage::shim::connect(database().url());
    auto writer = storage::shim::connect(database().url());
    pqxx::work reading(*analyst), writing(*writer);
    reading.exec("SELECT count(*) FROM receipts, blocks, events");
    writing.exec("UPDATE receipts SET gas_burnt = 1");
    execute("SET LOCAL lock_timeout = '1ms'; SELECT make_partitions('2022-10-24', '2022-10-25')");
    EXPECT_EQ(value("SELECT count(*) FROM partitions WHERE from_time >= '2022-10-24'"), "18");
    reading.exec("SELECT count(*) FROM receipts WHERE block_time >= '2022-10-24'");
}

TEST_F(Partitions, AreTriedAgainWhereSomebodyChangesATable) {
    commit(full_batch(100));
    auto other = storage::shim::connect(database().url());
    std::optional<pqxx::work> indexing(*other);
    indexing->exec("LOCK TABLE receipts IN SHARE MODE");
    EXPECT_FALSE(await(store().keep_partitions()));
    EXPECT_EQ(bounds(), "10-19 10-20");
    indexing.reset();
    EXPECT_TRUE(await(store().keep_partitions()));
    EXPECT_EQ(bounds(), "10-19 10-20 10-21 10-22");
}

TEST_F(Partitions, WhatALocksReckoningAdvisesIsEnough) {
    make("2022-10-19", "2022-10-28");
    const auto locks = report().locks;
    EXPECT_EQ(std::to_string(locks.partitions), value("SELECT count(*) FROM partitions"));
    EXPECT_EQ(std::to_string(locks.needed),
              value("SELECT count(*) + sum((SELECT count(*) FROM pg_index WHERE indrelid = part)) FROM "
                    "history_partitions()"));
    EXPECT_EQ(std::to_string(locks.room), value("SELECT current_setting('max_locks_per_transaction')::int * "
                                                "(current_setting('max_connections')::int + "
                                                "current_setting('max_prepared_transactions')::int)"));
    EXPECT_FALSE(locks.is_tight());
    const storage::LockRoom five_years{16'434, 72'000, 64 * 100, 1'472};
    EXPECT_TRUE(five_years.is_tight());
    EXPECT_THAT(five_years.in_words(), HasSubstr("set max_locks_per_transaction = 1472"));
}

TEST_F(Partitions, AreTidiedOnceWhenTheyAreClosed) {
    const std::string tidy =
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'receiptd_partitions'::regnamespace AND "
        "reloptions @> ARRAY['autovacuum_vacuum_insert_threshold=1000', "
        "'autovacuum_vacuum_insert_scale_factor=0']";
    commit(full_batch(100));
    commit_block_at(101, "timestamptz '2022-10-20 07:00Z'");
    await(store().keep_partitions());
    EXPECT_EQ(value(tidy), "0") << "the day is over, and not closed";
    await(store().keep_partitions());
    EXPECT_EQ(value(tidy), "9") << "the day that is closed, of each table";
    const std::string rows = "SELECT reltuples FROM pg_class WHERE relname = 'receipts_p20221019'";
    EXPECT_EQ(value(rows), "1");
    EXPECT_EQ(value("SELECT count(*) > 0 FROM pg_stats WHERE tablename = 'receipts_p20221019'"), "t");

    execute("DELETE FROM receipts");
    OpenStore after_a_restart(database().url());
    await(after_a_restart.keep_partitions());
    EXPECT_EQ(value(rows), "1") << "not again";
    EXPECT_EQ(value(tidy), "9");
}

}  // namespace
}  // namespace receiptd::test
