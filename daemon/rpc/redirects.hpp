// neardata answers old heights and "newest" with 302 to other paths and hosts (providers.md §2.1).
// This transport follows them by hand, because the API key must not travel everywhere.
#pragma once

#include "rpc/credential.hpp"
#include "rpc/transport.hpp"

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace receiptd::rpc {

// Resolves a Location header against `from`; nullopt if it is unreadable.
std::optional<net::Url> resolve_location(const net::Url& from, std::string_view location);

// Whether our key may be sent there: the same origin, or https under the same registered domain
// (its last two labels).
bool may_carry_key(const net::Url& home, const net::Url& target);

class RedirectingTransport final : public Transport {
public:
    // `origin`: the configured host. Sends what it is given there, key included; after a redirect
    // the key goes only where may_carry_key() allows, or where the Location itself holds it.
    RedirectingTransport(TransportFactory factory, net::Url origin, TransportOptions options);

    base::Task<Reply> send(net::HttpRequest request, std::chrono::milliseconds timeout) override;

private:
    std::shared_ptr<Transport> transport_to(const net::Url& url);

    TransportFactory factory_;
    net::Url origin_;
    TransportOptions options_;
    std::list<std::pair<std::string, std::shared_ptr<Transport>>> pools_;  // newest use first
};

}  // namespace receiptd::rpc
