// Conditions that alerts tell of: a transaction is stuck, a timed rule is in an episode.
#pragma once

#include "storage/pqxx_shim.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// For a statement in which `a` is a row of alerts.
extern const std::string kConditionOfAlert;      // joins
extern const std::string kConditionHolds;        // of what they find
enum class LookAt { timed_rules, watches_too };  // watches are many

// Queues again what was kept back by something that is over, and whose condition holds: the silence has
// ended, the hour of the limit is over, the endpoint was given up or switched off. Returns how many.
unsigned queue_what_still_holds(pqxx::transaction_base& tx, const std::vector<std::string>& endpoints,
                                LookAt look_at);

}  // namespace receiptd::storage
