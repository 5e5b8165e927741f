// WatchStore on PostgreSQL.
#pragma once

#include "base/clock.hpp"
#include "storage/database.hpp"
#include "storage/watch_store.hpp"

#include <string>
#include <vector>

namespace receiptd::metrics {
struct WatchSeries;
}

namespace receiptd::storage {

class PgWatchStore final : public WatchStore {
public:
    // All of them must outlive it and work under way. `series` counts what updates
    // write; nullptr: nobody does.
    PgWatchStore(Database& database, const base::Clock& clock, WaitedFor waited_for = WaitedFor::by_daemon,
                 metrics::WatchSeries* series = nullptr);

    base::Task<std::vector<std::string>> add_watches(std::vector<NewWatch> watches) override;
    base::Task<bool> remove_watch(std::string tx_hash) override;
    base::Task<bool> replace_ended(NewWatch watch, chain::Stage ended) override;
    base::Task<std::optional<Watch>> watch(std::string tx_hash) override;
    base::Task<std::vector<Watch>> watches(std::vector<std::string> tx_hashes) override;
    base::Task<std::optional<Watch>> watch_by_idempotency_key(std::string key) override;
    base::Task<std::vector<Watch>> list_watches(WatchFilter filter) override;
    base::Task<std::vector<Watch>> open_watches(std::string after, unsigned limit) override;
    base::Task<std::vector<Watch>> lost_watches(std::uint64_t validity_blocks, std::string after,
                                                unsigned limit) override;
    base::Task<void> make_wanted_watches() override;
    base::Task<std::vector<Watch>> new_watches(unsigned limit) override;
    base::Task<bool> wait_for_watches(std::chrono::milliseconds timeout) override;
    base::Task<std::vector<Watch>> watches_since(base::WallTime since, std::string after,
                                                 unsigned limit) override;
    base::Task<std::vector<OpenSubmission>> open_submissions(base::WallTime since, std::string after,
                                                             unsigned limit) override;
    base::Task<std::vector<std::string>> update_watches(std::vector<WatchUpdate> updates) override;
    base::Task<std::vector<StoredTransition>> transitions(std::string tx_hash) override;
    base::Task<std::map<std::string, StoredTree>> stored_trees(std::vector<std::string> tx_hashes) override;
    base::Task<std::optional<std::string>> tree_of(std::string id) override;

private:
    Database& database_;
    const base::Clock& clock_;
    Lane& lane_;
    metrics::WatchSeries* series_;
};

}  // namespace receiptd::storage
