// The stores on PostgreSQL do what the one in memory does, which unit tests trust (unit_follow runs the
// same).
#include "storage/pg_lease_store.hpp"
#include "store_test_support.hpp"
#include "support/lease_conformance.hpp"
#include "support/store_conformance.hpp"

namespace receiptd::test {
namespace {

class OnPostgres : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        other_ = std::make_unique<OpenStore>(database().url());
        lease_.emplace(store().database, "here:1", "");
        others_lease_.emplace(other_->database, "there:2", "");
    }
    void TearDown() override {
        other_.reset();
        StoreTest::TearDown();
    }

    storage::BlockStore& blocks() { return store().blocks; }
    storage::TreeStore& trees() { return store().trees; }
    storage::BackfillStore& backfills() { return store().backfills; }
    storage::BackfillStore& others_backfills() { return other_->backfills; }
    storage::LeaseStore& lease() { return *lease_; }
    storage::LeaseStore& others_lease() { return *others_lease_; }
    void pass(unsigned seconds) {
        const auto earlier = " - interval '" + std::to_string(seconds) + " seconds'";
        execute("UPDATE pending_trees SET due_at = due_at" + earlier);
        execute("UPDATE backfills SET lease_until = lease_until" + earlier);
        execute("UPDATE leader SET until = until" + earlier);
    }

private:
    std::unique_ptr<OpenStore> other_;
    std::optional<storage::PgLeaseStore> lease_;
    std::optional<storage::PgLeaseStore> others_lease_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, StoreConformance, OnPostgres);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, LeaseConformance, OnPostgres);

}  // namespace
}  // namespace receiptd::test
