#include "api/router.hpp"

#include "api/database_calls.hpp"
#include "base/ascii.hpp"
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "net/fields.hpp"
#include "storage/errors.hpp"

#include <sodium/utils.h>

#include <algorithm>

namespace receiptd::api {

namespace {

constexpr const char* kRetryAfter = "5";  // seconds

// The text before the next '/', which is taken off with it.
std::string_view take_segment(std::string_view& text) {
    const auto end = std::min(text.find('/'), text.size());
    const auto segment = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return segment;
}

// True with what each {…} stands for, which is never empty.
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& captured) {
    if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/'))
        return false;
    while (!pattern.empty() || !path.empty()) {
        const auto wanted = take_segment(pattern);
        const auto given = take_segment(path);
        if (!wanted.starts_with('{')) {
            if (wanted != given) return false;
        } else {
            if (given.empty()) return false;
            captured.emplace_back(given);
        }
    }
    return true;
}

// Takes the same time wherever the texts differ.
bool same_secret(std::string_view left, std::string_view right) {
    return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

bool is_of_type(std::string_view content_type, std::string_view wanted) {
    content_type = content_type.substr(0, content_type.find(';'));
    while (content_type.ends_with(' ') || content_type.ends_with('\t')) content_type.remove_suffix(1);
    return base::equals_ignoring_case(content_type, wanted);
}

// nullopt: no Authorization of that kind.
std::optional<std::string_view> bearer(const net::ServerRequest& request) {
    constexpr std::string_view kScheme = "bearer ";
    const auto value = request.header("Authorization");
    if (!base::equals_ignoring_case(value.substr(0, kScheme.size()), kScheme)) return std::nullopt;
    return value.substr(kScheme.size());
}

Problem unavailable(std::string detail) {
    Problem problem;
    problem.status = 503;
    problem.detail = std::move(detail);
    problem.headers.push_back({"Retry-After", kRetryAfter});
    return problem;
}

net::ServerReply not_allowed(const std::vector<std::string_view>& methods) {
    std::string allow;
    for (const auto method : methods) {
        allow.append(allow.empty() ? "" : ", ").append(method);
        if (method == "GET") allow += ", HEAD";
    }
    Problem problem;
    problem.status = 405;
    problem.detail = "this path takes " + allow;
    problem.headers.push_back({"Allow", allow});
    return problem_reply(problem);
}

}  // namespace

std::optional<Problem> write_refusal(const net::ServerRequest& request, const base::Secret& token,
                                     Body body) {
    Problem problem;
    if (token.empty()) {
        problem.status = 403;
        problem.detail =
            "writes are switched off: no token is configured; set http.token_env or http.token_file";
        return problem;
    }
    if (!has_token(request, token)) {
        const bool given = bearer(request).has_value();
        problem.status = 401;
        problem.detail = given ? "this is not the token of http.token_env or http.token_file"
                               : "writes need the header Authorization: Bearer TOKEN";
        problem.headers.push_back(
            {"WWW-Authenticate",
             given ? R"(Bearer realm="receiptd", error="invalid_token")" : R"(Bearer realm="receiptd")"});
        return problem;
    }
    if (request.method != "POST") return std::nullopt;
    if (body == Body::none) return body_refusal(request);
    const std::string wanted = body == Body::toml ? "application/toml" : "application/json";
    if (!is_of_type(request.header("Content-Type"), wanted)) {
        problem.status = 415;
        problem.detail = std::string("the body must be ") + (body == Body::toml ? "TOML" : "JSON") +
                         ", with the header Content-Type: " + wanted;
        problem.headers.push_back({"Accept-Post", wanted});
        return problem;
    }
    return std::nullopt;
}

bool has_token(const net::ServerRequest& request, const base::Secret& token) {
    const auto given = bearer(request);
    return given && same_secret(*given, token.reveal());
}

std::optional<Problem> body_refusal(const net::ServerRequest& request) {
    const auto length = request.header("Content-Length");
    if ((length.empty() || length == "0") && request.header("Transfer-Encoding").empty()) return std::nullopt;
    Problem problem;
    problem.status = 413;
    problem.detail = "a " + request.method + " takes no body";
    return problem;
}

Router::Match Router::find(const net::ServerRequest& request) const {
    const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
    Match match;
    for (const auto& route : routes_) {
        std::vector<std::string> captured;
        if (!matches(route.pattern, request.path, captured)) continue;
        match.allowed.push_back(route.method);
        if (route.method != method) continue;
        match.route = &route;
        match.captured = std::move(captured);
    }
    return match;
}

std::optional<net::ServerReply> Router::refuse(const net::ServerRequest& head) const {
    return refuse(head, find(head));
}

std::optional<net::ServerReply> Router::refuse(const net::ServerRequest& head, const Match& match) const {
    if (!match.route && !match.allowed.empty()) return not_allowed(match.allowed);
    if (!match.route) {
        Problem problem;
        problem.status = 404;
        problem.detail = "there is no such path; /openapi.json lists all";
        return problem_reply(problem);
    }
    const auto refused = match.route->access == Access::write
                             ? write_refusal(head, token_(), match.route->body)
                             : body_refusal(head);
    if (!refused) return std::nullopt;
    series_.count(match.route->pattern, refused->status);
    return problem_reply(*refused);
}

base::Task<net::ServerReply> Router::answer(net::ServerRequest request) const {
    auto match = find(request);
    if (auto refused = refuse(request, match)) co_return std::move(*refused);
    Call call;
    call.request = std::move(request);
    call.captured = std::move(match.captured);
    auto reply = co_await run(*match.route, std::move(call));
    series_.count(match.route->pattern, reply.status);
    co_return reply;
}

base::Task<net::ServerReply> Router::run(const Route& route, Call call) const {
    Problem problem;
    try {
        auto task = route.action(std::move(call));
        co_return co_await std::move(task);
    } catch (const NoAnswer& error) {
        problem = unavailable(error.what());
    } catch (const storage::StorageStopped&) {
        problem = unavailable("the daemon is stopping");
    } catch (const storage::StorageTimeout& error) {
        problem = unavailable(error.what());
    } catch (const storage::StorageError& error) {
        log::error("the database refused a request of the API",
                   {{"route", std::string(route.pattern)}, {"because", error.what()}});
        problem.status = 500;
        problem.detail = "the database refused the request; the daemon's log says why";
    }
    co_return problem_reply(problem);
}

}  // namespace receiptd::api
