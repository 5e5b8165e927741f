// Checks whether a key may sign: the rules that a transaction and a delegate action share.
#pragma once

#include "sandbox/sim/model.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace receiptd::sandbox::sim {

// The key's function-call permission, also that of a gas key; nullptr: full access.
const wire::FunctionCallPermission* function_call_permission(const wire::AccessKey& key);
wire::FunctionCallPermission* function_call_permission(wire::AccessKey& key);

// Exactly one function call, without deposit, to the right receiver and method; else the
// InvalidAccessKeyError (chain-model.md §9, row 16).
std::optional<Json> check_permission(const wire::FunctionCallPermission& permission,
                                     std::span<const wire::Action> actions, std::string_view receiver_id);

// Nonces must be below it.
std::uint64_t nonce_upper_bound(Height height);
// The first nonce of a key that is created in the block at that height.
std::uint64_t first_nonce(Height height);

}  // namespace receiptd::sandbox::sim
