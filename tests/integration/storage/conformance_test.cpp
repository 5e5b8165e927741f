// The stores on PostgreSQL do what the one in memory does, which unit tests trust (unit_follow runs the
// same).
#include "store_test_support.hpp"
#include "support/store_conformance.hpp"

namespace receiptd::test {
namespace {

class OnPostgres : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) other_ = std::make_unique<OpenStore>(database().url());
    }
    void TearDown() override {
        other_.reset();
        StoreTest::TearDown();
    }

    storage::BlockStore& blocks() { return store().blocks; }
    storage::TreeStore& trees() { return store().trees; }
    storage::BackfillStore& backfills() { return store().backfills; }
    storage::BackfillStore& others_backfills() { return other_->backfills; }
    void pass(unsigned seconds) {
        const auto earlier = " - interval '" + std::to_string(seconds) + " seconds'";
        execute("UPDATE pending_trees SET due_at = due_at" + earlier);
        execute("UPDATE backfills SET lease_until = lease_until" + earlier);
    }

private:
    std::unique_ptr<OpenStore> other_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, StoreConformance, OnPostgres);

}  // namespace
}  // namespace receiptd::test
