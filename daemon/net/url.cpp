#include "net/url.hpp"

#include "base/ascii.hpp"
#include "net/fields.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace receiptd::net {

namespace {

namespace asio = boost::asio;

// Letters, digits, '-', '_' and '.' only: a percent-encoded or otherwise clever name is no host.
bool is_host_name(std::string_view host) {
    return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    });
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

std::optional<std::string> host_of(const boost::urls::url_view& parts) {
    if (parts.host_type() == boost::urls::host_type::ipv6) return base::lowered(parts.host_address());
    std::string host = base::lowered(parts.encoded_host());
    if (!is_host_name(host)) return std::nullopt;
    return host;
}

}  // namespace

std::string Url::origin() const {
    const bool bracketed = host.find(':') != std::string::npos;
    return std::string(tls ? "https://" : "http://") + (bracketed ? "[" + host + "]" : host) + ":" +
           std::to_string(port);
}

base::Result<Url, UrlError> parse_url(std::string_view text) {
    const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
    if (!parsed) return UrlError{"not a URL (scheme://host[:port]/path expected)"};
    const boost::urls::url_view& parts = *parsed;
    Url url;
    const std::string scheme = base::lowered(parts.scheme());
    if (scheme != "http" && scheme != "https") return UrlError{"the scheme must be http or https"};
    url.tls = scheme == "https";
    if (!parts.has_authority()) return UrlError{"the host is missing"};
    if (parts.has_userinfo()) return UrlError{"user and password do not belong in a URL"};
    if (parts.has_fragment()) return UrlError{"a fragment (#...) is never sent"};
    if (parts.encoded_host().empty()) return UrlError{"the host is missing"};
    auto host = host_of(parts);
    if (!host) return UrlError{"the host is not a name or an address"};
    url.host = std::move(*host);
    url.port = url.tls ? 443 : 80;
    if (parts.has_port()) {
        const auto port = parse_port(parts.port());
        if (!port) return UrlError{"the port must be a number from 1 to 65535"};
        url.port = *port;
    }
    url.target = parts.encoded_path().empty() ? "/" : std::string(parts.encoded_path());
    // Boost.URL 1.81 takes "host:80x" for port 80 and path "x".
    if (!url.target.starts_with('/')) return UrlError{"the port must be a number from 1 to 65535"};
    if (parts.has_query()) url.target += "?" + std::string(parts.encoded_query());
    return url;
}

std::vector<std::string> parts_that_may_be_secret(std::string_view path_and_query) {
    constexpr std::size_t kShortest = 12;  // a shorter text is no secret, and would be found in many texts
    std::vector<std::string> parts;
    while (!path_and_query.empty()) {
        const auto end = std::min(path_and_query.find_first_of("/?&=:"), path_and_query.size());
        const auto part = path_and_query.substr(0, end);
        path_and_query.remove_prefix(std::min(end + 1, path_and_query.size()));
        if (part.size() < kShortest) continue;
        parts.emplace_back(part);
        if (auto plain = percent_decode(part, false); plain && *plain != part)
            parts.push_back(std::move(*plain));
    }
    return parts;
}

bool is_loopback(std::string_view host) {
    if (base::lowered(host) == "localhost") return true;
    boost::system::error_code error;
    const auto address = asio::ip::make_address(std::string(host), error);
    if (error) return false;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
    return address.is_loopback();
}

}  // namespace receiptd::net
