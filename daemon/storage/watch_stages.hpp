// Stages that watched transactions enter, for the alert rules about them.
#pragma once

#include "storage/watch_findings.hpp"

#include <cstdint>
#include <vector>

namespace receiptd::storage {

// Ends without a tree are findings and told as these. `now`: microseconds.
Told tell_stages(pqxx::transaction_base& tx, RuleBook& rules, const std::vector<AppliedUpdate>& applied,
                 std::int64_t now);

}  // namespace receiptd::storage
