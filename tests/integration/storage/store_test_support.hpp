// A migrated database with an open store.
#pragma once

#include "metrics/registry.hpp"
#include "metrics/storage_series.hpp"
#include "storage/pg_backfill_store.hpp"
#include "storage/pg_block_store.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_tree_store.hpp"
#include "support/await.hpp"
#include "support/migrated_database.hpp"
#include "support/row_batches.hpp"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace receiptd::test {

using storage::CommitOutcome;

// Runs SQL on its own connection until it yields a row; the test's own time limit ends a wait in vain.
inline void wait_until(const std::string& url, const std::string& sql) {
    while (run_sql(url, sql).empty()) std::this_thread::yield();
}

// For SQL that makes endpoints.
inline const std::string kAllTakeTheDefaultRule =
    "INSERT INTO endpoint_rules SELECT 'default', name FROM endpoints ON CONFLICT DO NOTHING";

struct FixedClock final : base::Clock {
    base::WallTime now{std::chrono::seconds(1'666'137'600)};
    base::WallTime wall() const override { return now; }
    base::SteadyTime steady() const override { return base::SteadyTime(now.time_since_epoch()); }
};

// -1: the metrics have no such series.
inline double sample_in(const std::string& text, const std::string& series) {
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
}

inline storage::Keep kept_for(std::chrono::hours all) { return {all, all}; }

// People's, who do not wait for an administrator.
inline storage::DatabaseOptions impatient() {
    storage::DatabaseOptions options;
    options.patience = std::chrono::milliseconds(0);
    return options;
}

// Stores with their own registry, on any database.
struct OpenStore {
    explicit OpenStore(const std::string& url, const storage::DatabaseOptions& given = {})
        : database(at(url, given), series) {}

    base::Task<void> check_identity(std::string network, std::string scope) {
        return database.check_identity({std::move(network), std::move(scope)});
    }
    base::Task<bool> maintain() { return database.maintain(clock.wall(), keep); }
    base::Task<bool> keep_partitions() { return database.keep_partitions(clock.wall(), keep); }

    storage::Keep keep;
    metrics::Registry registry;
    metrics::StorageSeries series{registry};
    FixedClock clock;
    storage::Database database;
    storage::PgBlockStore blocks{database};
    storage::PgTreeStore trees{database};
    storage::PgOrphanStore orphans{database};
    storage::PgBackfillStore backfills{database};

private:
    static storage::DatabaseOptions at(const std::string& url, storage::DatabaseOptions options) {
        options.url = base::Secret(as_daemon(url));
        return options;
    }
};

class StoreTest : public MigratedTest {
protected:
    void SetUp() override {
        MigratedTest::SetUp();
        if (IsSkipped()) return;
        open_ = std::make_unique<OpenStore>(database().url());
        await(open_->check_identity("testnet", "all"));
        execute("UPDATE chain_identity SET width_is_automatic = false");  // days, however small
    }
    void TearDown() override { open_.reset(); }

    OpenStore& store() { return *open_; }
    CommitOutcome commit(RowBatch batch) { return await(store().blocks.commit(std::move(batch))); }
    // Commits a block of that time, an SQL expression.
    void commit_block_at(base::Height height, const std::string& time) {
        commit(block_batch(height));
        execute("SELECT make_partitions(" + time + ", " + time + "); UPDATE blocks SET block_time = " + time +
                " WHERE block_height = " + std::to_string(height) +
                "; DELETE FROM block_marks WHERE block_height = " + std::to_string(height) +
                "; INSERT INTO block_marks VALUES ((" + time + ")::timestamptz::date, " +
                std::to_string(height) + ", " + time + ") ON CONFLICT DO NOTHING");
    }

private:
    std::unique_ptr<OpenStore> open_;
};

}  // namespace receiptd::test
