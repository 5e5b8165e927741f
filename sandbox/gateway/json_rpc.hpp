// JSON-RPC requests as a node reads them (rpc.md §1): one POST body in, a request or its refusal out.
#pragma once

#include "sandbox/gateway/http_answer.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace receiptd::sandbox {

struct RpcRequest {
    std::string method;
    nlohmann::json params;
    std::string id_json;  // as written
};

// `content_type` of the request.
std::variant<RpcRequest, HttpAnswer> read_request(std::string_view content_type, const std::string& body);

}  // namespace receiptd::sandbox
