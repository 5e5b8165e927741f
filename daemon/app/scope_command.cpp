// `receiptd scope`: what the database stores, and at which heights each account is whole.
#include "app/commands.hpp"
#include "app/followed_accounts.hpp"
#include "app/print_json.hpp"
#include "app/runtime.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "storage/inspect.hpp"
#include "storage/scope.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace receiptd::app {
namespace {

nlohmann::ordered_json scope_json(const storage::StoredSummary& stored) {
    auto accounts = nlohmann::ordered_json::array();
    for (const auto& account : stored.accounts) accounts.push_back(lacking_json(account));
    return {{"scope", stored.scope}, {"accounts", accounts}};
}

}  // namespace

int scope(const config::Settings& settings, const ScopeCommand& command) {
    if (!command.set.empty()) {
        StoreForCommand<storage::PgScope> database(settings);
        if (!wait_for(database.store().set(command.set))) std::cout << "it is the scope already\n";
        if (scope_name(settings.follow.scope) != command.set)
            std::cout << "set follow.scope to \"" << command.set << "\" before a daemon starts\n";
    }
    const auto stored = storage::stored_summary(database_options(settings));
    if (command.as_json) {
        print_json(scope_json(stored));
        return kOk;
    }
    std::cout << "scope       " << stored.scope << '\n';
    for (const auto& account : stored.accounts) std::cout << "account     " << in_words(account) << '\n';
    return kOk;
}

}  // namespace receiptd::app
