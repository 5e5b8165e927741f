// The host that a client means to talk to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::net {

// The host of a Host field or of a target ("name", "name:80", "[::1]:80"): in small letters, without
// brackets, port and final dot. nullopt: it is none.
std::optional<std::string> authority_host(std::string_view authority);

// "localhost", or an IPv4 or IPv6 address. The owner of a name can let it lead to any address and so make a
// browser's page speak with a server near it (DNS rebinding); such a page is never of one of these.
bool is_fixed_host(const std::string& host);

}  // namespace receiptd::net
