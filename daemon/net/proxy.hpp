// Requests to an HTTP proxy, and its answers.
#pragma once

#include "base/proxy.hpp"
#include "net/url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::net {

// As config has checked it; empty: none. Throws std::invalid_argument, without the address.
std::optional<base::Proxy> proxy_of(const base::Secret& address);

// The value of Proxy-Authorization.
std::string login_field(const base::Proxy& proxy);
std::string tunnel_request(const Url& origin, const base::Proxy& proxy);
// Why the proxy makes no tunnel, from the head of its answer; nullopt: it has made one.
std::optional<std::string> tunnel_refusal(std::string_view head);

}  // namespace receiptd::net
