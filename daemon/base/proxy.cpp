#include "base/proxy.hpp"

#include "base/ascii.hpp"
#include "base/network.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace receiptd::base {

namespace {

constexpr std::string_view kForm = "is not http://HOST:PORT";

std::optional<std::uint16_t> port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

// Texts with a broken escape or a control character are none.
std::optional<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char byte = text[i];
        if (byte == '%') {
            unsigned char value = 0;
            const auto* digits = text.data() + i + 1;
            if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
                return std::nullopt;
            byte = static_cast<char>(value);
            i += 2;
        }
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) return std::nullopt;
        plain += byte;
    }
    return plain;
}

bool is_host(std::string_view host) {
    std::array<std::uint8_t, 16> address{};
    if (host.find(':') != std::string_view::npos)
        return inet_pton(AF_INET6, std::string(host).c_str(), address.data()) == 1;
    return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    });
}

struct Place {
    std::string host;  // in small letters
    std::optional<std::string_view> port;
};

// "host", "host:80", "[::1]:80", "::1".
Place place_of(std::string_view text) {
    const auto colon = text.rfind(':');
    const auto bracket = text.find(']');
    if (text.starts_with('[') && bracket != std::string_view::npos) {
        Place place{lowered(text.substr(1, bracket - 1)), std::nullopt};
        if (bracket + 1 < text.size()) place.port = text.substr(std::min(text.size(), bracket + 2));
        return place;
    }
    if (colon == std::string_view::npos || text.find(':') != colon) return {lowered(text), std::nullopt};
    return {lowered(text.substr(0, colon)), text.substr(colon + 1)};
}

bool is_in(std::string_view network_text, const std::string& host) {
    const auto network = parse_network(network_text);
    if (!network) return false;
    std::array<std::uint8_t, 16> address{};
    const bool is_v6 = host.find(':') != std::string::npos;
    if (inet_pton(is_v6 ? AF_INET6 : AF_INET, host.c_str(), address.data()) != 1) return false;
    return network->contains(std::span(address).first(is_v6 ? 16 : 4));
}

bool names(std::string_view entry, const std::string& host, std::uint16_t port) {
    if (entry == "*") return true;
    if (entry.find('/') != std::string_view::npos) return is_in(entry, host);
    const auto place = place_of(entry);
    if (place.port && port_of(*place.port) != port) return false;
    std::string_view name = place.host;
    if (name.starts_with('*')) name.remove_prefix(1);
    if (name.starts_with('.')) name.remove_prefix(1);
    if (name.empty() || !host.ends_with(name)) return false;
    return host.size() == name.size() || host[host.size() - name.size() - 1] == '.';
}

}  // namespace

std::string Proxy::name() const {
    return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

Result<Proxy, ProxyFault> parse_proxy(std::string_view text) {
    if (const auto scheme = text.find("://"); scheme != std::string_view::npos) {
        if (lowered(text.substr(0, scheme)) != "http")
            return ProxyFault{std::string(kForm) + ": other kinds of proxies are not supported"};
        text.remove_prefix(scheme + 3);
    }
    if (text.ends_with('/')) text.remove_suffix(1);
    Proxy proxy;
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        const auto login = decoded(text.substr(0, at));
        if (!login) return ProxyFault{"has a user or password that cannot be read"};
        proxy.login = Secret(login->find(':') == std::string::npos ? *login + ":" : *login);
        text.remove_prefix(at + 1);
    }
    auto place = place_of(text);
    if (!is_host(place.host) || text.starts_with('[') != (place.host.find(':') != std::string::npos))
        return ProxyFault{std::string(kForm)};
    proxy.host = std::move(place.host);
    if (!place.port) return proxy;
    const auto port = port_of(*place.port);
    if (!port) return ProxyFault{std::string(kForm) + " with a port from 1 to 65535"};
    proxy.port = *port;
    return proxy;
}

bool is_without_proxy(std::string_view no_proxy, std::string_view host, std::uint16_t port) {
    const auto small = lowered(host);
    while (!no_proxy.empty()) {
        const auto end = std::min(no_proxy.find_first_of(", "), no_proxy.size());
        const auto entry = no_proxy.substr(0, end);
        no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
        if (!entry.empty() && names(entry, small, port)) return true;
    }
    return false;
}

}  // namespace receiptd::base
