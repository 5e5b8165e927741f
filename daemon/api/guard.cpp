#include "api/guard.hpp"

#include "base/ascii.hpp"
#include "chain/wire/base64.hpp"
#include "net/authority.hpp"

#include <sodium/utils.h>

#include <algorithm>

namespace receiptd::api {

namespace {

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

// A request must not have a body that nobody would look at.
std::optional<Problem> body_refusal(const net::ServerRequest& request) {
    const auto length = request.header("Content-Length");
    if ((length.empty() || length == "0") && request.header("Transfer-Encoding").empty()) return std::nullopt;
    Problem problem;
    problem.status = 413;
    problem.detail = "a " + request.method + " takes no body";
    return problem;
}

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

// Browsers ask for a name and a password; the name does not count.
bool has_password(const net::ServerRequest& request, const base::Secret& token) {
    constexpr std::string_view kScheme = "basic ";
    const auto value = request.header("Authorization");
    if (!base::equals_ignoring_case(value.substr(0, kScheme.size()), kScheme)) return false;
    const auto decoded = chain::base64_decode(value.substr(kScheme.size()));
    if (!decoded) return false;
    const std::string_view pair(reinterpret_cast<const char*>(decoded->data()), decoded->size());
    const auto colon = pair.find(':');
    return colon != std::string_view::npos && same_secret(pair.substr(colon + 1), token.reveal());
}

std::optional<Problem> read_refusal(const net::ServerRequest& request, const Guard& guard) {
    if (guard.read_token.empty() || has_token(request, guard.read_token) ||
        has_password(request, guard.read_token) ||
        (!guard.write_token.empty() && has_token(request, guard.write_token)))
        return std::nullopt;
    Problem problem;
    problem.status = 401;
    problem.detail =
        "reads need the token of http.read_token_env or http.read_token_file, in the header Authorization: "
        "Bearer "
        "TOKEN or as a password";
    problem.headers.push_back({"WWW-Authenticate", R"(Bearer realm="receiptd")"});
    problem.headers.push_back({"WWW-Authenticate", R"(Basic realm="receiptd", charset="UTF-8")"});
    return problem;
}

bool is_ours(std::string_view authority, const Guard& guard) {
    const auto host = net::authority_host(authority);
    return host && (net::is_fixed_host(*host) ||
                    std::find(guard.hosts.begin(), guard.hosts.end(), *host) != guard.hosts.end());
}

}  // namespace

std::optional<Problem> host_refusal(const net::ServerRequest& request, const Guard& guard) {
    for (const std::string_view given : {request.header("Host"), std::string_view(request.target_host)}) {
        if (given.empty() || is_ours(given, guard)) continue;
        Problem problem;
        problem.status = 421;
        problem.detail =
            "this server is not known by the name in the header Host: use its address, or put the name on "
            "http.allowed_hosts";
        return problem;
    }
    return std::nullopt;
}

std::optional<Problem> refusal_of(const net::ServerRequest& request, const Guard& guard, Access access,
                                  Body body) {
    if (access == Access::write) return write_refusal(request, guard.write_token, body);
    if (access == Access::read || (access == Access::metrics && !guard.metrics_are_open))
        if (auto refused = read_refusal(request, guard)) return refused;
    return body_refusal(request);
}

bool has_token(const net::ServerRequest& request, const base::Secret& token) {
    const auto given = bearer(request);
    return given && same_secret(*given, token.reveal());
}

}  // namespace receiptd::api
