// Alert rules on stored history: what they would have told, without telling it.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "rule/rule_set.hpp"
#include "storage/database.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace receiptd::storage {

struct RehearsedAlert {
    std::string alert_id;
    std::string kind;
    std::string tx_hash;
    base::Height height = 0;
    std::vector<std::string> rules;  // that match
};

struct Rehearsed {
    std::map<std::string, std::uint64_t> subjects;  // by kind, matched or not
    std::vector<RehearsedAlert> alerts;             // oldest first
};

class Rehearsal {
public:
    static constexpr std::size_t kMostAlerts = 1'000'000;

    // `database` must outlive it.
    explicit Rehearsal(Database& database) : database_(database) {}

    // Of the blocks between the heights, both included, as one state of the database has them. Throws
    // StorageError where it would be more than kMostAlerts.
    base::Task<Rehearsed> rehearse(rule::RuleSet rules, base::HeightRange heights);

private:
    Database& database_;
};

}  // namespace receiptd::storage
