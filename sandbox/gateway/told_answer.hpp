// Answers as a host with lies gives them. Without a lie nothing is read and nothing changes.
#pragma once

#include "net/http_server.hpp"
#include "sandbox/gateway/json_rpc.hpp"
#include "sandbox/gateway/lies.hpp"
#include "sandbox/gateway/live_chain.hpp"
#include "sandbox/gateway/rpc_answer.hpp"

#include <optional>
#include <string>

namespace receiptd::sandbox {

// A reply that attacks whoever reads it, or a refusal without a reason; nullopt: the request is answered.
// `label`: its method or path; `call`: null for a path.
std::optional<net::ServerReply> hostile_reply(Lies& lies, std::string_view label, const RpcRequest* call);
// The answer of a host that lies instead of serving the call; nullopt: it serves it.
std::optional<RpcAnswer> unserved(Lies& lies, const RpcRequest& call);
// Puts the lies about this call into its true answer. `live`: the host's chain.
void retell(Lies& lies, const LiveChain* live, const RpcRequest& call, RpcAnswer& answer);
// The same for a whole block, or for GET /status, by the path of the request.
void retell_page(Lies& lies, const Chain& chain, const std::string& path, net::ServerReply& page);

}  // namespace receiptd::sandbox
