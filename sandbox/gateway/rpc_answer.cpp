#include "sandbox/gateway/rpc_answer.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr int kServerError = -32000;

// Text from the request may hold anything, hence the replacement of invalid UTF-8.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json error_object(const char* name, json cause, int code, const char* message, json data) {
    return {{"name", name},
            {"cause", std::move(cause)},
            {"code", code},
            {"message", message},
            {"data", std::move(data)}};
}

RpcAnswer error(int http_status, const char* name, json cause, int code, const char* message, json data) {
    const json object = error_object(name, std::move(cause), code, message, std::move(data));
    return {http_status, "\"error\":" + dump(object)};
}

// gateway.md §7 writes a variant without payload as a member that is null, where nodes write a string.
json with_null_payloads(const json& variant) {
    if (variant.is_string()) return {{variant.get<std::string>(), nullptr}};
    if (!variant.is_object() || variant.size() != 1) return variant;
    const auto& name = variant.begin().key();
    const bool is_enum = name == "InvalidAccessKeyError" || name == "ActionsValidation";
    return {{name, is_enum ? with_null_payloads(variant.begin().value()) : variant.begin().value()}};
}

}  // namespace

std::string envelope(const RpcAnswer& answer, std::string_view id_json) {
    std::string text;
    text.reserve(answer.member.size() + id_json.size() + 32);
    text.append("{\"jsonrpc\":\"2.0\",").append(answer.member).append(",\"id\":").append(id_json).append("}");
    return text;
}

RpcAnswer result(std::string_view json) { return {200, "\"result\":" + std::string(json)}; }

RpcAnswer result_of(const json& value) { return result(dump(value)); }

RpcAnswer failed_args(std::string_view what) {
    return parse_error("Failed parsing args: " + std::string(what));
}

RpcAnswer handler_error(std::string_view cause, const json& info, const json& data) {
    json named{{"name", cause}};
    if (!info.is_null()) named["info"] = info;
    return error(200, "HANDLER_ERROR", std::move(named), kServerError, "Server error", data);
}

RpcAnswer parse_error(std::string_view message) {
    return error(400, "REQUEST_VALIDATION_ERROR",
                 {{"name", "PARSE_ERROR"}, {"info", {{"error_message", message}}}}, -32700, "Parse error",
                 message);
}

RpcAnswer method_not_found(std::string_view method) {
    return error(400, "REQUEST_VALIDATION_ERROR",
                 {{"name", "METHOD_NOT_FOUND"}, {"info", {{"method_name", method}}}}, -32601,
                 "Method not found", method);
}

RpcAnswer unknown_block(base::Height height) {
    return handler_error(
        "UNKNOWN_BLOCK", json::object(),
        "DB Not Found Error: BLOCK HEIGHT: " + std::to_string(height) + " \n Cause: Unknown");
}

RpcAnswer unknown_block(std::string_view hash) {
    return handler_error("UNKNOWN_BLOCK", json::object(),
                         "DB Not Found Error: BLOCK HEADER: " + std::string(hash) + " \n Cause: Unknown");
}

RpcAnswer collected_block(std::string_view hash) {
    return handler_error("UNKNOWN_BLOCK", json::object(),
                         "DB Not Found Error: BLOCK: " + std::string(hash) + " \n Cause: Unknown");
}

RpcAnswer unknown_chunk(std::string_view hash) {
    return handler_error(
        "UNKNOWN_CHUNK", {{"chunk_hash", hash}},
        "Chunk Missing (unavailable on the node): ChunkHash(`" + std::string(hash) + "`) \n Cause: Unknown");
}

RpcAnswer invalid_shard_id(std::uint64_t shard_id) {
    return handler_error("INVALID_SHARD_ID", {{"shard_id", shard_id}},
                         "Shard id " + std::to_string(shard_id) + " does not exist");
}

RpcAnswer unknown_transaction(std::string_view hash) {
    return handler_error("UNKNOWN_TRANSACTION", {{"requested_transaction_hash", hash}},
                         "Transaction " + std::string(hash) + " doesn't exist");
}

// Nodes tell the variant in `data` alone (rpc.md §5.4), the specification in error.InvalidTransaction
// (gateway.md §7): both are here.
RpcAnswer invalid_transaction(const json& error) {
    json object =
        error_object("HANDLER_ERROR", {{"name", "INVALID_TRANSACTION"}, {"info", json::object()}},
                     kServerError, "Server error", {{"TxExecutionError", {{"InvalidTxError", error}}}});
    object["InvalidTransaction"] = with_null_payloads(error);
    return {200, "\"error\":" + dump(object)};
}

RpcAnswer unknown_account(std::string_view account_id, json block) {
    block["requested_account_id"] = account_id;
    return handler_error("UNKNOWN_ACCOUNT", block,
                         "account " + std::string(account_id) + " does not exist while viewing");
}

RpcAnswer unknown_access_key(const std::string& key, json block, bool structured) {
    if (!structured) {
        block["error"] = "access key " + key + " does not exist while viewing";
        block["logs"] = json::array();
        return result_of(block);
    }
    block["public_key"] = key;
    return handler_error("UNKNOWN_ACCESS_KEY", block,
                         "Access key for public key " + key + " has never been observed on the node");
}

RpcAnswer unavailable_shard(std::uint64_t shard_id) {
    return handler_error("UNAVAILABLE_SHARD", {{"requested_shard_id", shard_id}},
                         "The node does not track the shard ID " + std::to_string(shard_id));
}

RpcAnswer unknown_receipt(std::string_view receipt_id) {
    const json info{{"receipt_id", receipt_id}};
    return handler_error("UNKNOWN_RECEIPT", info, {{"name", "UNKNOWN_RECEIPT"}, {"info", info}});
}

RpcAnswer timeout() {
    return error(408, "HANDLER_ERROR", {{"name", "TIMEOUT_ERROR"}}, kServerError, "Server error", "Timeout");
}

RpcAnswer internal_error(std::string_view message) {
    return error(500, "INTERNAL_ERROR", {{"name", "INTERNAL_ERROR"}, {"info", {{"error_message", message}}}},
                 kServerError, "Server error", message);
}

}  // namespace receiptd::sandbox
