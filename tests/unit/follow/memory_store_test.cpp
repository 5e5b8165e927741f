// The store in memory does what PostgreSQL's do (integration_storage runs the same).
#include "support/lease_conformance.hpp"
#include "support/store_conformance.hpp"
#include "unit/follow/memory_lease.hpp"

namespace receiptd::test {
namespace {

class InMemory : public ::testing::Test {
protected:
    storage::BlockStore& blocks() { return store_; }
    storage::TreeStore& trees() { return store_; }
    storage::BackfillStore& backfills() { return of_process(1); }
    storage::BackfillStore& others_backfills() { return of_process(2); }
    storage::LeaseStore& lease() { return lease_; }
    storage::LeaseStore& others_lease() { return others_lease_; }
    void pass(unsigned seconds) { store_.clock.passed += std::chrono::seconds(seconds); }

private:
    storage::BackfillStore& of_process(unsigned process) {
        store_.process = process;
        return store_;
    }

    follow::testing::MemoryStore store_;
    follow::testing::MemoryLease lease_{store_, "one"};
    follow::testing::MemoryLease others_lease_{store_, "other"};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreConformance, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, LeaseConformance, InMemory);

}  // namespace
}  // namespace receiptd::test
