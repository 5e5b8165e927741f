// Fault plans as the control API takes and shows them.
#pragma once

#include "sandbox/gateway/faults.hpp"

#include <nlohmann/json_fwd.hpp>

namespace receiptd::sandbox {

// [{"fault":"429","share":0.1,"method":"tx"}, {"fault":"stale","blocks":5}, …]; a share left out is 1. The
// error text says what is wrong, and where.
base::Result<FaultPlan, std::string> read_fault_plan(const nlohmann::json& rules);
nlohmann::json to_json(const FaultPlan& plan);

}  // namespace receiptd::sandbox
