// Alert rules and account lists of all daemons on the database, as people see and change them.
#pragma once

#include "base/task.hpp"
#include "storage/alert_rules.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct RuleRow {
    std::string name;
    int version = 0;
    std::string definition;              // canonical JSON (rule/definition.hpp)
    std::string place;                   // host and process id of the daemon that loaded it
    std::string loaded_at;               // ISO 8601
    std::vector<std::string> endpoints;  // served ones that take it
};

struct ListRow {
    std::string name;
    bool from_file = false;
    std::string place;
    std::string loaded_at;
    std::uint64_t accounts = 0;
};

class AlertRuleStore {
public:
    virtual ~AlertRuleStore() = default;

    virtual base::Task<std::vector<RuleRow>> rules() = 0;  // by name
    virtual base::Task<std::vector<ListRow>> lists() = 0;  // by name
    // The accounts of a list behind `after`, by name; nullopt: there is no such list.
    virtual base::Task<std::optional<std::vector<std::string>>> accounts(std::string list, std::string after,
                                                                         unsigned limit) = 0;
    virtual base::Task<Listing> set_listed(std::string list, std::string account_id, bool is_listed) = 0;
};

}  // namespace receiptd::storage
