// Sends alerts to the endpoints of the configuration, each by its channel.
#pragma once

#include "alert/attempt.hpp"
#include "alert/mail_route.hpp"
#include "alert/signature.hpp"
#include "base/clock.hpp"
#include "base/scrubber.hpp"
#include "base/task.hpp"
#include "channel/settings.hpp"
#include "config/settings.hpp"
#include "net/http_client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace receiptd::alert {

// From connecting to the whole answer.
std::chrono::milliseconds longest_attempt(const config::Endpoint& endpoint);

struct Message {
    std::string endpoint;
    std::string id;    // webhook-id
    std::string body;  // JSON
};

class Sender {
public:
    virtual ~Sender() = default;
    // Throws only if it is cancelled.
    virtual base::Task<Answer> post(Message message) = 0;
};

class EndpointSender final : public Sender {
public:
    // Settings that config has accepted; std::runtime_error names an endpoint that cannot be used.
    EndpointSender(boost::asio::any_io_executor executor, const std::vector<config::Endpoint>& endpoints,
                   const base::Clock& clock);

    // To an endpoint that it serves.
    base::Task<Answer> post(Message message) override;
    bool serves(const std::string& endpoint) const {
        return by_http_.contains(endpoint) || by_mail_.contains(endpoint);
    }
    // Takes over what has changed of the endpoints that are there already. Attempts under way end as they
    // began.
    void reload(const std::vector<config::Endpoint>& endpoints);

private:
    struct HttpRoute {
        net::HttpClient client;
        channel::Settings channel;
        std::string path_and_query;
        std::vector<Signer> signers;  // the newest first; of channel json
        std::vector<net::Header> headers;
        base::Scrubber secrets;  // what the service knows, and might tell in its answers
    };

    void take(const config::Endpoint& endpoint);
    std::shared_ptr<HttpRoute> route_of(const config::Endpoint& endpoint) const;
    net::HttpRequest request(const HttpRoute& route, Message message) const;

    boost::asio::any_io_executor executor_;
    const base::Clock& clock_;
    // By name. A reload replaces them, while attempts are under way on the old ones.
    std::map<std::string, std::shared_ptr<HttpRoute>> by_http_;
    std::map<std::string, std::shared_ptr<MailRoute>> by_mail_;
};

}  // namespace receiptd::alert
