#include "sandbox/gateway/request_counters.hpp"

namespace receiptd::sandbox {

namespace {

const char* to_string(RequestOutcome outcome) {
    switch (outcome) {
        case RequestOutcome::ok: return "ok";
        case RequestOutcome::error: return "error";
        case RequestOutcome::unauthorized: return "unauthorized";
        case RequestOutcome::limited: return "limited";
        case RequestOutcome::fault: return "fault";
    }
    return "ok";
}

std::string sample(std::string_view name, std::string_view host, std::string_view label,
                   std::string_view value, RequestOutcome outcome, std::uint64_t count) {
    std::string line(name);
    line.append("{host=\"").append(host).append("\",").append(label).append("=\"").append(value);
    line.append("\",outcome=\"").append(to_string(outcome)).append("\"} ");
    return line + std::to_string(count) + "\n";
}

}  // namespace

void RequestCounters::count(std::string_view method, std::string_view key, RequestOutcome outcome) {
    ++by_method_[{std::string(method), outcome}];
    ++by_key_[{std::string(key), outcome}];
}

std::string RequestCounters::prometheus_text(std::string_view host) const {
    constexpr std::string_view kRequests = "receiptd_sandbox_requests_total";
    constexpr std::string_view kKeys = "receiptd_sandbox_key_requests_total";
    std::string text =
        "# HELP receiptd_sandbox_requests_total Requests answered, by method or path.\n"
        "# TYPE receiptd_sandbox_requests_total counter\n";
    for (const auto& [labels, count] : by_method_)
        text += sample(kRequests, host, "method", labels.first, labels.second, count);
    text +=
        "# HELP receiptd_sandbox_key_requests_total Requests answered, by API key: its place in the list of "
        "keys.\n"
        "# TYPE receiptd_sandbox_key_requests_total counter\n";
    for (const auto& [labels, count] : by_key_)
        text += sample(kKeys, host, "key", labels.first, labels.second, count);
    return text;
}

}  // namespace receiptd::sandbox
