#include "sandbox/gateway/rpc_methods.hpp"

#include "sandbox/gateway/rpc_parts.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <variant>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

using Anywhere = RpcAnswer (*)(const RpcContext&, const json&);
using LiveOnly = RpcAnswer (*)(const RpcContext&, const json&, LiveChain&);

template <const char* RequestType>
RpcAnswer view(const RpcContext& context, const json& params, LiveChain& live) {
    return rpc::structured_query(context, params, live, RequestType);
}

constexpr char kViewAccount[] = "view_account";
constexpr char kViewCode[] = "view_code";
constexpr char kViewState[] = "view_state";
constexpr char kViewAccessKey[] = "view_access_key";
constexpr char kViewAccessKeyList[] = "view_access_key_list";
constexpr char kViewGasKeyNonces[] = "view_gas_key_nonces";
constexpr char kCallFunction[] = "call_function";

struct Method {
    std::string_view name;
    std::variant<Anywhere, LiveOnly> function;
};

// Old names and new ones live side by side (rpc.md §3).
const std::array kMethods{
    Method{"block", rpc::block},
    Method{"chunk", rpc::chunk},
    Method{kIndexerBlock, rpc::indexer_block},
    Method{"gas_price", rpc::gas_price},
    Method{"tx", rpc::tx},
    Method{"tx_status", rpc::tx_status},
    Method{"EXPERIMENTAL_tx_status", rpc::tx_status},
    Method{"EXPERIMENTAL_receipt", rpc::receipt},
    Method{"status", rpc::status},
    Method{"health", rpc::health},
    Method{"network_info", rpc::network},
    Method{"send_tx", rpc::send_tx},
    Method{"broadcast_tx_async", rpc::broadcast_tx_async},
    Method{"broadcast_tx_commit", rpc::broadcast_tx_commit},
    Method{"query", rpc::query},
    Method{"validators", rpc::validators},
    Method{"EXPERIMENTAL_validators_ordered", rpc::validators_ordered},
    Method{"EXPERIMENTAL_receipt_to_tx", rpc::receipt_to_tx},
    Method{"next_light_client_block", rpc::next_light_client_block},
    Method{"light_client_proof", rpc::light_client_proof},
    Method{"EXPERIMENTAL_light_client_proof", rpc::light_client_proof},
    Method{"EXPERIMENTAL_protocol_config", rpc::protocol_config},
    Method{"genesis_config", rpc::genesis_config},
    Method{"EXPERIMENTAL_genesis_config", rpc::genesis_config},
    Method{"block_effects", rpc::changes_in_block},
    Method{"EXPERIMENTAL_changes_in_block", rpc::changes_in_block},
    Method{"EXPERIMENTAL_congestion_level", rpc::congestion_level},
    Method{"maintenance_windows", rpc::maintenance_windows},
    Method{"EXPERIMENTAL_maintenance_windows", rpc::maintenance_windows},
    Method{"EXPERIMENTAL_view_account", view<kViewAccount>},
    Method{"EXPERIMENTAL_view_code", view<kViewCode>},
    Method{"EXPERIMENTAL_view_state", view<kViewState>},
    Method{"EXPERIMENTAL_view_access_key", view<kViewAccessKey>},
    Method{"EXPERIMENTAL_view_access_key_list", view<kViewAccessKeyList>},
    Method{"EXPERIMENTAL_view_gas_key_nonces", view<kViewGasKeyNonces>},
    Method{"EXPERIMENTAL_call_function", view<kCallFunction>},
};

const Method* find_method(std::string_view name) {
    for (const auto& method : kMethods) {
        if (method.name == name) return &method;
    }
    return nullptr;
}

RpcAnswer dispatch(const RpcContext& context, std::string_view name, const json& params) {
    const Method* method = find_method(name);
    if (!method) return method_not_found(name);
    // Old recordings were made with `tx` alone: the newer method does not exist there.
    if (name.ends_with("tx_status") && !context.chain.has_receipts_of_transactions())
        return method_not_found(name);
    if (const auto* anywhere = std::get_if<Anywhere>(&method->function)) return (*anywhere)(context, params);
    if (!context.live) return method_not_found(name);
    return std::get<LiveOnly>(method->function)(context, params, *context.live);
}

// A node answers 422 for UNKNOWN_BLOCK when `block_id` is a number below its head (rpc.md §1.1).
void apply_status_rule(RpcAnswer& answer, const json& params, Height tip) {
    if (answer.http_status != 200 || !answer.is_error() || !params.is_object()) return;
    const auto block_id = params.find("block_id");
    if (block_id == params.end() || !block_id->is_number_unsigned() || block_id->get<Height>() >= tip) return;
    if (answer.member.find("\"name\":\"UNKNOWN_BLOCK\"") != std::string::npos) answer.http_status = 422;
}

}  // namespace

RpcAnswer call_method(const RpcContext& context, std::string_view method, const json& params) {
    RpcAnswer answer = dispatch(context, method, params);
    apply_status_rule(answer, params, context.window.tip);
    return answer;
}

std::string_view method_label(std::string_view method) {
    const Method* found = find_method(method);
    return found ? found->name : "unknown";
}

}  // namespace receiptd::sandbox
