// What a migration leaves is done by one partition at a time, whoever dies meanwhile.
#include "migration_trial.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

#include <future>

namespace receiptd::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class UnfinishedMigration : public WithOwnDatabase<MigratedTest> {
protected:
    void SetUp() override {
        WithOwnDatabase<MigratedTest>::SetUp();
        if (IsSkipped()) return;
        execute(
            "INSERT INTO chain_identity (network, scope, partition_width, created_by) "
            "VALUES ('none', 'none', 'day', 'tests'); SELECT make_partitions('2022-10-19', '2022-10-21')");
        execute(later_migration({}).text);
        owner_ = quiet_connection(database().url());
    }
    // A session as a daemon's, whose user owns the tables.
    void finish(bool all = true) {
        finisher_.round(*owner_, [all] { return all; });
    }
    std::string left() {
        pqxx::work tx(*owner_);
        std::string text;
        for (const auto& [table, name, tables, bytes] : storage::unfinished(tx))
            text += name + " " + std::to_string(tables) + "\n";
        return text;
    }
    std::string index() {
        return value(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = 'receipts_by_predecessor'::regclass");
    }

    std::unique_ptr<pqxx::connection> owner_;
    storage::Finisher finisher_;
};

TEST_F(UnfinishedMigration, IsFinishedByOnePartitionAtATime) {
    EXPECT_EQ(left(), "later_note_is_short 3\nreceipts_by_predecessor 3\n");
    finish(false);
    EXPECT_EQ(left(), "later_note_is_short 2\nreceipts_by_predecessor 3\n");
    finish();
    EXPECT_EQ(left(), "");
    EXPECT_EQ(index(), "t");
    EXPECT_EQ(
        value("SELECT convalidated FROM pg_constraint WHERE conname = 'later_note_is_short' AND conrelid = "
              "'receipts'::regclass"),
        "t");
    finish();
}

TEST_F(UnfinishedMigration, LeavesTheSettingsOfItsSession) {
    pqxx::nontransaction(*owner_).exec("SET lock_timeout = '7s'; SET statement_timeout = '8s'");
    finish();
    EXPECT_EQ(one_value(pqxx::nontransaction(*owner_).exec("SHOW lock_timeout")), "7s");
    EXPECT_EQ(one_value(pqxx::nontransaction(*owner_).exec("SHOW statement_timeout")), "8s");
}

TEST_F(UnfinishedMigration, NewPartitionsHaveTheIndexAlready) {
    execute("SELECT make_partitions('2022-10-22', '2022-10-22')");
    EXPECT_EQ(left(), "later_note_is_short 3\nreceipts_by_predecessor 3\n");
    finish();
    EXPECT_EQ(index(), "t");
}

TEST_F(UnfinishedMigration, ABuildThatWasKilledIsBegunAgain) {
    const auto reader = quiet_connection(database().url());
    std::optional<pqxx::work> reading(*reader);
    reading->exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT FROM blocks");  // a build waits
                                                                                           // for its snapshot
    auto killed = std::async(std::launch::async, [&] {
        try {
            finish();
        } catch (const pqxx::failure&) {
            return true;
        }
        return false;
    });
    const std::string building = "FROM pg_stat_progress_create_index WHERE datname = current_database()";
    wait_until(database().url(), "SELECT " + building + " AND phase = 'waiting for old snapshots'");
    EXPECT_EQ(value("SELECT count(pg_terminate_backend(pid)) " + building), "1");
    EXPECT_TRUE(killed.get());
    reading.reset();
    EXPECT_EQ(value("SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = indexrelid WHERE relkind = "
                    "'i' AND NOT indisvalid"),
              "1");

    owner_ = quiet_connection(database().url());
    finish();
    EXPECT_EQ(left(), "");
    EXPECT_EQ(index(), "t");
    EXPECT_EQ(value("SELECT count(*) FROM pg_index WHERE NOT indisvalid"), "0");
}

TEST_F(UnfinishedMigration, IsLeftToTheOwnerOfTheTables) {
    const auto daemon = quiet_connection(as_daemon(database().url()));
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) finisher_.round(*daemon, [] { return true; });
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr("run `receiptd migrate --finish` as the owner"));
    EXPECT_EQ(log.find("--finish"), log.rfind("--finish")) << "once";
    EXPECT_THAT(left(), HasSubstr("receipts_by_predecessor 3"));
}

TEST_F(UnfinishedMigration, RowsThatBreakAConstraintAreToldOnceAndKeepNothingElseBack) {
    execute(
        "ALTER TABLE receipts DROP CONSTRAINT later_note_is_short; "
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status, later_note) VALUES "
        "('a', 'a', "
        "'2022-10-20', 'a.near', 'failure', repeat('x', 200)); "
        "ALTER TABLE receipts ADD CONSTRAINT later_note_is_short CHECK (length(later_note) < 100) NOT VALID");
    testing::internal::CaptureStderr();
    finish();
    finish();
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr("stored rows are not as a migration wants them"));
    EXPECT_EQ(log.find("stored rows"), log.rfind("stored rows"));
    EXPECT_THAT(left(), HasSubstr("later_note_is_short"));
    EXPECT_THAT(left(), testing::Not(HasSubstr("receipts_by_predecessor")));
}

// Other programs' tables may be in the same schema, and what their owner builds there is theirs.
TEST_F(UnfinishedMigration, TablesOfOtherProgramsAreLeftAlone) {
    finish();
    execute(
        "CREATE TABLE theirs (id int); INSERT INTO theirs VALUES (1); ALTER TABLE theirs ADD CHECK (id > 0) "
        "NOT VALID");
    EXPECT_EQ(left(), "");
}

class PlannedMigration : public UnfinishedMigration {
protected:
    void SetUp() override {
        UnfinishedMigration::SetUp();
        if (IsSkipped()) return;
        finish();
        files_.migrations.push_back(later_migration(files_.migrations));
    }
    storage::MigrationPlan plan(const storage::SchemaFiles& files) {
        return storage::migration_plan(database().options(), files);
    }
    storage::SchemaFiles files_;
};

TEST_F(PlannedMigration, SaysWhatWouldBeDoneAndChangesNothing) {
    execute(
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) SELECT i, i, "
        "'2022-10-20', 'a', "
        "'failure' FROM generate_series(1, 1000) i; ANALYZE receipts; "
        "INSERT INTO daemons (id, place, source) VALUES (gen_random_uuid(), 'here:1', 'rpc')");
    const auto planned = plan(files_);
    ASSERT_EQ(planned.migrations.size(), 1u);
    const auto& step = planned.migrations[0];
    ASSERT_EQ(step.locks.size(), 1u);
    EXPECT_EQ(step.locks[0].first.table, "receipts");
    EXPECT_EQ(step.locks[0].first.partitions, 3u);
    EXPECT_EQ(step.locks[0].first.rows, 1'000u);
    EXPECT_GT(step.locks[0].first.bytes, 100'000u);
    EXPECT_EQ(step.locks[0].second, "ACCESS EXCLUSIVE");
    ASSERT_EQ(step.afterwards.size(), 1u);
    EXPECT_EQ(step.afterwards[0].table, "receipts");
    EXPECT_EQ(planned.schema.size(), files_.schema.size());
    EXPECT_THAT(planned.daemons, testing::ElementsAre("here:1"));
    EXPECT_FALSE(plan(files_).status.current()) << "nothing was done";
}

TEST_F(PlannedMigration, SaysWhatStandsInTheWay) {
    execute(
        "CREATE SCHEMA mine; CREATE VIEW mine.failures AS SELECT receipt_id FROM receipts WHERE status = "
        "'failure'");
    const auto reader = storage::shim::connect(database().url() + "?application_name=dashboard");
    pqxx::work reading(*reader);
    reading.exec("SELECT FROM receipts");
    const auto planned = plan(files_);
    ASSERT_EQ(planned.foreign.size(), 1u);
    EXPECT_THAT(planned.foreign[0].in_words, HasSubstr("view mine.failures"));
    EXPECT_THAT(planned.transactions, HasSubstr("(dashboard), in a transaction since "));
}

TEST_F(PlannedMigration, OfACurrentDatabaseIsEmpty) {
    const auto planned = plan({});
    EXPECT_TRUE(planned.status.current());
    EXPECT_THAT(planned.migrations, IsEmpty());
    EXPECT_THAT(planned.schema, IsEmpty());
    EXPECT_THAT(planned.unfinished, IsEmpty());
}

TEST_F(PlannedMigration, NamesWhatEarlierOnesHaveLeft) {
    execute("CREATE INDEX receipts_by_signer ON ONLY receipts (signer_id)");
    const auto planned = plan({});
    ASSERT_EQ(planned.unfinished.size(), 1u);
    EXPECT_EQ(planned.unfinished[0].name, "receipts_by_signer");
    EXPECT_EQ(planned.unfinished[0].tables_left, 3u);
}

TEST(DeclaredWork, IsReadFromTheHeadOfAMigration) {
    const auto work = storage::declared_work({"0008_a.sql",
                                              "-- Why.\n-- Locks: receipts ACCESS EXCLUSIVE, watches "
                                              "SHARE\n-- Afterwards: receipts, events\nSELECT 1"});
    EXPECT_THAT(work.locks, testing::ElementsAre(testing::Pair("receipts", "ACCESS EXCLUSIVE"),
                                                 testing::Pair("watches", "SHARE")));
    EXPECT_THAT(work.afterwards, testing::ElementsAre("receipts", "events"));
    EXPECT_THAT(storage::declared_work({"0009_b.sql", "SELECT 1"}).locks, IsEmpty());
    EXPECT_THROW(storage::declared_work({"0010_c.sql", "-- Locks: receipts for ever\n"}),
                 storage::StorageError);
}

}  // namespace
}  // namespace receiptd::test
