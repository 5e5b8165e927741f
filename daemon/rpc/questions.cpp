#include "rpc/questions.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// Everything waits for the head, and another host may tell it at once.
constexpr std::chrono::milliseconds kHeadSoon = 3s;

// The longest answers by what they hold. What is asked of one receipt has a body of up to 4 MiB, as base64. A
// chunk takes 4 MiB of transactions and nearly 5 MiB of receipts. A tree may have any number of such bodies:
// the limit that is configured holds.
constexpr std::uint64_t kShort = 256u << 10;
constexpr std::uint64_t kHeaders = 4u << 20;
constexpr std::uint64_t kOneReceipt = 16u << 20;
constexpr std::uint64_t kChunk = 32u << 20;
constexpr std::uint64_t kWholeBlock = 33u << 20;  // nodes refuse to make one above 32 MiB
constexpr std::uint64_t kTree = std::numeric_limits<std::uint64_t>::max();

Call rpc_call(const std::string& method, const json& params, std::string object, Priority priority,
              std::uint64_t most_bytes) {
    Call call;
    call.request.method = method;
    call.request.body =
        json{{"jsonrpc", "2.0"}, {"id", "receiptd"}, {"method", method}, {"params", params}}.dump(
            -1, ' ', false, json::error_handler_t::replace);
    call.request.priority = priority;
    call.request.max_answer_bytes = most_bytes;
    call.object = std::move(object);
    return call;
}

Call ask_key(const char* request_type, const std::string& kind, const std::string& account_id,
             const std::string& public_key, Priority priority) {
    return rpc_call("query",
                    {{"request_type", request_type},
                     {"finality", "final"},
                     {"account_id", account_id},
                     {"public_key", public_key}},
                    kind + " " + public_key + " of " + account_id, priority, kShort);
}

}  // namespace

Call ask_final_block(Priority priority) {
    auto call = rpc_call("block", {{"finality", "final"}}, "final block", priority, kHeaders);
    call.request.first_timeout = kHeadSoon;
    return call;
}

Call ask_newest_block(Priority priority) {
    auto call = rpc_call("block", {{"finality", "optimistic"}}, "newest block", priority, kHeaders);
    call.request.first_timeout = kHeadSoon;
    return call;
}

Call ask_block(chain::BlockHeight height, Priority priority) {
    auto call =
        rpc_call("block", {{"block_id", height}}, "block " + std::to_string(height), priority, kHeaders);
    call.request.height = height;
    return call;
}

Call ask_block(const std::string& hash, Priority priority) {
    return rpc_call("block", {{"block_id", hash}}, "block " + hash, priority, kHeaders);
}

Call ask_chunk(const std::string& chunk_hash, chain::BlockHeight height, chain::ShardId shard_id,
               Priority priority) {
    auto call = rpc_call("chunk", {{"chunk_id", chunk_hash}},
                         "chunk " + chunk_hash + " of shard " + std::to_string(shard_id) + " in block " +
                             std::to_string(height),
                         priority, kChunk);
    call.request.height = height;
    call.request.shard_id = shard_id;
    return call;
}

Call ask_indexer_block(const std::string& hash, chain::BlockHeight height, Priority priority) {
    auto call = rpc_call(kIndexerBlock, {{"block_hash", hash}}, "whole block " + std::to_string(height),
                         priority, kWholeBlock);
    call.request.height = height;
    call.request.takes_turns = true;
    return call;
}

Call ask_transaction(const std::string& method, const TreeSource::Query& query) {
    auto object = "transaction " + query.tx_hash;
    if (query.included_in && query.included_in->shard_id)
        object += " of shard " + std::to_string(*query.included_in->shard_id);
    auto call = rpc_call(
        method, {{"tx_hash", query.tx_hash}, {"sender_account_id", query.sender_id}, {"wait_until", "NONE"}},
        std::move(object), query.priority, kTree);
    if (query.included_in) {
        call.request.height = query.included_in->height;
        call.request.shard_id = query.included_in->shard_id;
    }
    call.last_host = query.elsewhere_than;
    call.only_host = query.only_host;
    return call;
}

Call ask_receipt(const std::string& receipt_id, Priority priority) {
    return rpc_call("EXPERIMENTAL_receipt", {{"receipt_id", receipt_id}}, "receipt " + receipt_id, priority,
                    kOneReceipt);
}

Call ask_receipt_to_tx(const std::string& receipt_id, Priority priority) {
    return rpc_call("EXPERIMENTAL_receipt_to_tx", {{"receipt_id", receipt_id}},
                    "transaction of receipt " + receipt_id, priority, kShort);
}

Call ask_outcome_proof(const std::string& receipt_id, const std::string& receiver_id,
                       const std::string& final_block_hash, Priority priority) {
    return rpc_call("EXPERIMENTAL_light_client_proof",
                    {{"type", "receipt"},
                     {"receipt_id", receipt_id},
                     {"receiver_id", receiver_id},
                     {"light_client_head", final_block_hash}},
                    "outcome of receipt " + receipt_id, priority, kOneReceipt);
}

Call ask_status() { return rpc_call("status", json::array(), "status", Priority::head, kShort); }

Call ask_access_key(const std::string& account_id, const std::string& public_key, Priority priority) {
    return ask_key("view_access_key", "access key", account_id, public_key, priority);
}

Call ask_gas_key_nonces(const std::string& account_id, const std::string& public_key, Priority priority) {
    return ask_key("view_gas_key_nonces", "gas key", account_id, public_key, priority);
}

Call ask_protocol_config(Priority priority) {
    return rpc_call("EXPERIMENTAL_protocol_config", {{"finality", "final"}}, "protocol config", priority,
                    kShort);
}

Call ask_protocol_config(chain::BlockHeight height, Priority priority) {
    auto call = rpc_call("EXPERIMENTAL_protocol_config", {{"block_id", height}},
                         "protocol config of block " + std::to_string(height), priority, kShort);
    call.request.height = height;
    return call;
}

Call ask_verifier(const std::string& signed_tx_base64, const std::string& tx_hash, Priority priority) {
    return rpc_call("tx", {{"signed_tx_base64", signed_tx_base64}, {"wait_until", "NONE"}},
                    "opinion on transaction " + tx_hash, priority, kTree);
}

Call ask_to_broadcast(const std::string& signed_tx_base64, const std::string& tx_hash, Priority priority) {
    return rpc_call("broadcast_tx_async", json::array({signed_tx_base64}), "sending transaction " + tx_hash,
                    priority, kShort);
}

Call before_final(Call call) {
    call.request.height.reset();
    return call;
}

Call get_early_neardata(chain::BlockHeight height, Priority priority) {
    auto call = before_final(get_neardata("/v0/block_opt/" + std::to_string(height), priority, height));
    call.request.method = "v0/block_opt";
    return call;
}

Call get_neardata(const std::string& path, Priority priority, std::optional<chain::BlockHeight> height) {
    Call call;
    call.request.method = height ? "v0/block" : "v0/last_block";
    call.request.http_method = "GET";
    call.request.path = path;
    call.request.priority = priority;
    call.request.height = height;
    call.request.classifier = classify_neardata;
    call.request.has_envelope = false;
    call.object = path;
    return call;
}

}  // namespace receiptd::rpc
