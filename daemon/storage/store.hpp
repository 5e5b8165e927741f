// What the follower needs of the database. Every method runs its SQL on a database thread and
// comes back by value; each reconnects with back-off by itself and returns only when it is done
// or `stop` was requested (then StorageStopped is thrown).
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::storage {

struct StorageStopped : std::runtime_error {
    StorageStopped() : std::runtime_error("storage: stopped") {}
};

// A fault that waiting does not cure: wrong rights, wrong schema, full disk is NOT one of them.
struct StorageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What people asked for could not be had while they wait; its text is for them.
struct StorageTimeout : StorageError {
    using StorageError::StorageError;
};

struct Coverage {
    base::HeightSet wanted;    // all heights that should be there
    base::HeightSet covered;   // all heights that are (skipped ones included)
    base::WallTime made_at{};  // the database was
    base::HeightSet gaps() const {
        auto missing = wanted;
        missing.subtract(covered);
        return missing;
    }
};

// A height that could not be had so far.
struct UnavailableHeight {
    base::Height height = 0;
    std::string reason;  // rpc::Unavailable::reason
    std::string detail;
    unsigned attempts = 0;
};

struct PendingTree {
    std::string tx_hash;
    std::string sender_id;
    chain::BlockRef included_in;
    std::optional<chain::ShardId> shard_id;
    unsigned attempts = 0;
    bool ordered = false;  // as part of a backfill
};

// Trees that are waited for longer than they should take, those of ordered backfills left out.
struct OverdueTrees {
    std::uint64_t count = 0;  // at most kMostOverdue
    std::string oldest_tx_hash;
    std::string oldest_fault;                 // the last one, as postpone_tree() was told; empty: none
    std::chrono::milliseconds oldest_age{0};  // since its block was stored
};
inline constexpr std::uint64_t kMostOverdue = 10'000;

struct BackfillProgress {
    std::int64_t id = 0;
    base::HeightRange range;
    base::HeightSet missing;  // range minus covered
    bool leased = false;      // by somebody alive
};

enum class CommitOutcome {
    committed,
    already_covered,  // another daemon, or an in-doubt commit that had succeeded: nothing written
};

class Store {
public:
    virtual ~Store() = default;

    virtual base::Task<Coverage> load_coverage() = 0;
    // Adds to `wanted`.
    virtual base::Task<void> want(base::HeightRange range) = 0;

    // One transaction: COPY of all rows, alerts for its findings, coverage += batch.covered (refused if any
    // height of it is covered already), unavailable_heights -= batch.covered. `writer` in [0, writers).
    virtual base::Task<CommitOutcome> commit(unsigned writer, chain::RowBatch batch) = 0;

    // One transaction: receipts and events of a tree, its transaction row completed, its data
    // receipts adopted, its pending_trees row removed. Idempotent.
    virtual base::Task<void> commit_tree(chain::TreeRows tree) = 0;
    // Pending trees that are due, oldest first; for a few seconds they are nobody else's. Then when to
    // look again for one that is not ready.
    virtual base::Task<std::vector<PendingTree>> due_trees(unsigned limit) = 0;
    virtual base::Task<std::uint64_t> pending_tree_count(base::HeightRange included_in) = 0;
    // Trees that have been pending for longer than `age`.
    virtual base::Task<OverdueTrees> overdue_trees(std::chrono::seconds age) = 0;
    virtual base::Task<void> postpone_tree(std::string tx_hash, std::chrono::milliseconds delay,
                                           std::string reason) = 0;

    // Finds parents up to `to` for orphan receipts in [from, to + window] (chain/lineage.hpp). Idempotent.
    virtual base::Task<void> adopt_orphans(base::HeightRange around) = 0;

    // Judges the trees that adoption around there has put together and that are complete: results and
    // findings that are not stored yet. Findings since `news_since` are told to people. Call after it.
    // Idempotent.
    virtual base::Task<void> settle_trees(base::HeightRange around, base::WallTime news_since) = 0;

    // Ids of receipts and data that stored rows below `height` announce, within the window of lineage, and
    // that are not stored themselves (scope accounts: they are in scope).
    virtual base::Task<std::vector<std::string>> announced_below(base::Height height) = 0;

    virtual base::Task<void> record_unavailable(UnavailableHeight height) = 0;
    virtual base::Task<std::vector<UnavailableHeight>> unavailable_heights(unsigned limit) = 0;

    // Hash and parent of the stored block at this height; nullopt if none is stored.
    virtual base::Task<std::optional<chain::BlockRef>> stored_block(base::Height height) = 0;
    // The nearest stored block above / below a height.
    virtual base::Task<std::optional<chain::BlockRef>> stored_block_above(base::Height height) = 0;
    virtual base::Task<std::optional<chain::BlockRef>> stored_block_below(base::Height height) = 0;
    virtual base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string hash) = 0;

    // Registers (or finds the unfinished registration of) a range and leases it to this process.
    virtual base::Task<BackfillProgress> claim_backfill(base::HeightRange range) = 0;
    // Two unfinished ones at most whose lease has run out, leased to this process now.
    virtual base::Task<std::vector<BackfillProgress>> claim_abandoned_backfills() = 0;
    virtual base::Task<void> renew_backfill(std::int64_t id) = 0;  // call at least every 15 s
    virtual base::Task<void> finish_backfill(std::int64_t id) = 0;
    virtual base::Task<void> release_backfill(std::int64_t id) = 0;
};

}  // namespace receiptd::storage
