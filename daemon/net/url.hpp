#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// Parts of a path and query that may be a secret, as providers put keys there: those of 12 characters or
// more, as they are and decoded.
std::vector<std::string> parts_that_may_be_secret(std::string_view path_and_query);

bool is_loopback(std::string_view host);

}  // namespace receiptd::net
