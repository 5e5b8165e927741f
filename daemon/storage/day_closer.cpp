#include "storage/day_closer.hpp"

#include "base/log.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"
#include "storage/fault.hpp"
#include "storage/sql_time.hpp"

#include <chrono>
#include <utility>

namespace receiptd::storage {
namespace {

using namespace std::chrono_literals;

// Trees that began before midnight are complete by then, and their rows come without the trigger.
constexpr auto kOverFor = 6h;
constexpr auto kLongestRound = 20s;
constexpr int kTidiedInARound = 9;  // a day of all history tables; then it pauses until the next round

// False: somebody writes into it, or it is not there any more.
bool close_one(pqxx::connection& connection, const std::string& from) {
    {
        pqxx::work tx(connection);
        // Writers of the day's partitions queue behind this.
        tx.exec("SET LOCAL lock_timeout = '500ms'");
        shim::query(tx, "SELECT guard_day($1::timestamptz)", from);
        tx.commit();
    }
    pqxx::work tx(connection);
    tx.exec("SET LOCAL statement_timeout = '1h'");  // a day may be of many gigabytes
    const auto ids = shim::query(tx, "SELECT close_day($1::timestamptz)", from)[0][0];
    if (ids.is_null()) return false;
    tx.commit();
    log::debug("a day is closed: questions by id know whether it has the id",
               {{"from", from}, {"ids", ids.as<std::int64_t>()}});
    return true;
}

bool close_unless_held(pqxx::connection& connection, const std::string& from) {
    try {
        return close_one(connection, from);
    } catch (const pqxx::sql_error& e) {
        if (shim::sqlstate_of(e) != kNoLockInTime) throw;
        return false;
    }
}

// False: all are tidy, or somebody holds the next one.
bool tidy_one(pqxx::connection& connection) {
    try {
        pqxx::work tx(connection);
        tx.exec("SET LOCAL lock_timeout = '500ms'");
        const auto tidied = tx.exec("SELECT tidy_partition()")[0][0];
        tx.commit();
        return !tidied.is_null();
    } catch (const pqxx::sql_error& e) {
        if (shim::sqlstate_of(e) != kNoLockInTime) throw;
        return false;
    }
}

bool merge_some(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const bool is_more = tx.exec("SELECT merge_ids()")[0][0].as<bool>();
    tx.commit();
    return is_more;
}

}  // namespace

void DayCloser::round(pqxx::connection& connection, base::WallTime newest) {
    const auto until = std::chrono::steady_clock::now() + kLongestRound;
    const auto is_time_left = [&] { return std::chrono::steady_clock::now() < until; };
    pqxx::work asking(connection);
    if (asking.exec("SELECT reopen_unguarded_days()")[0][0].as<bool>())
        log::warn("partitions of closed days had lost their triggers; these days are closed again", {});
    asking.exec("SELECT forget_ids()");
    const auto over = shim::query(
        asking, "SELECT from_time::text, bytes FROM days_to_close(" + time_parameter(1, kOverFor) + ")",
        microseconds(newest));
    asking.commit();

    std::map<std::string, std::int64_t> sizes;
    std::size_t closed = 0;
    for (const auto& row : over) {
        const auto from = row[0].as<std::string>();
        const auto bytes = row[1].as<std::int64_t>();
        const auto before = sizes_.find(from);
        const bool is_quiet = before != sizes_.end() && before->second == bytes;
        if (is_quiet && is_time_left() && close_unless_held(connection, from))
            ++closed;
        else
            sizes.emplace(from, bytes);
    }
    sizes_ = std::move(sizes);
    series_.measured.unclosed_partitions.Set(static_cast<double>(sizes_.size()));
    while (is_time_left() && merge_some(connection)) continue;
    for (int i = 0; i < kTidiedInARound && is_time_left() && tidy_one(connection); ++i) continue;
}

}  // namespace receiptd::storage
