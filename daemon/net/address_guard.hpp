// Recognizes addresses of the public internet. Other addresses are refused where we cannot trust the URL.
#pragma once

#include "base/network.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio::ip {
class address;
}

namespace receiptd::net {

// Why an address must not be connected to, as the end of "10.0.0.1 is ..."; nullopt: it may be.
using AddressFilter = std::function<std::optional<std::string_view>(const boost::asio::ip::address&)>;

// Refuses what is not globally reachable by the registries of IANA (RFC 6890 and its successors):
// private, shared (CGNAT), loopback, link-local with the clouds' metadata, multicast, unspecified, reserved,
// documentation, and every IPv6 form that carries an IPv4 address of its own (mapped, 6to4, Teredo), but
// NAT64, which is judged by the address in it.
std::optional<std::string_view> not_public(const boost::asio::ip::address& address);
// The same, but addresses of these networks pass.
AddressFilter not_public_but(std::vector<base::Network> networks);

}  // namespace receiptd::net
