#include "sandbox/gateway/access.hpp"

#include <algorithm>
#include <chrono>

namespace receiptd::sandbox {

namespace {

constexpr std::string_view kBearer = "Bearer ";

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

// Empty if the request has no such header; an Authorization of another kind is a wrong key.
std::optional<std::string> header_key(const net::ServerRequest& request) {
    const auto value = request.header("Authorization");
    if (value.empty()) return std::nullopt;
    if (!equal_ignoring_case(value.substr(0, kBearer.size()), kBearer)) return "";
    return std::string(value.substr(kBearer.size()));
}

std::optional<std::string> query_key(const net::ServerRequest& request) {
    auto value = request.query_parameter("apiKey");
    return value.empty() ? std::nullopt : std::optional(std::move(value));
}

// On the whole-block paths a plain string, elsewhere an object (providers.md §1.2-1.3).
net::ServerReply unauthorized(const net::ServerRequest& request, const char* message) {
    net::ServerReply reply;
    reply.status = 401;
    const bool whole_blocks = request.path.starts_with("/v0/");
    reply.headers = {{"Content-Type", whole_blocks ? "text/plain" : "application/json"},
                     {"WWW-Authenticate", "Bearer"}};
    reply.body =
        whole_blocks ? message : R"({"error":"unauthorized","message":")" + std::string(message) + R"("})";
    return reply;
}

}  // namespace

net::ServerReply too_many_requests(std::optional<base::Duration> wait) {
    net::ServerReply reply;
    reply.status = 429;
    reply.headers = {{"Content-Type", "application/json"}};
    if (wait) {
        const auto seconds =
            std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(*wait).count());
        reply.headers.push_back({"Retry-After", std::to_string(seconds)});
    }
    reply.body = R"({"error":"rate_limited","message":"too many requests"})";
    return reply;
}

std::optional<net::ServerReply> Access::refuse(const net::ServerRequest& request) {
    const auto in_header = header_key(request);
    const auto in_query = query_key(request);
    for (const auto& key : {in_header, in_query}) {
        if (key && !known(*key)) return unauthorized(request, "invalid API key");
    }
    if (options_.require_key && !in_header && !in_query) return unauthorized(request, "missing API key");
    return limit(in_header ? *in_header : in_query.value_or(""));
}

bool Access::known(const std::string& key) const {
    if (options_.api_keys.empty()) return !key.empty();
    return std::any_of(options_.api_keys.begin(), options_.api_keys.end(),
                       [&](const base::Secret& each) { return each.reveal() == key; });
}

std::optional<net::ServerReply> Access::limit(const std::string& caller) {
    if (options_.requests_per_second <= 0) return std::nullopt;
    const double rate = options_.requests_per_second;
    // With no configured keys anybody could invent them without end: they share one bucket.
    const std::string& name = options_.api_keys.empty() ? std::string() : caller;
    auto& bucket = buckets_.try_emplace(name, rate, rate, clock_.steady()).first->second;
    const auto wait = bucket.take(clock_.steady());
    return wait > base::Duration::zero() ? std::optional(too_many_requests(wait)) : std::nullopt;
}

}  // namespace receiptd::sandbox
