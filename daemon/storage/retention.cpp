// What people were told or asked for is not kept for ever. (History leaves by whole partitions:
// partitions.hpp.)
#include "storage/news.hpp"
#include "storage/sql.hpp"
#include "storage/watch_rows.hpp"

namespace receiptd::storage::sql {
namespace {

// So many rows in one transaction: nobody waits long behind them, and after a long pause none of the
// statements runs out of its time.
constexpr int kPortion = 10'000;

// `sql` takes the number of rows as its first parameter.
template <class... Parameters>
void run_in_portions(pqxx::connection& connection, const std::string& sql, const Parameters&... parameters) {
    for (auto rows = static_cast<long>(kPortion); rows == kPortion;) {
        pqxx::work tx(connection);
        rows = static_cast<long>(shim::query(tx, sql, kPortion, parameters...).affected_rows());
        tx.commit();
    }
}

// Delivery d waits for an endpoint that no daemon serves, or that answered 410, for the retry schedule's
// length. An endpoint that comes back earlier gets what waits for it.
const std::string kSwitchedOff = "NOT EXISTS (SELECT FROM endpoints e WHERE e.name = d.endpoint AND " +
                                 kServed + " AND (e.active OR e.updated_at > now() - interval '4 days'))";

}  // namespace

void forget_old_news(pqxx::connection& connection) {
    run_in_portions(connection,
                    "DELETE FROM stream_events WHERE id IN (SELECT id FROM stream_events "
                    "WHERE at < now() - interval '7 days' ORDER BY at LIMIT $1)");
    run_in_portions(
        connection,
        "UPDATE deliveries SET state = 'dead', lease_owner = NULL, "
        "last_error = 'for four days no daemon has served the endpoint, or it has been switched off (410)' "
        "WHERE state = 'pending' AND (alert_id, endpoint) IN (SELECT d.alert_id, d.endpoint FROM deliveries "
        "d "
        "WHERE d.state = 'pending' AND d.created_at < now() - interval '4 days' AND " +
            kSwitchedOff + " LIMIT $1)");
    // With its deliveries. What nobody was to be told is as good as delivered; what is dead waits for people
    // as long as its endpoint does.
    run_in_portions(connection,
                    "DELETE FROM alerts WHERE alert_id IN (SELECT alert_id FROM alerts a "
                    "WHERE created_at < now() - interval '30 days' AND NOT EXISTS (SELECT FROM deliveries d "
                    "WHERE d.alert_id = a.alert_id AND (d.state = 'pending' OR (d.state = 'dead' AND NOT " +
                        kSwitchedOff + "))) ORDER BY created_at LIMIT $1)");
}

void forget_ended_watches(pqxx::connection& connection, base::WallTime before) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(before).time_since_epoch().count();
    run_in_portions(connection,
                    "DELETE FROM watches WHERE tx_hash IN (SELECT tx_hash FROM watches "
                    "WHERE created_at < to_timestamp($2) AND updated_at < to_timestamp($2) AND NOT (" +
                        kOpenStages + ") ORDER BY created_at LIMIT $1)",
                    seconds);
    run_in_portions(connection,
                    "DELETE FROM watch_transitions WHERE ctid = ANY (ARRAY (SELECT t.ctid "
                    "FROM watch_transitions t WHERE t.at < to_timestamp($2) "
                    "AND NOT EXISTS (SELECT FROM watches w WHERE w.tx_hash = t.tx_hash) "
                    "ORDER BY t.at LIMIT $1))",
                    seconds);
}

}  // namespace receiptd::storage::sql
