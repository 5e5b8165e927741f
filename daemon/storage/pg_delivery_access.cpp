#include "storage/pg_delivery_access.hpp"

#include "storage/errors.hpp"
#include "storage/pg_finding_store.hpp"
#include "storage/sql_time.hpp"
#include "storage/time_cursor.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// Chooses deliveries d and their alerts a, by the parameters 1 to 5. The state is written into the SQL text,
// because pending and dead deliveries have their own index.
std::string chosen_by(const DeliveryFilter& filter) {
    std::string condition =
        "($1 = '' OR d.endpoint = $1) AND ($2 = '' OR d.alert_id = $2) "
        "AND ($3 = '' OR EXISTS (SELECT FROM unnest(d.rules) AS r WHERE split_part(r, '@', 1) = $3)) "
        "AND a.created_at >= coalesce(nullif($4, '')::timestamptz, '-infinity') "
        "AND a.created_at < coalesce(nullif($5, '')::timestamptz, 'infinity')";
    if (filter.group_id) condition += " AND d.group_id = " + std::to_string(*filter.group_id);
    if (filter.state.empty()) return condition;
    if (is_delivery_state(filter.state)) return condition + " AND d.state = '" + filter.state + "'";
    throw StorageError("a delivery is " + std::string(kDeliveryStatesInWords) + ", not \"" + filter.state +
                       "\"");
}

// `more`: parameters from 6 on.
template <class... More>
pqxx::result ask(pqxx::transaction_base& tx, const std::string& sql, const DeliveryFilter& filter,
                 const More&... more) {
    return shim::query(tx, sql, filter.endpoint, filter.alert_id, filter.rule, filter.since, filter.until,
                       more...);
}

// The first condition is for the index; the times of many alerts are the same.
constexpr const char* kAfterCursor =
    " AND a.created_at <= coalesce(nullif($7, '')::timestamptz, 'infinity') "
    "AND ($7 = '' OR a.created_at < nullif($7, '')::timestamptz OR (a.alert_id, d.endpoint) > ($8, $9))";

constexpr const char* kOfThem = " FROM deliveries d JOIN alerts a USING (alert_id) WHERE ";

DeliveryCursor delivery_cursor_of(const std::string& text) {
    if (text.empty()) return {};
    auto cursor = parse_delivery_cursor(text);
    if (!cursor) throw StorageError("not the cursor of a list of deliveries: \"" + text + "\"");
    return std::move(*cursor);
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
    delivery.rules = ids_of(row[11]);
    delivery.last_answer = row[12].as<std::string>();
    delivery.dead_because = row[13].as<std::string>();
    delivery.group_id = row[14].as<std::int64_t>();
    delivery.silence_id = row[15].as<std::int64_t>();
    delivery.late = row[16].as<bool>();
    return delivery;
}

std::vector<DeliveryRow> listed(pqxx::transaction_base& tx, const DeliveryFilter& filter) {
    const auto cursor = delivery_cursor_of(filter.cursor);
    static const std::string select =
        "SELECT d.alert_id, d.endpoint, d.state, a.kind, coalesce(a.tx_hash, ''), coalesce(d.last_error, "
        "''), d.attempts, coalesce(d.last_status, 0), " +
        iso("a.created_at") + ", CASE WHEN d.state = 'pending' THEN " + iso("d.next_attempt_at") +
        " ELSE '' END, " + iso("d.delivered_at") +
        ", d.rules, coalesce(d.last_answer, ''), coalesce(d.dead_because, ''), "
        "coalesce(d.group_id, 0), coalesce(d.silence_id, 0), d.late" +
        kOfThem;
    const auto rows = ask(tx,
                          select + chosen_by(filter) + kAfterCursor +
                              " ORDER BY a.created_at DESC, a.alert_id, d.endpoint LIMIT nullif($6, 0)",
                          filter, static_cast<std::int64_t>(filter.limit), cursor.created_at, cursor.alert_id,
                          cursor.endpoint);
    std::vector<DeliveryRow> deliveries;
    for (const auto& row : rows) deliveries.push_back(row_of(row));
    return deliveries;
}

struct AlertAndFinding {
    StoredAlert alert;
    std::string finding_id;
    base::WallTime created_at{};
};

std::optional<AlertAndFinding> load_alert(pqxx::connection& connection, const std::string& alert_id) {
    pqxx::work tx(connection);
    const auto rows =
        shim::query(tx,
                    "SELECT a.kind, coalesce(a.tx_hash, ''), " + iso("a.created_at") +
                        ", coalesce(a.cause::text, ''), coalesce(a.payload, ''), finding_of(a), " +
                        microseconds_of("a.created_at") + " FROM alerts a WHERE a.alert_id = $1",
                    alert_id);
    if (rows.empty()) return std::nullopt;
    AlertAndFinding found;
    found.alert.alert_id = alert_id;
    found.alert.kind = rows[0][0].as<std::string>();
    found.alert.tx_hash = rows[0][1].as<std::string>();
    found.alert.created_at = rows[0][2].as<std::string>();
    found.alert.told_json = rows[0][3].as<std::string>();
    found.alert.payload = rows[0][4].as<std::string>();
    found.finding_id = rows[0][5].as<std::string>();
    found.created_at = wall_time(rows[0][6]);
    DeliveryFilter of_it;
    of_it.alert_id = alert_id;
    of_it.limit = 0;
    found.alert.deliveries = listed(tx, of_it);
    return found;
}

}  // namespace

bool is_delivery_state(std::string_view text) {
    return std::find(kDeliveryStates.begin(), kDeliveryStates.end(), text) != kDeliveryStates.end();
}

std::string delivery_cursor(const DeliveryRow& row) {
    return row.created_at + "," + row.endpoint + "," + row.alert_id;
}

std::optional<DeliveryCursor> parse_delivery_cursor(const std::string& text) {
    auto cursor = parse_time_cursor(text);
    const auto comma = cursor ? cursor->rest.find(',') : std::string::npos;
    if (comma == std::string::npos) return std::nullopt;
    return DeliveryCursor{std::move(cursor->time), cursor->rest.substr(0, comma),
                          cursor->rest.substr(comma + 1)};
}

base::Task<std::vector<DeliveryRow>> PgDeliveryAccess::list_deliveries(DeliveryFilter filter) {
    return lane_.transaction([filter = std::move(filter)](pqxx::work& tx) { return listed(tx, filter); });
}

base::Task<std::uint64_t> PgDeliveryAccess::count_deliveries(DeliveryFilter filter) {
    return lane_.transaction([filter = std::move(filter)](pqxx::work& tx) {
        const auto rows = ask(tx, std::string("SELECT count(*)") + kOfThem + chosen_by(filter), filter);
        return rows[0][0].as<std::uint64_t>();
    });
}

base::Task<std::optional<StoredAlert>> PgDeliveryAccess::alert(std::string alert_id) {
    return lane_.run(
        [alert_id = std::move(alert_id)](pqxx::connection& connection) -> std::optional<StoredAlert> {
            auto found = load_alert(connection, alert_id);
            if (!found) return std::nullopt;
            auto& alert = found->alert;
            std::vector<std::string> tx_hashes;
            if (!alert.tx_hash.empty()) tx_hashes.push_back(alert.tx_hash);
            auto findings = findings_told(connection, {found->finding_id}, tx_hashes, found->created_at);
            if (!findings.empty()) alert.finding = std::move(findings.front());
            return std::move(alert);
        });
}

// An attempt under way is no longer counted. What had come to an end begins its schedule anew. An endpoint
// that was switched off is given another chance.
base::Task<std::uint64_t> PgDeliveryAccess::resend(DeliveryFilter filter) {
    return lane_.transaction([filter = std::move(filter)](pqxx::work& tx) {
        const auto moved =
            ask(tx,
                std::string("WITH chosen AS MATERIALIZED (SELECT d.alert_id, d.endpoint") + kOfThem +
                    chosen_by(filter) +
                    " ORDER BY d.alert_id, d.endpoint LIMIT nullif($6, 0) FOR UPDATE OF d)"
                    ", on_again AS (UPDATE endpoints e SET active = true, updated_at = now() "
                    "WHERE NOT e.active AND e.name IN (SELECT endpoint FROM chosen)) "
                    "UPDATE deliveries d SET state = 'pending', next_attempt_at = now(), lease_owner = NULL, "
                    "delivered_at = NULL, dead_because = NULL, by_hand = true, attempts = CASE WHEN d.state "
                    "= 'pending' THEN d.attempts ELSE 0 END "
                    "FROM chosen WHERE d.alert_id = chosen.alert_id AND d.endpoint = chosen.endpoint",
                filter, static_cast<std::int64_t>(filter.limit));
        return moved.affected_rows();
    });
}

}  // namespace receiptd::storage
