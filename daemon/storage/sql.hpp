// The SQL of the store, one .cpp per aggregate. A function that takes a connection runs its own transaction
// on it and may be repeated after any failure.
#pragma once

#include "storage/partitions.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/store.hpp"

#include <string>
#include <vector>

namespace receiptd::storage::sql {

// batches.cpp
CommitOutcome commit_batch(pqxx::connection& connection, const chain::RowBatch& batch,
                           PartitionKeeper& partitions);

// trees.cpp
// False: it was complete already.
bool commit_tree(pqxx::connection& connection, const chain::TreeRows& tree, PartitionKeeper& partitions);
std::vector<PendingTree> due_trees(pqxx::connection& connection, unsigned limit);
std::uint64_t pending_tree_count(pqxx::connection& connection, base::HeightRange included_in);
OverdueTrees overdue_trees(pqxx::connection& connection, std::chrono::seconds age);
void postpone_tree(pqxx::connection& connection, const std::string& tx_hash, std::chrono::milliseconds delay,
                   const std::string& reason);

// orphans.cpp
// Held to the end of the transaction: what belongs together is not committed past each other.
void lock_adoption(pqxx::transaction_base& tx);
// How many orphans were adopted.
std::uint64_t adopt_orphans(pqxx::connection& connection, base::HeightRange around);
// Forgets adoptions that nothing can refer to any more.
void forget_old_adoptions(pqxx::connection& connection);

// settle.cpp
// Judges the trees that cross a seam (Store::settle_trees); the results and findings that were written.
chain::DecidedCounts settle_trees(pqxx::connection& connection, base::HeightRange around,
                                  base::WallTime news_since, PartitionKeeper& partitions);
// Writes what is decided of these trees around that time and not stored. Nobody is told of it.
void settle_again(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                  std::uint64_t timestamp_nanosec);

// news.cpp
// Alerts, their deliveries to the active endpoints, and lines of the stream, in the transaction that has just
// stored the findings.
void tell_findings(pqxx::transaction_base& tx, const std::vector<chain::Finding>& findings);

// retention.cpp
// Lines of the stream after 7 days, alerts that are delivered everywhere after 30. What waits for an endpoint
// that is switched off is dead after 4 days.
void forget_old_news(pqxx::connection& connection);
// Watches that had ended by then, and their transitions.
void forget_ended_watches(pqxx::connection& connection, base::WallTime before);

// announced.cpp
std::vector<std::string> announced_below(pqxx::connection& connection, base::Height height);

// heights.cpp
Coverage load_coverage(pqxx::connection& connection);
void want(pqxx::connection& connection, base::HeightRange range);
void record_unavailable(pqxx::connection& connection, const UnavailableHeight& height);
std::vector<UnavailableHeight> unavailable_heights(pqxx::connection& connection, unsigned limit);

// stored_blocks.cpp
std::optional<chain::BlockRef> stored_block(pqxx::connection& connection, base::Height height);
std::optional<chain::BlockRef> stored_block_above(pqxx::connection& connection, base::Height height);
std::optional<chain::BlockRef> stored_block_below(pqxx::connection& connection, base::Height height);
std::optional<chain::BlockRef> stored_block_by_hash(pqxx::connection& connection, const std::string& hash);

// backfills.cpp; `owner` is this process's uuid
BackfillProgress claim_backfill(pqxx::connection& connection, base::HeightRange range,
                                const std::string& owner);
std::vector<BackfillProgress> claim_abandoned_backfills(pqxx::connection& connection,
                                                        const std::string& owner);
void renew_backfill(pqxx::connection& connection, std::int64_t id, const std::string& owner);
void finish_backfill(pqxx::connection& connection, std::int64_t id);
void release_backfill(pqxx::connection& connection, std::int64_t id, const std::string& owner);

// identity.cpp
struct ChainIdentity {
    std::string network;
    std::string scope;
    std::string partition_width;
};
// Writes it on first use; throws StorageError when the database says otherwise.
void check_identity(pqxx::connection& connection, const ChainIdentity& configured);
std::optional<ChainIdentity> stored_identity(pqxx::connection& connection);

}  // namespace receiptd::storage::sql
