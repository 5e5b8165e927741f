// JSON-RPC envelopes and error objects as a node writes them (rpc.md §1).
#pragma once

#include "base/height_set.hpp"
#include "chain/wire/transaction.hpp"
#include "sandbox/gateway/chain.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox {

// The event that a request for a transaction waits for.
struct AwaitedTransaction {
    std::string hash;
    ExecutionLevel level = ExecutionLevel::executed_optimistic;
    bool with_receipts = false;  // EXPERIMENTAL_tx_status
    // If its bytes are known: while it is in no block it is judged again, and the wait ends once it can
    // come into none any more.
    std::shared_ptr<const chain::wire::SignedTransaction> transaction{};
};

struct RpcAnswer {
    int http_status = 200;
    std::string member;  // "\"result\":…" or "\"error\":{…}"
    // Set: this is TIMEOUT_ERROR, and the next blocks may bring the answer.
    std::optional<AwaitedTransaction> awaited{};

    bool is_error() const { return member.starts_with("\"error\""); }
};

// `id_json` is echoed verbatim.
std::string envelope(const RpcAnswer& answer, std::string_view id_json);

RpcAnswer result(std::string_view json);
RpcAnswer result_of(const nlohmann::json& value);

// REQUEST_VALIDATION_ERROR
RpcAnswer parse_error(std::string_view message);
RpcAnswer failed_args(std::string_view what);  // PARSE_ERROR "Failed parsing args: …"
RpcAnswer method_not_found(std::string_view method);
// HANDLER_ERROR; `info` null: the cause has none.
RpcAnswer handler_error(std::string_view cause, const nlohmann::json& info, const nlohmann::json& data);
RpcAnswer unknown_block(base::Height height);
RpcAnswer unknown_block(std::string_view hash);
// UNKNOWN_BLOCK, of a block that the host had once (rpc.md §4.1).
RpcAnswer collected_block(std::string_view hash);
RpcAnswer unknown_chunk(std::string_view hash);
RpcAnswer invalid_shard_id(std::uint64_t shard_id);
RpcAnswer unknown_transaction(std::string_view hash);
// `error`: the InvalidTxError.
RpcAnswer invalid_transaction(const nlohmann::json& error);
// The answer to a query at the block that `block` tells ({block_height, block_hash}).
RpcAnswer unknown_account(std::string_view account_id, nlohmann::json block);
// `structured`: as an error; else it is a result with `error` in it (rpc.md §6.1).
RpcAnswer unknown_access_key(const std::string& key, nlohmann::json block, bool structured);
RpcAnswer unavailable_shard(std::uint64_t shard_id);
RpcAnswer unknown_receipt(std::string_view receipt_id);
RpcAnswer timeout();
// INTERNAL_ERROR
RpcAnswer internal_error(std::string_view message);

}  // namespace receiptd::sandbox
