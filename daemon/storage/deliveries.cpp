// The queue of deliveries: who makes the next attempt, and what came of it.
#include "storage/alert_sql.hpp"
#include "storage/copy.hpp"

#include <algorithm>

namespace receiptd::storage::sql {
namespace {

constexpr std::size_t kLongestError = 500;

// next_attempt_at is the lease while an attempt is under way: nobody finds the row due before it has run out.
const std::string kClaim =
    "WITH due AS MATERIALIZED (SELECT one.alert_id, one.endpoint, one.due_at "
    "  FROM unnest($1::text[], $2::int[]) AS room (endpoint, most) "
    "  CROSS JOIN LATERAL (SELECT d.alert_id, d.endpoint, d.next_attempt_at AS due_at FROM deliveries d "
    "    WHERE d.endpoint = room.endpoint AND d.state = 'pending' AND d.next_attempt_at <= now() "
    "    ORDER BY d.next_attempt_at LIMIT room.most FOR UPDATE SKIP LOCKED) one "
    "  WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.name = room.endpoint AND NOT e.active)), "
    "claimed AS (UPDATE deliveries d SET lease_owner = $3::uuid, "
    "    next_attempt_at = now() + $4::bigint * interval '1 second' "
    "  FROM due WHERE d.alert_id = due.alert_id AND d.endpoint = due.endpoint "
    "  RETURNING d.alert_id, d.endpoint, d.attempts, d.last_status IS NOT NULL OR d.last_error IS NOT NULL "
    "    AS tried, due.due_at) "
    "SELECT c.alert_id, c.endpoint, a.kind, coalesce(a.tx_hash, ''), coalesce(a.payload, ''), c.attempts, "
    "c.tried, (extract(epoch FROM a.created_at) * 1000000)::bigint "
    "FROM claimed c JOIN alerts a USING (alert_id) ORDER BY c.due_at, c.alert_id";

constexpr const char* kRecord =
    "WITH recorded AS (UPDATE deliveries SET state = $3, attempts = attempts + 1, lease_owner = NULL, "
    "next_attempt_at = coalesce(now() + nullif($4, '')::bigint * interval '1 millisecond', now()), "
    "last_status = nullif($5::int, 0), last_error = nullif($6, ''), "
    "delivered_at = CASE WHEN $3 = 'delivered' THEN now() END "
    "WHERE alert_id = $1 AND endpoint = $2 AND state = 'pending' AND lease_owner = $7::uuid "
    "RETURNING endpoint) "
    "UPDATE endpoints SET active = false, updated_at = now() "
    "WHERE $8::boolean AND active AND name IN (SELECT endpoint FROM recorded)";

DueDelivery due_of(const pqxx::row& row) {
    DueDelivery due;
    due.alert_id = row[0].as<std::string>();
    due.endpoint = row[1].as<std::string>();
    due.kind = row[2].as<std::string>();
    due.tx_hash = row[3].as<std::string>();
    due.payload = row[4].as<std::string>();
    due.attempts = row[5].as<unsigned>();
    due.tried = row[6].as<bool>();
    due.created_at = base::WallTime(std::chrono::microseconds(row[7].as<std::int64_t>()));
    return due;
}

// An error may quote a peer: what is no plain text must not keep the outcome from being recorded.
std::string plain(std::string text) {
    text.resize(std::min(text.size(), kLongestError));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

}  // namespace

std::vector<DueDelivery> claim_deliveries(pqxx::connection& connection,
                                          const std::vector<EndpointRoom>& rooms, std::chrono::seconds lease,
                                          const std::string& owner) {
    std::vector<std::string> endpoints, most;
    for (const auto& room : rooms) {
        endpoints.push_back(room.endpoint);
        most.push_back(std::to_string(room.limit));
    }
    pqxx::nontransaction tx(connection);
    const auto rows = shim::query(tx, kClaim, text_array(endpoints), text_array(most), owner, lease.count());
    std::vector<DueDelivery> due;
    for (const auto& row : rows) due.push_back(due_of(row));
    return due;
}

std::map<std::string, std::string> keep_payloads(pqxx::connection& connection,
                                                 const std::map<std::string, std::string>& payloads) {
    std::vector<std::string> ids, bodies;
    for (const auto& [id, body] : payloads) {
        ids.push_back(id);
        bodies.push_back(body);
    }
    pqxx::nontransaction tx(connection);
    const auto rows = shim::query(tx,
                                  "UPDATE alerts a SET payload = coalesce(a.payload, made.body) "
                                  "FROM unnest($1::text[], $2::text[]) AS made (alert_id, body) "
                                  "WHERE a.alert_id = made.alert_id RETURNING a.alert_id, a.payload",
                                  text_array(ids), text_array(bodies));
    auto kept = payloads;  // of one that is forgotten meanwhile nothing is kept
    for (const auto& row : rows) kept[row[0].as<std::string>()] = row[1].as<std::string>();
    return kept;
}

void record_delivery(pqxx::connection& connection, const DeliveryOutcome& outcome, const std::string& owner) {
    const char* state = outcome.delivered ? "delivered" : outcome.dead ? "dead" : "pending";
    const auto again_in = outcome.again_in ? std::to_string(outcome.again_in->count()) : std::string();
    pqxx::nontransaction tx(connection);
    shim::query(tx, kRecord, outcome.alert_id, outcome.endpoint, state, again_in, outcome.status,
                plain(outcome.error), owner, outcome.endpoint_gone);
}

std::optional<std::chrono::milliseconds> next_delivery_in(pqxx::connection& connection,
                                                          const std::vector<std::string>& endpoints) {
    pqxx::nontransaction tx(connection);
    const auto rows = shim::query(
        tx,
        "SELECT ceil(extract(epoch FROM min(next.at) - now()) * 1000)::bigint "
        "FROM unnest($1::text[]) AS asked (endpoint) "
        "CROSS JOIN LATERAL (SELECT next_attempt_at AS at FROM deliveries d "
        "  WHERE d.endpoint = asked.endpoint AND d.state = 'pending' ORDER BY next_attempt_at LIMIT 1) next "
        "WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.name = asked.endpoint AND NOT e.active)",
        text_array(endpoints));
    if (rows[0][0].is_null()) return std::nullopt;
    return std::chrono::milliseconds(std::max<std::int64_t>(0, rows[0][0].as<std::int64_t>()));
}

}  // namespace receiptd::storage::sql
