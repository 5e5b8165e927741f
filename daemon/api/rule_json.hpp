// Alert rules and account lists as /v1 and `receiptd rules|lists list --json` show them.
#pragma once

#include "storage/alert_rule_store.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

nlohmann::ordered_json rule_json(const storage::RuleRow& row);
nlohmann::ordered_json account_list_json(const storage::ListRow& row);

}  // namespace receiptd::api
