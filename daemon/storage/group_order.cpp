#include "storage/group_order.hpp"

#include "storage/groups.hpp"
#include "storage/notices.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace receiptd::storage {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kSoonest = 10s;  // looks for what is awaited
constexpr std::chrono::milliseconds kLatest = 1min;

// A row that a claim or an answer has in its hands is locked: it is under way.
const std::string kOutstanding =
    "WITH held AS MATERIALIZED (SELECT alert_id FROM deliveries WHERE group_id = $1 AND state = 'pending' "
    "  FOR UPDATE SKIP LOCKED) "
    "SELECT d.alert_id, a.kind, h.alert_id IS NULL OR (d.lease_owner IS NOT NULL AND d.next_attempt_at > "
    "now()), "
    "  d.attempts > 0 OR d.last_status IS NOT NULL OR d.last_error IS NOT NULL OR d.lease_owner IS NOT NULL, "
    "  d.by_hand, EXISTS (SELECT FROM deliveries t JOIN alerts c USING (alert_id) "
    "    WHERE t.group_id = $1 AND t.state = 'delivered' AND c.kind = '" +
    std::string(kGroupDigest) +
    "'), ceil(extract(epoch FROM d.next_attempt_at - now()) * 1000)::bigint "
    "FROM deliveries d JOIN alerts a USING (alert_id) LEFT JOIN held h USING (alert_id) "
    "WHERE d.group_id = $1 AND d.state = 'pending'";

storm::Part part_of(const std::string& kind) {
    return kind == kGroupDigest     ? storm::Part::digest
           : kind == kGroupResolved ? storm::Part::end
                                    : storm::Part::alert;
}

storm::Outstanding outstanding_of(const pqxx::row& row) {
    storm::Outstanding message;
    message.part = part_of(row[1].as<std::string>());
    message.is_under_way = row[2].as<bool>();
    message.was_tried = row[3].as<bool>();
    message.is_by_hand = row[4].as<bool>();
    message.is_group_told = row[5].as<bool>();
    return message;
}

// Deliveries that people have resent were counted before.
const std::string kDrop =
    "WITH dropped AS (UPDATE deliveries d SET state = 'overtaken', lease_owner = NULL FROM alerts a "
    "  WHERE a.alert_id = d.alert_id AND d.group_id = $1 AND d.state = 'pending' "
    "    AND d.alert_id = ANY ($2::text[]) "
    "  RETURNING a.alert_id, CASE WHEN a.kind = '" +
    std::string(kGroupDigest) +
    "' THEN a.cause END AS digest, d.by_hand), "
    "counted AS (SELECT coalesce((digest ->> 'untold')::bigint, 1) AS untold, "
    "    coalesce(array(SELECT json_array_elements_text(digest -> 'alert_ids')), '{}') "
    "      || CASE WHEN digest IS NULL THEN ARRAY[alert_id] ELSE '{}' END AS ids "
    "  FROM dropped WHERE NOT by_hand) "
    "SELECT coalesce(sum(untold), 0)::bigint, "
    "  array_to_json((array(SELECT unnest(ids) FROM counted))[1:" +
    std::to_string(kMostIdsTold) + "]) FROM counted";

// $2: the claimed messages, which are not under way yet.
const std::string kStandings =
    "WITH held AS MATERIALIZED (SELECT group_id, ended_at IS NOT NULL AS is_over FROM alert_groups "
    "  WHERE group_id = ANY ($1::bigint[]) FOR SHARE SKIP LOCKED) "
    "SELECT g.group_id, h.group_id IS NOT NULL, coalesce(h.is_over, false), "
    "  EXISTS (SELECT FROM deliveries d JOIN alerts a USING (alert_id) WHERE d.group_id = g.group_id "
    "    AND d.state = 'pending' AND a.kind = '" +
    std::string(kGroupResolved) +
    "' AND coalesce(d.last_status, 0) NOT BETWEEN 200 AND 299 "
    "    AND (d.alert_id = ANY ($2::text[]) OR d.lease_owner IS NULL OR d.next_attempt_at <= now())), "
    "  EXISTS (SELECT FROM deliveries d JOIN alerts a USING (alert_id) WHERE d.group_id = g.group_id "
    "    AND d.state = 'pending' AND a.kind NOT IN ('" +
    std::string(kGroupResolved) + "', '" + std::string(kGroupDigest) +
    "')) "
    "FROM alert_groups g LEFT JOIN held h USING (group_id) WHERE g.group_id = ANY ($1::bigint[])";

}  // namespace

Room make_room(pqxx::transaction_base& tx, std::int64_t group_id, storm::Act next,
               const storm::Settings& settings) {
    Room room;
    std::vector<std::string> overtaken;
    for (const auto& row : shim::query(tx, kOutstanding, group_id)) {
        const auto way = storm::way_of(outstanding_of(row), next, settings);
        if (way == storm::Way::overtaken) overtaken.push_back(row[0].as<std::string>());
        if (way != storm::Way::awaited) continue;
        const auto look = std::clamp(std::chrono::milliseconds(row[6].as<std::int64_t>()), kSoonest, kLatest);
        room.look_again = room.look_again == 0ms ? look : std::min(room.look_again, look);
    }
    if (room.look_again > 0ms || overtaken.empty()) return room;
    const auto dropped = shim::query(tx, kDrop, group_id, text_array(overtaken))[0];
    room.untold = dropped[0].as<std::uint64_t>();
    room.ids_json = dropped[1].as<std::string>();
    return room;
}

// A group that retention has forgotten is over.
std::map<std::string, storm::Turn> turns_of(pqxx::transaction_base& tx,
                                            const std::vector<OfGroup>& messages) {
    std::map<std::string, storm::Turn> turns;
    if (messages.empty()) return turns;
    std::vector<std::string> ids, names;
    for (const auto& message : messages) {
        ids.push_back(std::to_string(message.group_id));
        names.push_back(message.alert_id);
    }
    std::map<std::int64_t, std::optional<storm::Standing>> groups;
    for (const auto& row : shim::query(tx, kStandings, text_array(ids), text_array(names))) {
        auto& group = groups[row[0].as<std::int64_t>()];
        if (row[1].as<bool>()) group = {row[2].as<bool>(), row[3].as<bool>(), row[4].as<bool>()};
    }
    for (const auto& message : messages) {
        const auto group = groups.try_emplace(message.group_id, storm::Standing{true}).first->second;
        turns[message.alert_id] = group ? storm::turn_of(part_of(message.kind), *group) : storm::Turn::later;
    }
    return turns;
}

}  // namespace receiptd::storage
