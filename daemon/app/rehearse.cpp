#include "app/rehearse.hpp"

#include "base/coroutine.hpp"
#include "rule/definition.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace receiptd::app {
namespace {

constexpr unsigned kAccountsAtOnce = 10'000;

struct ToRehearse {
    storage::RulesOnHistory asked;
    std::vector<std::string> in_database;  // lists
};

// Without endpoints nobody has chosen yet.
bool takes_default(const config::Settings& settings) {
    return settings.endpoints.empty() ||
           std::ranges::any_of(settings.endpoints, [](const config::Endpoint& endpoint) {
               return std::ranges::find(endpoint.rules, rule::kDefaultName) != endpoint.rules.end();
           });
}

ToRehearse to_rehearse(const config::Settings& settings, const std::string& only, base::HeightRange heights) {
    ToRehearse chosen;
    chosen.asked.heights = heights;
    if (only.empty() ? takes_default(settings) : only == rule::kDefaultName)
        chosen.asked.definitions.push_back(rule::default_definition().json);
    std::set<std::string_view> named;
    for (const auto& rule : settings.rules) {
        if (!only.empty() && rule.name != only) continue;
        chosen.asked.definitions.push_back(rule.json);
        named.insert(rule.lists.begin(), rule.lists.end());
    }
    for (const auto& list : settings.lists) {
        if (!named.contains(list.name)) continue;
        if (list.file.empty())
            chosen.in_database.push_back(list.name);
        else
            chosen.asked.lists.push_back({list.name, list.accounts});
    }
    return chosen;
}

base::Task<rule::AccountList> stored_list(storage::AlertRuleStore& stored, std::string name) {
    rule::AccountList list{std::move(name), {}};
    while (true) {
        const auto after = list.accounts.empty() ? std::string() : list.accounts.back();
        auto reading = stored.accounts(list.name, after, kAccountsAtOnce);
        const auto more = co_await std::move(reading);
        if (!more || more->empty()) co_return list;
        list.accounts.insert(list.accounts.end(), more->begin(), more->end());
    }
}

}  // namespace

base::Task<std::optional<storage::Rehearsed>> rehearse(const config::Settings& settings,
                                                       storage::AlertRuleStore& stored,
                                                       storage::Rehearsal& rehearsal, std::string only,
                                                       base::HeightRange heights) {
    auto chosen = to_rehearse(settings, only, heights);
    if (chosen.asked.definitions.empty()) co_return std::nullopt;
    for (auto& name : chosen.in_database) {
        auto reading = stored_list(stored, std::move(name));
        chosen.asked.lists.push_back(co_await std::move(reading));
    }
    auto rehearsing = rehearsal.rehearse(std::move(chosen.asked));
    co_return co_await std::move(rehearsing);
}

}  // namespace receiptd::app
