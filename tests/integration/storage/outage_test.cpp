// Whatever happens to connections and servers, what is committed is there once.
#include "metrics/registry.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

// libpqxx 6.4 loses one PGresult with every connection that dies in the middle of a statement.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx"; }

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using storage::StorageError;
using storage::StorageStopped;
using testing::HasSubstr;

constexpr const char* kOthers =
    "FROM pg_stat_activity WHERE application_name = 'receiptd' AND datname = current_database() "
    "AND pid <> pg_backend_pid()";

RowBatch batch_with_receipts(base::Height height, int count) {
    auto batch = block_batch(height);
    for (int i = 0; i < count; ++i) {
        const auto id = "r" + std::to_string(height) + "_" + std::to_string(i);
        add_receipt(batch, height, {id, id});
    }
    return batch;
}

using Outage = StoreTest;

TEST_F(Outage, ALostIdleConnectionIsReplaced) {
    commit(block_batch(100));
    run_sql(database().maintenance_url(),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'receiptd' AND datname = '" +
                database().name() + "'");
    EXPECT_EQ(commit(block_batch(101)), CommitOutcome::committed);
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2");
    EXPECT_EQ(store().series.reconnects.Value(), 1);
}

TEST_F(Outage, AConnectionKilledInTheMiddleOfABatchCostsNothing) {
    commit(block_batch(99));
    // The batch waits for this lock half-way: blocks are written, receipts are not.
    auto blocker = storage::shim::connect(database().url());
    pqxx::work lock(*blocker);
    lock.exec("LOCK TABLE receipts IN ACCESS EXCLUSIVE MODE");
    auto result = std::async(std::launch::async, [&] { return commit(batch_with_receipts(100, 10)); });
    const auto waiting = std::string("SELECT pid ") + kOthers + " AND wait_event_type = 'Lock'";
    wait_until(database().url(), waiting);
    execute(std::string("SELECT pg_terminate_backend(pid) ") + kOthers + " AND wait_event_type = 'Lock'");
    lock.abort();
    EXPECT_EQ(result.get(), CommitOutcome::committed);
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "10");
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2");
}

// A deferred trigger makes the COMMIT itself wait, so that it can be killed there.
TEST_F(Outage, AConnectionKilledDuringCommitCostsNothing) {
    commit(block_batch(99));
    execute(
        "CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NULL; END$$; "
        "CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON coverage DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION wait_here()");
    auto blocker = storage::shim::connect(database().url());
    pqxx::work lock(*blocker);
    lock.exec("SELECT pg_advisory_xact_lock(77)");
    auto result = std::async(std::launch::async, [&] { return commit(batch_with_receipts(100, 10)); });
    wait_until(database().url(),
               std::string("SELECT pid ") + kOthers + " AND wait_event = 'advisory' AND query = 'COMMIT'");
    execute(std::string("SELECT pg_terminate_backend(pid) ") + kOthers + " AND wait_event = 'advisory'");
    lock.abort();
    EXPECT_EQ(result.get(), CommitOutcome::committed);
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "10");
    EXPECT_EQ(value("SELECT heights FROM coverage"), "{[99,101)}");
}

// The other half of the doubt: the commit succeeds and nobody hears of it.
TEST_F(Outage, ABatchSentAgainAfterAnUnheardCommitIsWrittenOnce) {
    EXPECT_EQ(commit(batch_with_receipts(100, 10)), CommitOutcome::committed);
    EXPECT_EQ(commit(batch_with_receipts(100, 10)), CommitOutcome::already_covered);
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "10");
}

TEST_F(Outage, RowsThatCollideWhileAnotherDaemonCommitsThemAreWrittenOnce) {
    commit(block_batch(99));
    // Another daemon has written the rows and not yet its coverage.
    auto other = storage::shim::connect(database().url());
    pqxx::work theirs(*other);
    theirs.exec(
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) "
        "VALUES ('r100_0', 'r100_0', '" +
        time_text(100) + "', 'bob.near', 'success_value')");
    auto result = std::async(std::launch::async, [&] { return commit(batch_with_receipts(100, 1)); });
    wait_until(database().url(), std::string("SELECT pid ") + kOthers + " AND wait_event_type = 'Lock'");
    theirs.exec("UPDATE coverage SET heights = heights + '{[100,101)}'::int8multirange");
    theirs.commit();
    EXPECT_EQ(result.get(), CommitOutcome::already_covered);
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
}

TEST_F(Outage, RowsStoredWithoutCoverageAreAnErrorThatNamesThem) {
    commit(block_batch(99));
    execute(
        "INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) "
        "VALUES ('r100_0', 'r100_0', '" +
        time_text(100) + "', 'bob.near', 'success_value')");
    try {
        commit(batch_with_receipts(100, 1));
        FAIL() << "wrote a receipt twice";
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("r100_0"));
    }
}

TEST_F(Outage, ADeadlockIsRepeated) {
    commit(block_batch(99));
    auto blocker = storage::shim::connect(database().url());
    pqxx::work lock(*blocker);
    lock.exec("SET LOCAL deadlock_timeout = '1h'");  // the store's side is the one to be rolled back
    lock.exec("UPDATE coverage SET updated_at = now()");
    auto result = std::async(std::launch::async, [&] { return commit(batch_with_receipts(100, 1)); });
    wait_until(database().url(), std::string("SELECT pid ") + kOthers + " AND wait_event_type = 'Lock'");
    lock.exec("LOCK TABLE receipts IN ACCESS EXCLUSIVE MODE");
    lock.commit();
    EXPECT_EQ(result.get(), CommitOutcome::committed);
}

TEST_F(Outage, ADaemonWaitsForAMissingTableAndSaysSo) {
    commit(block_batch(99));
    execute("ALTER TABLE coverage RENAME TO away");
    auto result = std::async(std::launch::async, [&] { return commit(block_batch(100)); });
    while (store().database.why_no_work().empty()) std::this_thread::yield();
    EXPECT_THAT(store().database.why_no_work(), HasSubstr("run `receiptd migrate`"));
    execute("ALTER TABLE away RENAME TO coverage");
    EXPECT_EQ(result.get(), CommitOutcome::committed);
    EXPECT_EQ(store().database.why_no_work(), "");
}

// A full disk, a damaged index, a function of somebody: the server has hundreds of codes.
TEST_F(Outage, ADaemonWaitsForAServerThatRefusesItsWorkForAnyReason) {
    commit(block_batch(99));
    base::Height height = 100;
    for (const char* code : {"XX000", "53100", "58030", "55000", "0A000", "ZZ999"}) {
        SCOPED_TRACE(code);
        execute(std::string("CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                            "$$ BEGIN RAISE EXCEPTION 'not today' USING ERRCODE = '") +
                code +
                "'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON blocks FOR EACH ROW EXECUTE FUNCTION "
                "refuse()");
        auto result = std::async(std::launch::async, [&] { return commit(block_batch(height)); });
        while (store().database.why_no_work().empty()) std::this_thread::yield();
        EXPECT_THAT(store().database.why_no_work(), HasSubstr("not today"));
        execute("DROP TRIGGER refuse ON blocks");
        EXPECT_EQ(result.get(), CommitOutcome::committed);
        EXPECT_EQ(store().database.why_no_work(), "");
        ++height;
    }
}

TEST_F(Outage, ACommandEndsWithTheReasonInsteadOfWaitingForAServerThatRefusesItsWork) {
    execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'not today' USING ERRCODE = 'XX000'; END $$; CREATE TRIGGER refuse BEFORE "
        "INSERT ON blocks FOR EACH ROW EXECUTE FUNCTION refuse()");
    OpenStore asked(database().url(), "day", impatient());
    testing::internal::CaptureStderr();
    try {
        await(asked.blocks.commit(block_batch(100)));
        FAIL();
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("not today"));
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::Not(HasSubstr("trying again")));
}

TEST_F(Outage, AMissingTableIsAnErrorWithTheCure) {
    execute("DROP VIEW gaps, account_coverage; DROP TABLE coverage");
    OpenStore asked(database().url(), "day", impatient());
    try {
        await(asked.blocks.commit(block_batch(100)));
        FAIL();
    } catch (const StorageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("run `receiptd migrate`"));
    }
}

TEST_F(Outage, StopEndsTheWaitForAServerThatIsNotThere) {
    OpenStore nowhere("postgresql://receiptd:hush@127.0.0.1:1/none");
    auto result = std::async(std::launch::async, [&] { await(nowhere.blocks.want({1, 2})); });
    nowhere.database.request_stop();
    EXPECT_THROW(result.get(), StorageStopped);
    EXPECT_THROW(await(nowhere.blocks.load_coverage()), StorageStopped);
}

TEST(OutageOfTheServer, CrashesWhileCommittingLoseAndRepeatNothing) {
    if (std::getenv("RECEIPTD_TEST_DATABASE") == nullptr)
        GTEST_SKIP() << "RECEIPTD_TEST_DATABASE is not set (ctest sets it)";
    PrivateCluster cluster;
    storage::migrate({base::Secret(cluster.url()), 30s, {}}, "receiptd_readonly");
    OpenStore open(cluster.url());
    await(open.check_identity("testnet", "all"));
    std::atomic<bool> crashed_enough{false};
    auto writing = std::async(std::launch::async, [&] {
        base::Height height = 100;
        for (; !crashed_enough; height += 2) {
            boost::asio::io_context io;
            auto even = boost::asio::co_spawn(io, open.blocks.commit(batch_with_receipts(height, 20)),
                                              boost::asio::use_future);
            auto odd = boost::asio::co_spawn(io, open.blocks.commit(batch_with_receipts(height + 1, 20)),
                                             boost::asio::use_future);
            io.run();
            even.get();
            odd.get();
        }
        return height;
    });
    const auto wait_for_progress = [&] {
        const auto enough =
            one_value(run_sql(cluster.url(), "SELECT greatest(100, upper(heights)) + 20 FROM coverage"));
        wait_until(cluster.url(), "SELECT 1 FROM coverage WHERE upper(heights) >= " + enough);
    };
    for (int crash = 1; crash <= 3; ++crash) {
        wait_for_progress();
        cluster.restart();
    }
    wait_for_progress();
    crashed_enough = true;
    const auto end = writing.get();
    const auto blocks = std::to_string(end - 100);
    const auto receipts = std::to_string((end - 100) * 20);
    EXPECT_EQ(one_value(run_sql(cluster.url(), "SELECT heights FROM coverage")),
              "{[100," + std::to_string(end) + ")}");
    EXPECT_EQ(all_rows(run_sql(cluster.url(), "SELECT count(*), count(DISTINCT receipt_id) FROM receipts")),
              receipts + "|" + receipts + "\n");
    EXPECT_EQ(all_rows(run_sql(cluster.url(), "SELECT count(*), count(DISTINCT block_height) FROM blocks")),
              blocks + "|" + blocks + "\n");
    EXPECT_GE(open.series.reconnects.Value(), 3);
}

}  // namespace
}  // namespace receiptd::test
