#include "storage/rule_book.hpp"

#include "base/log.hpp"
#include "rule/definition.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::storage {
namespace {

constexpr int kMostChanges = 1'000;  // more are read with all the rest

// A newer program knows more than this one, and its rules may not be understood here.
void not_understood(const std::string& name, const std::vector<rule::Fault>& faults) {
    log::error("an alert rule of another daemon is not understood here and matches nothing",
               {{"rule", name}, {"because", faults.front().path + " " + faults.front().text}});
}

}  // namespace

std::shared_ptr<const RuleInterest> RuleBook::interest() const {
    const std::lock_guard lock(mutex_);
    return interest_;
}

rule::RuleSet RuleBook::current(pqxx::transaction_base& tx) { return interest(tx)->rules(); }

std::shared_ptr<const RuleInterest> RuleBook::interest(pqxx::transaction_base& tx) {
    const auto row = tx.exec("SELECT rules, lists FROM alert_rule_state")[0];
    const Changes now{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()};
    const std::lock_guard lock(mutex_);
    if (now == known_) return interest_;
    if (now.rules != known_.rules) read_rules(tx);
    if (now.lists != known_.lists) read_lists(tx, now.lists);
    known_ = now;
    interest_ = std::make_shared<const RuleInterest>(rules_);
    return interest_;
}

void RuleBook::read_rules(pqxx::transaction_base& tx) {
    std::vector<rule::Definition> definitions = {rule::default_definition()};
    for (const auto& row : tx.exec("SELECT name, definition FROM alert_rules ORDER BY name")) {
        auto parsed = rule::parse(row[1].c_str());
        if (parsed)
            definitions.push_back(std::move(*parsed));
        else
            not_understood(row[0].as<std::string>(), parsed.error());
    }
    rules_ = rule::RuleSet(std::move(definitions), rules_.lists());
}

// A database that was restored counts from less.
void RuleBook::read_lists(pqxx::transaction_base& tx, std::int64_t now) {
    if (known_.lists >= 0 && known_.lists < now) {
        const auto changed = shim::query(tx,
                                         "SELECT list, account_id, removed FROM listed_accounts "
                                         "WHERE changed > $1 ORDER BY changed LIMIT $2",
                                         known_.lists, kMostChanges + 1);
        if (changed.size() <= kMostChanges) {
            auto lists = rules_.lists();
            for (const auto& row : changed)
                lists = row[2].as<bool>() ? lists.without(row[0].c_str(), row[1].c_str())
                                          : lists.with(row[0].c_str(), row[1].c_str());
            rules_ = rules_.with_lists(std::move(lists));
            return;
        }
    }
    std::map<std::string, std::vector<std::string>> accounts;
    for (const auto& row :
         tx.exec("SELECT l.name, a.account_id FROM account_lists l LEFT JOIN listed_accounts a "
                 "ON a.list = l.name AND NOT a.removed"))
        if (auto& of = accounts[row[0].as<std::string>()]; !row[1].is_null())
            of.push_back(row[1].as<std::string>());
    std::vector<rule::AccountList> lists;
    for (auto& [name, of] : accounts) lists.push_back({name, std::move(of)});
    rules_ = rules_.with_lists(rule::Lists(lists));
}

}  // namespace receiptd::storage
