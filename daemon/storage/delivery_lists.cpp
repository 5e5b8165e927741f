// Deliveries as people see and move them, and the endpoints they go to.
#include "storage/alert_sql.hpp"
#include "storage/copy.hpp"
#include "storage/store.hpp"

#include <array>
#include <string_view>

namespace receiptd::storage::sql {
namespace {

constexpr std::array<std::string_view, 3> kStates = {"pending", "delivered", "dead"};

// The state stands in the text: what is pending or dead has an index of its own.
std::string chosen_by(const DeliveryFilter& filter) {
    std::string condition = "($1 = '' OR d.endpoint = $1) AND ($2 = '' OR d.alert_id = $2)";
    if (filter.state.empty()) return condition;
    for (const auto state : kStates)
        if (state == filter.state) return condition.append(" AND d.state = '").append(state).append("'");
    throw StorageError("a delivery is pending, delivered or dead, not \"" + filter.state + "\"");
}

DeliveryRow row_of(const pqxx::row& row) {
    DeliveryRow delivery;
    delivery.alert_id = row[0].as<std::string>();
    delivery.endpoint = row[1].as<std::string>();
    delivery.state = row[2].as<std::string>();
    delivery.kind = row[3].as<std::string>();
    delivery.tx_hash = row[4].as<std::string>();
    delivery.last_error = row[5].as<std::string>();
    delivery.attempts = row[6].as<unsigned>();
    delivery.last_status = row[7].as<int>();
    delivery.created_at = row[8].as<std::string>();
    delivery.next_attempt_at = row[9].as<std::string>();
    delivery.delivered_at = row[10].as<std::string>();
    return delivery;
}

}  // namespace

void serve_endpoints(pqxx::connection& connection, const std::vector<std::string>& names, Serving serving) {
    pqxx::work tx(connection);
    shim::query(tx,
                "INSERT INTO endpoints (name) SELECT DISTINCT unnest($1::text[]) ORDER BY 1 "
                "ON CONFLICT (name) DO UPDATE SET served_at = now(), active = endpoints.active OR $2, "
                "updated_at = CASE WHEN $2 AND NOT endpoints.active THEN now() ELSE endpoints.updated_at END",
                text_array(names), serving == Serving::begins);
    tx.commit();
}

std::vector<DeliveryRow> list_deliveries(pqxx::connection& connection, const DeliveryFilter& filter) {
    static const std::string select =
        "SELECT d.alert_id, d.endpoint, d.state, a.kind, coalesce(a.tx_hash, ''), coalesce(d.last_error, "
        "''), d.attempts, coalesce(d.last_status, 0), " +
        iso("d.created_at") + ", CASE WHEN d.state = 'pending' THEN " + iso("d.next_attempt_at") +
        " ELSE '' END, " + iso("d.delivered_at") + " FROM deliveries d JOIN alerts a USING (alert_id) WHERE ";
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx,
                    select + chosen_by(filter) +
                        " ORDER BY a.created_at DESC, a.alert_id, d.endpoint LIMIT nullif($3, 0)",
                    filter.endpoint, filter.alert_id, static_cast<std::int64_t>(filter.limit));
    std::vector<DeliveryRow> deliveries;
    for (const auto& row : rows) deliveries.push_back(row_of(row));
    return deliveries;
}

// An attempt under way is no longer counted. What had come to an end begins its schedule anew. An endpoint
// that was switched off is given another chance.
std::uint64_t resend(pqxx::connection& connection, const DeliveryFilter& filter) {
    pqxx::work tx(connection);
    const auto moved = shim::query(
        tx,
        "WITH chosen AS MATERIALIZED (SELECT d.alert_id, d.endpoint FROM deliveries d WHERE " +
            chosen_by(filter) +
            " ORDER BY d.alert_id, d.endpoint LIMIT nullif($3, 0) FOR UPDATE)"
            ", on_again AS (UPDATE endpoints e SET active = true, updated_at = now() "
            "WHERE NOT e.active AND e.name IN (SELECT endpoint FROM chosen)) "
            "UPDATE deliveries d SET state = 'pending', next_attempt_at = now(), lease_owner = NULL, "
            "delivered_at = NULL, attempts = CASE WHEN d.state = 'pending' THEN d.attempts ELSE 0 END "
            "FROM chosen WHERE d.alert_id = chosen.alert_id AND d.endpoint = chosen.endpoint",
        filter.endpoint, filter.alert_id, static_cast<std::int64_t>(filter.limit));
    tx.commit();
    return moved.affected_rows();
}

std::vector<DeliveryBacklog> delivery_backlog(pqxx::connection& connection) {
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx,
                    "SELECT endpoint, sum(pending)::bigint, sum(dead)::bigint, "
                    "coalesce(greatest(0, extract(epoch FROM now() - min(oldest)) * 1000), 0)::bigint "
                    "FROM (SELECT endpoint, count(*) AS pending, 0 AS dead, min(created_at) AS oldest "
                    "    FROM deliveries WHERE state = 'pending' GROUP BY endpoint "
                    "  UNION ALL SELECT endpoint, 0, count(*), NULL "
                    "    FROM deliveries WHERE state = 'dead' GROUP BY endpoint) each "
                    "GROUP BY endpoint ORDER BY endpoint");
    std::vector<DeliveryBacklog> backlog;
    for (const auto& row : rows) {
        DeliveryBacklog of;
        of.endpoint = row[0].as<std::string>();
        of.pending = row[1].as<std::uint64_t>();
        of.dead = row[2].as<std::uint64_t>();
        of.oldest_pending = std::chrono::milliseconds(row[3].as<std::int64_t>());
        backlog.push_back(std::move(of));
    }
    return backlog;
}

}  // namespace receiptd::storage::sql
