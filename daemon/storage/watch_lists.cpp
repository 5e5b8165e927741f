// Watches by page. Every list goes on behind the last row it gave, so that rows that come in meanwhile
// move nothing.
#include "storage/store.hpp"
#include "storage/watch_sql.hpp"

namespace receiptd::storage::sql {
namespace {

constexpr const char* kSubmissions =
    " FROM watches WHERE signed_tx_base64 IS NOT NULL AND stage IN ('accepted', 'pending') ";

// As the index has it (migrations/0004).
const std::string kLostStages = "stage IN ('rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown')";

WatchPosition position_of(const std::string& cursor) {
    auto position = parse_watch_cursor(cursor);
    if (!position) throw StorageError("the cursor of a list of watches is none");
    return std::move(*position);
}

}  // namespace

std::vector<Watch> list_watches(pqxx::connection& connection, const WatchFilter& filter) {
    // Parameters that a condition does not use are compared with themselves: one statement for all filters.
    std::string query = "SELECT " + kWatchColumns +
                        " FROM watches WHERE ($1 = '' OR stage = $1) "
                        "AND ($2 = '' OR verdict = $2) AND ($3 = '' OR sender_id = $3)";
    if (filter.open_only) query += " AND " + kOpenStages;
    WatchPosition position;
    query += filter.cursor.empty() ? " AND $4::bigint = 0 AND $5 = ''"
                                   : " AND (created_at, tx_hash) < (" + time_parameter(4) + ", $5)";
    query += " ORDER BY created_at DESC, tx_hash DESC LIMIT $6";
    if (!filter.cursor.empty()) position = position_of(filter.cursor);
    pqxx::work tx(connection);
    return watches_of(
        shim::query(tx, query, filter.stage ? std::string(chain::stage_name(*filter.stage)) : std::string(),
                    filter.verdict ? std::string(chain::verdict_name(*filter.verdict)) : std::string(),
                    filter.sender_id, position.created_at_microseconds, position.tx_hash, filter.limit));
}

std::vector<Watch> open_watches(pqxx::connection& connection, const std::string& after, unsigned limit) {
    pqxx::work tx(connection);
    return watches_of(shim::query(tx,
                                  "SELECT " + kWatchColumns + " FROM watches WHERE " + kOpenStages +
                                      " AND tx_hash > $1 ORDER BY tx_hash LIMIT $2",
                                  after, limit));
}

std::vector<Watch> lost_watches(pqxx::connection& connection, const std::string& after, unsigned limit) {
    pqxx::work tx(connection);
    return watches_of(shim::query(tx,
                                  "SELECT " + kWatchColumns + " FROM watches WHERE " + kLostStages +
                                      " AND updated_at > now() - interval '3 days' "
                                      "AND tx_hash > $1 ORDER BY tx_hash LIMIT $2",
                                  after, limit));
}

std::vector<Watch> new_watches(pqxx::connection& connection, unsigned limit) {
    pqxx::work tx(connection);
    return watches_of(shim::query(tx,
                                  "SELECT " + kWatchColumns +
                                      " FROM watches WHERE watched_since IS NULL AND " + kOpenStages +
                                      " ORDER BY created_at LIMIT $1",
                                  limit));
}

std::vector<Watch> watches_since(pqxx::connection& connection, base::WallTime since, const std::string& after,
                                 unsigned limit) {
    pqxx::work tx(connection);
    return watches_of(shim::query(tx,
                                  "SELECT " + kWatchColumns + " FROM watches WHERE " + kOpenStages +
                                      " AND (created_at, tx_hash) > (" + time_parameter(1) +
                                      ", $2) ORDER BY created_at, tx_hash LIMIT $3",
                                  microseconds(since), after, limit));
}

std::vector<Watch> open_submissions(pqxx::connection& connection, base::WallTime since,
                                    const std::string& after, unsigned limit) {
    pqxx::work tx(connection);
    return watches_of(shim::query(tx,
                                  "SELECT " + kWatchColumns + kSubmissions + "AND (created_at, tx_hash) > (" +
                                      time_parameter(1) + ", $2) ORDER BY created_at, tx_hash LIMIT $3",
                                  microseconds(since), after, limit));
}

}  // namespace receiptd::storage::sql
