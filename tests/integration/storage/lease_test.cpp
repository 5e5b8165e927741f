// Several daemons want to lead.
#include "storage/pg_lease_store.hpp"
#include "store_test_support.hpp"

#include <atomic>
#include <barrier>
#include <future>
#include <optional>
#include <thread>

namespace receiptd::test {
namespace {

class Leases : public StoreTest {};

TEST_F(Leases, OfDaemonsThatBeginAtOnceOneLeads) {
    constexpr int kDaemons = 6;
    constexpr int kRounds = 40;
    std::vector<std::unique_ptr<OpenStore>> stores;
    for (int i = 0; i < kDaemons; ++i) stores.push_back(std::make_unique<OpenStore>(database().url()));
    std::barrier begin(kDaemons, [this]() noexcept { execute("DELETE FROM leader"); });
    std::atomic<int> leaders = 0;
    std::vector<std::jthread> daemons;
    for (const auto& store : stores)
        daemons.emplace_back([&begin, &leaders, &store] {
            storage::PgLeaseStore leases(store->database, "here:1", "");
            for (int round = 0; round < kRounds; ++round) {
                begin.arrive_and_wait();
                storage::Lease lease;
                EXPECT_NO_THROW(lease = await(leases.hold("")));
                // A thread that stands still for seconds takes over.
                if (lease.mine && lease.epoch == 1) ++leaders;
            }
        });
    daemons.clear();
    EXPECT_EQ(leaders, kRounds);
}

// PostgreSQL ends the session of a leader that was frozen while it renewed its lease, and rolls that back.
class AfterAWait : public Leases {
protected:
    void SetUp() override {
        Leases::SetUp();
        former_.emplace(store().database, "here:1", "former");
        await(former_->hold(""));
    }

    // Another transaction has written the row; it is rolled back while hold() waits for it. Returns the
    // moment of that, by the database's clock.
    std::string hold_after_wait(storage::PgLeaseStore& leases) {
        const auto frozen = storage::shim::connect(database().url());
        pqxx::work renewing(*frozen);
        renewing.exec("UPDATE leader SET until = clock_timestamp() + interval '1 hour'");
        auto held = std::async(std::launch::async, [&] { return await(leases.hold("")); });
        wait_until(database().url(), "SELECT FROM pg_locks WHERE NOT granted");
        auto ended_at = value("SELECT clock_timestamp()");
        renewing.abort();
        EXPECT_TRUE(held.get().mine);
        return ended_at;
    }

    void expect_three_seconds_since(const std::string& moment) {
        EXPECT_EQ(value("SELECT until >= '" + moment + "'::timestamptz + interval '3 seconds' FROM leader"),
                  "t");
    }

    std::optional<storage::PgLeaseStore> former_;
};

TEST_F(AfterAWait, ALeaseThatIsTakenOverLastsThreeSeconds) {
    execute("UPDATE leader SET until = '-infinity'");
    OpenStore other(database().url());
    storage::PgLeaseStore next(other.database, "here:2", "next");
    expect_three_seconds_since(hold_after_wait(next));
}

TEST_F(AfterAWait, ALeaseThatIsRenewedLastsThreeSeconds) {
    expect_three_seconds_since(hold_after_wait(*former_));
}

}  // namespace
}  // namespace receiptd::test
