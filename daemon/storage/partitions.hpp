// Partitions of the history tables: there before the rows that need them, gone when retention says. What days
// blocks may have is decided in follow/, by what the hosts agree on; here it is bounded how fast they grow.
// How they are made is schema/10_partitions.sql; thread-safe.
#pragma once

#include "base/clock.hpp"
#include "metrics/storage_series.hpp"
#include "storage/block_store.hpp"
#include "storage/pqxx_shim.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>

namespace receiptd::storage {

// Rows of blocks before that may go. nullopt: none may.
struct Past {
    std::optional<base::WallTime> receipts;
    std::optional<base::WallTime> results;  // not after `receipts`
};

class PartitionKeeper {
public:
    explicit PartitionKeeper(metrics::StorageSeries& series) : series_(series) {}

    // Makes the missing partitions for that day (since 1970, UTC), in a transaction of its own.
    DayWord open(pqxx::connection& connection, std::int64_t day, DayLeave leave);
    // Throws StorageRefused where more than ten days would be made in a minute.
    void ensure(pqxx::connection& connection, const std::set<std::int64_t>& days, DayLeave leave);
    // Forgets which partitions exist: they may be gone.
    void forget();

    // Runs write() with these days' partitions there; once more if retention has just dropped one.
    template <class Write>
    auto with_days(pqxx::connection& connection, const std::set<std::int64_t>& days, DayLeave leave,
                   Write write) {
        for (bool again = true;; again = false) {
            ensure(connection, days, leave);
            try {
                return write();
            } catch (const pqxx::sql_error& e) {
                if (!again || shim::sqlstate_of(e) != kNoPartition) throw;
                forget();
            }
        }
    }

    // From the day of the newest blocks to two days later, and at least one whole partition more than theirs.
    // False: somebody changes a table, or makes partitions; nobody waits for him.
    bool make_ahead(pqxx::connection& connection, base::WallTime newest);
    // Drops partitions that end before that, each as soon as nobody reads its table. False: some are left,
    // because others read them without an end or have built something on them.
    bool retire(pqxx::connection& connection, const Past& past);
    // Counts them, and the bytes of all tables, for the metrics.
    void measure(pqxx::connection& connection);

private:
    static constexpr const char* kNoPartition = "23514";  // check_violation

    bool known(std::int64_t day);
    bool may_make(DayLeave leave);
    void say_held_up(pqxx::connection& connection, const pqxx::sql_error& why);

    metrics::StorageSeries& series_;
    std::mutex mutex_;
    std::set<std::int64_t> known_days_;
    std::deque<std::chrono::steady_clock::time_point> made_at_;  // the last days that were counted
    unsigned times_held_up_ = 0;                                 // one after the other
};

}  // namespace receiptd::storage
