// JSON-RPC envelopes and error objects as a node writes them (rpc.md §1).
#pragma once

#include "base/height_set.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::sandbox {

struct RpcAnswer {
    int http_status = 200;
    std::string member;  // "\"result\":…" or "\"error\":{…}"
};

// `id_json` is echoed verbatim.
std::string envelope(const RpcAnswer& answer, std::string_view id_json);

RpcAnswer result(std::string_view json);

// REQUEST_VALIDATION_ERROR
RpcAnswer parse_error(std::string_view message);
RpcAnswer method_not_found(std::string_view method);
// HANDLER_ERROR
RpcAnswer unknown_block(base::Height height);
RpcAnswer unknown_block(std::string_view hash);
RpcAnswer unknown_chunk(std::string_view hash);
RpcAnswer invalid_shard_id(std::uint64_t shard_id);
RpcAnswer unknown_transaction(std::string_view hash);
RpcAnswer unknown_receipt(std::string_view receipt_id);
RpcAnswer timeout();
// INTERNAL_ERROR
RpcAnswer internal_error(std::string_view message);

}  // namespace receiptd::sandbox
