// Sending transactions and following them (rpc.md §5).
#include "chain/wire/transaction.hpp"
#include "sandbox/gateway/block_reference.hpp"
#include "sandbox/gateway/rpc_methods.hpp"
#include "sandbox/gateway/rpc_parts.hpp"

namespace receiptd::sandbox {

namespace {

using chain::wire::SignedTransaction;
using nlohmann::json;

// The transaction, and the level that the request waits for.
struct TransactionQuery {
    std::string hash;
    std::shared_ptr<const SignedTransaction> transaction;  // if its bytes were given
    ExecutionLevel wait_until = ExecutionLevel::executed_optimistic;
};
using QueryOrRefusal = std::variant<TransactionQuery, RpcAnswer>;

QueryOrRefusal of_bytes(const json& base64) {
    if (!base64.is_string())
        return failed_args("invalid type of field `signed_tx_base64`, expected a string");
    auto decoded = chain::wire::decode_signed_transaction_base64(base64.get_ref<const std::string&>(),
                                                                 chain::wire::UnknownPolicy::refuse);
    if (decoded.has_error())
        return parse_error("Failed to decode transaction: " + decoded.error().to_string());
    TransactionQuery query;
    query.hash = chain::wire::transaction_hash(decoded->transaction).to_string();
    query.transaction = std::make_shared<const SignedTransaction>(std::move(*decoded));
    return query;
}

QueryOrRefusal of_hash(const json& hash, const json& sender) {
    if (!is_hash(hash)) return failed_args("missing or invalid field `tx_hash`");
    if (!sender.is_string()) return failed_args("missing field `sender_account_id`");
    TransactionQuery query;
    query.hash = hash.get<std::string>();
    return query;
}

QueryOrRefusal with_level(QueryOrRefusal query, const json& params) {
    const auto wanted = params.find("wait_until");
    if (std::holds_alternative<RpcAnswer>(query) || wanted == params.end() || wanted->is_null()) return query;
    const auto level =
        wanted->is_string() ? parse_execution_level(wanted->get_ref<const std::string&>()) : std::nullopt;
    if (!level)
        return failed_args(
            "unknown variant of field `wait_until`, expected one of `NONE`, `INCLUDED`, "
            "`EXECUTED_OPTIMISTIC`, `INCLUDED_FINAL`, `EXECUTED`, `FINAL`");
    std::get<TransactionQuery>(query).wait_until = *level;
    return query;
}

QueryOrRefusal read_status_params(const json& params) {
    if (params.is_array() && params.size() == 1) return of_bytes(params[0]);
    if (params.is_array() && params.size() == 2) return of_hash(params[0], params[1]);
    if (!params.is_object())
        return failed_args("data did not match any variant of untagged enum TransactionInfo");
    if (const auto bytes = params.find("signed_tx_base64"); bytes != params.end())
        return with_level(of_bytes(*bytes), params);
    return with_level(of_hash(params.value("tx_hash", json()), params.value("sender_account_id", json())),
                      params);
}

QueryOrRefusal read_send_params(const json& params) {
    if (params.is_array() && params.size() == 1) return of_bytes(params[0]);
    if (params.is_array() && params.size() > 1)
        return parse_error("Unable to parse send request: too many params passed");
    const auto bytes = params.is_object() ? params.find("signed_tx_base64") : params.end();
    if (!params.is_object() || bytes == params.end()) return failed_args("missing field `signed_tx_base64`");
    return with_level(of_bytes(*bytes), params);
}

// With the bytes at hand a node tells why it would not take a transaction that it does not know (rpc.md
// §5.2).
RpcAnswer not_yet(const RpcContext& context, const AwaitedTransaction& awaited) {
    const auto head = context.window.tip;
    if (awaited.transaction && context.live && !context.live->is_on_chain(awaited.hash, head)) {
        const auto fault = context.live->validate(*awaited.transaction, head);
        if (fault) return invalid_transaction(*fault);
    }
    RpcAnswer answer = timeout();
    answer.awaited = awaited;
    return answer;
}

bool is_invalid_nonce(const json& fault) { return fault.is_object() && fault.contains("InvalidNonce"); }

RpcAnswer status_of(const RpcContext& context, const json& params, bool with_receipts) {
    const auto read = read_status_params(params);
    if (const auto* refused = std::get_if<RpcAnswer>(&read)) return *refused;
    const auto& query = std::get<TransactionQuery>(read);
    return transaction_status(context, {query.hash, query.wait_until, with_receipts, query.transaction});
}

RpcAnswer send(const RpcContext& context, const TransactionQuery& query, LiveChain& live) {
    // Without waiting nothing is validated either.
    if (query.wait_until == ExecutionLevel::none) {
        live.submit(*query.transaction);
        return result_of({{"final_execution_status", "NONE"}});
    }
    const auto fault = live.validate(*query.transaction, context.window.tip);
    if (!fault) {
        live.submit(*query.transaction);
    } else if (!is_invalid_nonce(*fault) || !live.is_on_chain(query.hash, context.window.tip)) {
        // A transaction on the chain has used its own nonce itself: then the status is the answer (rpc.md
        // §5.1).
        return invalid_transaction(*fault);
    }
    return transaction_status(context, {query.hash, query.wait_until, false, query.transaction});
}

}  // namespace

RpcAnswer transaction_status(const RpcContext& context, const AwaitedTransaction& awaited) {
    const auto& [hash, level, with_receipts, transaction] = awaited;
    // Cheap to ask, and asked at every block by everyone who waits.
    if (context.live && level != ExecutionLevel::none &&
        !satisfies(context.live->execution_level(hash, context.window.tip), level))
        return not_yet(context, awaited);
    const auto view = context.chain.transaction(hash, context.window.tip);
    const bool retained = view && (view->height == 0 || view->height >= context.window.floor);
    if (!retained || !satisfies(view->level, level)) {
        RpcAnswer answer = not_yet(context, awaited);
        return answer.awaited && level == ExecutionLevel::none ? unknown_transaction(hash) : answer;
    }
    if (!with_receipts) return result(view->json);
    if (view->json_with_receipts.empty()) return method_not_found("EXPERIMENTAL_tx_status");
    return result(view->json_with_receipts);
}

namespace rpc {

RpcAnswer tx(const RpcContext& context, const Json& params) { return status_of(context, params, false); }
RpcAnswer tx_status(const RpcContext& context, const Json& params) {
    return status_of(context, params, true);
}

RpcAnswer send_tx(const RpcContext& context, const Json& params, LiveChain& live) {
    const auto read = read_send_params(params);
    if (const auto* refused = std::get_if<RpcAnswer>(&read)) return *refused;
    return send(context, std::get<TransactionQuery>(read), live);
}

RpcAnswer broadcast_tx_commit(const RpcContext& context, const Json& params, LiveChain& live) {
    auto read = read_send_params(params);
    if (const auto* refused = std::get_if<RpcAnswer>(&read)) return *refused;
    auto& query = std::get<TransactionQuery>(read);
    query.wait_until = ExecutionLevel::executed_optimistic;
    return send(context, query, live);
}

RpcAnswer broadcast_tx_async(const RpcContext&, const Json& params, LiveChain& live) {
    const auto read = read_send_params(params);
    if (const auto* refused = std::get_if<RpcAnswer>(&read)) return *refused;
    const auto& query = std::get<TransactionQuery>(read);
    live.submit(*query.transaction);
    return result_of(query.hash);
}

}  // namespace rpc

}  // namespace receiptd::sandbox
