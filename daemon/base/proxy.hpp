// HTTP proxies, as people and environments write them.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::base {

struct Proxy {
    std::string host;  // without brackets for IPv6
    std::uint16_t port = 80;
    Secret login;  // "user:password"; empty: without

    std::string name() const;  // "host:port": safe to print
};

struct ProxyFault {
    std::string text;  // the end of a sentence; never holds a part of the address
};

// "http://[USER[:PASSWORD]@]HOST[:PORT]", also without the scheme.
Result<Proxy, ProxyFault> parse_proxy(std::string_view text);

// Whether NO_PROXY, a list of names, addresses and networks or "*", has this host. A name stands for its
// subdomains, too.
bool is_without_proxy(std::string_view no_proxy, std::string_view host, std::uint16_t port);

}  // namespace receiptd::base
