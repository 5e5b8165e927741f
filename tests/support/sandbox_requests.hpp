// What the sandbox's tests share: a clock they own, and requests.
#pragma once

#include "net/http_server.hpp"
#include "support/hand_clock.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace receiptd::sandbox::test {

using FakeClock = base::HandClock;

inline net::ServerRequest post(const std::string& body) {
    net::ServerRequest request;
    request.method = "POST";
    request.path = "/";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body;
    return request;
}

inline net::ServerRequest get(const std::string& path, const std::string& query = "") {
    net::ServerRequest request;
    request.method = "GET";
    request.path = path;
    request.query = query;
    return request;
}

inline std::string call(const std::string& method, const nlohmann::json& params) {
    return nlohmann::json{{"jsonrpc", "2.0"}, {"id", "x"}, {"method", method}, {"params", params}}.dump();
}

inline std::string text_of(const net::ServerReply& reply) {
    return reply.shared_body ? *reply.shared_body : reply.body;
}
inline nlohmann::json json_of(const net::ServerReply& reply) { return nlohmann::json::parse(text_of(reply)); }

inline std::string header_of(const net::ServerReply& reply, const std::string& name) {
    for (const auto& header : reply.headers) {
        if (header.name == name) return header.value;
    }
    return "";
}

}  // namespace receiptd::sandbox::test
