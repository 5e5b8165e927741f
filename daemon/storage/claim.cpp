#include "storage/claim.hpp"

#include "base/log.hpp"
#include "rule/messages.hpp"
#include "storage/fates.hpp"
#include "storage/groups.hpp"
#include "storage/news.hpp"
#include "storage/notices.hpp"
#include "storage/sift.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace receiptd::storage {
namespace {

// next_attempt_at is the lease while an attempt is under way: nobody finds the row due before it has run out.
const std::string kClaim =
    "WITH due AS MATERIALIZED (SELECT one.* "
    "  FROM unnest($1::text[], $2::int[], $5::boolean[], $7::boolean[]) "
    "    AS room (endpoint, most, ordered, untried) "
    "  CROSS JOIN LATERAL (SELECT d.alert_id, d.endpoint, d.next_attempt_at AS due_at, "
    "      d.lease_owner IS NOT NULL AS was_claimed FROM deliveries d "
    "    WHERE d.endpoint = room.endpoint AND d.state = 'pending' AND d.next_attempt_at <= now() "
    "      AND ($8::text[] = '{}' OR (d.alert_id, d.endpoint) IN (SELECT * FROM unnest($8::text[], "
    "$9::text[]))) "
    "      AND (NOT room.untried OR (" +
    kUntried +
    ")) "
    "      AND (NOT room.ordered OR EXISTS (SELECT FROM alerts a WHERE a.alert_id = d.alert_id "
    "        AND (a.tx_hash IS NULL OR a.place IS NULL OR a.place < $6::bigint) "
    "        AND NOT EXISTS (SELECT FROM alerts earlier "
    "          JOIN deliveries e ON e.alert_id = earlier.alert_id AND e.endpoint = d.endpoint "
    "          WHERE earlier.tx_hash = a.tx_hash AND e.state = 'pending' "
    "            AND coalesce(earlier.place, 0) < coalesce(a.place, 0)))) "
    "    ORDER BY d.next_attempt_at LIMIT room.most FOR UPDATE SKIP LOCKED) one "
    "  WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.name = room.endpoint AND " +
    kHeldBack +
    ")), "
    "claimed AS (UPDATE deliveries d SET lease_owner = $3::uuid, "
    "    next_attempt_at = now() + $4::bigint * interval '1 second' "
    "  FROM due WHERE d.alert_id = due.alert_id AND d.endpoint = due.endpoint "
    "  RETURNING d.alert_id, d.endpoint, d.attempts, d.last_status IS NOT NULL OR d.last_error IS NOT NULL "
    "    AS tried, d.rules, d.by_hand, d.created_at, d.group_id, d.late, "
    "    d.withhold_late, due.due_at, "
    "    due.was_claimed) "
    "SELECT c.alert_id, c.endpoint, a.kind, coalesce(a.tx_hash, ''), coalesce(a.payload, ''), c.attempts, "
    "c.tried, " +
    microseconds_of("a.created_at") +
    ", finding_of(a), c.rules, coalesce(a.cause::text, ''), "
    "c.by_hand OR c.tried OR c.attempts > 0 OR c.was_claimed OR c.group_id IS NOT NULL, "
    "coalesce(a.contract_id, ''), "
    "coalesce(a.method_name, ''), coalesce(a.error_class, ''), coalesce(a.signer_id, ''), "
    "coalesce(a.user_id, ''), coalesce(a.account_id, ''), " +
    microseconds_of("coalesce(a.caused_at, a.created_at)") + ", " + microseconds_of("c.created_at") +
    ", (SELECT silences FROM alert_rule_state), " + microseconds_of("now()") + ", " +
    microseconds_of("c.due_at") +
    ", coalesce(c.group_id, 0), c.late, c.withhold_late, c.by_hand, a.kind <> ALL ($10::text[]) "
    "OR coalesce(a.confirmed, false), "
    "coalesce(g.key, ''), coalesce(" +
    kNameOfGroup +
    ", ''), c.was_claimed FROM claimed c JOIN alerts a USING (alert_id) "
    "LEFT JOIN alert_groups g USING (group_id) ORDER BY c.due_at, c.alert_id";

DueDelivery due_of(const pqxx::row& row) {
    DueDelivery due;
    due.alert_id = row[0].as<std::string>();
    due.endpoint = row[1].as<std::string>();
    due.kind = row[2].as<std::string>();
    due.tx_hash = row[3].as<std::string>();
    due.payload = row[4].as<std::string>();
    due.attempts = row[5].as<unsigned>();
    due.tried = row[6].as<bool>();
    due.created_at = wall_time(row[7]);
    due.finding_id = row[8].as<std::string>();
    due.rules = ids_of(row[9]);
    due.told_json = row[10].as<std::string>();
    due.group_id = row[23].as<std::int64_t>();
    due.late = row[24].as<bool>();
    due.confirmed = row[27].as<bool>();
    due.may_leave_at = std::max(due.created_at, wall_time(row[22]));
    due.group_json = row[28].as<std::string>();
    due.group_name = row[29].as<std::string>();
    return due;
}

storm::About about_of(const DueDelivery& due, const pqxx::row& row) {
    storm::About about;
    about.endpoint = due.endpoint;
    about.kind = due.kind;
    about.is_of_transaction = rule::type_of(due.kind).starts_with("transaction.");
    for (const auto& rule : due.rules) about.rules.push_back(rule.substr(0, rule.find('@')));
    about.contract_id = row[12].as<std::string>();
    about.method_name = row[13].as<std::string>();
    about.error_class = row[14].as<std::string>();
    about.signer_id = row[15].as<std::string>();
    about.user_id = row[16].as<std::string>();
    about.account_id = row[17].as<std::string>();
    about.caused_at = wall_time(row[18]);
    about.queued_at = wall_time(row[19]);
    return about;
}

// Claims of an endpoint with groups are large: most of their alerts are counted and not sent.
constexpr unsigned kMostGroupedAtOnce = 500;

std::string most_of(const EndpointRoom& room) {
    return std::to_string(room.storm.group.empty() ? room.limit : kMostGroupedAtOnce);
}

// As each row of a claim tells it.
struct ClaimState {
    std::int64_t silences = 0;  // how often they have changed
    base::WallTime now{};
};

ClaimedDelivery claimed_of(const pqxx::row& row) {
    ClaimedDelivery delivery;
    delivery.due = due_of(row);
    delivery.about = about_of(delivery.due, row);
    delivery.is_decided = row[11].as<bool>() || is_notice(delivery.due.kind);
    delivery.was_claimed = row[30].as<bool>();
    delivery.withhold_late = row[25].as<bool>();
    delivery.is_by_hand = row[26].as<bool>();
    delivery.due_at = wall_time(row[22]);
    return delivery;
}

// An ordered endpoint is not sent an alert that an earlier one of its transaction may still overtake.
std::int64_t settled_place(pqxx::transaction_base& tx, SettledPlaces& places,
                           const std::vector<EndpointRoom>& rooms) {
    if (std::none_of(rooms.begin(), rooms.end(), [](const auto& room) { return room.ordered; })) return 0;
    return places.look(tx);
}

std::vector<ClaimedDelivery> take(pqxx::transaction_base& tx, SettledPlaces& places,
                                  const std::string& process, const std::vector<EndpointRoom>& rooms,
                                  std::chrono::seconds lease, std::span<const DeliveryName> only,
                                  ClaimState& state) {
    std::vector<std::string> alerts, their_endpoints;
    for (const auto& delivery : only) {
        alerts.push_back(delivery.alert_id);
        their_endpoints.push_back(delivery.endpoint);
    }
    std::vector<std::string> endpoints, most, ordered, untried;
    for (const auto& room : rooms) {
        endpoints.push_back(room.endpoint);
        most.push_back(most_of(room));
        ordered.emplace_back(room.ordered ? "t" : "f");
        untried.emplace_back(room.is_probe ? "t" : "f");
    }
    const auto kinds = rule::kinds_about_outcomes();
    const std::vector<std::string> about_outcomes(kinds.begin(), kinds.end());
    std::vector<ClaimedDelivery> taken;
    for (const auto& row :
         shim::query(tx, kClaim, text_array(endpoints), text_array(most), process, lease.count(),
                     text_array(ordered), settled_place(tx, places, rooms), text_array(untried),
                     text_array(alerts), text_array(their_endpoints), text_array(about_outcomes))) {
        taken.push_back(claimed_of(row));
        state = {row[20].as<std::int64_t>(), wall_time(row[21])};
    }
    return taken;
}

// A delivery that was tried before is a probe where nothing else is due.
std::vector<ClaimedDelivery> take_due(pqxx::transaction_base& tx, SettledPlaces& places,
                                      const std::string& process, const std::vector<EndpointRoom>& rooms,
                                      std::chrono::seconds lease, std::span<const DeliveryName> only,
                                      ClaimState& state) {
    auto taken = take(tx, places, process, rooms, lease, only, state);
    std::vector<EndpointRoom> left;
    for (const auto& room : rooms)
        if (room.is_probe && std::none_of(taken.begin(), taken.end(), [&](const auto& delivery) {
                return delivery.due.endpoint == room.endpoint;
            }))
            left.emplace_back(room).is_probe = false;
    if (left.empty()) return taken;
    for (auto& delivery : take(tx, places, process, left, lease, only, state))
        taken.push_back(std::move(delivery));
    return taken;
}

// A service that shows only the last message of a group gets the first alert with each of them.
void add_first_payloads(pqxx::transaction_base& tx, const std::vector<EndpointRoom>& rooms,
                        std::vector<DueDelivery>& due) {
    std::map<std::int64_t, std::vector<DueDelivery*>> telling;  // by group
    std::vector<std::string> groups;
    for (auto& delivery : due) {
        const auto room = std::find_if(rooms.begin(), rooms.end(),
                                       [&](const auto& each) { return each.endpoint == delivery.endpoint; });
        if (!room->storm.repeats || delivery.group_id == 0 || !is_notice(delivery.kind)) continue;
        telling[delivery.group_id].push_back(&delivery);
        groups.push_back(std::to_string(delivery.group_id));
    }
    if (groups.empty()) return;
    for (const auto& row : shim::query(tx,
                                       "SELECT g.group_id, a.payload FROM alert_groups g JOIN alerts a "
                                       "ON a.alert_id = g.began_with WHERE g.group_id = ANY ($1::bigint[]) "
                                       "AND a.payload IS NOT NULL",
                                       text_array(groups)))
        for (auto* delivery : telling[row[0].as<std::int64_t>()])
            delivery->first_payload = row[1].as<std::string>();
}

void log_late(const std::vector<NotSent>& not_sent) {
    for (const auto& each : not_sent)
        if (each.state == "late")
            log::warn(
                "alerts are not sent, because their causes are too old; `receiptd alerts resend` sends them",
                {{"endpoint", each.endpoint}, {"alerts", each.count}});
}

}  // namespace

// Endpoints one after the other by name: whoever locks groups of several does so in this order.
Claimed claim_due(pqxx::transaction_base& tx, SilenceBook& silences, SettledPlaces& places,
                  const std::string& process, const std::vector<EndpointRoom>& rooms,
                  std::chrono::seconds lease, std::span<const DeliveryName> only) {
    Claimed claimed;
    ClaimState state;
    auto deliveries = take_due(tx, places, process, rooms, lease, only, state);
    if (deliveries.empty()) return claimed;
    const auto known = silences.current(tx, state.silences);
    const auto now = state.now;
    std::map<std::string, std::vector<ClaimedDelivery*>> by_endpoint;
    for (auto& delivery : deliveries) by_endpoint[delivery.due.endpoint].push_back(&delivery);
    Fates fates;
    for (const auto& [endpoint, its] : by_endpoint) {
        const auto room = std::find_if(rooms.begin(), rooms.end(), [&, &name = endpoint](const auto& each) {
            return each.endpoint == name;
        });
        Sift sift(tx, *room, now, *known, fates);
        sift.sort(its);
        if (const auto pause = sift.pause()) claimed.pauses.push_back({endpoint, *pause});
    }
    fates.write(tx);
    for (auto& delivery : deliveries)
        if (delivery.is_sent) claimed.due.push_back(std::move(delivery.due));
    add_first_payloads(tx, rooms, claimed.due);
    claimed.not_sent = fates.counts();
    log_late(claimed.not_sent);
    return claimed;
}

std::vector<DeliveryName> due_now(pqxx::connection& connection, const std::vector<EndpointRoom>& rooms) {
    std::vector<std::string> endpoints, most;
    for (const auto& room : rooms) {
        endpoints.push_back(room.endpoint);
        most.push_back(most_of(room));
    }
    pqxx::work tx(connection);
    std::vector<DeliveryName> due;
    for (const auto& row :
         shim::query(tx,
                     "SELECT one.* FROM unnest($1::text[], $2::int[]) AS room (endpoint, most) "
                     "CROSS JOIN LATERAL (SELECT d.alert_id, d.endpoint FROM deliveries d "
                     "  WHERE d.endpoint = room.endpoint AND d.state = 'pending' "
                     "    AND d.next_attempt_at <= now() ORDER BY d.next_attempt_at LIMIT room.most) one",
                     text_array(endpoints), text_array(most)))
        due.push_back({row[0].as<std::string>(), row[1].as<std::string>()});
    return due;
}

void postpone(pqxx::connection& connection, const DeliveryName& delivery, const std::string& reason) {
    pqxx::work tx(connection);
    shim::query(tx,
                "UPDATE deliveries SET attempts = attempts + 1, last_error = $3, lease_owner = NULL, "
                "next_attempt_at = now() + least(30 * 2 ^ least(attempts, 7), 3600) * interval '1 second', "
                "state = CASE WHEN created_at < now() - interval '4 days' THEN 'dead' ELSE state END, "
                "dead_because = CASE WHEN created_at < now() - interval '4 days' THEN 'attempts' END "
                "WHERE alert_id = $1 AND endpoint = $2 AND state = 'pending'",
                delivery.alert_id, delivery.endpoint, "set aside: " + reason);
    tx.commit();
}

}  // namespace receiptd::storage
