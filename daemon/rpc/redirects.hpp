// neardata answers old heights and "newest" with 302 to other paths and hosts (providers.md §2.1).
// This transport follows them by hand, because neither we nor the API key go wherever a host says.
#pragma once

#include "rpc/credential.hpp"
#include "rpc/transport.hpp"

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::rpc {

// Resolves a Location header against `from`; nullopt if it is unreadable.
std::optional<net::Url> resolve_location(const net::Url& from, std::string_view location);

enum class Followed {
    no,
    to_public_addresses,  // of the configured host's own subdomains, which others must not lead inside
    anywhere,             // the configured origin, and hosts that the configuration lists
};

// Whether a redirect to `target` is followed, the key with it. The configured host `home` speaks for itself
// and its subdomains, by https; for no other name, even if the last labels are equal: under "co.uk" or
// "github.io" these belong to strangers. `listed`: host names and addresses.
Followed followed(const net::Url& home, const std::vector<std::string>& listed, const net::Url& target);

class RedirectingTransport final : public Transport {
public:
    // `origin`: the configured host. `listed`: as followed() takes it.
    RedirectingTransport(TransportFactory factory, net::Url origin, std::vector<std::string> listed,
                         TransportOptions options);

    base::Task<Reply> send(net::HttpRequest request, std::chrono::milliseconds timeout) override;

private:
    std::shared_ptr<Transport> transport_to(const net::Url& url, bool only_public);

    TransportFactory factory_;
    net::Url origin_;
    std::vector<std::string> listed_;
    TransportOptions options_;
    std::list<std::pair<std::string, std::shared_ptr<Transport>>> pools_;  // newest use first
};

}  // namespace receiptd::rpc
