// Retention drops receipts and leaves results.
#include "base/iso_time.hpp"
#include "storage/in_the_way.hpp"
#include "storage/pg_finding_store.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::HasSubstr;

using RetentionOfOldRows = StoreTest;
using RetentionOfPartitions = WithOwnDatabase<StoreTest>;

class Retention : public WithOwnDatabase<StoreTest> {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        commit(full_batch(100));
        commit_block_at(101, "timestamptz '2022-10-21 01:00Z'");
        store().keep = kept_for(std::chrono::hours(24));
        store().clock.now += std::chrono::hours(49);
    }
    std::string partitions_of_the_first_day() {
        return value("SELECT count(*) FROM partitions WHERE partition_name LIKE '%20221019'");
    }
    double overdue(const std::string& table = "receipts") {
        return sample_in(store().registry.serialize(),
                         "receiptd_retention_overdue_seconds{table=\"" + table + "\"}");
    }
};

TEST_F(RetentionOfPartitions, DropsWholePartitionsAndKeepsTheirCoverage) {
    commit(full_batch(100));
    OpenStore with_retention(database().url());
    with_retention.keep = kept_for(std::chrono::hours(24));
    with_retention.clock.now += std::chrono::hours(47);
    commit_block_at(101, "timestamptz '2022-10-20 23:00Z'");
    await(with_retention.keep_partitions());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2") << "the day is not wholly older than keep";

    with_retention.clock.now += std::chrono::hours(2);
    commit_block_at(102, "timestamptz '2022-10-21 01:00Z'");
    await(with_retention.keep_partitions());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2");
    EXPECT_EQ(value("SELECT count(*) FROM partitions WHERE partition_name LIKE '%20221019'"), "0");
    EXPECT_EQ(value("SELECT heights FROM coverage"), "{[100,103)}");
}

TEST_F(RetentionOfPartitions, IsNotDrivenByOneBlocksTime) {
    for (base::Height height = 100; height < 112; ++height)
        commit_block_at(height,
                        height == 110 ? "timestamptz '2029-01-01Z'" : "timestamptz '2022-10-19 01:00Z'");
    OpenStore with_retention(database().url());
    with_retention.keep = kept_for(std::chrono::hours(24));
    with_retention.clock.now += std::chrono::days(900);
    await(with_retention.keep_partitions());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "12");
}

TEST_F(RetentionOfOldRows, ForgetsOrphansThatNobodyCanAdoptAnyMore) {
    auto batch = full_batch(100);
    add_receipt(batch, 100, {.receipt_id = "lost", .tree_id = "lost", .orphan = true});
    commit(std::move(batch));
    OpenStore with_retention(database().url());
    with_retention.keep = kept_for(std::chrono::hours(24));
    with_retention.clock.now += std::chrono::hours(49);
    commit_block_at(101, "timestamptz '2022-10-20 23:00Z'");
    commit_block_at(102, "timestamptz '2022-10-21 01:00Z'");
    const auto orphans = [this] { return value("SELECT count(*) FROM orphan_receipts WHERE id = 'lost'"); };
    EXPECT_EQ(orphans(), "1");
    await(with_retention.maintain());
    EXPECT_EQ(orphans(), "0");
}

TEST_F(RetentionOfOldRows, NoClockDropsHistory) {
    commit(full_batch(100));
    OpenStore with_retention(database().url());
    with_retention.keep = kept_for(std::chrono::hours(24));
    with_retention.clock.now += std::chrono::hours(365 * 24);
    await(with_retention.maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "1") << "the newest block is not that old";

    commit_block_at(101, "timestamptz '2023-10-19 01:00Z'");
    with_retention.clock.now -= std::chrono::hours(365 * 24);
    await(with_retention.maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2") << "a block's time is no clock either";
}

TEST_F(Retention, KeepsResultsLongerThanReceipts) {
    store().keep.results = std::chrono::hours(24 * 30);
    EXPECT_TRUE(await(store().maintain()));
    EXPECT_EQ(value("SELECT string_agg(table_name, ' ' ORDER BY 1) FROM partitions "
                    "WHERE partition_name LIKE '%20221019'"),
              "findings transaction_results");
    EXPECT_EQ(value("SELECT string_agg(DISTINCT before_time::text, ' ') FROM pruned"),
              "2022-10-20 00:00:00+00");
    EXPECT_EQ(value("SELECT count(*) FROM pruned WHERE table_name IN ('findings', 'transaction_results')"),
              "0");
    EXPECT_EQ(overdue("findings"), 0);

    store().keep.results = std::nullopt;
    EXPECT_TRUE(await(store().maintain()));
    EXPECT_EQ(partitions_of_the_first_day(), "2");
}

TEST_F(Retention, LeavesTheResultOfATransaction) {
    storage::PgFindingStore findings(store().database);
    EXPECT_FALSE(await(findings.kept("T")).result) << "nothing was pruned";
    execute(
        "INSERT INTO transaction_results (tx_hash, tree_id, block_height, block_time, signer_id, "
        "receiver_id, "
        "verdict, error_class, included_height, completed_height, completed_time, settled_height, receipts, "
        "failed_receipts, gas_burnt, tokens_burnt, near_status) VALUES ('T', 'T', 100, '2022-10-19 01:00Z', "
        "'alice', 'app', 'callback_failed', 'contract_panic', 100, 103, '2022-10-19 01:00:03Z', 104, 5, 1, "
        "7, 8, "
        "'success')");
    store().keep.results = std::nullopt;
    EXPECT_TRUE(await(store().maintain()));
    const auto kept = await(findings.kept("T"));
    EXPECT_EQ(base::iso_time(kept.pruned_before.value()), "2022-10-20T00:00:00.000Z");
    ASSERT_TRUE(kept.result);
    EXPECT_EQ(kept.result->transaction.signer_id, "alice");
    EXPECT_EQ(kept.result->tree.verdict, chain::Verdict::callback_failed);
    EXPECT_EQ(kept.result->tree.completed_at->height, 103u);
    EXPECT_EQ(kept.result->receipts, 5u);
    EXPECT_EQ(kept.result->error_class, "contract_panic");
    EXPECT_FALSE(await(findings.kept("another")).result);
}

TEST_F(Retention, IsHeldUpByAReaderWhomNobodyWaitsFor) {
    auto dashboard = storage::shim::connect(database().url());
    std::optional<pqxx::work> reading(*dashboard);
    reading->exec("SELECT FROM receipts");
    EXPECT_FALSE(await(store().maintain()));
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM blocks WHERE block_height = 100"), "1") << "the blocks go last";
    EXPECT_GT(overdue(), 0);

    reading.reset();
    EXPECT_TRUE(await(store().maintain()));
    EXPECT_EQ(partitions_of_the_first_day(), "0");
    EXPECT_EQ(overdue(), 0);
}

TEST_F(Retention, NamesNoSessionOfDaemonsThatHoldsItUp) {
    const storage::ConnectionString as_daemon(database().daemon_options().url);
    auto dashboard = storage::shim::connect(database().url());
    auto another_daemon = storage::shim::connect(as_daemon.conninfo().reveal());
    pqxx::work reading(*dashboard), following(*another_daemon);
    for (auto* tx : {&reading, &following}) tx->exec("SELECT FROM receipts");
    auto session = storage::shim::connect(as_daemon.conninfo().reveal());
    pqxx::work asking(*session);
    const auto pid = [](pqxx::work& tx) {
        return "process " + tx.exec("SELECT pg_backend_pid()")[0][0].as<std::string>() + " of ";
    };
    const auto named = storage::readers_of_partitions(asking);
    EXPECT_THAT(named, HasSubstr(pid(reading)));
    EXPECT_THAT(named, testing::Not(HasSubstr(pid(following))));
    EXPECT_THAT(storage::lock_holders(asking), HasSubstr(pid(following)))
        << "a change of the schema names it";
}

TEST_F(Retention, IsHeldUpByAViewOnAPartition) {
    execute("CREATE VIEW mine AS SELECT * FROM receiptd_partitions.blocks_p20221019");
    EXPECT_FALSE(await(store().maintain()));
    EXPECT_EQ(partitions_of_the_first_day(), "1");
    EXPECT_GT(overdue("blocks"), 0);
    execute("DROP VIEW mine");
    EXPECT_TRUE(await(store().maintain()));
    EXPECT_EQ(partitions_of_the_first_day(), "0");
}

}  // namespace
}  // namespace receiptd::test
