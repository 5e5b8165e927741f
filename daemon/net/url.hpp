#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::net {

struct Url {
    bool tls = false;
    std::string host;  // without brackets for IPv6
    std::uint16_t port = 80;
    std::string target = "/";  // path and query
    // "https://host:port" without path, query or user: safe to print.
    std::string origin() const;
};

struct UrlError {
    std::string reason;
};

// http and https only; user:password@ is refused (it would leak).
base::Result<Url, UrlError> parse_url(std::string_view text);

bool is_loopback(std::string_view host);

}  // namespace receiptd::net
