// Which days have rows of an id (docs/decisions/0059). A day that is closed is asked only if it is said to
// have the id: so nothing may be missing there, whoever wrote when.
#include "store_test_support.hpp"

#include <gmock/gmock.h>

#include <random>

namespace receiptd::test {
namespace {

class DaysOfIds : public WithOwnDatabase<StoreTest> {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        execute("SELECT make_partitions('2022-10-10', '2022-10-19')");
        commit(block_batch(100));  // 2022-10-19
    }

    // SQL for a receipt on that day of October 2022, at noon or `hours` later.
    static std::string receipt(const std::string& id, const std::string& tree, int day, int hours = 0) {
        return "INSERT INTO receipts (receipt_id, tree_id, block_height, block_time, receiver_id, status) "
               "VALUES ('" +
               id + "', '" + tree + "', 1, timestamptz '2022-10-" + std::to_string(day) +
               " 12:00Z' + interval '" + std::to_string(hours) + " hours', 'bob.near', 'success_value')";
    }
    std::string days_of(const std::string& id) {
        return value(
            "SELECT coalesce(string_agg(extract(day FROM day)::text, ' ' ORDER BY day), 'none') "
            "FROM generate_series(timestamptz '2022-10-10 12:00Z', '2022-10-18 12:00Z', '1 day') AS day "
            "WHERE EXISTS (SELECT FROM days_of(ARRAY['" +
            id + "']) WHERE day BETWEEN from_time AND to_time)");
    }
    // Two rounds, as a day must be seen not to grow.
    void close_days() {
        for (int round = 0; round < 2; ++round) await(store().keep_partitions());
    }
    std::string closed() { return value("SELECT periods FROM closed_days"); }
    // Each id is asked for by itself. Planning the question each time would take most of the time.
    std::string missing() {
        return value(
            "SET LOCAL plan_cache_mode = force_generic_plan; "
            "WITH stored AS (SELECT block_hash AS id, block_time FROM blocks "
            "  UNION ALL SELECT unnest(ARRAY[tx_hash, tree_id]), block_time FROM transactions "
            "  UNION ALL SELECT unnest(ARRAY[receipt_id, tree_id]), block_time FROM receipts "
            "  UNION ALL SELECT unnest(ARRAY[data_id, receipt_id, tree_id]), block_time FROM data_receipts "
            "  UNION ALL SELECT unnest(ARRAY[tx_hash, tree_id]), block_time FROM transaction_results "
            "  UNION ALL SELECT tree_id, block_time FROM findings UNION ALL SELECT tree_id, block_time FROM "
            "events), "
            "times AS MATERIALIZED (SELECT id, d.* FROM (SELECT DISTINCT id FROM stored) ids, "
            "days_of(ARRAY[id]) d) "
            "SELECT count(*) FROM stored s WHERE NOT EXISTS (SELECT FROM times t WHERE t.id = s.id "
            "  AND s.block_time BETWEEN t.from_time AND t.to_time)");
    }
};

TEST_F(DaysOfIds, NameThoseThatHaveRowsOnceTheyAreClosed) {
    execute(receipt("R", "T", 12) + "; " + receipt("S", "T", 13));
    EXPECT_EQ(days_of("R"), "10 11 12 13 14 15 16 17 18") << "nothing is closed yet";
    close_days();
    EXPECT_EQ(closed(), "{[\"2022-10-10 00:00:00+00\",\"2022-10-18 00:00:00+00\")}")
        << "18 ended a moment ago";
    EXPECT_EQ(days_of("R"), "12 18");
    EXPECT_EQ(days_of("T"), "12 13 18");
    EXPECT_EQ(days_of("of nobody"), "18");
    EXPECT_EQ(value("SELECT count(*) FROM days_of(ARRAY['R'], '2022-10-13', '2022-10-17')"), "0");
    EXPECT_EQ(
        value(
            "SELECT from_time || ' ' || to_time FROM days_of(ARRAY['R'], '2022-10-12 06:00', '2022-10-17')"),
        "2022-10-12 06:00:00+00 2022-10-12 23:59:59.999999+00");
}

TEST_F(DaysOfIds, AreClosedWhenTheirPartitionsHaveStoppedGrowing) {
    await(store().keep_partitions());
    execute(receipt("R", "T", 12));
    await(store().keep_partitions());
    EXPECT_EQ(days_of("of nobody"), "12 18");
    await(store().keep_partitions());
    EXPECT_EQ(days_of("of nobody"), "18");
    EXPECT_EQ(store().series.measured.unclosed_partitions.Value(), 0);
}

TEST_F(DaysOfIds, KnowRowsThatCameAfterTheyWereClosed) {
    execute(receipt("R", "T", 12));
    close_days();
    for (const auto& late :
         {receipt("late", "late tree", 13),
          std::string("UPDATE receipts SET tree_id = 'moved' WHERE receipt_id = 'R'"),
          std::string("UPDATE receipts SET block_time = '2022-10-14 12:00Z' WHERE receipt_id = 'R'"),
          std::string(
              "INSERT INTO blocks (block_height, block_hash, prev_hash, block_time, timestamp_nanosec) "
              "VALUES (7, 'late block', 'x', '2022-10-15 12:00Z', 1)"),
          std::string("INSERT INTO data_receipts (data_id, receipt_id, tree_id, block_height, block_time) "
                      "VALUES ('late data', 'D', 'T', 7, '2022-10-16 12:00Z')"),
          std::string(
              "INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, "
              "nonce) VALUES ('late hash', 'late hash@7', 7, '2022-10-11 12:00Z', 'a', 'b', 1)")})
        execute(late);
    EXPECT_EQ(days_of("late"), "13 18");
    EXPECT_EQ(days_of("moved"), "12 14 18");
    EXPECT_EQ(days_of("late block"), "15 18");
    EXPECT_EQ(days_of("late data"), "16 18");
    EXPECT_EQ(days_of("late hash@7"), "11 18");
    EXPECT_EQ(missing(), "0");
}

TEST_F(DaysOfIds, WaitForWhoeverWritesIntoThemBeforeTheyAreClosed) {
    auto other = storage::shim::connect(database().url());
    pqxx::work writing(*other);
    writing.exec(receipt("R", "T", 12));
    close_days();
    EXPECT_EQ(days_of("of nobody"), "12 18") << "nobody waited for the writer, and the day is open";
    writing.commit();
    close_days();
    EXPECT_EQ(days_of("of nobody"), "18");
    EXPECT_EQ(days_of("R"), "12 18");
}

TEST_F(DaysOfIds, KnowWhatIsWrittenWhileTheyAreClosed) {
    execute("SELECT guard_day('2022-10-12')");
    auto other = storage::shim::connect(database().url());
    pqxx::work writing(*other);
    writing.exec(receipt("R", "T", 12));
    execute("SELECT close_day('2022-10-12')");
    EXPECT_EQ(days_of("of nobody"), "10 11 13 14 15 16 17 18");
    writing.commit();
    EXPECT_EQ(days_of("R"), "10 11 12 13 14 15 16 17 18");
}

TEST_F(DaysOfIds, AreOpenWhereTheClosingWasKilled) {
    EXPECT_EQ(value("SELECT close_day('2022-10-12')"), "") << "not without its triggers";
    execute("SELECT guard_day('2022-10-12')");
    execute(receipt("R", "T", 12));
    EXPECT_EQ(days_of("of nobody"), "10 11 12 13 14 15 16 17 18");
    close_days();
    EXPECT_EQ(days_of("of nobody"), "18");
    EXPECT_EQ(days_of("R"), "12 18");
}

TEST_F(DaysOfIds, AreForgottenWithTheirPartitions) {
    execute(receipt("R", "T", 12) + "; " + receipt("S", "S", 16));
    close_days();
    execute(receipt("late", "late", 13));
    store().keep = kept_for(std::chrono::hours(4 * 24));
    for (int round = 0; round < 3; ++round) await(store().keep_partitions());
    EXPECT_EQ(closed(), "{[\"2022-10-15 00:00:00+00\",\"2022-10-18 00:00:00+00\")}");
    EXPECT_EQ(value("SELECT count(*) || ' ' || sum(keys) FROM id_runs"), "1 1");
    EXPECT_EQ(value("SELECT count(*) FROM id_additions"), "0");

    execute("SELECT make_partitions('2022-10-12', '2022-10-12'); " + receipt("again", "T", 12));
    EXPECT_EQ(days_of("again"), "10 11 12 13 14 18") << "what is made again is open";
    EXPECT_EQ(missing(), "0");
}

TEST_F(DaysOfIds, OutliveTheReceiptsOfTheDayWithItsResults) {
    execute(receipt("R", "T", 12));
    execute(
        "INSERT INTO findings (finding_id, kind, tree_id, block_time) "
        "VALUES ('F', 'failed_receipt', 'T', '2022-10-12 12:00Z')");
    close_days();
    while (value("SELECT count(*) FROM retire_partitions('2022-10-18', NULL)") != "0") continue;
    close_days();
    EXPECT_EQ(value("SELECT count(*) FROM receipts WHERE receipt_id = 'R'"), "0");
    EXPECT_EQ(days_of("T"), "12 18");
    EXPECT_EQ(days_of("of nobody"), "18");

    execute("SELECT make_partitions('2022-10-12', '2022-10-12')");
    EXPECT_EQ(days_of("of nobody"), "12 18") << "its new partitions have no triggers yet";
    execute("UPDATE closed_days SET hashed_as = 0");
    close_days();
    EXPECT_EQ(days_of("of nobody"), "18") << "what is left of a day can be closed";
    EXPECT_EQ(days_of("T"), "12 18");
}

TEST_F(DaysOfIds, AreOpenAgainWhereAPartitionHasLostItsTrigger) {
    close_days();
    execute("ALTER TABLE receiptd_partitions.receipts_p20221012 DISABLE TRIGGER note_late_ids");
    execute(receipt("R", "T", 12));
    await(store().check_identity("testnet", "all"));
    EXPECT_EQ(days_of("R"), "12 18");
    EXPECT_EQ(days_of("of nobody"), "12 18");
    close_days();
    EXPECT_EQ(days_of("of nobody"), "18");
    EXPECT_EQ(days_of("R"), "12 18");
}

TEST_F(DaysOfIds, AreOpenOnAMachineThatHashesOtherwise) {
    close_days();
    execute("UPDATE closed_days SET hashed_as = 1");
    EXPECT_EQ(days_of("of nobody"), "10 11 12 13 14 15 16 17 18");
    close_days();
    EXPECT_EQ(days_of("of nobody"), "18");
}

// Runs are merged, additions become runs, and whoever asks meanwhile sees all of it.
TEST_F(DaysOfIds, HaveEveryIdThatIsStored) {
    const auto seed = testing::UnitTest::GetInstance()->random_seed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto below = [&random](int limit) {
        return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    int made = 0;
    const auto write_some = [&](int count) {
        std::string sql;
        for (int i = 0; i < count; ++i)
            sql += receipt("r" + std::to_string(made++), "t" + std::to_string(below(50)), 10 + below(9),
                           below(12)) +
                   "; ";
        execute(sql);
    };
    write_some(300);
    for (int day = 10; day < 18; ++day) {
        const auto from = "('2022-10-" + std::to_string(day) + "')";
        execute("SELECT guard_day" + from);
        write_some(below(10));
        execute("SELECT close_day" + from);
        write_some(below(40));
        execute("UPDATE receipts SET tree_id = 'moved' || tree_id WHERE receipt_id LIKE '%" +
                std::to_string(below(10)) + "'");
        execute("SELECT merge_ids()");
        EXPECT_EQ(missing(), "0");
    }
    while (value("SELECT merge_ids()") == "t") EXPECT_EQ(missing(), "0");
    EXPECT_EQ(value("SELECT string_agg(level || ' ' || state, ', ') FROM id_runs"), "1 whole");
    EXPECT_EQ(value("SELECT count(*) FROM id_buckets b WHERE NOT EXISTS (SELECT FROM id_runs r WHERE "
                    "r.run_id = b.run_id)"),
              "0");

    execute(
        "INSERT INTO receipts (receipt_id, tree_id, block_height, block_time, receiver_id, status) "
        "SELECT 'm' || i, 'n' || i % 9000, 1, timestamptz '2022-10-10Z' + i * interval '10 seconds', 'b', "
        "'success_value' "
        "FROM generate_series(1, 60000) i");
    while (value("SELECT merge_ids()") == "t") continue;
    EXPECT_EQ(value("SELECT count(*) FROM id_additions"), "0") << "many of them are a run";
    EXPECT_EQ(missing(), "0");
}

// Relations that a question holds locks on until its transaction ends, in the tenth transaction of a session.
class LocksOfQuestions : public DaysOfIds {
protected:
    int locks_of(const std::string& question) {
        auto session = storage::shim::connect(database().url());
        int locks = 0;
        for (int i = 0; i < 10; ++i) {
            pqxx::work tx(*session);
            tx.exec(question);
            locks = tx.exec(
                          "SELECT count(DISTINCT relation) FROM pg_locks WHERE pid = pg_backend_pid() AND "
                          "locktype = 'relation' "
                          "AND relation >= 16384")[0][0]
                        .as<int>();
        }
        return locks;
    }
};

TEST_F(LocksOfQuestions, AreAsManyWhateverThePartitions) {
    execute(receipt("R", "T", 12) + "; " + receipt("S", "S", 12) + "; " + receipt("late", "T", 13));
    execute(receipt("deployment", "deployer", 12) +
            R"(; UPDATE receipts SET actions = '[{"DeployGlobalContract": {"code": "c="}}]')"
            " WHERE receipt_id = 'deployment'");
    close_days();
    const std::string week = "'2022-10-12 12:00', '2022-10-19 12:00')";
    constexpr std::size_t kInOnePartition = 4;
    const std::vector<std::string> questions{
        "SELECT tree_of('S')",
        "SELECT tree_of('of nobody')",
        "SELECT count(*) FROM receipt_tree('S')",
        "SELECT count(*) FROM receipt_tree('of nobody')",
        "SELECT tree_of('R')",
        "SELECT count(*) FROM receipt_tree('T')",
        "SELECT count(*) FROM tree_starts(ARRAY['T', 'of nobody'])",
        "SELECT count(*) FROM tree_transactions(ARRAY['T'], " + week,
        "SELECT count(*) FROM tree_receipts(ARRAY['T'], " + week,
        "SELECT count(*) FROM tree_data_receipts(ARRAY['T'], " + week,
        "SELECT count(*) FROM resumes_of(ARRAY['D'], '-infinity', 'infinity')",
        "SELECT corrections_of('final:T', 'T')",
        "SELECT move_tree('S', 'T', 'T', '2022-10-12 12:00')",
        "SELECT settle_roles(ARRAY['T'], " + week,
        "SELECT count(*) FROM keep_first_tellings(ARRAY['T'], " + week,
        "SELECT find_executions(ARRAY['T'], '2022-10-12 12:00', '2022-10-12 13:00')",
        "SELECT mark_expected(ARRAY['f'], " + week,
        "SELECT count(*) FROM global_contracts('2022-10-12 12:00', '2022-10-12 13:00')",
        "SELECT count(*) FROM tree_global_contracts(ARRAY['deployer'], " + week,
        "SELECT count(*) FROM delegate_nonces_used_by(ARRAY['R'], ARRAY['T'], ARRAY[timestamptz '2022-10-12 "
        "12:00'])"};
    execute("INSERT INTO expected_failures VALUES ('all', '%', '%', '%', gen_random_uuid())");
    std::vector<int> before, after;
    for (const auto& question : questions) before.push_back(locks_of(question));

    for (const auto* day : {"2022-09-01", "2022-09-11", "2022-09-21", "2022-10-01"})
        execute("SELECT make_partitions('" + std::string(day) + "', date '" + day +
                "' + 8 + interval '1 hour')");
    close_days();
    for (const auto& question : questions) after.push_back(locks_of(question));
    EXPECT_EQ(value("SELECT count(*) FROM partitions WHERE table_name = 'receipts'"), "48");
    for (std::size_t i = 0; i < questions.size(); ++i) {
        EXPECT_EQ(after[i], before[i]) << questions[i];
        EXPECT_LE(after[i], i < kInOnePartition ? 64 : 110) << questions[i];
    }
}

TEST_F(LocksOfQuestions, AreFewWhereAPartitionHasManyDays) {
    execute(
        "UPDATE chain_identity SET partition_width = 'month'; SELECT make_partitions('2022-07-15Z', "
        "'2022-08-15Z'); UPDATE chain_identity SET partition_width = 'week'; SELECT "
        "make_partitions('2022-09-07Z', '2022-09-14Z')");
    const auto store_receipt = [this](const std::string& tree, const std::string& day) {
        execute(
            "INSERT INTO receipts (receipt_id, tree_id, block_height, block_time, receiver_id, status) "
            "VALUES ('" +
            tree + day + "', '" + tree + "', 1, '" + day + " 12:00Z', 'bob.near', 'success_value')");
    };
    store_receipt("in a month", "2022-07-15");
    store_receipt("in two months", "2022-07-31");
    store_receipt("in two months", "2022-08-01");
    store_receipt("in a week", "2022-09-07");
    store_receipt("in two weeks", "2022-09-11");
    store_receipt("in two weeks", "2022-09-12");
    close_days();
    EXPECT_EQ(value("SELECT string_agg(from_time::date || ' ' || to_time::date, ', ') FROM "
                    "days_of(ARRAY['in two weeks'], '2022-09-05', '2022-09-18')"),
              "2022-09-11 2022-09-12");
    const auto locks = [this](const std::string& tree) {
        EXPECT_EQ(value("SELECT count(*) FROM receipt_tree('" + tree + "')"),
                  value("SELECT count(*) FROM receipts WHERE tree_id = '" + tree + "'"));
        return locks_of("SELECT count(*) FROM receipt_tree('" + tree + "')");
    };
    for (const auto* tree : {"in a month", "in a week", "of nobody"}) EXPECT_LE(locks(tree), 64) << tree;
    for (const auto* tree : {"in two months", "in two weeks"}) EXPECT_LE(locks(tree), 110) << tree;
}

}  // namespace
}  // namespace receiptd::test
