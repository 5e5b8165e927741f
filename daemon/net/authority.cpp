#include "net/authority.hpp"

#include "base/ascii.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace receiptd::net {

namespace asio = boost::asio;

namespace {

bool is_port_part(std::string_view text) {
    return text.empty() || (text.starts_with(':') && std::all_of(text.begin() + 1, text.end(), [](char c) {
                                return c >= '0' && c <= '9';
                            }));
}

bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

}  // namespace

std::optional<std::string> authority_host(std::string_view authority) {
    const bool bracketed = authority.starts_with('[');
    const auto end = std::min(bracketed ? authority.find(']') : authority.find(':'), authority.size());
    if (bracketed && end == authority.size()) return std::nullopt;
    if (!is_port_part(authority.substr(bracketed ? end + 1 : end))) return std::nullopt;
    std::string host = base::lowered(authority.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end));
    if (bracketed) {
        boost::system::error_code error;
        asio::ip::make_address_v6(host, error);
        return error ? std::nullopt : std::optional(host);
    }
    if (host.ends_with('.')) host.pop_back();
    if (host.empty() || !std::all_of(host.begin(), host.end(), is_of_name)) return std::nullopt;
    return host;
}

bool is_fixed_host(const std::string& host) {
    if (host == "localhost") return true;
    boost::system::error_code error;
    asio::ip::make_address(host, error);
    return !error;
}

}  // namespace receiptd::net
