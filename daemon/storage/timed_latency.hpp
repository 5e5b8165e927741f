// Rules of kind "latency": how long watched transactions took to enter a stage.
#pragma once

#include "storage/timed_rules.hpp"

#include <vector>

namespace receiptd::storage {

// If a window has more transactions, only the newest count.
inline constexpr int kMostSamples = 20'000;

// By the transactions that entered the stage within the window, and by those that wait for it and have become
// too slow within the window.
void judge_latencies(pqxx::transaction_base& tx, const rule::RuleSet& rules,
                     const std::vector<TimedRule*>& latencies);

}  // namespace receiptd::storage
