#include "app/commands.hpp"

#include "config/load.hpp"

#include <boost/version.hpp>

#include <iostream>

namespace receiptd::app {
namespace {

void print(const std::vector<config::Problem>& problems) {
    for (const auto& problem : problems) std::cerr << problem.to_string() << '\n';
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
    std::cout << config_file << ": ok, " << loaded.settings.upstreams.size() << " upstreams\n";
    return kOk;
}

int print_version() {
    std::cout << "receiptd " << RECEIPTD_VERSION << " (" << __VERSION__ << ", Boost "
              << BOOST_VERSION / 100000 << '.' << BOOST_VERSION / 100 % 1000 << ")\n";
    return kOk;
}

}  // namespace receiptd::app
