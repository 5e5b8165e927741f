// Errors as application/problem+json (RFC 9457), and answers in JSON.
#pragma once

#include "net/http_server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::api {

struct Problem {
    int status = 400;
    std::string detail;  // the fault and the remedy, for people
    // The place of the problem: a JSON pointer into the body (RFC 6901), or a query parameter; empty:
    // neither.
    std::optional<std::string> pointer;
    std::string parameter;
    std::vector<net::Header> headers;
};

// {type, title, status, detail} and, where they are known, pointer or parameter.
nlohmann::json problem_json(const Problem& problem);
net::ServerReply problem_reply(const Problem& problem);
// The members of `more` are added to the body.
net::ServerReply problem_reply(const Problem& problem, const nlohmann::json& more);

// How the server itself refuses a request (net::HttpServerOptions::refusal).
net::ServerReply refusal(int status, std::string_view text);

// Never cached. `body` without a line's end.
net::ServerReply text_reply(int status, const char* content_type, std::string body);
net::ServerReply json_reply(int status, std::string json);
std::string to_text(const nlohmann::json& json);
std::string to_text(const nlohmann::ordered_json& json);

// {"name": [items], "next_cursor": "..."|null, "coverage": {...}}: items and coverage are JSON already;
// without the last where it is empty.
std::string list_json(std::string_view name, const std::vector<std::string>& items,
                      const std::optional<std::string>& next_cursor, const std::string& coverage = {});

}  // namespace receiptd::api
