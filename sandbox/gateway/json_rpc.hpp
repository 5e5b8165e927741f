// The JSON-RPC side of the gateway: one POST body in, one answer out.
#pragma once

#include "sandbox/gateway/chain.hpp"
#include "sandbox/gateway/rpc_answer.hpp"

#include <string>
#include <string_view>

namespace receiptd::sandbox {

struct HttpAnswer {
    int status = 200;
    const char* content_type = "application/json";
    std::string body;
};

class JsonRpc {
public:
    JsonRpc(const Chain& chain, std::string chain_id) : chain_(chain), chain_id_(std::move(chain_id)) {}

    // `window`: the heights this host shows now. `content_type` of the request.
    HttpAnswer answer(std::string_view content_type, const std::string& body, Window window) const;
    // The `status` result, which GET /status gives without an envelope.
    std::string status(Window window) const;

private:
    const Chain& chain_;
    std::string chain_id_;
};

// The request's `id` as written, "null" if there is none to be found.
std::string request_id(const std::string& body);

}  // namespace receiptd::sandbox
