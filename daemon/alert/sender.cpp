#include "alert/sender.hpp"

#include "base/coroutine.hpp"
#include "net/retry_after.hpp"

#include <stdexcept>
#include <utility>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;

constexpr auto kConnectTimeout = 5s;
constexpr std::uint64_t kLongestAnswer = 64 << 10;  // nobody reads it

net::HttpClientOptions client_options(const config::Endpoint& endpoint, net::Url origin) {
    net::HttpClientOptions options;
    options.origin = std::move(origin);
    options.max_connections = kAttemptsAtOnce;
    options.connect_timeout = kConnectTimeout;
    options.request_timeout = kLongestAttempt - kConnectTimeout;
    options.max_response_bytes = kLongestAnswer;
    options.gzip = false;
    options.user_agent = "receiptd/" RECEIPTD_VERSION;
    if (!endpoint.allow_private) options.address_filter = net::not_public;
    return options;
}

Signer signer_of(const config::Endpoint& endpoint) {
    auto signer = Signer::from(endpoint.secret);
    if (!signer)
        throw std::runtime_error("endpoint " + endpoint.name + ": its secret is not whsec_ and base64");
    return std::move(*signer);
}

}  // namespace

net::HttpRequest signed_request(const std::string& target, const Signer& signer, Message message,
                                base::WallTime now) {
    const auto timestamp = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    net::HttpRequest request;
    request.method = "POST";
    request.target = target;
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"webhook-id", message.id});
    request.headers.push_back({"webhook-timestamp", std::to_string(timestamp)});
    request.headers.push_back({"webhook-signature", signer.sign(message.id, timestamp, message.body)});
    request.body = std::move(message.body);
    return request;
}

HttpSender::HttpSender(boost::asio::any_io_executor executor, const std::vector<config::Endpoint>& endpoints,
                       const base::Clock& clock)
    : clock_(clock) {
    for (const auto& endpoint : endpoints) {
        auto url = net::parse_url(endpoint.url.reveal());
        if (!url) throw std::runtime_error("endpoint " + endpoint.name + ": its url: " + url.error().reason);
        auto path_and_query = url->target;
        net::HttpClient client(executor, client_options(endpoint, std::move(*url)));
        Target target{std::move(client), std::move(path_and_query), signer_of(endpoint)};
        targets_.emplace(endpoint.name, std::move(target));
    }
}

base::Task<Answer> HttpSender::post(Message message) {
    auto& target = targets_.at(message.endpoint);
    auto request = signed_request(target.path_and_query, target.signer, std::move(message), clock_.wall());
    const auto response = co_await target.client.send(std::move(request));
    Answer answer;
    if (!response) {
        answer.error = response.error().text;
        co_return answer;
    }
    answer.status = response->status;
    answer.retry_after =
        net::parse_retry_after(response->header("Retry-After"), clock_.wall(), kLongestRetryAfter);
    co_return answer;
}

void HttpSender::reload(const std::vector<config::Endpoint>& endpoints) {
    for (const auto& endpoint : endpoints)
        if (const auto found = targets_.find(endpoint.name); found != targets_.end())
            found->second.signer = signer_of(endpoint);
}

}  // namespace receiptd::alert
