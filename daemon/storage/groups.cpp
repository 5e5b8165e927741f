#include "storage/groups.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "storage/database_id.hpp"
#include "storage/group_order.hpp"
#include "storage/notices.hpp"
#include "storage/sql_time.hpp"
#include "storage/still_holds.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

constexpr int kMostTended = 100;  // at once; the rest comes with the next look

const std::string kGroupColumns = "group_id, key, members, told, digests, " + microseconds_of("told_at") +
                                  ", " + microseconds_of("last_member_at") + ", " + kNameOfGroup;

OpenGroup group_of(const pqxx::row& row) {
    OpenGroup open;
    open.has_condition = storm::has_condition(row[1].c_str());
    open.group_id = row[0].as<std::int64_t>();
    open.group.members = row[2].as<std::uint64_t>();
    open.group.told = row[3].as<std::uint64_t>();
    open.group.digests = row[4].as<unsigned>();
    open.group.told_at = wall_time(row[5]);
    open.group.last_member_at = wall_time(row[6]);
    open.name = row[7].as<std::string>();
    return open;
}

const std::string kDueGroups =
    "SELECT " + kGroupColumns + ", endpoint, " + microseconds_of("now()") + ", " +
    microseconds_of("first_at") + ", " + microseconds_of("last_at") +
    ", array_to_json(untold_ids) FROM alert_groups g WHERE endpoint = ANY ($1::text[]) "
    "AND ended_at IS NULL AND due_at <= now() "
    "ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED";

// The columns of kDueGroups behind those of kGroupColumns.
enum DueColumn : pqxx::row_size_type { kEndpoint = 8, kNow, kFirstAt, kLastAt, kUntoldIds };

std::string id_of_notice(const OpenGroup& open, storm::Act act, bool repeats) {
    if (act == storm::Act::resolve) return open.name + ":resolved";
    return open.name + (repeats ? ":now" : ":digest:" + std::to_string(open.group.digests + 1));
}

Notice notice_of(const pqxx::row& row, const OpenGroup& open, storm::Act act, bool repeats,
                 const std::string& ids_json) {
    const bool is_over = act == storm::Act::resolve;
    Notice notice;
    notice.kind = is_over ? kGroupResolved : kGroupDigest;
    notice.alert_id = id_of_notice(open, act, repeats);
    notice.replaces = repeats && !is_over;
    notice.endpoint = row[kEndpoint].as<std::string>();
    notice.group_id = open.group_id;
    base::JsonObject cause;
    cause.number("group_id", static_cast<std::uint64_t>(open.group_id))
        .members_of(row[1].c_str())
        .number("count", open.group.members)
        .number("untold", open.group.members - open.group.told)
        .text("first_at", base::iso_time(wall_time(row[kFirstAt])))
        .text("last_at", base::iso_time(wall_time(row[kLastAt])))
        .json("alert_ids", ids_json)
        .text("ended_at", is_over ? base::iso_time(wall_time(row[kNow])) : "");
    notice.cause_json = cause.to_json();
    return notice;
}

storm::Condition condition_of(pqxx::transaction_base& tx, std::int64_t group_id, std::string_view key) {
    if (!storm::has_condition(key)) return storm::Condition::none;
    const auto holds =
        shim::query(tx,
                    "SELECT EXISTS (SELECT FROM deliveries d JOIN alerts a USING (alert_id) " +
                        kConditionOfAlert + "WHERE d.group_id = $1 AND " + kConditionHolds + ")",
                    group_id);
    return holds[0][0].as<bool>() ? storm::Condition::holds : storm::Condition::over;
}

void look_again(pqxx::transaction_base& tx, std::int64_t group_id, std::chrono::milliseconds wait) {
    shim::query(tx,
                "UPDATE alert_groups SET due_at = now() + $2::bigint * interval '1 millisecond' "
                "WHERE group_id = $1",
                group_id, wait.count());
}

// The ids of messages that it overtakes come first.
std::string ids_of_notice(pqxx::transaction_base& tx, const pqxx::row& row, const Room& room) {
    if (room.untold == 0) return row[kUntoldIds].c_str();
    return shim::query(tx,
                       "SELECT array_to_json((array(SELECT json_array_elements_text($1::json)) || "
                       "array(SELECT json_array_elements_text($2::json)))[1:" +
                           std::to_string(kMostIdsTold) + "])",
                       room.ids_json, std::string(row[kUntoldIds].c_str()))[0][0]
        .as<std::string>();
}

// True: a message was queued.
bool tend_group(pqxx::transaction_base& tx, const pqxx::row& row, const storm::Settings& settings) {
    auto open = group_of(row);
    const auto now = wall_time(row[kNow]);
    const auto condition = condition_of(tx, open.group_id, row[1].c_str());
    const auto step = storm::next_step(open.group, settings, now, condition);
    const bool is_over = step.act == storm::Act::resolve;
    const bool is_told =
        step.act == storm::Act::digest || (is_over && is_end_told(open.group, settings, condition));
    if (step.act != storm::Act::wait) {
        const auto room = make_room(tx, open.group_id, step.act, settings);
        if (room.look_again.count() > 0) {
            look_again(tx, open.group_id, room.look_again);
            return false;
        }
        open.group.told -= room.untold;
        if (is_told)
            queue_notice(tx, notice_of(row, open, step.act, settings.repeats, ids_of_notice(tx, row, room)));
    }
    if (is_told) {
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
        queue_withheld(tx, endpoint, load, settings.at(endpoint).most_per_hour, true);
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
                 " FROM alert_groups g WHERE endpoint = $1 AND ended_at IS NULL "
                 "AND md5(key) IN (SELECT md5(k) FROM unnest($2::text[]) AS k) ORDER BY key FOR UPDATE",
             endpoint, text_array({keys.begin(), keys.end()})))
        open.emplace(row[1].as<std::string>(), group_of(row));
    return open;
}

// xmax is 0 in a row that this statement inserts.
void open_groups(pqxx::transaction_base& tx, const std::string& endpoint,
                 const std::map<std::string, Opening>& openings, OpenGroups& groups) {
    if (openings.empty()) return;
    const auto from = origin(tx);
    std::vector<std::string> keys, rules, names, firsts;
    for (const auto& [key, opening] : openings) {
        keys.push_back(key);
        rules.push_back(opening.rules);
        names.push_back("group-" + name_of(from, {endpoint, key, opening.alert_id}));
        firsts.push_back(opening.alert_id);
    }
    for (const auto& row : shim::query(
             tx,
             "INSERT INTO alert_groups AS g (endpoint, key, rules, name, began_with, first_at, last_at) "
             "SELECT $1, key, rules, name, first, 'infinity', '-infinity' "
             "FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS each (key, rules, name, first) "
             "ORDER BY key "
             "ON CONFLICT (endpoint, md5(key)) WHERE ended_at IS NULL DO UPDATE SET key = excluded.key "
             "RETURNING " +
                 kGroupColumns + ", xmax = 0",
             endpoint, text_array(keys), text_array(rules), text_array(names), text_array(firsts))) {
        auto open = group_of(row);
        open.is_new = row[8].as<bool>();
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
        told += tend_group(tx, row, settings.at(row[kEndpoint].as<std::string>())) ? 1 : 0;
    return told + tend_hours(tx, names, settings);
}

}  // namespace receiptd::storage
