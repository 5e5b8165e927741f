// Partitions of the history tables: there before the rows that need them, gone when retention says.
// How they are made is schema/10_partitions.sql; thread-safe.
#pragma once

#include "base/clock.hpp"
#include "metrics/storage_series.hpp"
#include "storage/pqxx_shim.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

namespace receiptd::storage {

class PartitionKeeper {
public:
    explicit PartitionKeeper(metrics::StorageSeries& series) : series_(series) {}

    // Makes the missing partitions for these days (since 1970, UTC), each in its own transaction.
    void ensure(pqxx::connection& connection, const std::set<std::int64_t>& days);
    // Forgets which partitions exist: they may be gone.
    void forget();

    // Runs write() with these days' partitions there; once more if retention has just dropped one.
    template <class Write>
    auto with_days(pqxx::connection& connection, const std::set<std::int64_t>& days, Write write) {
        for (bool again = true;; again = false) {
            ensure(connection, days);
            try {
                return write();
            } catch (const pqxx::sql_error& e) {
                if (!again || shim::sqlstate_of(e) != kNoPartition) throw;
                forget();
            }
        }
    }

    // From today to two widths ahead.
    void make_ahead(pqxx::connection& connection, base::WallTime now);
    // Drops partitions that end before that, each as soon as nobody reads its table. False: some are left,
    // because others read them without an end or have built something on them.
    bool retire(pqxx::connection& connection, base::WallTime before);
    // Counts them, and the bytes of all tables, for the metrics.
    void measure(pqxx::connection& connection);

private:
    static constexpr const char* kNoPartition = "23514";  // check_violation

    bool known(std::int64_t day);
    void say_held_up(pqxx::connection& connection, const pqxx::sql_error& why);

    metrics::StorageSeries& series_;
    std::mutex mutex_;
    std::set<std::int64_t> known_days_;
    unsigned times_held_up_ = 0;  // one after the other
};

}  // namespace receiptd::storage
