#include "app/check_online.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "base/joined.hpp"
#include "config/load_rules.hpp"

#include <algorithm>
#include <iostream>

namespace receiptd::app {
namespace {

using Json = nlohmann::ordered_json;

void print(const std::vector<config::Problem>& problems) {
    for (const auto& problem : problems) std::cerr << problem.to_string() << '\n';
}

void print(const std::vector<OnlineCheck>& checks) {
    for (const auto& check : checks) {
        auto result = std::string(to_string(check.result));
        result.resize(9, ' ');
        std::cout << result << check.subject << ": " << check.detail << '\n';
    }
}

std::vector<std::string> takers_of(const config::Settings& settings, const std::string& rule) {
    std::vector<std::string> takers;
    for (const auto& endpoint : settings.endpoints)
        if (std::find(endpoint.rules.begin(), endpoint.rules.end(), rule) != endpoint.rules.end())
            takers.push_back(endpoint.name);
    return takers;
}

void print_rules(const config::Settings& settings) {
    for (const auto& rule : settings.rules) {
        const auto takers = takers_of(settings, rule.name);
        std::cout << "rule " << rule.name << " (" << base::joined(rule.kinds)
                  << "): " << (takers.empty() ? "no endpoint" : base::joined(takers)) << '\n';
    }
    for (const auto& list : settings.lists)
        std::cout << "list " << list.name << ": " << list.accounts.size()
                  << (list.accounts.size() == 1 ? " account\n" : " accounts\n");
}

Json json_of(const std::string& file, const config::Loaded& loaded) {
    Json all = {{"file", file}, {"ok", loaded.ok()}, {"problems", Json::array()}};
    for (const auto& problem : loaded.problems)
        all["problems"].push_back(
            {{"severity", problem.severity == config::Severity::error ? "error" : "warning"},
             {"line", problem.line},
             {"column", problem.column},
             {"message", problem.message}});
    if (!loaded.ok()) return all;
    all["rules"] = all["lists"] = Json::array();
    for (const auto& rule : loaded.settings.rules)
        all["rules"].push_back({{"name", rule.name},
                                {"kinds", rule.kinds},
                                {"endpoints", takers_of(loaded.settings, rule.name)}});
    for (const auto& list : loaded.settings.lists)
        all["lists"].push_back({{"name", list.name}, {"accounts", list.accounts.size()}});
    return all;
}

}  // namespace

std::optional<config::Settings> load_settings(const std::string& config_file, bool warns) {
    auto loaded = config::load_file(config_file);
    if (!loaded.ok() || (warns && loaded.problems.size() == 1))
        print(loaded.problems);
    else if (warns && !loaded.problems.empty())
        std::cerr << config_file << ": " << loaded.problems.size()
                  << " warnings: receiptd check-config lists them\n";
    if (!loaded.ok()) return std::nullopt;
    log::configure(loaded.settings.log_level, loaded.settings.log_format);
    return std::move(loaded.settings);
}

void log_problem(const config::Problem& problem) {
    if (problem.severity == config::Severity::error)
        log::error("reload refused", {{"problem", problem.to_string()}});
    else
        log::warn("the configuration has a doubtful entry", {{"problem", problem.to_string()}});
}

int check_config(const std::string& config_file, const CheckConfig& command) {
    const auto loaded = config::load_file(config_file);
    auto json = json_of(config_file, loaded);
    if (!command.as_json) {
        print(loaded.problems);
        if (loaded.ok()) {
            std::cout << config_file << ": ok, " << loaded.settings.upstreams.size() << " upstreams, "
                      << loaded.settings.rules.size() << " rules\n";
            print_rules(loaded.settings);
        }
    }
    int code = loaded.ok() ? kOk : kUsage;
    if (loaded.ok() && command.online) {
        const auto checks = check_online(loaded.settings, command.test_endpoints);
        if (std::any_of(checks.begin(), checks.end(),
                        [](const auto& check) { return check.result == OnlineCheck::Result::failed; }))
            code = kFailed;
        json["online"] = Json::array();
        for (const auto& check : checks)
            json["online"].push_back(
                {{"subject", check.subject}, {"result", to_string(check.result)}, {"detail", check.detail}});
        if (!command.as_json) print(checks);
    }
    if (command.as_json) print_json(json);
    return code;
}

int check_rules(const std::string& file, bool as_json) {
    const auto loaded = config::load_rules_file(file);
    if (as_json) {
        print_json(json_of(file, loaded));
        return loaded.ok() ? kOk : kUsage;
    }
    print(loaded.problems);
    if (!loaded.ok()) return kUsage;
    const auto count = loaded.settings.rules.size();
    std::cout << file << ": ok, " << count << (count == 1 ? " rule\n" : " rules\n");
    print_rules(loaded.settings);
    return kOk;
}

}  // namespace receiptd::app
