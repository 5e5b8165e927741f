#include "net/address_guard.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace receiptd::net {

namespace {

namespace ip = boost::asio::ip;

struct V4Range {
    std::uint32_t network;
    unsigned bits;
    std::string_view what;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
    return a << 24 | b << 16 | c << 8 | d;
}

constexpr V4Range kV4[] = {
    {v4(0, 0, 0, 0), 8, "unspecified"},
    {v4(10, 0, 0, 0), 8, "private"},
    {v4(100, 64, 0, 0), 10, "shared by a carrier's customers"},
    {v4(127, 0, 0, 0), 8, "loopback"},
    {v4(168, 63, 129, 16), 32, "a cloud's metadata service"},  // Azure's; public by its number
    {v4(169, 254, 0, 0), 16, "link-local"},                    // 169.254.169.254: metadata of most clouds
    {v4(172, 16, 0, 0), 12, "private"},
    {v4(192, 0, 0, 0), 24, "reserved"},
    {v4(192, 0, 2, 0), 24, "for documentation"},
    {v4(192, 88, 99, 0), 24, "reserved"},
    {v4(192, 168, 0, 0), 16, "private"},
    {v4(198, 18, 0, 0), 15, "for benchmarks"},
    {v4(198, 51, 100, 0), 24, "for documentation"},
    {v4(203, 0, 113, 0), 24, "for documentation"},
    {v4(224, 0, 0, 0), 4, "multicast"},
    {v4(240, 0, 0, 0), 4, "reserved"},
};

struct V6Range {
    std::array<std::uint8_t, 8> network;  // the rest is zero
    unsigned bits;
    std::string_view what;
};

// The first that fits tells; 2000::/3 alone is given out (IANA).
constexpr V6Range kV6[] = {
    {{0xfe, 0x80}, 10, "link-local"},
    {{0xfe, 0xc0}, 10, "private"},
    {{0xfc}, 7, "private"},  // fd00:ec2::254 among them: metadata of a cloud
    {{0xff}, 8, "multicast"},
    {{0x20, 0x01}, 32, "a tunnel's"},  // Teredo
    {{0x20, 0x01}, 23, "reserved"},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, "for documentation"},
    {{0x3f, 0xff}, 20, "for documentation"},
    {{0x20, 0x02}, 16, "a tunnel's"},  // 6to4
};

std::optional<std::string_view> not_public_v4(ip::address_v4 address) {
    for (const auto& range : kV4)
        if ((address.to_uint() ^ range.network) >> (32 - range.bits) == 0) return range.what;
    return std::nullopt;
}

bool within(const ip::address_v6::bytes_type& bytes, const V6Range& range) {
    for (unsigned bit = 0; bit < range.bits; ++bit) {
        const unsigned mask = 0x80U >> bit % 8;
        if ((bytes[bit / 8] & mask) != (range.network[bit / 8] & mask)) return false;
    }
    return true;
}

// 64:ff9b::/96, RFC 6052.
std::optional<ip::address_v4> behind_nat64(const ip::address_v6::bytes_type& bytes) {
    constexpr std::array<std::uint8_t, 12> kPrefix = {0x00, 0x64, 0xff, 0x9b};
    if (!std::equal(kPrefix.begin(), kPrefix.end(), bytes.begin())) return std::nullopt;
    return ip::address_v4(v4(bytes[12], bytes[13], bytes[14], bytes[15]));
}

std::optional<std::string_view> not_public_v6(const ip::address_v6& address) {
    if (address.is_unspecified()) return "unspecified";
    if (address.is_loopback()) return "loopback";
    if (address.is_v4_mapped()) return "an IPv4 address in disguise";
    const auto bytes = address.to_bytes();
    if (const auto inner = behind_nat64(bytes)) return not_public_v4(*inner);
    for (const auto& range : kV6)
        if (within(bytes, range)) return range.what;
    if (bytes[0] >> 5 != 1) return "reserved";
    return std::nullopt;
}

}  // namespace

std::optional<std::string_view> not_public(const ip::address& address) {
    return address.is_v4() ? not_public_v4(address.to_v4()) : not_public_v6(address.to_v6());
}

AddressFilter not_public_but(std::vector<base::Network> networks) {
    return [networks = std::move(networks)](const ip::address& address) -> std::optional<std::string_view> {
        const auto is_among = [&](const auto& bytes) {
            return std::any_of(networks.begin(), networks.end(),
                               [&](const auto& network) { return network.contains(bytes); });
        };
        const bool allowed =
            address.is_v4() ? is_among(address.to_v4().to_bytes()) : is_among(address.to_v6().to_bytes());
        return allowed ? std::nullopt : not_public(address);
    };
}

}  // namespace receiptd::net
