// Single methods, for the table of rpc_methods.cpp alone. Methods that take a LiveChain besides
// the context do not exist on a recording.
#pragma once

#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"

#include <nlohmann/json_fwd.hpp>

namespace receiptd::sandbox::rpc {

using Json = nlohmann::json;

// rpc_blocks.cpp
RpcAnswer block(const RpcContext& context, const Json& params);
RpcAnswer chunk(const RpcContext& context, const Json& params);
RpcAnswer gas_price(const RpcContext& context, const Json& params);
RpcAnswer changes_in_block(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer congestion_level(const RpcContext& context, const Json& params, LiveChain& live);

// rpc_indexer.cpp
RpcAnswer indexer_block(const RpcContext& context, const Json& params);

// rpc_transactions.cpp
RpcAnswer tx(const RpcContext& context, const Json& params);
RpcAnswer tx_status(const RpcContext& context, const Json& params);
RpcAnswer send_tx(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer broadcast_tx_async(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer broadcast_tx_commit(const RpcContext& context, const Json& params, LiveChain& live);

// rpc_receipts.cpp
RpcAnswer receipt(const RpcContext& context, const Json& params);
RpcAnswer receipt_to_tx(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer next_light_client_block(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer light_client_proof(const RpcContext& context, const Json& params, LiveChain& live);

// rpc_query.cpp
RpcAnswer query(const RpcContext& context, const Json& params, LiveChain& live);
// The EXPERIMENTAL_view_… methods: `request_type` without the prefix, errors all structured.
RpcAnswer structured_query(const RpcContext& context, const Json& params, LiveChain& live,
                           std::string_view request_type);

// rpc_node.cpp
RpcAnswer status(const RpcContext& context, const Json& params);
RpcAnswer health(const RpcContext& context, const Json& params);
RpcAnswer network(const RpcContext& context, const Json& params);
RpcAnswer validators(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer validators_ordered(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer protocol_config(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer genesis_config(const RpcContext& context, const Json& params, LiveChain& live);
RpcAnswer maintenance_windows(const RpcContext& context, const Json& params, LiveChain& live);

}  // namespace receiptd::sandbox::rpc
