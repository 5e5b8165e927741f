// Lies about what was executed. Each takes a true answer and says whether it has told the lie.
#pragma once

#include "sandbox/gateway/lies.hpp"

namespace receiptd::sandbox {

bool tell_false_outcome(const Lie& lie, nlohmann::json& result);
// The last outcome of each shard, with its receipt or transaction; the chunk headers stay.
bool tell_outcome_left_out(const Lie& lie, nlohmann::json& result);
// A copy of the last receipt of each shard, which failed, under an id of its own.
bool tell_outcome_invented(const Lie& lie, nlohmann::json& result);
bool tell_false_tx_hash(const Lie& lie, nlohmann::json& result);

}  // namespace receiptd::sandbox
