#include "sandbox/gateway/json_rpc.hpp"

#include "base/ascii.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/rpc_answer.hpp"

#include <algorithm>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr std::string_view kJson = "application/json";

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

// Parameters such as a charset may follow.
bool is_json(std::string_view content_type) {
    return base::equals_ignoring_case(
        content_type.substr(0, std::min(content_type.find(';'), content_type.find(' '))), kJson);
}

HttpAnswer plain(int status, std::string text) { return {status, "text/plain", std::move(text)}; }

}  // namespace

std::variant<RpcRequest, HttpAnswer> read_request(std::string_view content_type, const std::string& body) {
    if (!is_json(content_type)) return plain(415, "Expected request with `Content-Type: application/json`");
    if (json_text::is_too_deep(body)) return plain(400, "Json deserialize error: recursion limit exceeded");
    json request = json::parse(body, nullptr, false);
    if (request.is_discarded()) return plain(400, "Json deserialize error: not JSON");
    if (!is_request(request))
        return HttpAnswer{400, "application/json",
                          envelope(parse_error("JSON RPC Request format was expected"), "null")};
    RpcRequest read;
    read.method = request["method"].get<std::string>();
    if (const auto params = request.find("params"); params != request.end()) read.params = std::move(*params);
    const auto id = json_text::member(body, "id");  // not found if the name is written with escapes
    read.id_json = id ? std::string(*id) : request["id"].dump();
    return read;
}

}  // namespace receiptd::sandbox
