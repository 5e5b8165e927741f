#include "storage/partitions.hpp"

#include "base/iso_time.hpp"
#include "base/log.hpp"

#include <string>

namespace receiptd::storage {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr const char* kLockNotAvailable = "55P03";

std::int64_t unix_seconds(base::WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// People may have tables of their own beside ours: names of a closed set.
constexpr const char* kTableBytes =
    "SELECT CASE WHEN root IN (SELECT history_tables()) OR root IN ('orphan_receipts', 'watches', "
    "    'watch_transitions', 'stream_events', 'alerts', 'deliveries') THEN root ELSE 'others' END, "
    "  sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint "
    "FROM (SELECT c.oid, coalesce(parent.relname, c.relname)::text AS root FROM pg_class c "
    "  LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent "
    "  WHERE c.relkind = 'r' "
    "    AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'chain_identity'::regclass)) "
    "each "
    "GROUP BY 1";

// The names of the dropped tables; empty when nothing is old enough.
std::string retire_oldest(pqxx::connection& connection, std::int64_t before) {
    pqxx::work tx(connection);
    // Dropping waits for every reader of the table, and everybody waits behind it: not for long.
    tx.exec("SET LOCAL lock_timeout = '3s'");
    auto dropped =
        shim::query(
            tx, "SELECT coalesce(string_agg(name, ' '), '') FROM retire_partitions(to_timestamp($1)) name",
            before)[0][0]
            .as<std::string>();
    tx.commit();
    return dropped;
}

}  // namespace

bool PartitionKeeper::known(std::int64_t day) {
    const std::lock_guard lock(mutex_);
    return known_days_.count(day) > 0;
}

void PartitionKeeper::forget() {
    const std::lock_guard lock(mutex_);
    known_days_.clear();
}

void PartitionKeeper::ensure(pqxx::connection& connection, const std::set<std::int64_t>& days) {
    for (const auto day : days) {
        if (known(day)) continue;
        pqxx::work tx(connection);
        const auto made = shim::query(tx, "SELECT make_partitions(to_timestamp($1), to_timestamp($1))",
                                      day * kSecondsPerDay)[0][0]
                              .as<int>();
        const auto date =
            shim::query(tx, "SELECT to_timestamp($1)::date", day * kSecondsPerDay)[0][0].as<std::string>();
        tx.commit();
        if (made > 0) log::info("partitions made", {{"day", date}, {"tables", made}});
        const std::lock_guard lock(mutex_);
        known_days_.insert(day);
    }
}

void PartitionKeeper::make_ahead(pqxx::connection& connection, base::WallTime now) {
    pqxx::work tx(connection);
    shim::query(tx,
                "SELECT make_partitions(to_timestamp($1), "
                "to_timestamp($1) + 7 * ('1 ' || partition_width)::interval) FROM chain_identity",
                unix_seconds(now));
    tx.commit();
}

void PartitionKeeper::retire(pqxx::connection& connection, base::WallTime before) {
    try {
        while (true) {
            const auto dropped = retire_oldest(connection, unix_seconds(before));
            if (dropped.empty()) return;
            forget();
            log::info("partitions dropped by retention; coverage still counts their heights as done",
                      {{"tables", dropped}, {"before", base::iso_time(before)}});
        }
    } catch (const pqxx::sql_error& e) {
        if (shim::sqlstate_of(e) != kLockNotAvailable) throw;
        log::info("partitions past retention are being read; they are dropped next time");
    }
}

void PartitionKeeper::measure(pqxx::connection& connection) {
    pqxx::work tx(connection);
    for (const auto& row : tx.exec("SELECT name, (SELECT count(*) FROM partitions WHERE table_name = name) "
                                   "FROM history_tables() name"))
        series_.set_partitions(row[0].as<std::string>(), row[1].as<std::uint64_t>());
    const auto times = tx.exec(
        "SELECT extract(epoch FROM min(from_time)), extract(epoch FROM max(until_time)) FROM partitions");
    if (!times[0][0].is_null())
        series_.set_partition_times(times[0][0].as<double>(), times[0][1].as<double>());
    for (const auto& row : tx.exec(kTableBytes))
        series_.set_table_bytes(row[0].as<std::string>(), row[1].as<double>(), row[2].as<double>());
}

}  // namespace receiptd::storage
