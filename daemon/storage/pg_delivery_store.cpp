// The queue of deliveries: who makes the next attempt, and what came of it; and the endpoints they go to.
#include "storage/pg_delivery_store.hpp"

#include "base/log.hpp"
#include "rule/messages.hpp"
#include "storage/claim.hpp"
#include "storage/groups.hpp"
#include "storage/news.hpp"
#include "storage/pg_finding_store.hpp"
#include "storage/sql_time.hpp"
#include "storage/still_holds.hpp"
#include "storage/stored_trees.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr std::size_t kLongestError = 500;
constexpr unsigned kTendsToAWatch = 10;
constexpr std::size_t kLongestAnswer = 4'096;

// The oldest cause is looked for among the deliveries that wait longest: a queue may have millions.
// Deliveries that wait for a paused endpoint are counted, and are not late.
const std::string kBacklog =
    "SELECT each.endpoint, sum(pending)::bigint, sum(dead)::bigint, "
    "coalesce(greatest(0, extract(epoch FROM now() - min(oldest)) * 1000), 0)::bigint, "
    "coalesce(greatest(0, extract(epoch FROM now() - min(caused_at)) * 1000), 0)::bigint, "
    "coalesce(max(not_tried), 0)::bigint "
    "FROM (SELECT endpoint, count(*) AS pending, 0 AS dead, CASE WHEN endpoint NOT IN ("
    "      SELECT name FROM endpoints WHERE paused_since IS NOT NULL) THEN min(created_at) END AS oldest "
    "    FROM deliveries WHERE state = 'pending' GROUP BY endpoint "
    "  UNION ALL SELECT endpoint, 0, count(*), NULL "
    "    FROM deliveries WHERE state = 'dead' GROUP BY endpoint) each "
    "LEFT JOIN LATERAL (SELECT min(a.caused_at) AS caused_at FROM (SELECT alert_id FROM deliveries d "
    "    WHERE d.endpoint = each.endpoint AND d.state = 'pending' ORDER BY d.created_at LIMIT 1000) waiting "
    "  JOIN alerts a USING (alert_id)) causes ON oldest IS NOT NULL "
    // A claim moves next_attempt_at. What waits for an earlier one of its transaction, or as the end of a
    // group for alerts of the group, is not looked for.
    "LEFT JOIN LATERAL (SELECT count(*) AS not_tried FROM ("
    "    (SELECT d.* FROM deliveries d WHERE d.endpoint = each.endpoint AND d.state = 'pending' "
    "      ORDER BY d.created_at LIMIT 1000) "
    "    UNION (SELECT d.* FROM deliveries d WHERE d.endpoint = each.endpoint AND d.state = 'pending' "
    "      ORDER BY d.next_attempt_at LIMIT 1000)) d JOIN alerts a USING (alert_id) "
    "  WHERE d.created_at < now() - interval '5 minutes' AND (d.next_attempt_at < now() - interval '5 "
    "minutes' "
    "      OR (" +
    kUntried +
    ")) "
    // OFFSET 0: the few of a transaction or group come first, also in tables without statistics.
    "    AND NOT EXISTS (SELECT FROM (SELECT alert_id FROM alerts WHERE tx_hash = a.tx_hash "
    "        AND coalesce(place, 0) < coalesce(a.place, 0) OFFSET 0) earlier "
    "      CROSS JOIN LATERAL (SELECT state FROM deliveries "
    "        WHERE alert_id = earlier.alert_id AND endpoint = d.endpoint OFFSET 0) e WHERE e.state = "
    "'pending') "
    "    AND (a.kind <> 'group_resolved' OR NOT EXISTS (SELECT FROM (SELECT alert_id, state FROM deliveries "
    "        WHERE group_id = d.group_id AND state <> 'grouped' OFFSET 0) o "
    "      WHERE o.state = 'pending' AND o.alert_id <> d.alert_id))) due "
    "ON oldest IS NOT NULL "
    "GROUP BY each.endpoint ORDER BY each.endpoint";

constexpr const char* kRecord =
    "WITH recorded AS (UPDATE deliveries SET state = $3, attempts = attempts + $9::int, lease_owner = NULL, "
    "next_attempt_at = coalesce(now() + nullif($4, '')::bigint * interval '1 millisecond', now()), "
    "last_status = nullif($5::int, 0), last_error = nullif($6, ''), last_answer = nullif($10, ''), "
    "delivered_at = CASE WHEN $3 = 'delivered' THEN now() END, "
    "dead_because = CASE WHEN $3 = 'dead' THEN CASE WHEN $8::boolean THEN 'gone' ELSE 'attempts' END END "
    "WHERE alert_id = $1 AND endpoint = $2 AND state = 'pending' AND lease_owner = $7::uuid "
    "RETURNING endpoint) "
    "UPDATE endpoints SET active = false, updated_at = now() "
    "WHERE $8::boolean AND active AND name IN (SELECT endpoint FROM recorded)";

// A peer may have written it: bytes that are not plain text must not prevent recording the outcome.
std::string plain(std::string text, std::size_t most, bool has_lines = false) {
    text.resize(std::min(text.size(), most));
    std::replace_if(
        text.begin(), text.end(),
        [has_lines](char c) { return (c < ' ' || c > '~') && !(has_lines && (c == '\n' || c == '\t')); },
        '?');
    return text;
}

void write_rules_taken(pqxx::transaction_base& tx, const std::vector<ServedEndpoint>& endpoints) {
    std::vector<std::string> names, of, rules;
    for (const auto& endpoint : endpoints) {
        names.push_back(endpoint.name);
        for (const auto& rule : endpoint.rules) {
            of.push_back(endpoint.name);
            rules.push_back(rule);
        }
    }
    shim::query(
        tx,
        "WITH taken AS MATERIALIZED (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) "
        "    AS each (endpoint, rule)), "
        "gone AS (DELETE FROM endpoint_rules t WHERE t.endpoint = ANY ($1::text[]) "
        "  AND NOT EXISTS (SELECT FROM taken WHERE taken.endpoint = t.endpoint AND taken.rule = t.rule)) "
        "INSERT INTO endpoint_rules (rule, endpoint) SELECT rule, endpoint FROM taken ORDER BY 1, 2 "
        "ON CONFLICT DO NOTHING",
        text_array(names), text_array(of), text_array(rules));
}

void add_findings_told(pqxx::connection& connection, std::span<const DueDelivery> deliveries,
                       std::map<std::string, StoredCause>& known) {
    std::map<std::string, std::vector<std::string>> alerts_telling;  // by finding_id
    std::set<std::string> ids, tx_hashes;
    auto since = base::WallTime::max();
    for (const auto& delivery : deliveries) {
        since = std::min(since, delivery.created_at);
        ids.insert(delivery.finding_id);
        alerts_telling[delivery.finding_id].push_back(delivery.alert_id);
        if (!delivery.tx_hash.empty()) tx_hashes.insert(delivery.tx_hash);
    }
    for (const auto& finding : findings_told(connection, ids, {tx_hashes.begin(), tx_hashes.end()}, since))
        for (const auto& alert_id : alerts_telling[finding.finding_id]) known[alert_id].finding = finding;
}

// The key and the metadata that were given with the transactions of alerts, and the evidence of an end.
const std::string kWatchesTold =
    "SELECT a.id, coalesce(w.idempotency_key, ''), coalesce(w.metadata::text, ''), coalesce(("
    "  SELECT t.evidence::text FROM watch_transitions t WHERE t.tx_hash = a.tx_hash AND t.to_stage = a.kind "
    "  ORDER BY t.at DESC LIMIT 1), '') "
    "FROM unnest($1::text[], $2::text[], $3::text[]) AS a (id, tx_hash, kind) JOIN watches w USING (tx_hash)";

void add_watches_told(pqxx::connection& connection, std::span<const DueDelivery> deliveries,
                      std::map<std::string, StoredCause>& known) {
    std::vector<std::string> ids, tx_hashes, kinds;
    for (const auto& delivery : deliveries) {
        if (delivery.tx_hash.empty()) continue;
        ids.push_back(delivery.alert_id);
        tx_hashes.push_back(delivery.tx_hash);
        kinds.push_back(delivery.kind);
    }
    if (ids.empty()) return;
    pqxx::nontransaction tx(connection);
    for (const auto& row :
         shim::query(tx, kWatchesTold, text_array(ids), text_array(tx_hashes), text_array(kinds))) {
        auto& cause = known[row[0].as<std::string>()];
        cause.idempotency_key = row[1].as<std::string>();
        cause.metadata_json = row[2].as<std::string>();
        cause.evidence_json = row[3].as<std::string>();
    }
}

// Each claimed delivery takes a place of its endpoint's room.
void take_room(std::vector<EndpointRoom>& rooms, const Claimed& claimed) {
    for (const auto& due : claimed.due)
        for (auto& room : rooms)
            if (room.endpoint == due.endpoint && room.limit > 0) --room.limit;
    std::erase_if(rooms, [](const auto& room) { return room.limit == 0; });
}

}  // namespace

base::Task<Claimed> PgDeliveryStore::claim_deliveries(std::vector<EndpointRoom> rooms,
                                                      std::chrono::seconds lease) {
    return lane_.run([this, rooms = std::move(rooms), lease](pqxx::connection& connection) {
        Claimed claimed;
        auto left = rooms;
        const auto claim = [&](std::span<const DeliveryName> some) {
            pqxx::work tx(connection);
            auto more = claim_due(tx, silences_, places_, database_.process(), left, lease, some);
            tx.commit();
            take_room(left, more);
            claimed += std::move(more);
        };
        const auto leave = [&](const DeliveryName& delivery, const Refusal& refusal) {
            postpone(connection, delivery, refusal.reason);
        };
        const auto list = [&] { return due_now(connection, rooms); };
        const auto id_of = [](const DeliveryName& delivery) {
            return delivery.alert_id + " " + delivery.endpoint;
        };
        database_.set_aside.together(Aside::delivery, list, id_of, claim, leave);
        return claimed;
    });
}

base::Task<unsigned> PgDeliveryStore::tend_storms(std::vector<EndpointStorm> endpoints) {
    const auto look_at = tended_++ % kTendsToAWatch == 0 ? LookAt::watches_too : LookAt::timed_rules;
    return lane_.transaction([endpoints = std::move(endpoints), look_at](pqxx::work& tx) {
        std::vector<std::string> names;
        for (const auto& each : endpoints) names.push_back(each.endpoint);
        const auto queued = queue_what_still_holds(tx, names, look_at);
        if (queued > 0)
            log::info("alerts that were kept back are sent, because their condition still holds",
                      {{"deliveries", queued}});
        return queued + storage::tend_storms(tx, endpoints);
    });
}

base::Task<std::map<std::string, StoredCause>> PgDeliveryStore::causes(std::vector<DueDelivery> deliveries) {
    return lane_.run([this, deliveries = std::move(deliveries)](pqxx::connection& connection) {
        std::map<std::string, StoredCause> known;
        std::map<std::string, std::vector<std::string>> alerts_of;  // by tx_hash
        std::vector<std::string> tx_hashes;
        for (const auto& delivery : deliveries) {
            if (!known.emplace(delivery.alert_id, StoredCause()).second) continue;
            if (delivery.tx_hash.empty()) continue;
            auto& alerts = alerts_of[delivery.tx_hash];
            if (alerts.empty()) tx_hashes.push_back(delivery.tx_hash);
            alerts.push_back(delivery.alert_id);
        }
        const auto trees = stored_trees(connection, tx_hashes, database_.set_aside);
        for (const auto& [tx_hash, tree] : trees)
            for (const auto& alert_id : alerts_of[tx_hash]) known[alert_id].tree = tree;
        const auto add = [&](std::span<const DueDelivery> some) {
            add_findings_told(connection, some, known);
            add_watches_told(connection, some, known);
        };
        const auto id_of = [](const DueDelivery& delivery) { return delivery.alert_id; };
        const auto leave = [](const DueDelivery&, const Refusal&) {};  // it is sent with less in it
        database_.set_aside.apart(Aside::alert, std::span(deliveries), id_of, add, leave);
        return known;
    });
}

base::Task<std::map<std::string, KeptPayload>> PgDeliveryStore::keep_payloads(
    std::map<std::string, std::string> payloads) {
    return lane_.run([this, payloads = std::move(payloads)](pqxx::connection& connection) {
        const auto kinds = rule::kinds_about_outcomes();
        const std::vector<std::string> about_outcomes(kinds.begin(), kinds.end());
        std::map<std::string, KeptPayload> kept;
        const std::vector<std::pair<std::string, std::string>> all(payloads.begin(), payloads.end());
        using Payload = std::pair<std::string, std::string>;
        const auto keep = [&](std::span<const Payload> some) {
            std::vector<std::string> ids, bodies;
            for (const auto& [id, body] : some) {
                ids.push_back(id);
                bodies.push_back(body);
            }
            pqxx::nontransaction tx(connection);
            for (const auto& row :
                 shim::query(tx,
                             "UPDATE alerts a SET payload = coalesce(a.payload, made.body), "
                             "  confirmed = CASE WHEN a.kind = ANY ($3::text[]) "
                             "    THEN coalesce(a.confirmed, false) END "
                             "FROM unnest($1::text[], $2::text[]) AS made (alert_id, body) "
                             "WHERE a.alert_id = made.alert_id "
                             "RETURNING a.alert_id, a.payload, coalesce(a.confirmed, true)",
                             text_array(ids), text_array(bodies), text_array(about_outcomes)))
                kept[row[0].as<std::string>()] = {row[1].as<std::string>(), row[2].as<bool>()};
        };
        const auto id_of = [](const Payload& payload) { return payload.first; };
        const auto leave = [](const Payload&, const Refusal&) {};  // it is made again for each endpoint
        database_.set_aside.apart(Aside::alert, std::span(all), id_of, keep, leave);
        return kept;
    });
}

base::Task<void> PgDeliveryStore::record_delivery(DeliveryOutcome outcome) {
    return lane_.run([process = database_.process(),
                      outcome = std::move(outcome)](pqxx::connection& connection) {
        const char* state = outcome.delivered ? "delivered" : outcome.dead ? "dead" : "pending";
        const auto again_in = outcome.again_in ? std::to_string(outcome.again_in->count()) : std::string();
        pqxx::nontransaction tx(connection);
        shim::query(tx, kRecord, outcome.alert_id, outcome.endpoint, state, again_in, outcome.status,
                    plain(outcome.error, kLongestError), process, outcome.endpoint_gone,
                    outcome.counts ? 1 : 0, plain(outcome.answer, kLongestAnswer, true));
    });
}

base::Task<std::optional<std::chrono::milliseconds>> PgDeliveryStore::next_delivery_in(
    std::vector<std::string> endpoints) {
    return lane_.run([endpoints = std::move(endpoints)](
                         pqxx::connection& connection) -> std::optional<std::chrono::milliseconds> {
        pqxx::nontransaction tx(connection);
        const auto rows = shim::query(
            tx,
            "SELECT ceil(extract(epoch FROM min(next.at) - now()) * 1000)::bigint "
            "FROM unnest($1::text[]) AS asked (endpoint) "
            "CROSS JOIN LATERAL (SELECT next_attempt_at AS at FROM deliveries d "
            "  WHERE d.endpoint = asked.endpoint AND d.state = 'pending' ORDER BY next_attempt_at LIMIT 1) "
            "next "
            "WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.name = asked.endpoint AND " +
                kHeldBack + ")",
            text_array(endpoints));
        if (rows[0][0].is_null()) return std::nullopt;
        return std::chrono::milliseconds(std::max<std::int64_t>(0, rows[0][0].as<std::int64_t>()));
    });
}

base::Task<std::vector<std::string>> PgDeliveryStore::serve_endpoints(std::vector<ServedEndpoint> endpoints,
                                                                      Serving serving) {
    return lane_.transaction([process = database_.process(), endpoints = std::move(endpoints),
                              serving](pqxx::work& tx) mutable {
        std::vector<std::string> names;
        for (const auto& endpoint : endpoints) names.push_back(endpoint.name);
        const auto rows = shim::query(
            tx,
            "INSERT INTO endpoints (name, served_by) SELECT DISTINCT name, "
            "  (SELECT place FROM daemons WHERE id = $3::uuid) FROM unnest($1::text[]) AS name ORDER BY name "
            "ON CONFLICT (name) DO UPDATE SET served_at = now(), served_by = excluded.served_by, "
            "active = endpoints.active OR $2, "
            "updated_at = CASE WHEN $2 AND NOT endpoints.active THEN now() ELSE endpoints.updated_at END "
            "RETURNING name, active, xmax = 0",
            text_array(names), serving == Serving::begins, process);
        std::vector<std::string> off;
        std::set<std::string> taking_anew;
        for (const auto& row : rows) {
            if (!row[1].as<bool>()) off.push_back(row[0].as<std::string>());
            if (serving != Serving::goes_on || row[2].as<bool>())
                taking_anew.insert(row[0].as<std::string>());
        }
        std::erase_if(endpoints, [&](const auto& endpoint) { return !taking_anew.contains(endpoint.name); });
        if (!endpoints.empty()) write_rules_taken(tx, endpoints);
        return off;
    });
}

base::Task<std::vector<DeliveryBacklog>> PgDeliveryStore::delivery_backlog() {
    return lane_.transaction([](pqxx::work& tx) {
        std::vector<DeliveryBacklog> backlog;
        for (const auto& row : tx.exec(kBacklog)) {
            DeliveryBacklog of;
            of.endpoint = row[0].as<std::string>();
            of.pending = row[1].as<std::uint64_t>();
            of.dead = row[2].as<std::uint64_t>();
            of.oldest_pending = std::chrono::milliseconds(row[3].as<std::int64_t>());
            of.oldest_cause = std::chrono::milliseconds(row[4].as<std::int64_t>());
            of.not_tried = row[5].as<std::uint64_t>();
            backlog.push_back(std::move(of));
        }
        return backlog;
    });
}

}  // namespace receiptd::storage
