// `receiptd rules test`: a rehearsal of the configuration's rules on stored history.
#include "api/rehearsal_json.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/rehearse.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "base/joined.hpp"
#include "storage/pg_alert_rule_store.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

constexpr std::size_t kShown = 5;

bool takes(const config::Endpoint& endpoint, const storage::RehearsedAlert& alert) {
    return std::any_of(endpoint.rules.begin(), endpoint.rules.end(), [&](const auto& rule) {
        return std::find(alert.rules.begin(), alert.rules.end(), rule) != alert.rules.end();
    });
}

std::string line_of(const storage::RehearsedAlert& alert) {
    return std::to_string(alert.height) + " " + alert.alert_id + " (" + base::joined(alert.rules) + ")";
}

// `rule`: the only one that was tried; empty: all.
void print(const storage::Rehearsed& done, const config::Settings& settings, const std::string& rule) {
    std::uint64_t findings = 0;
    for (const auto& [kind, count] : done.subjects)
        if (const auto known = rule::parse_kind(kind); known && rule::is_finding(*known)) findings += count;
    std::cout << findings << " findings, " << done.alerts.size() << " alerts\n";
    std::map<std::string, std::uint64_t> by_rule;
    for (const auto& each : settings.rules) {
        const bool is_tried = rule.empty() || each.name == rule;
        const auto& unknown = done.not_replayed;
        if (is_tried && std::find(unknown.begin(), unknown.end(), each.name) == unknown.end())
            by_rule[each.name];
    }
    for (const auto& alert : done.alerts)
        for (const auto& name : alert.rules) ++by_rule[name];
    for (const auto& [name, count] : by_rule) std::cout << "  rule " << name << ": " << count << '\n';
    for (const auto& endpoint : settings.endpoints)
        std::cout << "  endpoint " << endpoint.name << ": "
                  << std::count_if(done.alerts.begin(), done.alerts.end(),
                                   [&](const auto& alert) { return takes(endpoint, alert); })
                  << '\n';
    for (std::size_t i = 0; i < std::min(kShown, done.alerts.size()); ++i)
        std::cout << (i == 0 ? "the first ones:\n" : "") << "  " << line_of(done.alerts[i]) << '\n';
    if (!done.not_replayed.empty())
        std::cout << "not or not all replayed, as history does not tell of stages, absence and latency: "
                  << base::joined(done.not_replayed) << '\n';
}

}  // namespace

int test_rules(const config::Settings& settings, const RulesTest& command) {
    StoreForCommand<storage::PgAlertRuleStore> asking(settings);
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    storage::Rehearsal rehearsal(command_options(settings), series, {});
    const auto done =
        wait_for(rehearse(settings, asking.store(), rehearsal, command.rule, {command.from, command.to}));
    if (!done) {
        std::cerr << "the configuration has no rule \"" << command.rule << "\"\n";
        return kUsage;
    }
    command.as_json ? print_json(api::rehearsal_json(*done)) : print(*done, settings, command.rule);
    return kOk;
}

}  // namespace receiptd::app
