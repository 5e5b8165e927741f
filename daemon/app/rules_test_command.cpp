// `receiptd rules test`: a rehearsal of the configuration's rules on stored history.
#include "app/commands.hpp"
#include "app/joined.hpp"
#include "app/print_json.hpp"
#include "app/store_for_command.hpp"
#include "storage/pg_alert_rule_store.hpp"
#include "storage/rehearsal.hpp"
#include "storage/stored_subjects.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 5;
constexpr unsigned kAccountsAtOnce = 10'000;

std::vector<std::string> stored_accounts(storage::AlertRuleStore& store, const std::string& list) {
    std::vector<std::string> all;
    while (true) {
        const auto after = all.empty() ? std::string() : all.back();
        const auto more = wait_for(store.accounts(list, after, kAccountsAtOnce));
        if (!more || more->empty()) return all;
        all.insert(all.end(), more->begin(), more->end());
    }
}

// As the configuration has them; what a list without a file holds is in the database.
rule::Lists lists_of(const config::Settings& settings) {
    StoreForCommand<storage::PgAlertRuleStore> asking(settings);
    std::vector<rule::AccountList> lists;
    for (const auto& list : settings.lists)
        lists.push_back(
            {list.name, list.file.empty() ? stored_accounts(asking.store(), list.name) : list.accounts});
    return rule::Lists(lists);
}

std::vector<rule::Definition> definitions_of(const config::Settings& settings, const std::string& only) {
    std::vector<rule::Definition> chosen;
    if (only.empty() || only == rule::kDefaultName) chosen.push_back(rule::default_definition());
    for (const auto& rule : settings.rules)
        if (only.empty() || rule.name == only) chosen.push_back(*rule::parse(rule.json));
    return chosen;
}

// Good ends and timed rules leave nothing in history that they could be told from.
std::vector<std::string> not_replayed(const std::vector<rule::Definition>& definitions) {
    std::vector<std::string> names;
    for (const auto& definition : definitions)
        if ((definition.kinds & ~storage::StoredSubjects::kKinds) != 0 || definition.is_timed())
            names.push_back(definition.name);
    return names;
}

bool takes(const config::Endpoint& endpoint, const storage::RehearsedAlert& alert) {
    return std::any_of(endpoint.rules.begin(), endpoint.rules.end(), [&](const auto& rule) {
        return std::find(alert.rules.begin(), alert.rules.end(), rule) != alert.rules.end();
    });
}

std::string line_of(const storage::RehearsedAlert& alert) {
    return std::to_string(alert.height) + " " + alert.alert_id + " (" + joined(alert.rules) + ")";
}

void print_all(const storage::Rehearsed& done, const std::vector<std::string>& left_out) {
    Json all;
    all["subjects"] = done.subjects;
    all["alerts"] = Json::array();
    for (const auto& alert : done.alerts)
        all["alerts"].push_back({{"alert_id", alert.alert_id},
                                 {"kind", alert.kind},
                                 {"tx_hash", alert.tx_hash},
                                 {"block_height", alert.height},
                                 {"rules", alert.rules}});
    all["not_replayed"] = left_out;
    print_json(all);
}

void print(const storage::Rehearsed& done, const config::Settings& settings,
           const std::vector<std::string>& left_out) {
    std::uint64_t findings = 0;
    for (const auto& [kind, count] : done.subjects)
        if (const auto known = rule::parse_kind(kind); known && rule::is_finding(*known)) findings += count;
    std::cout << findings << " findings, " << done.alerts.size() << " alerts\n";
    std::map<std::string, std::uint64_t> by_rule;
    for (const auto& alert : done.alerts)
        for (const auto& rule : alert.rules) ++by_rule[rule];
    for (const auto& [rule, count] : by_rule) std::cout << "  rule " << rule << ": " << count << '\n';
    for (const auto& endpoint : settings.endpoints)
        std::cout << "  endpoint " << endpoint.name << ": "
                  << std::count_if(done.alerts.begin(), done.alerts.end(),
                                   [&](const auto& alert) { return takes(endpoint, alert); })
                  << '\n';
    for (std::size_t i = 0; i < std::min(kShown, done.alerts.size()); ++i)
        std::cout << (i == 0 ? "the first ones:\n" : "") << "  " << line_of(done.alerts[i]) << '\n';
    if (!left_out.empty())
        std::cout << "not or not all replayed, as history does not tell of stages, absence and latency: "
                  << joined(left_out) << '\n';
}

}  // namespace

int test_rules(const config::Settings& settings, const RulesTest& command) {
    auto definitions = definitions_of(settings, command.rule);
    if (definitions.empty()) {
        std::cerr << "the configuration has no rule \"" << command.rule << "\"\n";
        return kUsage;
    }
    const auto left_out = not_replayed(definitions);
    StoreForCommand<storage::Rehearsal> asking(settings);
    const auto done = wait_for(asking.store().rehearse(
        rule::RuleSet(std::move(definitions), lists_of(settings)), {command.from, command.to}));
    command.as_json ? print_all(done, left_out) : print(done, settings, left_out);
    return kOk;
}

}  // namespace receiptd::app
