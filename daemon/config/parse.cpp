#include "config/parse.hpp"

#include "base/ascii.hpp"
#include "base/network.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace receiptd::config {

namespace {

std::optional<unsigned> parse_port(std::string_view text) {
    unsigned port = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || port > 65'535)
        return std::nullopt;
    return port;
}

// "host:port", "[::1]:port", "host" -> host without brackets and the port's text.
std::optional<std::pair<std::string_view, std::optional<std::string_view>>> split_host(
    std::string_view text) {
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        const auto rest = text.substr(close + 1);
        if (rest.empty()) return std::pair{text.substr(1, close - 1), std::nullopt};
        if (rest.front() != ':') return std::nullopt;
        return std::pair{text.substr(1, close - 1), std::optional(rest.substr(1))};
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::pair{text, std::nullopt};
    if (text.find(':', colon + 1) != std::string_view::npos) return std::nullopt;
    return std::pair{text.substr(0, colon), std::optional(text.substr(colon + 1))};
}

// The part between "://" and the first "/", "?" or "#".
std::string_view authority(std::string_view url) {
    const auto start = url.find("://");
    if (start == std::string_view::npos) return {};
    url.remove_prefix(start + 3);
    return url.substr(0, url.find_first_of("/?#"));
}

bool is_set_by_the_daemon(const std::string& name) {
    constexpr std::array<std::string_view, 8> kOwn = {
        "host",       "content-type", "content-length", "transfer-encoding",
        "connection", "user-agent",   "expect",         "proxy-authorization"};
    return name.starts_with("webhook-") || std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

// Looks behind the scheme, which is right.
std::optional<std::string> rest_fault(std::string_view url) {
    const auto bad = [](char c) { return c <= ' ' || c == 0x7f; };
    if (std::any_of(url.begin(), url.end(), bad)) return "must not hold spaces or control characters";
    const auto host_part = authority(url);
    if (host_part.find('@') != std::string_view::npos)
        return "must not hold a user or password; a secret goes to a key that ends in _env or _file";
    if (url.find("apiKey=") != std::string_view::npos)
        return "must not hold the API key; it goes to api_key_env or api_key_file (with auth = \"query\")";
    const auto host = split_host(host_part);
    if (!host || host->first.empty()) return "names no host";
    if (host->second && parse_port(*host->second).value_or(0) == 0) return "has no valid port after the host";
    return std::nullopt;
}

}  // namespace

std::vector<HeaderLine> header_lines(std::string_view lines) {
    std::vector<HeaderLine> headers;
    while (!lines.empty()) {
        const auto end = std::min(lines.find('\n'), lines.size());
        const auto line = base::trimmed(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (line.empty()) continue;
        const auto colon = std::min(line.find(':'), line.size());
        const auto value = line.substr(std::min(colon + 1, line.size()));
        headers.push_back(
            {std::string(base::trimmed(line.substr(0, colon))), std::string(base::trimmed(value))});
    }
    return headers;
}

std::optional<std::string> headers_fault(std::string_view lines) {
    constexpr std::size_t kMost = 32, kLongest = 8'192;
    const auto headers = header_lines(lines);
    if (headers.empty()) return "holds no header";
    if (headers.size() > kMost) return "holds more than " + std::to_string(kMost) + " headers";
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto& [name, value] = headers[i];
        const auto which = "header " + std::to_string(i + 1) + " ";
        if (!base::is_token(name) || value.empty()) return which + "is not \"Name: value\"";
        if (value.size() > kLongest || !base::is_field_value(value))
            return which + "has a value with control characters, or of more than 8 KiB";
        if (is_set_by_the_daemon(base::lowered(name)))
            return which + "(" + base::lowered(name) + ") is set by receiptd";
    }
    return std::nullopt;
}

std::optional<std::string> host_fault(std::string_view host) {
    const bool is_ipv6 = host.find(':') != std::string_view::npos;
    const auto good = is_ipv6 ? "0123456789abcdef:." : "0123456789abcdefghijklmnopqrstuvwxyz-_.";
    if (host.empty() || host.size() > 253 || host.find_first_not_of(good) != std::string_view::npos ||
        host.starts_with('.') || host.ends_with('.'))
        return "must be a host such as \"receiptd.example.org\": a name in small letters, or an address; no "
               "port";
    return std::nullopt;
}

std::optional<std::string> url_fault(std::string_view url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return "must start with http:// or https://";
    return rest_fault(url);
}

bool seems_to_hold_a_key(std::string_view url) {
    constexpr std::size_t kShortest = 16;
    constexpr std::ptrdiff_t kLeastDigits = 3;
    url.remove_prefix(std::min(url.find("://") + 3, url.size()));
    url.remove_prefix(std::min(url.find_first_of("/?"), url.size()));
    while (!url.empty()) {
        const auto part = url.substr(0, url.find_first_of("/?&="));
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const bool is_random = part.find('.') == std::string_view::npos &&
                               std::count_if(part.begin(), part.end(), is_digit) >= kLeastDigits;
        if (part.size() >= kShortest && is_random) return true;
        url.remove_prefix(std::min(part.size() + 1, url.size()));
    }
    return false;
}

std::optional<std::string> smtp_url_fault(std::string_view url) {
    if (!url.starts_with("smtp://") && !url.starts_with("smtps://"))
        return "must start with smtp:// or smtps://";
    return rest_fault(url);
}

// The address goes into the commands of SMTP and into headers as it is: no display name, no quotes.
std::optional<std::string> mailbox_fault(std::string_view address) {
    constexpr std::size_t kLongest = 254;
    constexpr std::string_view kRefused = "<>()[]\\,;:\"@";
    const auto at = address.find('@');
    const auto good = [&](char c) {
        return c > ' ' && c < 0x7f && kRefused.find(c) == std::string_view::npos;
    };
    if (at == std::string_view::npos || at == 0 || at + 1 == address.size() || address.size() > kLongest ||
        !std::all_of(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(at), good) ||
        !std::all_of(address.begin() + static_cast<std::ptrdiff_t>(at) + 1, address.end(), good))
        return "must be an address such as \"team@example.org\", without a name";
    return std::nullopt;
}

std::optional<std::string> network_fault(std::string_view network) {
    if (base::parse_network(network)) return std::nullopt;
    return "must be an address and the number of its leading bits, e.g. \"10.20.0.0/16\"";
}

// As it stands in the header Host, without a port.
std::optional<std::string> listen_fault(std::string_view listen) {
    constexpr std::string_view kUnix = "unix:";
    constexpr std::size_t kLongestPath = 107;  // unix(7)
    if (listen.starts_with(kUnix)) {
        const auto path = listen.substr(kUnix.size());
        if (!path.starts_with('/')) return "must be an absolute path behind unix:";
        if (path.size() > kLongestPath) return "has a path of more than 107 bytes";
        return std::nullopt;
    }
    const auto host = split_host(listen);
    if (!host || host->first.empty() || !host->second) return "must be HOST:PORT, e.g. \"127.0.0.1:9464\"";
    if (!parse_port(*host->second)) return "has no valid port (0 to 65535)";
    return std::nullopt;
}

// 2 to 64 of a-z 0-9 with single separators . _ - between them (chain-model.md).
std::optional<std::string> database_url_fault(std::string_view url) {
    if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return std::nullopt;
    if (url.find("://") == std::string_view::npos && url.find('=') != std::string_view::npos)
        return std::nullopt;
    return "must be a postgresql:// address or key=value words such as \"host=/run/postgresql "
           "dbname=receiptd\"";
}

std::optional<std::string> webhook_secret_fault(std::string_view secret) {
    constexpr std::string_view kPrefix = "whsec_";
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!secret.starts_with(kPrefix)) return "does not start with whsec_";
    const auto text = secret.substr(kPrefix.size());
    const auto padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
    const auto digits = text.substr(0, text.size() - padding);
    const bool alphabet = digits.find_first_not_of(kAlphabet) == std::string_view::npos;
    // The last digit of an open group has 2 or 4 bits too many: they must be zero.
    const auto last = digits.empty() ? 0 : kAlphabet.find(digits.back());
    const bool stray = padding > 0 && last % (padding == 2 ? 16 : 4) != 0;
    if (text.size() % 4 != 0 || !alphabet || stray) return "is not base64 behind whsec_";
    const auto bytes = text.size() / 4 * 3 - padding;
    if (bytes < 24 || bytes > 64) return "has " + std::to_string(bytes) + " bytes; 24 to 64 are allowed";
    return std::nullopt;
}

std::string url_host(std::string_view url) {
    const auto host = split_host(authority(url));
    return host ? std::string(host->first) : std::string();
}

std::uint16_t url_port(std::string_view url) {
    const auto host = split_host(authority(url));
    const auto port = host && host->second ? parse_port(*host->second) : std::nullopt;
    return static_cast<std::uint16_t>(port.value_or(url.starts_with("https://") ? 443 : 80));
}

bool is_loopback_host(std::string_view host) {
    const bool is_number = host.find_first_not_of("0123456789.") == std::string_view::npos;
    return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_number);
}

}  // namespace receiptd::config
