#include "storage/news.hpp"

#include "base/line.hpp"
#include "base/nul.hpp"
#include "chain/json/json_check.hpp"
#include "chain/tree/lifecycle.hpp"
#include "rule/messages.hpp"
#include "storage/copy.hpp"
#include "storage/daemons.hpp"
#include "storage/finding_subjects.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace receiptd::storage {

std::string without_repetitions(const std::string& findings) {
    return "(WITH found AS MATERIALIZED (SELECT f.* FROM " + findings +
           "), refused AS (SELECT array_agg(receipt_id) AS ids, array_agg(tree_id) AS trees, "
           "    array_agg(block_time) AS times FROM found "
           "  WHERE error_class = 'delegate_nonce_used' AND kind = 'failed_receipt' "
           "    AND NOT EXISTS (SELECT FROM daemons WHERE tells_delegate_duplicates AND " +
           kAlive +
           ")), repetitions AS (SELECT refused_id FROM refused "
           "  CROSS JOIN LATERAL delegate_nonces_used_by(ids, trees, times) WHERE ids IS NOT NULL AND same) "
           "SELECT * FROM found WHERE (kind = 'failed_receipt' "
           "  AND receipt_id IN (SELECT refused_id FROM repetitions)) IS NOT TRUE) f";
}

namespace {

const std::string kBetween = "f.block_time BETWEEN " + time_parameter(1) + " AND " + time_parameter(2);
const std::string kFound = "findings f WHERE f.finding_id = ANY ($3::text[]) AND " + kBetween;

// Most findings were never told: the index says so for less than next_telling() costs.
const std::string kNews =
    "(SELECT f.*, next FROM " + without_repetitions(kFound) +
    " CROSS JOIN LATERAL (SELECT CASE WHEN EXISTS (SELECT FROM alerts "
    "    WHERE alert_id >= f.finding_id AND alert_id < f.finding_id || ';') "
    "  THEN next_telling(f.finding_id, f.tree_id) ELSE 1 END AS next OFFSET 0) told WHERE next >= $4) f";

constexpr std::size_t kLongestMethod = 256;  // the chain allows more than a reader does

std::string comma_joined(const std::vector<std::string_view>& names) {
    std::string joined;
    for (const auto name : names) joined.append(joined.empty() ? "" : ",").append(name);
    return joined;
}

// Alerts to make, column by column.
struct Alerts {
    void add(const rule::Subject& subject, unsigned telling, const std::string& cause_json,
             const std::vector<std::string_view>& matched, std::string_view earlier = {}) {
        ids.push_back(std::string(subject.cause_id) + (telling > 1 ? ":" + std::to_string(telling) : ""));
        tellings.push_back(std::to_string(telling));
        handled.emplace_back(!subject.handled ? "" : *subject.handled ? "t" : "f");
        kinds.emplace_back(!subject.inclusion.empty()          ? subject.inclusion
                           : subject.kind == rule::Kind::stage ? subject.stage
                                                               : rule::kind_name(subject.kind));
        tx_hashes.emplace_back(subject.tx_hash);
        causes.push_back(chain::queryable_json(cause_json));
        lists.push_back(std::to_string(list_of(matched)));
        contracts.emplace_back(subject.receiver_id);
        methods.push_back(base::shortened(base::without_nul(subject.method_name), kLongestMethod));
        error_classes.emplace_back(subject.error_class);
        signers.emplace_back(subject.signer_id);
        users.emplace_back(subject.user_id);
        accounts.emplace_back(subject.account_id);
        times.push_back(std::to_string(microseconds(subject.time)));
        earlier_alerts.emplace_back(earlier);
    }
    std::vector<std::string> ids, tellings, handled, kinds, tx_hashes, causes, lists, earlier_alerts;
    std::vector<std::string> contracts, methods, error_classes, signers, users, accounts, times;
    std::vector<std::string>
        rule_lists;  // names joined by commas, each once: many alerts match the same rules

private:
    std::size_t list_of(const std::vector<std::string_view>& matched) {
        const auto [known, is_new] = numbers_.emplace(comma_joined(matched), rule_lists.size() + 1);
        if (is_new) rule_lists.push_back(known->first);
        return known->second;
    }
    std::map<std::string, std::size_t> numbers_;
};

// Endpoints take rules by name; the delivery keeps which of them matched. The endpoints of each rule are
// asked for by index (OFFSET): without statistics the planner would read those of all rules.
const std::string kQueue =
    "WITH found AS MATERIALIZED (SELECT * "
    "  FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], "
    "    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], "
    "    $21::text[]) "
    "    WITH ORDINALITY AS each (id, telling, handled, kind, tx_hash, cause, list, contract_id, "
    "      method_name, error_class, signer_id, user_id, account_id, caused_at, earlier, at)), "
    "held AS MATERIALIZED (SELECT confirm_within AS for_long, "
    "    coalesce(upper(heights) - 1, (SELECT block_height FROM block_below(9223372036854775807))) AS tip "
    "  FROM coverage "
    "  WHERE confirm_within IS NOT NULL), "
    "resting AS MATERIALIZED (SELECT id AS resting_id, (SELECT t.confirmed FROM transactions t "
    "    WHERE t.tx_hash = each.tx_hash AND t.block_time BETWEEN "
    "      timestamptz 'epoch' + (caused_at - 604800000000) * interval '1 microsecond' "
    "      AND timestamptz 'epoch' + (caused_at + 1000000) * interval '1 microsecond' "
    "      AND t.block_time BETWEEN " +
    time_parameter(19, std::chrono::days(7)) + " AND " + time_parameter(20, std::chrono::seconds(-1)) +
    "      LIMIT 1) AS confirmed "
    "  FROM found each WHERE kind = ANY ($17::text[])), "
    "told AS (INSERT INTO alerts (alert_id, telling, handled, kind, tx_hash, cause, contract_id, "
    "    method_name, error_class, signer_id, user_id, account_id, caused_at, place, confirmed, waits_for) "
    "  SELECT id, telling, nullif(handled, '')::boolean, kind, nullif(tx_hash, ''), nullif(cause, '')::json, "
    "    nullif(contract_id, ''), nullif(method_name, ''), nullif(error_class, ''), nullif(signer_id, ''), "
    "    nullif(user_id, ''), nullif(account_id, ''), "
    "    timestamptz 'epoch' + caused_at * interval '1 microsecond', first.place + at, resting.confirmed, "
    "    CASE WHEN resting_id IS NOT NULL AND resting.confirmed IS NULL THEN (SELECT tip FROM held) END "
    "  FROM found LEFT JOIN resting ON resting_id = id, (SELECT nextval('alert_places') AS place) first "
    "  ORDER BY id ON CONFLICT DO NOTHING RETURNING alert_id, waits_for), "
    "matched AS (SELECT list, rule FROM unnest($15::text[]) WITH ORDINALITY AS each (names, list), "
    "    unnest(string_to_array(names, ',')) AS rule), "
    "taking AS MATERIALIZED (SELECT list, t.endpoint, bool_and(m.rule = ANY ($16::text[])) AS withhold_late, "
    "    array_agg(t.named ORDER BY t.named) AS named FROM matched m CROSS JOIN LATERAL ("
    "      SELECT t.endpoint, t.rule || coalesce('@' || r.version, '') AS named FROM endpoint_rules t "
    "      LEFT JOIN alert_rules r ON r.name = t.rule WHERE t.rule = m.rule OFFSET 0) t "
    "  JOIN endpoints e ON e.name = t.endpoint WHERE e." +
    kServed +
    "  GROUP BY list, t.endpoint), "
    "queued AS (INSERT INTO deliveries (alert_id, endpoint, withhold_late, rules, next_attempt_at) "
    "  SELECT id, endpoint, withhold_late OR caused_at < $18, named, now() + CASE WHEN waits_for IS NULL "
    "THEN interval '0' "
    "      ELSE (SELECT for_long FROM held) END FROM told JOIN found ON id = alert_id "
    "    JOIN taking USING (list) WHERE earlier = '' OR NOT EXISTS (SELECT FROM deliveries d WHERE "
    "d.alert_id = "
    "      earlier AND d.endpoint = taking.endpoint) RETURNING alert_id, endpoint) "
    "SELECT id, kind, coalesce(endpoint, ''), ($15::text[])[list] <> '' FROM told "
    "  JOIN found ON id = told.alert_id LEFT JOIN queued ON queued.alert_id = id ORDER BY at";

struct Queued {
    std::vector<std::string> ids;  // of the alerts that were made
    Told told;
};

// A row for each delivery, and one for each alert that has none.
Queued queued_of(const pqxx::result& rows) {
    Queued queued;
    for (const auto& row : rows) {
        auto id = row[0].as<std::string>();
        if (row[3].as<bool>()) ++queued.told.matched[{row[1].as<std::string>(), row[2].as<std::string>()}];
        if (queued.ids.empty() || queued.ids.back() != id) queued.ids.push_back(std::move(id));
    }
    queued.told.is_due = !queued.ids.empty();
    return queued;
}

// A late alert is withheld if all rules that match say so, or if its cause is older than `sent_since`.
Queued queue(pqxx::transaction_base& tx, const rule::RuleSet& rules, const Alerts& alerts,
             base::WallTime sent_since) {
    if (alerts.ids.empty()) return {};
    std::vector<std::string> withholding_late;
    for (const auto& definition : rules.definitions())
        if (definition.withholds_late) withholding_late.push_back(definition.name);
    const auto kinds = rule::kinds_about_outcomes();
    const std::vector<std::string> about_outcomes(kinds.begin(), kinds.end());
    auto caused = kNoTime;
    for (const auto& time : alerts.times) caused.include(std::stoll(time));
    return queued_of(
        shim::query(tx, kQueue, text_array(alerts.ids), text_array(alerts.tellings),
                    text_array(alerts.handled), text_array(alerts.kinds), text_array(alerts.tx_hashes),
                    text_array(alerts.causes), text_array(alerts.lists), text_array(alerts.contracts),
                    text_array(alerts.methods), text_array(alerts.error_classes), text_array(alerts.signers),
                    text_array(alerts.users), text_array(alerts.accounts), text_array(alerts.times),
                    text_array(alerts.rule_lists), text_array(withholding_late), text_array(about_outcomes),
                    microseconds(sent_since), caused.since, caused.until, text_array(alerts.earlier_alerts)));
}

struct Matching {
    const Event* event;
    std::vector<std::string_view> rules;
};

// Leaves those that some endpoint which takes one of their rules has not heard of by an earlier alert.
void leave_news(pqxx::transaction_base& tx, std::vector<Matching>& found) {
    std::vector<std::string> earlier, names;
    for (const auto& [event, rules] : found) {
        if (event->earlier_alert.empty()) continue;
        earlier.push_back(event->earlier_alert);
        names.push_back(comma_joined(rules));
    }
    if (earlier.empty()) return;
    std::set<std::string> lacked;
    for (const auto& row :
         shim::query(tx,
                     "SELECT n.earlier FROM unnest($1::text[], $2::text[]) AS n (earlier, names) "
                     "WHERE EXISTS (SELECT FROM endpoint_rules t JOIN endpoints e ON e.name = "
                     "t.endpoint WHERE t.rule = ANY (string_to_array(n.names, ',')) AND e." +
                         kServed +
                         " AND NOT EXISTS (SELECT FROM deliveries d WHERE d.alert_id = n.earlier "
                         "AND d.endpoint = t.endpoint))",
                     text_array(earlier), text_array(names)))
        lacked.insert(row[0].as<std::string>());
    std::erase_if(found, [&](const Matching& each) {
        return !each.event->earlier_alert.empty() && !lacked.contains(each.event->earlier_alert);
    });
}

// After the earlier alert, to where that one was queued, with its rules.
const std::string kFurther =
    "WITH news AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) "
    "    WITH ORDINALITY AS each (id, earlier, kind, cause, caused_at, at)), "
    "told AS (INSERT INTO alerts (alert_id, telling, kind, tx_hash, cause, contract_id, method_name, "
    "    error_class, signer_id, user_id, caused_at, place) "
    "  SELECT n.id, a.telling, n.kind, a.tx_hash, n.cause::json, a.contract_id, a.method_name, "
    "a.error_class, "
    "    a.signer_id, a.user_id, timestamptz 'epoch' + n.caused_at * interval '1 microsecond', "
    "    first.place + n.at FROM news n JOIN alerts a ON a.alert_id = n.earlier, "
    "    (SELECT nextval('alert_places') AS place) first ORDER BY n.id ON CONFLICT DO NOTHING RETURNING "
    "alert_id) "
    "INSERT INTO deliveries (alert_id, endpoint, withhold_late, rules) "
    "SELECT n.id, d.endpoint, d.withhold_late, d.rules FROM told JOIN news n ON n.id = told.alert_id "
    "  JOIN deliveries d ON d.alert_id = n.earlier AND d.state NOT IN ('silenced', 'withheld', 'late') "
    "RETURNING alert_id";

// The default rule asks only for what the row of a finding says.
FindingSubjects::Detail asked_by(const rule::RuleSet& rules) {
    const auto asks = [](const rule::Definition& definition) {
        return definition.name != rule::kDefaultName &&
               (definition.kinds & (rule::kFindings | bit(rule::Kind::stage))) != 0;
    };
    const auto definitions = rules.definitions();
    return std::any_of(definitions.begin(), definitions.end(), asks) ? FindingSubjects::Detail::all
                                                                     : FindingSubjects::Detail::of_findings;
}

// Told of a watch was its end, or the stages that it entered; of a finding the finding itself.
const std::string kCorrect =
    "WITH news AS (SELECT f.* FROM " + kFound +
    "), told AS (INSERT INTO alerts (alert_id, kind, tx_hash, contract_id, method_name, error_class, "
    "    signer_id, user_id, caused_at, place) "
    "  SELECT finding_id, kind, tx_hash, contract_id, left(method_name, 256), error_class, signer_id, "
    "    user_id, block_time, first.place + row_number() OVER (ORDER BY finding_id) "
    "  FROM news, (SELECT nextval('alert_places') AS place) first ORDER BY finding_id ON CONFLICT DO NOTHING "
    "  RETURNING alert_id), "
    "queued AS (INSERT INTO deliveries (alert_id, endpoint, rules) "
    "  SELECT n.finding_id, d.endpoint, array_agg(DISTINCT rule ORDER BY rule) FILTER (WHERE rule IS NOT "
    "NULL) "
    "  FROM told JOIN news n ON n.finding_id = told.alert_id JOIN alerts a ON a.tx_hash = n.tx_hash "
    "    AND (finding_of(a) = n.correction #>> '{told,finding_id}' OR (n.correction #> '{told,stage}' IS NOT "
    "NULL "
    "      AND a.kind IN ('accepted', 'pending', 'included', 'executing', 'completed', 'final'))) "
    "  JOIN deliveries d ON d.alert_id = a.alert_id AND d.state NOT IN ('silenced', 'withheld', 'late') "
    "  LEFT JOIN LATERAL unnest(d.rules) AS rule ON true "
    "  GROUP BY n.finding_id, d.endpoint) SELECT alert_id FROM told";

// Alerts that still wait for their outcomes are not sent, so nothing of them is to be corrected.
const std::string kNotToldYet =
    "UPDATE deliveries d SET state = 'withheld' FROM findings f "
    "JOIN alerts a ON a.tx_hash = f.tx_hash AND a.waits_for IS NOT NULL "
    "  AND (finding_of(a) = f.correction #>> '{told,finding_id}' OR (f.correction #> '{told,stage}' IS NOT "
    "NULL "
    "    AND a.kind IN ('executing', 'completed', 'final'))) "
    "WHERE f.finding_id = ANY ($3::text[]) AND " +
    kBetween + " AND d.alert_id = a.alert_id AND NOT d.by_hand AND " + kUnsent;

// Amounts as texts: a reader in JavaScript would lose digits of larger numbers.
const std::string kStreamedColumns =
    "finding_id, kind, tx_hash, tree_id, receipt_id, role, handled, handled_by, contract_id, method_name, "
    "signer_id, user_id, error_class, error_text, root_cause, effect, amount_kept::text, "
    "amount_returned::text, amount_burnt::text, block_height, block_time, conclusive, "
    "safe_to_resign_after_height, safe_to_resign_estimated_at, correction";

void stream(pqxx::transaction_base& tx, const std::vector<std::string>& made, const News& news) {
    if (made.empty()) return;
    shim::query(tx,
                "WITH told AS (SELECT f.*, nullif(a.telling, 1) AS telling FROM alerts a "
                "  JOIN findings f ON f.finding_id = finding_of(a) "
                "  WHERE a.alert_id = ANY ($3::text[]) AND f.expected IS NOT TRUE AND " +
                    kBetween +
                    ") INSERT INTO stream_events (kind, tx_hash, body) "
                    "SELECT 'finding', tx_hash, json_strip_nulls(to_json(line)) FROM (SELECT " +
                    kStreamedColumns + ", telling FROM told ORDER BY block_height, finding_id) line",
                news.span.since, news.span.until, text_array(made));
}

}  // namespace

std::vector<std::string_view> rules_about(const rule::Subject& finding, const rule::RuleSet& rules) {
    auto matched = rules.match_names(finding);
    const auto name = rule::kind_name(finding.kind);
    if (!chain::parse_stage(name)) return matched;
    auto stage = finding;
    stage.kind = rule::Kind::stage;
    stage.stage = name;
    for (const auto other : rules.match_names(stage))
        if (std::find(matched.begin(), matched.end(), other) == matched.end()) matched.push_back(other);
    return matched;
}

void News::add(std::string finding_id, std::uint64_t timestamp_nanosec) {
    span.include(static_cast<std::int64_t>(timestamp_nanosec / kNanosecondsPerMicrosecond));
    finding_ids.push_back(std::move(finding_id));
}

Told tell(pqxx::transaction_base& tx, RuleBook& rules, const News& news, Telling telling) {
    if (news.finding_ids.empty()) return {};
    const auto now = rules.current(tx);
    const FindingSubjects found(tx, asked_by(now), news.span, kNews, text_array(news.finding_ids),
                                telling == Telling::again ? 2 : 1);
    if (found.events().empty()) return {};
    Alerts alerts;
    for (const auto& event : found.events()) {
        const auto matched = rules_about(event.subject, now);
        if (!matched.empty() || event.subject.expected != true)
            alerts.add(event.subject, event.telling, event.cause_json, matched);
    }
    auto queued = queue(tx, now, alerts, news.sent_since);
    stream(tx, queued.ids, news);
    return std::move(queued.told);
}

Told tell_findings(pqxx::transaction_base& tx, RuleBook& rules, const std::vector<chain::Finding>& findings,
                   Telling telling, base::WallTime sent_since) {
    News news;
    news.sent_since = sent_since;
    for (const auto& finding : findings) news.add(finding.finding_id, finding.at.timestamp_nanosec);
    return tell(tx, rules, news, telling);
}

Told tell_events(pqxx::transaction_base& tx, const rule::RuleSet& rules, const std::vector<Event>& events,
                 base::WallTime sent_since) {
    if (events.empty()) return {};
    std::vector<Matching> found;
    for (const auto& event : events)
        if (auto matched = rules.match_names(event.subject); !matched.empty())
            found.push_back({&event, std::move(matched)});
    leave_news(tx, found);
    Alerts alerts;
    for (const auto& [event, matched] : found)
        alerts.add(event->subject, event->telling, event->cause_json, matched, event->earlier_alert);
    return queue(tx, rules, alerts, sent_since).told;
}

Told tell_further(pqxx::transaction_base& tx, const std::vector<Event>& events) {
    if (events.empty()) return {};
    Alerts alerts;
    for (const auto& event : events)
        alerts.add(event.subject, event.telling, event.cause_json, {}, event.earlier_alert);
    Told told;
    told.is_due = !shim::query(tx, kFurther, text_array(alerts.ids), text_array(alerts.earlier_alerts),
                               text_array(alerts.kinds), text_array(alerts.causes), text_array(alerts.times))
                       .empty();
    return told;
}

Told tell_of_rule(pqxx::transaction_base& tx, std::string_view rule, const Event& event) {
    Alerts alerts;
    alerts.add(event.subject, event.telling, event.cause_json, {rule});
    return queue(tx, rule::RuleSet(), alerts, {}).told;
}

void tell_corrections(pqxx::transaction_base& tx, const News& corrections) {
    if (corrections.finding_ids.empty()) return;
    shim::query(tx, kNotToldYet, corrections.span.since, corrections.span.until,
                text_array(corrections.finding_ids));
    const auto made = shim::query(tx, kCorrect, corrections.span.since, corrections.span.until,
                                  text_array(corrections.finding_ids));
    stream(tx, texts_of(made), corrections);
}

}  // namespace receiptd::storage
