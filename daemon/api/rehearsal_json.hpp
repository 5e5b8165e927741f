// JSON of what rules would have told: POST /v1/rules/test and `receiptd rules test --json` show it.
#pragma once

#include "storage/rehearsal.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

nlohmann::ordered_json rehearsal_json(const storage::Rehearsed& rehearsed);

}  // namespace receiptd::api
