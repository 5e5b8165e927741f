// Receipts, proofs of outcomes, and blocks for light clients (rpc.md §9).
#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/params_reader.hpp"
#include "sandbox/gateway/rpc_parts.hpp"

namespace receiptd::sandbox::rpc {

namespace {

bool is_shown(const RpcContext& context, const Located& found) {
    return found.height == 0 || context.window.contains(found.height);
}

// Whether this host still has what the proof is asked for.
bool is_kept(const RpcContext& context, const LightClientRequest& request) {
    if (!request.is_transaction) {
        const auto receipt = context.chain.receipt(request.id);
        return !receipt || is_shown(context, *receipt);
    }
    const auto transaction = context.chain.transaction(request.id, context.window.tip);
    return !transaction || transaction->height == 0 || context.window.contains(transaction->height);
}

RpcAnswer no_proof(NoProof reason, const std::string& id) {
    const Json info{{"transaction_or_receipt_id", id}};
    if (reason == NoProof::unknown)
        return handler_error("UNKNOWN_TRANSACTION_OR_RECEIPT", info,
                             "either transaction or receipt " + id + " is not known to the node");
    return handler_error("NOT_CONFIRMED", info, id + " has not been confirmed");
}

}  // namespace

RpcAnswer receipt(const RpcContext& context, const Json& params) {
    ParamsReader reader(params);
    const auto receipt_id = reader.hash("receipt_id");
    if (auto error = reader.error()) return std::move(*error);
    const auto found = context.chain.receipt(receipt_id);
    if (!found || !is_shown(context, *found)) return unknown_receipt(receipt_id);
    return result(found->json);
}

// The hints that narrow a node's search (block_height, shard_id, window) change nothing here.
RpcAnswer receipt_to_tx(const RpcContext& context, const Json& params, LiveChain& live) {
    ParamsReader reader(params);
    const auto receipt_id = reader.hash("receipt_id");
    if (auto error = reader.error()) return std::move(*error);
    const auto receipt = context.chain.receipt(receipt_id);
    const auto origin = live.transaction_of_receipt(receipt_id);
    if (!origin || (receipt && !is_shown(context, *receipt))) return unknown_receipt(receipt_id);
    return result_of(
        {{"transaction_hash", origin->transaction_hash}, {"sender_account_id", origin->sender_account_id}});
}

RpcAnswer next_light_client_block(const RpcContext& context, const Json& params, LiveChain& live) {
    const bool positional = params.is_array() && params.size() == 1;
    const Json hash = positional           ? params[0]
                      : params.is_object() ? params.value("last_block_hash", Json())
                                           : Json();
    if (!is_hash(hash)) return failed_args("missing or invalid field `last_block_hash`");
    const auto chosen = choose_block_id(context, hash);
    const auto height = header_height(chosen);
    if (!height) return refusal(chosen);
    return result_of(live.next_light_client_block(*height, context.window.tip).value_or(Json::object()));
}

RpcAnswer light_client_proof(const RpcContext& context, const Json& params, LiveChain& live) {
    ParamsReader reader(params);
    const auto type = reader.text("type");
    LightClientRequest request;
    request.is_transaction = type == "transaction";
    request.id = reader.hash(request.is_transaction ? "transaction_hash" : "receipt_id");
    reader.account_id(request.is_transaction ? "sender_id" : "receiver_id");
    const auto head = reader.hash("light_client_head");
    if (auto error = reader.error()) return std::move(*error);
    if (!request.is_transaction && type != "receipt")
        return failed_args("unknown variant of field `type`, expected `transaction` or `receipt`");
    const auto chosen = choose_block_id(context, head);
    const auto* height = std::get_if<Height>(&chosen);
    if (!height) return refusal(chosen);
    request.light_client_head = *height;
    if (!is_kept(context, request)) return no_proof(NoProof::unknown, request.id);
    const auto proof = live.light_client_proof(request);
    if (const auto* reason = std::get_if<NoProof>(&proof)) return no_proof(*reason, request.id);
    return result_of(std::get<Json>(proof));
}

}  // namespace receiptd::sandbox::rpc
