// Networks of the Internet Protocol as people write them: "10.20.0.0/16", "fd00::/8".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace receiptd::base {

struct Network {
    std::array<std::uint8_t, 16> address{};  // of version 4: the first four bytes
    std::size_t address_bytes = 4;           // 4 or 16
    unsigned bits = 0;                       // leading ones that addresses of the network share

    // `address`: 4 or 16 bytes, the highest first.
    bool contains(std::span<const std::uint8_t> address) const;
};

// nullopt: not an address, a slash and a number of bits; or a bit behind these is set.
std::optional<Network> parse_network(std::string_view text);

}  // namespace receiptd::base
