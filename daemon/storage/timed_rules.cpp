#include "storage/timed_rules.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "storage/news.hpp"
#include "storage/sql_time.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

std::string taken_by_endpoint(const std::string& name) {
    return "(" + name +
           " IN (SELECT p.rule FROM endpoint_rules p JOIN endpoints ON endpoints.name = p.endpoint WHERE " +
           kServed + "))";
}

// The episode of a rule that was renamed goes on.
const std::string kRename =
    "WITH renamed AS (SELECT DISTINCT ON (n.name) e.rule, n.name FROM timed_episodes e "
    "  JOIN alert_rule_versions v ON v.name = e.rule AND v.version = e.version "
    "  JOIN alert_rules n ON n.name <> e.rule "
    "    AND n.definition::jsonb - 'name' = v.definition::jsonb - 'name' "
    "  WHERE e.ended_at IS NULL AND NOT " +
    taken_by_endpoint("e.rule") + " AND " + taken_by_endpoint("n.name") +
    "    AND NOT EXISTS (SELECT FROM timed_episodes o WHERE o.rule = n.name "
    "      AND (o.ended_at IS NULL OR o.began_at = e.began_at)) "
    "  ORDER BY n.name, e.began_at) "
    "UPDATE timed_episodes e SET rule = r.name FROM renamed r WHERE e.rule = r.rule AND e.ended_at IS NULL";

const std::string kLoad = "SELECT r.name, r.version, " + microseconds_of("t.counted_from") + ", " +
                          microseconds_of("t.counted_until") +
                          ", e.rule IS NOT NULL FROM alert_rules r "
                          "LEFT JOIN timed_rules t ON t.rule = r.name AND t.version = r.version "
                          "LEFT JOIN timed_episodes e ON e.rule = r.name AND e.ended_at IS NULL WHERE " +
                          taken_by_endpoint("r.name") + " ORDER BY r.name";

void forget_others(pqxx::transaction_base& tx, const std::vector<TimedRule>& rules, base::WallTime now) {
    std::vector<std::string> names;
    for (const auto& rule : rules) names.push_back(rule.name);
    const auto known = text_array(names);
    shim::query(tx, "DELETE FROM timed_rules WHERE rule <> ALL ($1::text[])", known);
    shim::query(tx, "DELETE FROM timed_successes WHERE rule <> ALL ($1::text[])", known);
    shim::query(tx,
                "UPDATE timed_episodes SET ended_at = greatest(began_at, " + time_parameter(2) +
                    ") WHERE ended_at IS NULL AND rule <> ALL ($1::text[])",
                known, microseconds(now));
}

std::optional<std::string> counted_text(const std::optional<rule::CountedTime>& counted,
                                        base::WallTime rule::CountedTime::*end) {
    if (!counted) return std::nullopt;
    return std::to_string(microseconds(*counted.*end));
}

void keep_states(pqxx::transaction_base& tx, const std::vector<TimedRule>& rules) {
    std::vector<std::string> names, versions, froms, untils, states;
    for (const auto& rule : rules) {
        names.push_back(rule.name);
        versions.push_back(std::to_string(rule.version));
        froms.push_back(counted_text(rule.counted, &rule::CountedTime::from).value_or(""));
        untils.push_back(counted_text(rule.counted, &rule::CountedTime::until).value_or(""));
        states.emplace_back(timed_state_name(rule.state));
    }
    shim::query(
        tx,
        "INSERT INTO timed_rules (rule, version, counted_from, counted_until, state) "
        "SELECT rule, version, timestamptz 'epoch' + interval '1 microsecond' * nullif(since, '')::bigint, "
        "  timestamptz 'epoch' + interval '1 microsecond' * nullif(until, '')::bigint, state "
        "FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[]) "
        "  AS each (rule, version, since, until, state) "
        "ON CONFLICT (rule) DO UPDATE SET version = excluded.version, counted_from = excluded.counted_from, "
        "  counted_until = excluded.counted_until, state = excluded.state",
        text_array(names), text_array(versions), text_array(froms), text_array(untils), text_array(states));
}

void end_episode(pqxx::transaction_base& tx, const TimedRule& rule) {
    shim::query(tx,
                "UPDATE timed_episodes SET ended_at = greatest(began_at, " + time_parameter(2) +
                    ") WHERE rule = $1 AND ended_at IS NULL",
                rule.name, microseconds(rule.until));
}

std::string time_in_id(base::WallTime time) {
    return base::iso_time_to_microseconds(static_cast<std::uint64_t>(time.time_since_epoch().count()));
}

// One that began at the same time as an earlier one is that one.
Told begin_episode(pqxx::transaction_base& tx, const TimedRule& rule) {
    const auto since = rule.judgement.since;
    const auto alert_id = "rule:" + rule.name + ":" + time_in_id(since);
    const auto begun = shim::query(tx,
                                   "INSERT INTO timed_episodes AS e (rule, began_at, version, alert_id) "
                                   "VALUES ($1, " +
                                       time_parameter(2) +
                                       ", $3, $4) ON CONFLICT (rule, began_at) DO UPDATE SET ended_at = NULL",
                                   rule.name, microseconds(since), rule.version, alert_id);
    Event event;
    event.subject.kind = rule.definition->absence ? rule::Kind::absence : rule::Kind::latency;
    event.subject.cause_id = alert_id;
    event.subject.time = since;
    event.cause_json = base::JsonObject()
                           .text("rule", rule.name)
                           .text("since", time_in_id(since))
                           .text("judged_until", time_in_id(rule.until))
                           .members_of(rule.numbers_json)
                           .to_json();
    return begun.affected_rows() > 0 ? tell_of_rule(tx, rule.name, event) : Told();
}

}  // namespace

std::string_view timed_state_name(TimedState state) {
    switch (state) {
        case TimedState::quiet: return "quiet";
        case TimedState::alert: return "alert";
        case TimedState::gap: return "gap";
        case TimedState::history: return "history";
        case TimedState::skipped: return "skipped";
        case TimedState::trees: return "trees";
        case TimedState::samples: return "samples";
        case TimedState::too_many: return "too_many";
        case TimedState::not_at_head: return "not_at_head";
    }
    return "unknown";
}

std::vector<TimedRule> load_timed_rules(pqxx::transaction_base& tx, const rule::RuleSet& rules,
                                        base::WallTime now) {
    tx.exec(kRename);
    std::map<std::string_view, rule::RuleIndex> timed;
    const auto definitions = rules.definitions();
    for (rule::RuleIndex i = 0; i < definitions.size(); ++i)
        if (definitions[i].is_timed()) timed.emplace(definitions[i].name, i);
    std::vector<TimedRule> loaded;
    for (const auto& row : tx.exec(kLoad)) {
        const auto found = timed.find(row[0].c_str());
        if (found == timed.end()) continue;
        auto& rule = loaded.emplace_back();
        rule.name = row[0].as<std::string>();
        rule.version = row[1].as<int>();
        rule.index = found->second;
        rule.definition = &definitions[found->second];
        if (!row[2].is_null()) rule.counted = rule::CountedTime{wall_time(row[2]), wall_time(row[3])};
        rule.is_open = row[4].as<bool>();
        if (loaded.size() > rule::kMostTimedRules) rule.state = TimedState::too_many;
    }
    forget_others(tx, loaded, now);
    return loaded;
}

Told take_turns(pqxx::transaction_base& tx, std::vector<TimedRule>& rules) {
    Told told;
    for (auto& rule : rules) {
        const auto turn = rule::turn(rule.is_open, rule.judgement);
        if (turn == rule::Turn::ends) end_episode(tx, rule);
        if (turn == rule::Turn::begins) told += begin_episode(tx, rule);
    }
    keep_states(tx, rules);
    return told;
}

}  // namespace receiptd::storage
