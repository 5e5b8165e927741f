// The store on PostgreSQL: one thread and one connection per writer, one for questions, one for slow
// chores (trees, adoption, partitions). All of its SQL is in sql.hpp.
#pragma once

#include "base/clock.hpp"
#include "metrics/storage_series.hpp"
#include "storage/lane.hpp"
#include "storage/partitions.hpp"
#include "storage/session.hpp"
#include "storage/sql.hpp"
#include "storage/store.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct PgStoreOptions {
    DatabaseOptions database;
    unsigned writers = 2;
    std::string partition = "day";           // config::Retention
    std::optional<std::chrono::hours> keep;  // config::Retention
};

class PgStore final : public Store {
public:
    // Connects on first use. `series` and `clock` must outlive it.
    PgStore(const PgStoreOptions& options, metrics::StorageSeries& series, const base::Clock& clock);
    // Stops and waits for the database threads; nothing may await this store any more.
    ~PgStore() override;

    // Ends waiting for a database that is not there: everything pending and all that comes later throws
    // StorageStopped once its current statement is done.
    void request_stop();

    // First call of a daemon. Refuses a schema that is not this program's and a database that holds another
    // network, scope or partition width; writes these on first use. Throws StorageError saying what to do.
    base::Task<void> check_identity(std::string network, std::string scope);
    // Partitions ahead, retention, what is forgotten after a while. Call at start and every hour.
    base::Task<void> maintain();
    // Another retention, from the next maintenance on.
    void set_keep(std::optional<std::chrono::hours> keep) { keep_ = keep; }
    // Answers when the database does (for /readyz).
    base::Task<void> ping();

    // For the other stores on this database, which must not outlive this one: the same outages, the same
    // stop, the same partitions; lanes of their own.
    SessionContext& sessions() { return context_; }
    PartitionKeeper& partitions() { return partitions_; }

    base::Task<Coverage> load_coverage() override;
    base::Task<void> want(base::HeightRange range) override;
    base::Task<CommitOutcome> commit(unsigned writer, chain::RowBatch batch) override;
    base::Task<void> commit_tree(chain::TreeRows tree) override;
    base::Task<std::vector<PendingTree>> due_trees(unsigned limit) override;
    base::Task<std::uint64_t> pending_tree_count(base::HeightRange included_in) override;
    base::Task<OverdueTrees> overdue_trees(std::chrono::seconds age) override;
    base::Task<void> postpone_tree(std::string tx_hash, std::chrono::milliseconds delay,
                                   std::string reason) override;
    base::Task<void> adopt_orphans(base::HeightRange around) override;
    base::Task<void> settle_trees(base::HeightRange around, base::WallTime news_since) override;
    base::Task<std::vector<std::string>> announced_below(base::Height height) override;
    base::Task<void> record_unavailable(UnavailableHeight height) override;
    base::Task<std::vector<UnavailableHeight>> unavailable_heights(unsigned limit) override;
    base::Task<std::optional<chain::BlockRef>> stored_block(base::Height height) override;
    base::Task<std::optional<chain::BlockRef>> stored_block_above(base::Height height) override;
    base::Task<std::optional<chain::BlockRef>> stored_block_below(base::Height height) override;
    base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string hash) override;
    base::Task<BackfillProgress> claim_backfill(base::HeightRange range) override;
    base::Task<std::vector<BackfillProgress>> claim_abandoned_backfills() override;
    base::Task<void> renew_backfill(std::int64_t id) override;
    base::Task<void> finish_backfill(std::int64_t id) override;
    base::Task<void> release_backfill(std::int64_t id) override;

private:
    void note_committed(const chain::RowBatch& batch, double seconds);

    SessionContext context_;
    const base::Clock& clock_;
    PartitionKeeper partitions_;
    std::string partition_;
    std::optional<std::chrono::hours> keep_;
    std::string owner_;  // uuid of this process, for leases
    std::vector<std::unique_ptr<Lane>> writers_;
    Lane questions_;
    Lane chores_;
    Lane maintenance_;  // may take long
};

}  // namespace receiptd::storage
