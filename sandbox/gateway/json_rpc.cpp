#include "sandbox/gateway/json_rpc.hpp"

#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/rpc_methods.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

// nearcore refuses unknown members, arrays (batches) and requests without id (notifications).
bool is_request(const json& request) {
    if (!request.is_object() || !request.contains("id")) return false;
    for (const auto& [name, value] : request.items()) {
        if (name != "jsonrpc" && name != "id" && name != "method" && name != "params") return false;
    }
    const auto version = request.find("jsonrpc");
    const auto method = request.find("method");
    return version != request.end() && *version == "2.0" && method != request.end() && method->is_string();
}

HttpAnswer plain(int status, std::string text) { return {status, "text/plain", std::move(text)}; }

}  // namespace

std::string request_id(const std::string& body) {
    const json request = json::parse(body, nullptr, false);
    if (!request.is_object() || !request.contains("id")) return "null";
    const auto id = json_text::member(body, "id");
    return id ? std::string(*id) : request["id"].dump();
}

HttpAnswer JsonRpc::answer(std::string_view content_type, const std::string& body, Window window) const {
    if (!content_type.starts_with("application/json")) return plain(400, "Content type error");
    const json request = json::parse(body, nullptr, false);
    if (request.is_discarded()) return plain(400, "Json deserialize error: not JSON");
    if (!is_request(request))
        return {400, "application/json",
                envelope(parse_error("JSON RPC Request format was expected"), "null")};
    const json params = request.value("params", json());
    const RpcMethods methods(chain_, chain_id_, window);
    RpcAnswer answered = methods.call(request["method"].get<std::string>(), params);
    return {answered.http_status, "application/json", envelope(answered, request_id(body))};
}

std::string JsonRpc::status(Window window) const {
    return RpcMethods(chain_, chain_id_, window).status_json();
}

}  // namespace receiptd::sandbox
