#include "net/proxy.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>

namespace receiptd::net {

std::optional<base::Proxy> proxy_of(const base::Secret& address) {
    if (address.empty()) return std::nullopt;
    auto proxy = base::parse_proxy(address.reveal());
    if (!proxy) throw std::invalid_argument("the address of a proxy " + proxy.error().text);
    return std::move(*proxy);
}

std::string login_field(const base::Proxy& proxy) {
    const auto& login = proxy.login.reveal();
    std::string text((login.size() + 2) / 3 * 4 + 1, '\0');
    const int size =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(login.data()), static_cast<int>(login.size()));
    text.resize(static_cast<std::size_t>(size));
    return "Basic " + text;
}

std::string tunnel_request(const Url& origin, const base::Proxy& proxy) {
    const auto text = origin.origin();
    const auto target = text.substr(text.find("//") + 2);
    std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
    if (!proxy.login.empty()) request += "Proxy-Authorization: " + login_field(proxy) + "\r\n";
    return request + "\r\n";
}

std::optional<std::string> tunnel_refusal(std::string_view head) {
    constexpr std::string_view kVersion = "HTTP/1.";
    constexpr std::size_t kStatusAt = kVersion.size() + 2;
    const auto status = head.substr(std::min(head.size(), kStatusAt), 3);
    const bool is_status =
        head.starts_with(kVersion) && status.size() == 3 &&
        std::all_of(status.begin(), status.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_status || head.find("\r\n\r\n") == std::string_view::npos) return "its answer is not HTTP";
    if (status.front() != '2') return "it answers HTTP " + std::string(status);
    // Bytes behind the head of a tunnel that is made come from neither side of the handshake.
    if (!head.ends_with("\r\n\r\n")) return "it says more than that the tunnel is made";
    return std::nullopt;
}

}  // namespace receiptd::net
