#include "app/commands.hpp"
#include "app/joined.hpp"

#include "config/load_rules.hpp"

#include <boost/version.hpp>

#include <algorithm>
#include <iostream>

namespace receiptd::app {
namespace {

void print(const std::vector<config::Problem>& problems) {
    for (const auto& problem : problems) std::cerr << problem.to_string() << '\n';
}

void print_rules(const config::Settings& settings) {
    for (const auto& rule : settings.rules) {
        std::vector<std::string> takers;
        for (const auto& endpoint : settings.endpoints)
            if (std::find(endpoint.rules.begin(), endpoint.rules.end(), rule.name) != endpoint.rules.end())
                takers.push_back(endpoint.name);
        std::cout << "rule " << rule.name << " (" << joined(rule.kinds)
                  << "): " << (takers.empty() ? "no endpoint" : joined(takers)) << '\n';
    }
    for (const auto& list : settings.lists)
        std::cout << "list " << list.name << ": " << list.accounts.size()
                  << (list.accounts.size() == 1 ? " account\n" : " accounts\n");
}

}  // namespace

std::optional<config::Settings> load_settings(const std::string& config_file) {
    auto loaded = config::load_file(config_file);
    print(loaded.problems);
    if (!loaded.ok()) return std::nullopt;
    log::configure(loaded.settings.log_level, loaded.settings.log_format);
    return std::move(loaded.settings);
}

int check_config(const std::string& config_file) {
    const auto loaded = config::load_file(config_file);
    print(loaded.problems);
    if (!loaded.ok()) return kUsage;
    std::cout << config_file << ": ok, " << loaded.settings.upstreams.size() << " upstreams, "
              << loaded.settings.rules.size() << " rules\n";
    print_rules(loaded.settings);
    return kOk;
}

int check_rules(const std::string& file) {
    const auto loaded = config::load_rules_file(file);
    print(loaded.problems);
    if (!loaded.ok()) return kUsage;
    const auto count = loaded.settings.rules.size();
    std::cout << file << ": ok, " << count << (count == 1 ? " rule\n" : " rules\n");
    print_rules(loaded.settings);
    return kOk;
}

int print_version() {
    std::cout << "receiptd " << RECEIPTD_VERSION << " (" << __VERSION__ << ", Boost "
              << BOOST_VERSION / 100000 << '.' << BOOST_VERSION / 100 % 1000 << ")\n";
    return kOk;
}

}  // namespace receiptd::app
