// The timed rules of all daemons, with what their tables remember of them (migrations/0005_rules.sql).
#pragma once

#include "rule/rule_set.hpp"
#include "rule/timed.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/timed_rule_store.hpp"
#include "storage/told.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct TimedRule {
    std::string name;
    int version = 0;
    rule::RuleIndex index = 0;  // in the rule set that it was loaded with
    const rule::Definition* definition = nullptr;
    std::optional<rule::CountedTime> counted;  // of absences
    bool is_open = false;                      // an episode is

    // Results of this evaluation.
    TimedState state = TimedState::gap;
    rule::Judgement judgement;
    base::WallTime until{};    // chain time up to which everything is known
    std::string numbers_json;  // an object, for the message; where it holds

    std::chrono::milliseconds window() const {
        return definition->absence ? definition->absence->within : definition->latency->window;
    }
};

// Loads the rules that served endpoints take, by name. The rest is forgotten: its episodes end at `now`,
// unless a rule of another name says the same.
std::vector<TimedRule> load_timed_rules(pqxx::transaction_base& tx, const rule::RuleSet& rules,
                                        base::WallTime now);
// Keeps their states and counts, makes an alert of each episode that begins, and ends those that are over.
Told take_turns(pqxx::transaction_base& tx, std::vector<TimedRule>& rules);

}  // namespace receiptd::storage
