// The store in memory does what PostgreSQL's do (integration_storage runs the same).
#include "unit/follow/memory_store.hpp"
#include "support/store_conformance.hpp"

namespace receiptd::test {
namespace {

class InMemory : public ::testing::Test {
protected:
    storage::BlockStore& blocks() { return store_; }
    storage::TreeStore& trees() { return store_; }
    storage::BackfillStore& backfills() { return of_process(1); }
    storage::BackfillStore& others_backfills() { return of_process(2); }
    void pass(unsigned seconds) { store_.clock.passed += std::chrono::seconds(seconds); }

private:
    storage::BackfillStore& of_process(unsigned process) {
        store_.process = process;
        return store_;
    }

    follow::testing::MemoryStore store_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreConformance, InMemory);

}  // namespace
}  // namespace receiptd::test
