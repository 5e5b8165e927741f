// Sends signed alerts to the endpoints of the configuration.
#pragma once

#include "alert/attempt.hpp"
#include "alert/signature.hpp"
#include "base/clock.hpp"
#include "base/task.hpp"
#include "config/settings.hpp"
#include "net/http_client.hpp"

#include <map>
#include <string>
#include <vector>

namespace receiptd::alert {

// Attempts under way at once, of one endpoint.
inline constexpr unsigned kAttemptsAtOnce = 16;
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

// The request as it is sent at `now`, with a signature by each of the signers, and these headers.
net::HttpRequest signed_request(const std::string& target, const std::vector<Signer>& signers,
                                const std::vector<net::Header>& headers, Message message, base::WallTime now);

class HttpSender final : public Sender {
public:
    // Settings that config has accepted; std::runtime_error names an endpoint that cannot be used.
    HttpSender(boost::asio::any_io_executor executor, const std::vector<config::Endpoint>& endpoints,
               const base::Clock& clock);

    // To an endpoint that it serves.
    base::Task<Answer> post(Message message) override;
    bool serves(const std::string& endpoint) const { return targets_.contains(endpoint); }
    // Takes over the secrets and headers of the endpoints that are there already.
    void reload(const std::vector<config::Endpoint>& endpoints);

private:
    struct Target {
        net::HttpClient client;
        std::string path_and_query;
        std::vector<Signer> signers;  // the newest first
        std::vector<net::Header> headers;
    };

    const base::Clock& clock_;
    std::map<std::string, Target> targets_;  // by name
};

}  // namespace receiptd::alert
