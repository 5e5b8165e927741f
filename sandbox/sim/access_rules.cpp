#include "sandbox/sim/access_rules.hpp"

#include "sandbox/sim/checked.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/limits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::sandbox::sim {

const wire::FunctionCallPermission* function_call_permission(const wire::AccessKey& key) {
    if (const auto* gas_key = std::get_if<wire::GasKeyFunctionCall>(&key.permission))
        return &gas_key->function_call;
    return std::get_if<wire::FunctionCallPermission>(&key.permission);
}

wire::FunctionCallPermission* function_call_permission(wire::AccessKey& key) {
    return const_cast<wire::FunctionCallPermission*>(function_call_permission(std::as_const(key)));
}

std::optional<Json> check_permission(const wire::FunctionCallPermission& permission,
                                     std::span<const wire::Action> actions, std::string_view receiver_id) {
    const auto* call =
        actions.size() == 1 ? std::get_if<wire::FunctionCall>(&actions.front().value) : nullptr;
    if (!call) return "RequiresFullAccess";
    if (call->deposit > 0) return "DepositWithFunctionCall";
    if (receiver_id != permission.receiver_id)
        return variant("ReceiverMismatch",
                       payload({{"tx_receiver", receiver_id}, {"ak_receiver", permission.receiver_id}}));
    const auto& names = permission.method_names;
    if (!names.empty() && std::find(names.begin(), names.end(), call->method_name) == names.end())
        return variant("MethodNameMismatch", payload({{"method_name", call->method_name}}));
    return std::nullopt;
}

std::uint64_t nonce_upper_bound(Height height) {
    return checked_multiply<std::uint64_t>(height, kNonceRange)
        .value_or(std::numeric_limits<std::uint64_t>::max());
}

std::uint64_t first_nonce(Height height) { return height == 0 ? 0 : nonce_upper_bound(height - 1); }

}  // namespace receiptd::sandbox::sim
