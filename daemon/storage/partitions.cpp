#include "storage/partitions.hpp"

#include "base/iso_time.hpp"
#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/in_the_way.hpp"

#include <string>

namespace receiptd::storage {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr const char* kDependants = "2BP01";
// Said at info until then: a question may take minutes. Then about once an hour.
constexpr unsigned kPatientTimes = 10;
constexpr unsigned kSaidAgainAfter = 60;
constexpr std::size_t kMostNewDays = 10;
constexpr std::chrono::minutes kInThatTime{1};

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
    "  WHERE c.relkind = 'r' AND coalesce(parent.relnamespace, c.relnamespace) "
    "    = (SELECT relnamespace FROM pg_class WHERE oid = 'chain_identity'::regclass)) "
    "each "
    "GROUP BY 1";

// A parameter of to_timestamp(); NULL is before all times.
std::optional<std::int64_t> seconds_of(const std::optional<base::WallTime>& time) {
    if (!time) return std::nullopt;
    return unix_seconds(*time);
}

// The name of the dropped table; empty when nothing is old enough.
std::string retire_one(pqxx::connection& connection, const Past& past) {
    pqxx::work tx(connection);
    // Dropping waits for every reader of the table, and everybody waits behind it: not for long.
    tx.exec("SET LOCAL lock_timeout = '500ms'");
    auto dropped = shim::query(tx,
                               "SELECT coalesce(string_agg(name, ' '), '') "
                               "FROM retire_partitions(to_timestamp($1), to_timestamp($2)) name",
                               seconds_of(past.receipts), seconds_of(past.results))[0][0]
                       .as<std::string>();
    tx.commit();
    return dropped;
}

void measure_overdue(pqxx::connection& connection, const Past& past, metrics::StorageSeries& series) {
    pqxx::work tx(connection);
    for (const auto& row : shim::query(
             tx,
             "SELECT name, extract(epoch FROM coalesce(greatest(past_retention(name, to_timestamp($1), "
             "  to_timestamp($2)) - min(until_time), interval '0'), interval '0'))::float8 "
             "FROM history_tables() name LEFT JOIN partitions ON table_name = name GROUP BY name",
             seconds_of(past.receipts), seconds_of(past.results)))
        series.measured.set_retention_overdue(row[0].as<std::string>(), row[1].as<double>());
}

std::string text_of(const std::optional<base::WallTime>& time) {
    return time ? base::iso_time(*time) : "none";
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

bool PartitionKeeper::may_make(DayLeave leave) {
    if (leave != DayLeave::counted) return leave == DayLeave::free;
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    while (!made_at_.empty() && now - made_at_.front() >= kInThatTime) made_at_.pop_front();
    if (made_at_.size() >= kMostNewDays) return false;
    made_at_.push_back(now);
    return true;
}

DayWord PartitionKeeper::open(pqxx::connection& connection, std::int64_t day, DayLeave leave) {
    if (known(day)) return DayWord::ready;
    pqxx::work tx(connection);
    const auto seconds = day * kSecondsPerDay;
    const auto there = shim::query(tx,
                                   "SELECT EXISTS (SELECT FROM partitions WHERE table_name = 'blocks' "
                                   "  AND to_timestamp($1) >= from_time AND to_timestamp($1) < until_time), "
                                   "to_timestamp($1)::date",
                                   seconds)[0];
    const bool is_new = !there[0].as<bool>();
    if (is_new && leave == DayLeave::if_there) return DayWord::absent;
    if (is_new && !may_make(leave)) return DayWord::too_many;
    const auto made =
        shim::query(tx, "SELECT make_partitions(to_timestamp($1), to_timestamp($1))", seconds)[0][0]
            .as<int>();
    tx.commit();
    if (made > 0) log::info("partitions made", {{"day", there[1].as<std::string>()}, {"tables", made}});
    const std::lock_guard lock(mutex_);
    known_days_.insert(day);
    return DayWord::ready;
}

void PartitionKeeper::ensure(pqxx::connection& connection, const std::set<std::int64_t>& days,
                             DayLeave leave) {
    for (const auto day : days)
        if (open(connection, day, leave) != DayWord::ready)
            throw StorageRefused("more than " + std::to_string(kMostNewDays) +
                                 " days would get partitions in a minute");
}

bool PartitionKeeper::make_ahead(pqxx::connection& connection, base::WallTime newest) {
    try {
        pqxx::work tx(connection);
        tx.exec("SET LOCAL lock_timeout = '500ms'");
        shim::query(tx, "SELECT make_partitions(to_timestamp($1), to_timestamp($1) + interval '2 days')",
                    unix_seconds(newest));
        shim::query(tx,
                    "SELECT make_partitions(until_time, until_time) FROM partitions WHERE table_name = "
                    "'blocks' AND to_timestamp($1) >= from_time AND to_timestamp($1) < until_time",
                    unix_seconds(newest));
        tx.commit();
        return true;
    } catch (const pqxx::sql_error& e) {
        if (shim::sqlstate_of(e) != kNoLockInTime) throw;
        log::info(
            "partitions are not made ahead now, as another session holds a lock; tried again in a minute",
            {{"because", e.what()}});
        return false;
    }
}

bool PartitionKeeper::retire(pqxx::connection& connection, const Past& past) {
    std::string dropped;
    bool is_done = false;
    try {
        for (auto part = retire_one(connection, past); !part.empty(); part = retire_one(connection, past))
            dropped += (dropped.empty() ? "" : " ") + part;
        is_done = true;
        times_held_up_ = 0;
    } catch (const pqxx::sql_error& e) {
        const auto sqlstate = shim::sqlstate_of(e);
        if (sqlstate != kNoLockInTime && sqlstate != kDependants) throw;
        say_held_up(connection, e);
    }
    measure_overdue(connection, past, series_);
    if (dropped.empty()) return is_done;
    forget();
    log::info("partitions dropped by retention; coverage still counts their heights as done",
              {{"tables", dropped},
               {"receipts_before", text_of(past.receipts)},
               {"results_before", text_of(past.results)}});
    return is_done;
}

void PartitionKeeper::say_held_up(pqxx::connection& connection, const pqxx::sql_error& why) {
    const bool is_time = times_held_up_++ % kSaidAgainAfter == kPatientTimes;
    if (shim::sqlstate_of(why) == kDependants) {
        if (is_time || times_held_up_ == 1)
            log::warn("partitions past retention stay: somebody has built something on them",
                      {{"because", why.what()}});
        return;
    }
    pqxx::work tx(connection);
    const auto readers = readers_of_partitions(tx);
    if (is_time)
        log::warn("partitions past retention stay: transactions that read the tables do not end",
                  {{"tried_times", times_held_up_}, {"transactions", readers}});
    else if (times_held_up_ == 1)
        log::info("partitions past retention are being read; tried again every minute",
                  {{"transactions", readers}});
}

void PartitionKeeper::measure(pqxx::connection& connection) {
    pqxx::work tx(connection);
    for (const auto& row : tx.exec("SELECT name, (SELECT count(*) FROM partitions WHERE table_name = name) "
                                   "FROM history_tables() name"))
        series_.measured.set_partitions(row[0].as<std::string>(), row[1].as<std::uint64_t>());
    const auto times = tx.exec(
        "SELECT extract(epoch FROM min(from_time)), extract(epoch FROM max(until_time)) FROM partitions");
    if (!times[0][0].is_null())
        series_.measured.set_partition_times(times[0][0].as<double>(), times[0][1].as<double>());
    for (const auto& row : tx.exec(kTableBytes))
        series_.measured.set_bytes(row[0].as<std::string>(), row[1].as<double>(), row[2].as<double>());
}

}  // namespace receiptd::storage
