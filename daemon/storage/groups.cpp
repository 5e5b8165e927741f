#include "storage/groups.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "storage/notices.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

constexpr int kMostTended = 100;  // at once; the rest comes with the next look

const std::string kGroupColumns = "group_id, key, members, told, digests, " + microseconds_of("told_at") +
                                  ", " + microseconds_of("last_member_at");

OpenGroup group_of(const pqxx::row& row) {
    OpenGroup open;
    open.has_condition = storm::has_condition(row[1].c_str());
    open.group_id = row[0].as<std::int64_t>();
    open.group.members = row[2].as<std::uint64_t>();
    open.group.told = row[3].as<std::uint64_t>();
    open.group.digests = row[4].as<unsigned>();
    open.group.told_at = wall_time(row[5]);
    open.group.last_member_at = wall_time(row[6]);
    return open;
}

const std::string kDueGroups =
    "SELECT " + kGroupColumns + ", endpoint, " + microseconds_of("now()") + ", " +
    microseconds_of("first_at") + ", " + microseconds_of("last_at") +
    ", array_to_json(untold_ids) FROM alert_groups WHERE endpoint = ANY ($1::text[]) "
    "AND ended_at IS NULL AND due_at <= now() "
    "ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED";

Notice notice_of(const pqxx::row& row, const OpenGroup& open, storm::Act act, bool repeats) {
    const bool is_over = act == storm::Act::resolve;
    const auto id = "group:" + std::to_string(open.group_id);
    Notice notice;
    notice.kind = is_over ? kGroupResolved : kGroupDigest;
    notice.alert_id = id + (is_over   ? ":resolved"
                            : repeats ? ":now"
                                      : ":digest:" + std::to_string(open.group.digests + 1));
    notice.replaces = repeats && !is_over;
    notice.endpoint = row[7].as<std::string>();
    notice.group_id = open.group_id;
    base::JsonObject cause;
    cause.number("group_id", static_cast<std::uint64_t>(open.group_id))
        .members_of(row[1].c_str())
        .number("count", open.group.members)
        .number("untold", open.group.members - open.group.told)
        .text("first_at", base::iso_time(wall_time(row[9])))
        .text("last_at", base::iso_time(wall_time(row[10])))
        .json("alert_ids", row[11].c_str())
        .text("ended_at", is_over ? base::iso_time(wall_time(row[8])) : "");
    notice.cause_json = cause.to_json();
    return notice;
}

storm::Condition condition_of(pqxx::transaction_base& tx, std::int64_t group_id, std::string_view key) {
    if (!storm::has_condition(key)) return storm::Condition::none;
    const auto holds = shim::query(
        tx,
        "SELECT EXISTS (SELECT FROM deliveries d JOIN alerts a USING (alert_id) "
        "  LEFT JOIN watches w ON w.tx_hash = a.tx_hash AND a.kind = 'stuck' "
        "  LEFT JOIN timed_episodes e ON e.alert_id = a.alert_id AND e.ended_at IS NULL "
        "  WHERE d.group_id = $1 AND (e.alert_id IS NOT NULL OR (w.stuck_since IS NOT NULL AND w.stage IN "
        "    ('accepted', 'pending', 'included', 'executing', 'completed'))))",
        group_id);
    return holds[0][0].as<bool>() ? storm::Condition::holds : storm::Condition::over;
}

// A message that was repeated each minute must not come after the end.
void drop_repetition(pqxx::transaction_base& tx, std::int64_t group_id) {
    shim::query(tx,
                "UPDATE deliveries SET state = 'grouped', lease_owner = NULL "
                "WHERE group_id = $1 AND alert_id = 'group:' || $1 || ':now' AND state = 'pending'",
                group_id);
}

// The message is repeated under one id: a claim that holds it may wait for the group that is held here.
bool can_repeat(pqxx::transaction_base& tx, std::int64_t group_id) {
    return shim::query(tx,
                       "WITH held AS (SELECT FROM deliveries WHERE group_id = $1 "
                       "  AND alert_id = 'group:' || $1 || ':now' FOR UPDATE SKIP LOCKED) "
                       "SELECT (SELECT count(*) FROM held) = (SELECT count(*) FROM deliveries "
                       "  WHERE group_id = $1 AND alert_id = 'group:' || $1 || ':now')",
                       group_id)[0][0]
        .as<bool>();
}

// True: a message was queued.
bool tend_group(pqxx::transaction_base& tx, const pqxx::row& row, const storm::Settings& settings) {
    auto open = group_of(row);
    const auto now = wall_time(row[8]);
    if (settings.repeats && !can_repeat(tx, open.group_id)) return false;
    const auto condition = condition_of(tx, open.group_id, row[1].c_str());
    const auto step = storm::next_step(open.group, settings, now, condition);
    const bool is_over = step.act == storm::Act::resolve;
    const bool is_told =
        step.act == storm::Act::digest || (is_over && is_end_told(open.group, settings, condition));
    if (is_over && settings.repeats) drop_repetition(tx, open.group_id);
    if (is_told) {
        queue_notice(tx, notice_of(row, open, step.act, settings.repeats));
        open.group.told = open.group.members;
        open.group.told_at = now;
        if (!is_over) ++open.group.digests;
    }
    const auto due_at = is_over ? now : storm::next_step(open.group, settings, now, condition).next;
    shim::query(tx,
                "UPDATE alert_groups SET told = $2, digests = $3, told_at = " + time_parameter(4) +
                    ", due_at = " + time_parameter(5) +
                    ", untold_ids = CASE WHEN $6 THEN '{}' ELSE untold_ids END, "
                    "ended_at = CASE WHEN $7 THEN now() END WHERE group_id = $1",
                open.group_id, open.group.told, open.group.digests, microseconds(open.group.told_at),
                microseconds(due_at), is_told, is_over);
    return is_told;
}

// Only hours that are over are looked at; claims look at the present one.
unsigned tend_hours(pqxx::transaction_base& tx, const std::vector<std::string>& endpoints,
                    const std::map<std::string, storm::Settings>& settings) {
    unsigned told = 0;
    for (const auto& row :
         shim::query(tx,
                     "SELECT endpoint, " + microseconds_of("hour") +
                         ", withheld FROM endpoint_load WHERE endpoint = ANY ($1::text[]) AND withheld > 0 "
                         "AND hour < date_trunc('hour', now()) ORDER BY endpoint FOR UPDATE SKIP LOCKED",
                     text_array(endpoints))) {
        const auto endpoint = row[0].as<std::string>();
        storm::Load load;
        load.hour = wall_time(row[1]);
        load.withheld = row[2].as<std::uint64_t>();
        queue_notice(tx, withheld_notice(endpoint, load, settings.at(endpoint).most_per_hour, true));
        shim::query(tx, "UPDATE endpoint_load SET withheld = 0 WHERE endpoint = $1", endpoint);
        ++told;
    }
    return told;
}

}  // namespace

OpenGroups lock_groups(pqxx::transaction_base& tx, const std::string& endpoint,
                       const std::set<std::string>& keys) {
    OpenGroups open;
    for (const auto& row : shim::query(
             tx,
             "SELECT " + kGroupColumns +
                 " FROM alert_groups WHERE endpoint = $1 AND ended_at IS NULL "
                 "AND md5(key) IN (SELECT md5(k) FROM unnest($2::text[]) AS k) ORDER BY key FOR UPDATE",
             endpoint, text_array({keys.begin(), keys.end()})))
        open.emplace(row[1].as<std::string>(), group_of(row));
    return open;
}

// xmax is 0 in a row that this statement inserts.
void open_groups(pqxx::transaction_base& tx, const std::string& endpoint,
                 const std::map<std::string, std::string>& rules, OpenGroups& groups) {
    if (rules.empty()) return;
    std::vector<std::string> keys, of_keys;
    for (const auto& [key, of_key] : rules) {
        keys.push_back(key);
        of_keys.push_back(of_key);
    }
    for (const auto& row : shim::query(
             tx,
             "INSERT INTO alert_groups AS g (endpoint, key, rules, first_at, last_at) "
             "SELECT $1, key, rules, 'infinity', '-infinity' FROM unnest($2::text[], $3::text[]) AS each "
             "(key, "
             "rules) ORDER BY key "
             "ON CONFLICT (endpoint, md5(key)) WHERE ended_at IS NULL DO UPDATE SET key = excluded.key "
             "RETURNING " +
                 kGroupColumns + ", xmax = 0",
             endpoint, text_array(keys), text_array(of_keys))) {
        auto open = group_of(row);
        open.is_new = row[7].as<bool>();
        groups.emplace(row[1].as<std::string>(), open);
    }
}

std::map<std::string, std::uint64_t> groups_of_the_hour(pqxx::transaction_base& tx,
                                                        const std::string& endpoint,
                                                        const std::set<std::string>& rules) {
    std::map<std::string, std::uint64_t> opened;
    for (const auto& row :
         shim::query(tx,
                     "SELECT rules, count(*) FROM alert_groups WHERE endpoint = $1 "
                     "AND opened_at > now() - interval '1 hour' AND rules = ANY ($2::text[]) "
                     "GROUP BY rules",
                     endpoint, text_array({rules.begin(), rules.end()})))
        opened.emplace(row[0].as<std::string>(), row[1].as<std::uint64_t>());
    return opened;
}

void join_group(pqxx::transaction_base& tx, const OpenGroup& group, const Joining& joining,
                const storm::Settings& settings, base::WallTime now) {
    auto after = group.group;
    after.members += joining.members;
    after.told += joining.told;
    after.last_member_at = now;
    const auto condition = group.has_condition ? storm::Condition::holds : storm::Condition::none;
    shim::query(tx,
                "UPDATE alert_groups SET members = $2, told = $3, last_member_at = now(), due_at = " +
                    time_parameter(4) + ", first_at = least(first_at, " + time_parameter(5) +
                    "), last_at = greatest(last_at, " + time_parameter(6) +
                    "), untold_ids = (untold_ids || $7::text[])[1:" + std::to_string(kMostIdsTold) +
                    "] WHERE group_id = $1",
                group.group_id, after.members, after.told,
                microseconds(storm::next_step(after, settings, now, condition).next),
                microseconds(joining.first_at), microseconds(joining.last_at), text_array(joining.ids));
}

unsigned tend_storms(pqxx::transaction_base& tx, const std::vector<EndpointStorm>& endpoints) {
    std::vector<std::string> names;
    std::map<std::string, storm::Settings> settings;
    for (const auto& each : endpoints) {
        names.push_back(each.endpoint);
        settings.emplace(each.endpoint, each.settings);
    }
    unsigned told = 0;
    for (const auto& row : shim::query(tx, kDueGroups, text_array(names), kMostTended))
        told += tend_group(tx, row, settings.at(row[7].as<std::string>())) ? 1 : 0;
    return told + tend_hours(tx, names, settings);
}

}  // namespace receiptd::storage
