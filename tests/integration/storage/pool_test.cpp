// Each class of work has connections of its own.
#include "alert_test_support.hpp"
#include "storage/pg_lease_store.hpp"
#include "watch_test_support.hpp"

#include <gtest/gtest.h>

#include <future>

namespace receiptd::test {
namespace {

class ConnectionPool : public StoreTest {
protected:
    static constexpr const char* kHeldUp = "SELECT pg_advisory_xact_lock_shared(77)";

    base::Task<int> question(storage::Lane& lane) {
        return lane.transaction([](pqxx::work& tx) {
            tx.exec(kHeldUp);
            return tx.exec("SELECT 1")[0][0].as<int>();
        });
    }
    void wait_until_all_of_following_wait() {
        wait_until(
            database().url(),
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory' "
            "HAVING count(*) = " +
                std::to_string(storage::Shares().following));
    }
    double connected() { return store().series.connected.Value(); }
};

TEST_F(ConnectionPool, OfPeopleWhoWaitHoldsUpNeitherWritersNorAlertsNorTheTracker) {
    storage::PgWatchStore asked(store().database, store().clock, storage::WaitedFor::by_people);
    storage::PgDeliveryStore deliveries(store().database);
    auto blocker = storage::shim::connect(database().url());
    pqxx::work lock(*blocker);
    lock.exec("LOCK TABLE watches IN ACCESS EXCLUSIVE MODE");
    std::vector<std::future<void>> people;
    for (int i = 0; i < 8; ++i)
        people.push_back(std::async(std::launch::async, [&] {
            EXPECT_THROW(await(asked.list_watches({})), storage::StorageTimeout);
        }));
    wait_until(database().url(),
               "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' "
               "HAVING count(*) = 2");
    EXPECT_EQ(commit(block_batch(100)), CommitOutcome::committed);
    EXPECT_TRUE(await(deliveries.delivery_backlog()).empty());
    EXPECT_TRUE(await(store().trees.due_trees(10, base::kAllHeights)).empty());
    EXPECT_EQ(people.front().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    people.clear();  // waits for them
}

TEST_F(ConnectionPool, OfTreesThatWaitHoldsUpNoLease) {
    storage::PgLeaseStore leases(store().database, "here:1", "");
    auto blocker = storage::shim::connect(database().url());
    pqxx::work lock(*blocker);
    lock.exec("SELECT pg_advisory_xact_lock(77)");
    boost::asio::io_context io;
    std::vector<std::future<int>> waiting;
    for (unsigned i = 0; i < storage::Shares().following; ++i)
        waiting.push_back(
            boost::asio::co_spawn(io, question(store().database.pool.following), boost::asio::use_future));
    auto asking = std::async(std::launch::async, [&] { io.run(); });
    wait_until_all_of_following_wait();
    EXPECT_TRUE(await(leases.hold("")).mine);
    EXPECT_EQ(waiting.front().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    lock.abort();
    asking.get();
}

TEST_F(ConnectionPool, OpensWhatIsNeededAtOnceAndNoMoreThanItsShare) {
    auto& lane = store().database.pool.following;
    for (int i = 0; i < 3; ++i) await(question(lane));
    EXPECT_EQ(connected(), 1) << "one after the other takes one connection";
    auto blocker = storage::shim::connect(database().url());
    pqxx::work lock(*blocker);
    lock.exec("SELECT pg_advisory_xact_lock(77)");
    boost::asio::io_context io;
    std::vector<std::future<int>> answers;
    for (int i = 0; i < 20; ++i)
        answers.push_back(boost::asio::co_spawn(io, question(lane), boost::asio::use_future));
    auto asking = std::async(std::launch::async, [&] { io.run(); });
    wait_until_all_of_following_wait();
    lock.abort();
    asking.get();
    for (auto& answer : answers) EXPECT_EQ(answer.get(), 1);
    EXPECT_EQ(connected(), storage::Shares().following);
}

}  // namespace
}  // namespace receiptd::test
