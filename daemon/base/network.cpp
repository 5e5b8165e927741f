#include "base/network.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <string>

namespace receiptd::base {

namespace {

bool bit_of(std::span<const std::uint8_t> bytes, std::size_t bit) {
    return (bytes[bit / 8] & (0x80U >> bit % 8)) != 0;
}

}  // namespace

bool Network::contains(std::span<const std::uint8_t> other) const {
    if (other.size() != address_bytes) return false;
    for (unsigned bit = 0; bit < bits; ++bit)
        if (bit_of(other, bit) != bit_of(address, bit)) return false;
    return true;
}

std::optional<Network> parse_network(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    Network network;
    const std::string address(text.substr(0, slash));
    const bool is_v6 = address.find(':') != std::string::npos;
    if (inet_pton(is_v6 ? AF_INET6 : AF_INET, address.c_str(), network.address.data()) != 1)
        return std::nullopt;
    network.address_bytes = is_v6 ? 16 : 4;
    const auto bits = text.substr(slash + 1);
    const auto read = std::from_chars(bits.data(), bits.data() + bits.size(), network.bits);
    const auto most = network.address_bytes * 8;
    if (bits.empty() || read.ec != std::errc() || read.ptr != bits.data() + bits.size() ||
        network.bits > most)
        return std::nullopt;
    for (auto bit = std::size_t(network.bits); bit < most; ++bit)
        if (bit_of(network.address, bit)) return std::nullopt;
    return network;
}

}  // namespace receiptd::base
