// What people were told is not kept for ever. (History leaves by whole partitions: partitions.hpp.)
#include "storage/sql.hpp"

namespace receiptd::storage::sql {
namespace {

// So many rows in one transaction: nobody waits long behind them, and after a long pause none of the
// statements runs out of its time.
constexpr int kPortion = 10'000;

void delete_in_portions(pqxx::connection& connection, const std::string& sql) {
    for (auto deleted = static_cast<long>(kPortion); deleted == kPortion;) {
        pqxx::work tx(connection);
        deleted = static_cast<long>(shim::query(tx, sql, kPortion).affected_rows());
        tx.commit();
    }
}

}  // namespace

void forget_old_news(pqxx::connection& connection) {
    delete_in_portions(connection,
                       "DELETE FROM stream_events WHERE id IN (SELECT id FROM stream_events "
                       "WHERE at < now() - interval '7 days' ORDER BY at LIMIT $1)");
    // With its deliveries. What nobody was to be told is as good as delivered.
    delete_in_portions(
        connection,
        "DELETE FROM alerts WHERE alert_id IN (SELECT alert_id FROM alerts a "
        "WHERE created_at < now() - interval '30 days' AND NOT EXISTS (SELECT FROM deliveries d "
        "WHERE d.alert_id = a.alert_id AND d.state <> 'delivered') ORDER BY created_at LIMIT $1)");
}

}  // namespace receiptd::storage::sql
