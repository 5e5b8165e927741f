// The rules of migrations/README.md hold for every migration after the first tag.
#include "migration_trial.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <future>

namespace receiptd::test {
namespace {

using storage::SqlFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MigrationRules : public WithOwnDatabase<MigratedTest> {
protected:
    void SetUp() override {
        WithOwnDatabase<MigratedTest>::SetUp();
        if (IsSkipped()) return;
        execute(
            "INSERT INTO chain_identity (network, scope, partition_width, created_by) "
            "VALUES ('none', 'none', 'day', 'tests'); SELECT make_partitions('2022-10-19', '2022-10-20')");
    }
    std::vector<std::string> broken_by(const std::string& sql) {
        return MigrationTrial(database().url()).broken_by({"0099_trial.sql", sql});
    }
};

TEST_F(MigrationRules, AreKeptByWhatALaterVersionMightBring) {
    EXPECT_THAT(MigrationTrial(database().url()).broken_by(later_migration({})), IsEmpty());
    EXPECT_THAT(
        broken_by("CREATE TABLE more (id int); CREATE INDEX ON more (id); INSERT INTO more VALUES (1)"),
        IsEmpty());
    EXPECT_THAT(
        broken_by("-- Locks: coverage ACCESS EXCLUSIVE\nALTER TABLE coverage ADD more int; UPDATE coverage "
                  "SET more = 1"),
        IsEmpty())
        << "a small table may be written";
}

TEST_F(MigrationRules, ForbidToRewriteALargeTable) {
    EXPECT_THAT(broken_by("-- Locks: receipts ACCESS EXCLUSIVE\n"
                          "ALTER TABLE receipts ALTER is_promise_yield TYPE text"),
                testing::Contains("rewrites receipts"));
    EXPECT_THAT(broken_by("-- Locks: events ACCESS EXCLUSIVE\n"
                          "ALTER TABLE events ADD COLUMN chance float8 DEFAULT random()"),
                testing::Contains("rewrites events"));
    EXPECT_THAT(broken_by("-- Locks: alerts ACCESS EXCLUSIVE\nALTER TABLE alerts ADD COLUMN chance float8 "
                          "DEFAULT random()"),
                testing::Contains("rewrites alerts"));
}

TEST_F(MigrationRules, ForbidToReadOrWriteALargeTable) {
    EXPECT_THAT(broken_by("UPDATE receipts SET role = NULL"),
                ElementsAre("reads or writes rows of receipts"));
    EXPECT_THAT(broken_by("DELETE FROM watches"), ElementsAre("reads or writes rows of watches"));
    EXPECT_THAT(
        broken_by("-- Locks: receipts ACCESS EXCLUSIVE\nALTER TABLE receipts ADD CHECK (gas_burnt >= 0)"),
        ElementsAre("reads or writes rows of receipts"))
        << "a constraint that is not NOT VALID";
    EXPECT_THAT(
        broken_by("-- Locks: receipts ACCESS EXCLUSIVE\nALTER TABLE receipts ALTER gas_burnt SET NOT NULL"),
        ElementsAre("reads or writes rows of receipts"));
    EXPECT_THAT(broken_by("-- Locks: receipts SHARE\nCREATE INDEX ON receipts (predecessor_id)"),
                ElementsAre("reads or writes rows of receipts"))
        << "an index of all partitions at once";
    EXPECT_THAT(broken_by("-- Locks: alerts SHARE\nCREATE INDEX ON alerts (kind)"),
                ElementsAre("reads or writes rows of alerts"));
}

TEST_F(MigrationRules, WantEachLockThatHoldsUpOthersToBeTold) {
    EXPECT_THAT(broken_by("ALTER TABLE receipts ADD COLUMN more int"),
                ElementsAre("does not say that it locks receipts ACCESS EXCLUSIVE"));
    EXPECT_THAT(broken_by("-- Locks: receipts SHARE\nALTER TABLE receipts ADD COLUMN more int"),
                ElementsAre("does not say that it locks receipts ACCESS EXCLUSIVE"));
    EXPECT_THAT(broken_by("-- Locks: receipts SHARE\nSELECT 1"),
                ElementsAre("does not lock receipts as it says"));
    EXPECT_THAT(broken_by("-- Locks: blocks ACCESS EXCLUSIVE, events ACCESS EXCLUSIVE\n"
                          "ALTER TABLE blocks ADD COLUMN more int; ALTER TABLE events ADD COLUMN more int"),
                ElementsAre("locks the partitions of several tables"))
        << "all locks of a transaction must fit the server's table of locks";
}

TEST_F(MigrationRules, WantWhatIsReadAfterwardsToBeTold) {
    EXPECT_THAT(broken_by("-- Locks: receipts SHARE\nCREATE INDEX ON ONLY receipts (predecessor_id)"),
                ElementsAre("does not say which tables are read afterwards"));
    EXPECT_THAT(broken_by("-- Afterwards: receipts\nSELECT 1"),
                ElementsAre("does not say which tables are read afterwards"));
}

TEST_F(MigrationRules, LeaveTransactionsAndTimeoutsToReceiptd) {
    EXPECT_THAT(broken_by("SET lock_timeout = 0"),
                ElementsAre("ends its transaction, or changes a timeout of it"));
    EXPECT_THAT(broken_by("SET LOCAL statement_timeout = '1s'"),
                ElementsAre("ends its transaction, or changes a timeout of it"));
    EXPECT_THAT(broken_by("COMMIT; BEGIN"), ElementsAre("ends its transaction, or changes a timeout of it"));
}

TEST_F(MigrationRules, HoldForTheFilesThatAreAppliedAgain) {
    std::string all = "SELECT set_config('receiptd.readonly_role', 'receiptd_readonly', true);";
    storage::DeclaredWork declared;
    for (const auto& file : storage::schema_files()) {
        for (const auto& [table, mode] : storage::declared_work(file).locks) declared.locks[table] = mode;
        all += file.text + ";\n";
    }
    std::string locks;
    for (const auto& [table, mode] : declared.locks)
        locks += (locks.empty() ? "" : ", ") + table + " " + mode;
    EXPECT_THAT(broken_by("-- Locks: " + locks + "\n" + all), IsEmpty());
}

// A database as it is after months, with the migrations of the first tag.
class ALargeDatabase : public DatabaseTest {
protected:
    void SetUp() override {
        DatabaseTest::SetUp();
        if (IsSkipped()) return;
        files_.migrations.resize(kBaseline);
        files_.schema.clear();
        storage::migrate(database().options(), kReadonlyRole, files_);
        execute(
            "DO $$ DECLARE name text; BEGIN FOR name IN SELECT relname FROM pg_class WHERE relkind = 'p' "
            "  AND relnamespace = 'public'::regnamespace LOOP FOR day IN 0..111 LOOP "
            "  EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name || '_p' "
            "|| day, name, "
            "    timestamptz '2022-10-19 UTC' + day * interval '1 day', timestamptz '2022-10-20 UTC' + day * "
            "interval '1 "
            "day'); "
            "END LOOP; END LOOP; END $$");
        execute(
            "CREATE SCHEMA mine; CREATE VIEW mine.failures AS SELECT * FROM receipts WHERE status = "
            "'failure'");
        files_ = {};
        files_.schema.clear();
        files_.migrations.push_back(later_migration(files_.migrations));
    }
    // What a daemon and people do all the time.
    void store_and_read(int number) {
        const auto id = std::to_string(number);
        execute(
            "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, predecessor_id, status) "
            "VALUES ('" +
            id + "', '" + id + "', '2022-10-19 12:00 UTC', 'a.near', 'b.near', 'failure')");
        EXPECT_EQ(value("SELECT count(*) FROM mine.failures WHERE tree_id = '" + id +
                        "' AND block_time = '2022-10-19 12:00 UTC'"),
                  "1");
    }
    std::string table_files() {
        return rows(
            "SELECT oid::regclass, pg_relation_filenode(oid) FROM pg_class WHERE relkind IN ('r', 'p') AND "
            "relnamespace = 'public'::regnamespace AND relname ~ '_p[0-9]+$' ORDER BY oid");
    }

    storage::SchemaFiles files_;
};

TEST_F(ALargeDatabase, IsMigratedBesideALongReaderItsWritersAndOtherPeoplesViews) {
    EXPECT_GT(
        std::stoi(value(
            "SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = inhrelid WHERE relkind = 'r'")),
        1'000);
    MigrationTrial trial(database().url());
    for (std::size_t i = kBaseline; i < files_.migrations.size(); ++i)
        EXPECT_THAT(trial.broken_by(files_.migrations[i]), IsEmpty()) << files_.migrations[i].name;

    const auto files_before = table_files();
    const auto reader = quiet_connection(database().url());
    std::optional<pqxx::work> reading(*reader);
    reading->exec("LOCK TABLE receipts, blocks, events, transactions IN ACCESS SHARE MODE");
    auto migrated = std::async(std::launch::async, [&, options = database().options()] {
        return storage::migrate(options, kReadonlyRole, files_,
                                {std::chrono::milliseconds(20), std::chrono::milliseconds(1), 1'000'000});
    });
    wait_until(database().url(),
               "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND database = "
               "(SELECT oid FROM pg_database WHERE datname = current_database())");
    for (int number = 0; number < 20; ++number) store_and_read(number);
    EXPECT_THAT(rows("SELECT name FROM schema_migrations"), testing::Not(HasSubstr("_later.sql")));
    reading.reset();
    EXPECT_THAT(migrated.get(), testing::Contains(files_.migrations.back().name));

    reading.emplace(*reader);
    reading->exec("LOCK TABLE receipts, blocks, events, transactions IN ACCESS SHARE MODE");
    auto finished = std::async(
        std::launch::async, [options = database().options()] { return storage::finish_migrations(options); });
    for (int number = 20; number < 40; ++number) store_and_read(number);
    EXPECT_THAT(finished.get(), IsEmpty());
    EXPECT_EQ(table_files(), files_before);
    EXPECT_EQ(value("SELECT count(*) FROM pg_index WHERE NOT indisvalid"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM pg_constraint WHERE NOT convalidated"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM mine.failures"), "40");
}

}  // namespace
}  // namespace receiptd::test
