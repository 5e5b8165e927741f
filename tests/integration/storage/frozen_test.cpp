// A process that stands still holds nobody up for long.
#include "storage/copy.hpp"
#include "storage/pg_lease_store.hpp"
#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

class Frozen : public StoreTest {
protected:
    // A session like those of a daemon, in the middle of writing rows, with a lock.
    void freeze() {
        connection_ = storage::shim::connect(database().url());
        tx_ = std::make_unique<pqxx::work>(*connection_);
        tx_->exec("SET application_name = 'receiptd'");
        tx_->exec("LOCK TABLE coverage");
        copy_ =
            std::make_unique<storage::shim::BinaryCopy>(*tx_, "COPY late_trees FROM STDIN (FORMAT binary)");
    }
    bool is_there() {
        return value("SELECT count(*) FROM pg_locks WHERE relation = 'coverage'::regclass") != "0";
    }
    storage::Lease hold(std::chrono::milliseconds frozen_after) {
        if (!own_) own_ = std::make_unique<OpenStore>(database().url() + "?options=-c%20jit%3Doff");
        storage::PgLeaseStore leases(own_->database, "here:1", "", frozen_after);
        return await(leases.hold(""));
    }
    void TearDown() override {
        copy_.reset();
        tx_.reset();
        own_.reset();
        StoreTest::TearDown();
    }

private:
    // With the rights of the user that has logged in, as a daemon's: only that one may end its own sessions.
    std::unique_ptr<OpenStore> own_;
    std::unique_ptr<pqxx::connection> connection_;
    std::unique_ptr<pqxx::work> tx_;
    std::unique_ptr<storage::shim::BinaryCopy> copy_;
};

TEST_F(Frozen, SessionsThatHoldLocksAreEndedByTheLeader) {
    freeze();
    EXPECT_TRUE(hold(std::chrono::hours(1)).mine);
    EXPECT_TRUE(is_there());
    EXPECT_TRUE(hold(std::chrono::milliseconds(0)).mine);
    wait_until(database().url(),
               "SELECT WHERE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'coverage'::regclass)");
}

}  // namespace
}  // namespace receiptd::test
