#include "sandbox/gateway/access.hpp"

#include "base/ascii.hpp"

#include <chrono>

namespace receiptd::sandbox {

namespace {

constexpr std::string_view kBearer = "Bearer ";

// Empty if the request has no such header; an Authorization of another kind is a wrong key.
std::optional<std::string> header_key(const net::ServerRequest& request) {
    const auto value = request.header("Authorization");
    if (value.empty()) return std::nullopt;
    if (!base::equals_ignoring_case(value.substr(0, kBearer.size()), kBearer)) return "";
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

Admission Access::admit(const net::ServerRequest& request) {
    Admission admission;
    for (const auto& key : {query_key(request), header_key(request)}) {
        if (!key) continue;
        const auto name = name_of(*key);
        if (!name) return {"wrong", unauthorized(request, "invalid API key")};
        admission.key = *name;
    }
    if (options_.require_key && admission.key == "none")
        return {"none", unauthorized(request, "missing API key")};
    admission.refusal = limit(admission.key);
    return admission;
}

std::optional<std::string> Access::name_of(const std::string& key) const {
    if (options_.api_keys.empty()) return key.empty() ? std::nullopt : std::optional<std::string>("any");
    for (std::size_t i = 0; i < options_.api_keys.size(); ++i) {
        if (options_.api_keys[i].reveal() == key) return std::to_string(i + 1);
    }
    return std::nullopt;
}

std::optional<net::ServerReply> Access::limit(const std::string& name) {
    if (options_.requests_per_second <= 0) return std::nullopt;
    const double rate = options_.requests_per_second * (name == "none" ? options_.keyless_share : 1);
    auto& bucket = buckets_.try_emplace(name, rate, rate, clock_.steady()).first->second;
    const auto wait = bucket.take(clock_.steady());
    return wait > base::Duration::zero() ? std::optional(too_many_requests(wait)) : std::nullopt;
}

}  // namespace receiptd::sandbox
