#include "api/problem.hpp"

#include "base/exact_json.hpp"
#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace receiptd::api {

using nlohmann::json;

namespace {

const char* title_of(int status) {
    switch (status) {
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 421: return "Misdirected Request";
        case 422: return "Unprocessable Content";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 503: return "Service Unavailable";
        default: return "Internal Server Error";
    }
}

}  // namespace

json problem_json(const Problem& problem) {
    json body = {{"type", "about:blank"},
                 {"title", title_of(problem.status)},
                 {"status", problem.status},
                 {"detail", problem.detail}};
    if (problem.pointer) body["pointer"] = *problem.pointer;
    if (!problem.parameter.empty()) body["parameter"] = problem.parameter;
    return body;
}

net::ServerReply problem_reply(const Problem& problem, const json& more) {
    json body = problem_json(problem);
    body.update(more);
    auto reply = text_reply(problem.status, "application/problem+json", to_text(body));
    for (const auto& header : problem.headers) reply.headers.push_back(header);
    return reply;
}

net::ServerReply problem_reply(const Problem& problem) { return problem_reply(problem, json::object()); }

net::ServerReply refusal(int status, std::string_view text) {
    Problem problem;
    problem.status = status;
    problem.detail = text;
    if (status == 503) problem.headers.push_back({"Retry-After", "1"});
    return problem_reply(problem);
}

net::ServerReply text_reply(int status, const char* content_type, std::string body) {
    net::ServerReply reply;
    reply.status = status;
    reply.headers.push_back({"Content-Type", content_type});
    reply.headers.push_back({"Cache-Control", "no-store"});
    reply.body = std::move(body);
    reply.body += "\n";
    return reply;
}

net::ServerReply json_reply(int status, std::string body) {
    return text_reply(status, "application/json", std::move(body));
}

// Details may quote requests and hosts' answers: bytes that are not UTF-8 must not make the answer fail.
std::string to_text(const json& body) { return base::write_json(body); }
std::string to_text(const nlohmann::ordered_json& body) { return base::write_json(body); }

std::string list_json(std::string_view name, const std::vector<std::string>& items,
                      const std::optional<std::string>& next_cursor, const std::string& coverage) {
    std::string list = "[";
    for (std::size_t i = 0; i < items.size(); ++i) list.append(i == 0 ? "" : ",").append(items[i]);
    base::JsonObject page;
    page.json(name, list += ']');
    next_cursor ? page.text("next_cursor", *next_cursor) : page.json("next_cursor", "null");
    if (!coverage.empty()) page.json("coverage", coverage);
    return page.to_json();
}

}  // namespace receiptd::api
