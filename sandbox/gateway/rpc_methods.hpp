// The JSON-RPC methods of a host (rpc.md §3). Those that need a chain that lives do not exist on a
// recording.
#pragma once

#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace receiptd::sandbox {

// A node makes only so many of these at once.
inline constexpr std::string_view kIndexerBlock = "EXPERIMENTAL_indexer_block";

RpcAnswer call_method(const RpcContext& context, std::string_view method, const nlohmann::json& params);

// `method` if it is one of them, else "unknown": for labels, which must be from a closed set.
std::string_view method_label(std::string_view method);

// The `status` result, which GET /status gives without an envelope; so with network_info.
nlohmann::json node_status(const RpcContext& context);
nlohmann::json network_info(const RpcContext& context);

// The answer, or TIMEOUT_ERROR with `awaited` set if the level is not reached yet.
RpcAnswer transaction_status(const RpcContext& context, const AwaitedTransaction& awaited);

}  // namespace receiptd::sandbox
