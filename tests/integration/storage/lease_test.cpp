// Several daemons want to lead.
#include "storage/pg_lease_store.hpp"
#include "store_test_support.hpp"

#include <atomic>
#include <barrier>
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

}  // namespace
}  // namespace receiptd::test
