#include "alert/sender.hpp"

#include "base/coroutine.hpp"
#include "base/network.hpp"
#include "channel/channel.hpp"
#include "config/parse.hpp"
#include "net/fields.hpp"
#include "net/proxy.hpp"
#include "net/retry_after.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace receiptd::alert {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLongestAnswer = 64 << 10;
constexpr std::size_t kKeptOfAnswer = 4'096;
// A shorter text is no secret, and would be found in many texts.
constexpr std::size_t kShortestSecret = 6;

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
    options.ca_file = endpoint.ca_file;
    options.proxy = net::proxy_of(endpoint.proxy);
    return options;
}

std::vector<Signer> signers_of(const config::Endpoint& endpoint) {
    std::vector<Signer> signers;
    if (endpoint.channel.kind != channel::Kind::json) return signers;
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

base::Scrubber secrets_of(const config::Endpoint& endpoint, const std::string& path_and_query) {
    base::Scrubber secrets;
    for (const auto& part : net::parts_that_may_be_secret(path_and_query)) secrets.add(part);
    secrets.add(endpoint.channel.routing_key.reveal());
    for (const auto& [name, value] : config::header_lines(endpoint.headers.reveal())) {
        const auto word = value.substr(value.rfind(' ') + 1);  // of "Bearer KEY"
        for (const auto& secret : {value, word})
            if (secret.size() >= kShortestSecret) secrets.add(secret);
    }
    return secrets;
}

void sign(net::HttpRequest& request, const std::vector<Signer>& signers, const std::string& id,
          base::WallTime now) {
    const auto timestamp = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    request.headers.push_back({"webhook-id", id});
    request.headers.push_back({"webhook-timestamp", std::to_string(timestamp)});
    std::string signatures;
    for (const auto& signer : signers)
        signatures += (signatures.empty() ? "" : " ") + signer.sign(id, timestamp, request.body);
    request.headers.push_back({"webhook-signature", std::move(signatures)});
}

}  // namespace

std::chrono::milliseconds longest_attempt(const config::Endpoint& endpoint) {
    return endpoint.connect_timeout + endpoint.answer_timeout;
}

EndpointSender::EndpointSender(boost::asio::any_io_executor executor,
                               const std::vector<config::Endpoint>& endpoints, const base::Clock& clock)
    : executor_(std::move(executor)), clock_(clock) {
    for (const auto& endpoint : endpoints) take(endpoint);
}

void EndpointSender::take(const config::Endpoint& endpoint) {
    by_http_.erase(endpoint.name);
    by_mail_.erase(endpoint.name);
    if (endpoint.channel.kind == channel::Kind::email)
        by_mail_.emplace(endpoint.name, std::make_shared<MailRoute>(endpoint, filter_of(endpoint), clock_));
    else
        by_http_.emplace(endpoint.name, route_of(endpoint));
}

std::shared_ptr<EndpointSender::HttpRoute> EndpointSender::route_of(const config::Endpoint& endpoint) const {
    auto url = net::parse_url(endpoint.url.empty() ? channel::default_url(endpoint.channel.kind)
                                                   : endpoint.url.reveal());
    if (!url) throw std::runtime_error("endpoint " + endpoint.name + ": its url: " + url.error().reason);
    auto path_and_query = channel::target(endpoint.channel, url->target);
    net::HttpClient client(executor_, client_options(endpoint, std::move(*url)));
    auto secrets = secrets_of(endpoint, path_and_query);
    HttpRoute route{std::move(client),    endpoint.channel,     std::move(path_and_query),
                    signers_of(endpoint), headers_of(endpoint), std::move(secrets)};
    return std::make_shared<HttpRoute>(std::move(route));
}

net::HttpRequest EndpointSender::request(const HttpRoute& route, Message message) const {
    net::HttpRequest request;
    request.method = "POST";
    request.target = route.path_and_query;
    request.headers = route.headers;
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = channel::body(route.channel, message.id, std::move(message.body));
    if (!route.signers.empty()) sign(request, route.signers, message.id, clock_.wall());
    return request;
}

base::Task<Answer> EndpointSender::post(Message message) {
    if (const auto found = by_mail_.find(message.endpoint); found != by_mail_.end()) {
        const auto mail = found->second;
        co_return co_await mail->post(std::move(message.id), std::move(message.body));
    }
    const auto route = by_http_.at(message.endpoint);
    auto made = request(*route, std::move(message));
    const auto response = co_await route->client.send(std::move(made));
    Answer answer;
    if (!response && response.error().status == 0) {
        answer.error = response.error().text;
        co_return answer;
    }
    // A body that is too long to be read is an answer all the same.
    const auto& body = response ? response->body : response.error().text;
    const auto& headers = response ? response->headers : response.error().headers;
    answer.status = response ? response->status : response.error().status;
    answer.body = route->secrets.scrub(body).substr(0, kKeptOfAnswer);
    answer.retry_after =
        net::parse_retry_after(net::find_header(headers, "Retry-After"), clock_.wall(), kLongestRetryAfter);
    if (!answer.retry_after)
        if (const auto asked = channel::asked_wait(route->channel.kind, body))
            answer.retry_after = std::min<base::Duration>(*asked, kLongestRetryAfter);
    co_return answer;
}

void EndpointSender::reload(const std::vector<config::Endpoint>& endpoints) {
    for (const auto& endpoint : endpoints)
        if (by_http_.contains(endpoint.name) || by_mail_.contains(endpoint.name)) take(endpoint);
}

}  // namespace receiptd::alert
