// The SQL of watched transactions, one .cpp per aggregate. Every function runs its own transaction on the
// given connection and may be repeated after any failure.
#pragma once

#include "storage/partitions.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/sql_time.hpp"
#include "storage/watch_store.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage::sql {

// watches.cpp
// Throws StorageError if the database could not keep them as they are.
void require_storable(const std::vector<NewWatch>& watches);
std::vector<std::string> add_watches(pqxx::connection& connection, const std::vector<NewWatch>& watches);
bool remove_watch(pqxx::connection& connection, const std::string& tx_hash);
bool replace_ended(pqxx::connection& connection, NewWatch watch, chain::Stage ended);
std::vector<Watch> watches(pqxx::connection& connection, const std::vector<std::string>& tx_hashes);
std::optional<Watch> watch_by_idempotency_key(pqxx::connection& connection, const std::string& key);

// watch_lists.cpp
std::vector<Watch> list_watches(pqxx::connection& connection, const WatchFilter& filter);
std::vector<Watch> open_watches(pqxx::connection& connection, const std::string& after, unsigned limit);
std::vector<Watch> lost_watches(pqxx::connection& connection, const std::string& after, unsigned limit);
std::vector<Watch> new_watches(pqxx::connection& connection, unsigned limit);
std::vector<Watch> watches_since(pqxx::connection& connection, base::WallTime since, const std::string& after,
                                 unsigned limit);
std::vector<Watch> open_submissions(pqxx::connection& connection, base::WallTime since,
                                    const std::string& after, unsigned limit);

// watch_updates.cpp; `now` stamps what is learned
struct WatchesUpdated {
    std::vector<std::string> moved;    // whose update was not written (WatchStore::update_watches)
    std::vector<chain::Stage> stages;  // reached, each as often as it was
    std::vector<std::pair<std::string, std::string>> findings;  // kind and error_class
};
WatchesUpdated update_watches(pqxx::connection& connection, const std::vector<WatchUpdate>& updates,
                              base::WallTime now, PartitionKeeper& partitions);
std::vector<StoredTransition> transitions(pqxx::connection& connection, const std::string& tx_hash);

// watch_listen.cpp
// Returns early, with false, when `stopped` says so.
bool wait_for_watches(pqxx::connection& connection, std::chrono::milliseconds timeout,
                      const std::function<bool()>& stopped);

// Columns and rows of watches, for the files above.
extern const std::string kWatchColumns;
inline const std::string kOpenStages =
    "stage IN ('accepted', 'pending', 'included', 'executing', 'completed')";
Watch watch_of(const pqxx::row& row);
std::vector<Watch> watches_of(const pqxx::result& rows);

}  // namespace receiptd::storage::sql
