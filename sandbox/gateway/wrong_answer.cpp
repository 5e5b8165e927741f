#include "sandbox/gateway/wrong_answer.hpp"

#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/json_rpc.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/rpc_methods.hpp"

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

RpcAnswer named_error(const std::string& cause, const std::string& method) {
    if (cause == "INTERNAL_ERROR") return internal_error("The node reached its limits. Try again later.");
    if (cause == "TIMEOUT_ERROR") return timeout();
    if (cause == "METHOD_NOT_FOUND") return method_not_found(method);
    return handler_error(cause, json::object(), cause);
}

// The same shard's chunk in the block before that of the chunk asked for by its hash.
json params_of_older_chunk(const RpcContext& context, const json& params) {
    const json hash = params.is_object() ? params.value("chunk_id", json()) : params[0];
    const auto chunk =
        hash.is_string() ? context.chain.chunk(hash.get_ref<const std::string&>()) : std::nullopt;
    if (!chunk) return params;
    const auto header = json_text::require(chunk->json, "header");
    const auto shard_id = json_text::number(json_text::require(header, "shard_id")).value_or(0);
    return {{"block_id", context.chain.back(chunk->height, 1)}, {"shard_id", shard_id}};
}

json params_of_other_block(const RpcContext& context, const RpcRequest& call) {
    const json& params = call.params;
    const bool pair =
        params.is_array() && params.size() == 1 && params[0].is_array() && params[0].size() == 2;
    const bool array = params.is_array() && params.size() == 1;
    if (call.method == "chunk" && !pair && (array || (params.is_object() && params.contains("chunk_id"))))
        return params_of_older_chunk(context, params);
    const auto chosen = pair ? choose_block_id(context, params[0][0]) : choose_block(context, params);
    const auto* height = std::get_if<Height>(&chosen);
    if (!height) return params;
    const Height other = context.chain.back(*height, 1);
    if (pair) return json::array({json::array({other, params[0][1]})});
    if (array) return json::array({other});
    json changed = params;
    changed.erase("finality");
    changed.erase("sync_checkpoint");
    changed["block_id"] = other;
    return changed;
}

}  // namespace

RpcAnswer wrong_answer(const WrongAnswer& wrong, const RpcContext& context, const RpcRequest& call) {
    if (!wrong.error.empty()) return named_error(wrong.error, call.method);
    if (!wrong.other_block) return result(wrong.result);
    return call_method(context, call.method, params_of_other_block(context, call));
}

RpcAnswer without_receipts(RpcAnswer answer, const RpcRequest& call, const Trouble& trouble) {
    if (answer.is_error()) return answer;
    if (call.method == "EXPERIMENTAL_receipt") {
        const auto& params = call.params;
        const auto id = params.is_object() ? params.value("receipt_id", json()) : json();
        return unknown_receipt(id.is_string() ? id.get<std::string>() : std::string());
    }
    const bool is_chunk = call.method == "chunk";
    if (is_chunk ? !trouble.in_chunks : !call.method.ends_with("tx_status")) return answer;
    constexpr std::string_view kResult = "\"result\":";
    auto told = json::parse(answer.member.substr(kResult.size()), nullptr, false);
    if (!told.is_object() || !told.contains("receipts")) return answer;
    auto kept = json::array();
    const auto keep_every = trouble.keep_every;
    for (std::size_t i = keep_every; keep_every > 0 && i <= told["receipts"].size(); i += keep_every)
        kept.push_back(told["receipts"][i - 1]);
    if (is_chunk || keep_every > 0)
        told["receipts"] = std::move(kept);
    else
        told.erase("receipts");
    return result_of(told);
}

}  // namespace receiptd::sandbox
