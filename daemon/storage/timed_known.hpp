// Finds the chain time up to which everything is stored.
#pragma once

#include "rule/timed.hpp"
#include "storage/pqxx_shim.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace receiptd::storage {

// Blocks farther apart than this: the chain stood still.
inline constexpr std::chrono::seconds kStandstill{10};

// The heights without a gap that end near the newest block; of times before the longest window of a rule
// only the last. nullopt: heights near the newest block are missing.
std::optional<rule::KnownTime> known_time(pqxx::transaction_base& tx, base::WallTime newest);

// Whether an operator has skipped the heights before that time.
bool begins_at_skip(pqxx::transaction_base& tx, const rule::KnownTime& known);

// By how far a rule looks back: the last time, `until` at most, for which no tree of so long before it is
// still to be fetched.
std::map<std::chrono::milliseconds, base::WallTime> settled_until(
    pqxx::transaction_base& tx, base::WallTime until, const std::vector<std::chrono::milliseconds>& windows);

// For how long in that time the chain stood still.
base::Duration stood_still(pqxx::transaction_base& tx, base::WallTime since, base::WallTime until);

}  // namespace receiptd::storage
