#include "alert/sender.hpp"

#include "base/coroutine.hpp"
#include "base/network.hpp"
#include "config/parse.hpp"
#include "net/retry_after.hpp"

#include <stdexcept>
#include <utility>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLongestAnswer = 64 << 10;
constexpr std::size_t kKeptOfAnswer = 4'096;

net::AddressFilter filter_of(const config::Endpoint& endpoint) {
    if (endpoint.allow_private) return {};
    std::vector<base::Network> networks;
    for (const auto& text : endpoint.allow_networks)
        if (const auto network = base::parse_network(text)) networks.push_back(*network);
    return net::not_public_but(std::move(networks));
}

net::HttpClientOptions client_options(const config::Endpoint& endpoint, net::Url origin) {
    net::HttpClientOptions options;
    options.origin = std::move(origin);
    options.max_connections = kAttemptsAtOnce;
    options.connect_timeout = endpoint.connect_timeout;
    options.request_timeout = endpoint.answer_timeout;
    options.max_response_bytes = kLongestAnswer;
    options.gzip = false;
    options.user_agent = "receiptd/" RECEIPTD_VERSION;
    options.address_filter = filter_of(endpoint);
    return options;
}

std::vector<Signer> signers_of(const config::Endpoint& endpoint) {
    std::vector<Signer> signers;
    for (const auto* secret : {&endpoint.secret, &endpoint.previous_secret}) {
        if (secret->empty()) continue;
        auto signer = Signer::from(*secret);
        if (!signer)
            throw std::runtime_error("endpoint " + endpoint.name + ": its secret is not whsec_ and base64");
        signers.push_back(std::move(*signer));
    }
    return signers;
}

std::vector<net::Header> headers_of(const config::Endpoint& endpoint) {
    std::vector<net::Header> headers;
    for (auto& [name, value] : config::header_lines(endpoint.headers.reveal()))
        headers.push_back({std::move(name), std::move(value)});
    return headers;
}

}  // namespace

std::chrono::milliseconds longest_attempt(const config::Endpoint& endpoint) {
    return endpoint.connect_timeout + endpoint.answer_timeout;
}

net::HttpRequest signed_request(const std::string& target, const std::vector<Signer>& signers,
                                const std::vector<net::Header>& headers, Message message,
                                base::WallTime now) {
    const auto timestamp = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    net::HttpRequest request;
    request.method = "POST";
    request.target = target;
    request.headers = headers;
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"webhook-id", message.id});
    request.headers.push_back({"webhook-timestamp", std::to_string(timestamp)});
    std::string signatures;
    for (const auto& signer : signers)
        signatures += (signatures.empty() ? "" : " ") + signer.sign(message.id, timestamp, message.body);
    request.headers.push_back({"webhook-signature", std::move(signatures)});
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
        Target target{std::move(client), std::move(path_and_query), signers_of(endpoint),
                      headers_of(endpoint)};
        targets_.emplace(endpoint.name, std::move(target));
    }
}

base::Task<Answer> HttpSender::post(Message message) {
    auto& target = targets_.at(message.endpoint);
    auto request = signed_request(target.path_and_query, target.signers, target.headers, std::move(message),
                                  clock_.wall());
    const auto response = co_await target.client.send(std::move(request));
    Answer answer;
    if (!response) {
        answer.error = response.error().text;
        co_return answer;
    }
    answer.status = response->status;
    answer.body = response->body.substr(0, kKeptOfAnswer);
    answer.retry_after =
        net::parse_retry_after(response->header("Retry-After"), clock_.wall(), kLongestRetryAfter);
    co_return answer;
}

void HttpSender::reload(const std::vector<config::Endpoint>& endpoints) {
    for (const auto& endpoint : endpoints)
        if (const auto found = targets_.find(endpoint.name); found != targets_.end()) {
            found->second.signers = signers_of(endpoint);
            found->second.headers = headers_of(endpoint);
        }
}

}  // namespace receiptd::alert
