// `receiptd rules` and `receiptd lists`: which alerts go where, and the accounts that rules name by list.
#include "api/rule_json.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "base/id_faults.hpp"
#include "base/joined.hpp"
#include "storage/pg_alert_rule_store.hpp"

#include <iostream>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

using Rules = StoreForCommand<storage::PgAlertRuleStore>;

std::string takers(const std::vector<std::string>& endpoints) {
    return endpoints.empty() ? "no endpoint" : base::joined(endpoints);
}

}  // namespace

int list_rules(const config::Settings& settings, bool as_json) {
    Rules asking(settings);
    auto all = nlohmann::ordered_json::array();
    for (const auto& rule : wait_for(asking.store().rules())) {
        if (!as_json) {
            std::cout << rule.name << '@' << rule.version << ": " << takers(rule.endpoints) << "\n    "
                      << rule.definition << "\n    loaded by " << rule.place << " at " << rule.loaded_at
                      << '\n';
            continue;
        }
        all.push_back(api::rule_json(rule));
    }
    if (as_json) print_json(all);
    return kOk;
}

int list_lists(const config::Settings& settings, bool as_json) {
    Rules asking(settings);
    auto all = nlohmann::ordered_json::array();
    for (const auto& list : wait_for(asking.store().lists())) {
        if (!as_json)
            std::cout << list.name << ": " << list.accounts << " accounts, "
                      << (list.from_file ? "from the file of " + list.place : "changed by hand") << '\n';
        else
            all.push_back(api::account_list_json(list));
    }
    if (as_json) print_json(all);
    return kOk;
}

int change_list(const config::Settings& settings, const ListChange& command) {
    if (const auto fault = base::account_fault(command.account_id)) {
        std::cerr << '"' << command.account_id << "\" " << *fault << '\n';
        return kUsage;
    }
    Rules asking(settings);
    const auto done =
        wait_for(asking.store().set_listed(command.list, command.account_id, command.is_listed));
    if (const auto why = storage::refusal(done, command.list); !why.empty()) {
        std::cerr << why << '\n';
        return kFailed;
    }
    std::cout << command.account_id << (command.is_listed ? " is on " : " is not on ") << command.list
              << (done == storage::Listing::as_it_was ? ", as it was" : "") << '\n';
    return kOk;
}

}  // namespace receiptd::app
