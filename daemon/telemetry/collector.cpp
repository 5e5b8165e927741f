#include "telemetry/collector.hpp"

#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "base/u128.hpp"
#include "base/visible.hpp"
#include "config/parse.hpp"
#include "net/proxy.hpp"
#include "net/retry_after.hpp"

#include <stdexcept>
#include <utility>

namespace receiptd::telemetry {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPath = "/v1/traces";
constexpr std::uint64_t kLongestCollectorAnswer = 64 << 10;
constexpr std::size_t kKeptOfCollector = 500;
constexpr std::size_t kShortestHeaderSecret = 6;
constexpr std::chrono::seconds kLongestWait = 5min;

net::Url collector_url(const config::Traces& settings) {
    auto url = net::parse_url(settings.otlp_url);
    if (!url) throw std::runtime_error("traces.otlp_url: " + url.error().reason);
    return std::move(*url);
}

std::string path_of(std::string path) {
    while (path.ends_with('/')) path.pop_back();
    return path.ends_with(kPath) ? path : path + std::string(kPath);
}

net::HttpClientOptions options_of(const config::Traces& settings) {
    net::HttpClientOptions options;
    options.origin = collector_url(settings);
    options.max_connections = 1;
    options.connect_timeout = 3s;
    options.request_timeout = 10s;
    options.max_response_bytes = kLongestCollectorAnswer;
    options.gzip = false;
    options.user_agent = "receiptd/" RECEIPTD_VERSION;
    options.ca_file = settings.ca_file;
    options.proxy = net::proxy_of(settings.proxy);
    return options;
}

// {"partialSuccess":{"rejectedSpans":"5"}}: 64 bits, as text or number.
std::uint64_t rejected_in(const std::string& body) {
    const auto json = base::read_json(body);
    if (!json.is_object()) return 0;
    const auto partial = json.find("partialSuccess");
    if (partial == json.end() || !partial->is_object()) return 0;
    const auto count = partial->find("rejectedSpans");
    if (count == partial->end()) return 0;
    if (count->is_number_unsigned()) return count->get<std::uint64_t>();
    const auto number = count->is_string() ? base::parse_u128(count->get<std::string>()) : std::nullopt;
    return static_cast<std::uint64_t>(number.value_or(0));
}

}  // namespace

Fate fate_of(int status) {
    if (status >= 200 && status < 300) return Fate::taken;
    switch (status) {
        case 0:
        case 401:
        case 403:
        case 404:
        case 407:
        case 408:
        case 429:
        case 502:
        case 503:
        case 504: return Fate::again;
        default: return Fate::refused;
    }
}

HttpCollector::HttpCollector(boost::asio::any_io_executor executor, const config::Traces& settings,
                             const base::Clock& clock)
    : clock_(clock),
      client_(std::move(executor), options_of(settings)),
      target_(path_of(collector_url(settings).target)),
      headers_({{"Content-Type", "application/json"}}) {
    for (const auto& part : net::parts_that_may_be_secret(target_)) secrets_.add(part);
    for (auto& [name, value] : config::header_lines(settings.headers.reveal())) {
        const auto word = value.substr(value.rfind(' ') + 1);  // of "Bearer KEY"
        for (const auto& secret : {value, word})
            if (secret.size() >= kShortestHeaderSecret) secrets_.add(secret);
        headers_.push_back({name, value});
    }
}

base::Task<Taken> HttpCollector::post(std::string body) {
    net::HttpRequest request;
    request.method = "POST";
    request.target = target_;
    request.headers = headers_;
    request.body = std::move(body);
    const auto response = co_await client_.send(std::move(request));
    Taken taken;
    if (!response) {
        taken.status = response.error().status;
        taken.error = response.error().text;
        co_return taken;
    }
    taken.status = response->status;
    taken.retry_after = net::parse_retry_after(response->header("Retry-After"), clock_.wall(), kLongestWait);
    if (fate_of(taken.status) == Fate::taken)
        taken.rejected_spans = rejected_in(response->body);
    else
        taken.error = base::visible(secrets_.scrub(response->body).substr(0, kKeptOfCollector));
    co_return taken;
}

}  // namespace receiptd::telemetry
