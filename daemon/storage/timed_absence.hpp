// Rules of kind "absence": successes are counted from the receipts, each once.
#pragma once

#include "storage/timed_rules.hpp"

#include <vector>

namespace receiptd::storage {

// Goes on counting up to TimedRule::until, and judges. `known`: of which time all blocks are stored. True:
// history is left to be counted.
bool judge_absences(pqxx::transaction_base& tx, const rule::RuleSet& rules, const rule::KnownTime& known,
                    const std::vector<TimedRule*>& absences);

}  // namespace receiptd::storage
