#include "config/parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace receiptd::config {

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t size;
};

constexpr std::array kTimeUnits = {Unit{"w", 604'800'000}, Unit{"d", 86'400'000}, Unit{"h", 3'600'000},
                                   Unit{"m", 60'000},      Unit{"s", 1'000},      Unit{"ms", 1}};
constexpr std::array kByteUnits = {
    Unit{"GiB", 1ull << 30}, Unit{"MiB", 1ull << 20}, Unit{"KiB", 1ull << 10}, Unit{"GB", 1'000'000'000},
    Unit{"MB", 1'000'000},   Unit{"kB", 1'000},       Unit{"KB", 1'000},       Unit{"B", 1}};

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

// Takes "<digits><unit>" off the front of text, as a multiple of the smallest unit.
template <std::size_t N>
std::optional<std::uint64_t> take_amount(std::string_view& text, const std::array<Unit, N>& units) {
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const auto letters = std::find_if(text.begin(), text.end(), is_digit) - text.begin();
    const auto name = text.substr(0, static_cast<std::size_t>(letters));
    text.remove_prefix(name.size());
    for (const auto& unit : units)
        if (unit.name == name) {
            if (number > kMost / unit.size) return std::nullopt;
            return number * unit.size;
        }
    return std::nullopt;
}

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

}  // namespace

std::optional<Millis> parse_duration(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::uint64_t total = 0;
    while (!text.empty()) {
        const auto amount = take_amount(text, kTimeUnits);
        if (!amount || *amount > kMost - total) return std::nullopt;
        total += *amount;
    }
    return Millis(static_cast<Millis::rep>(total));
}

std::string format_duration(Millis duration) {
    auto rest = static_cast<std::uint64_t>(std::max<Millis::rep>(0, duration.count()));
    // The largest unit that leaves nothing over: 90 minutes are "90m", not "1h30m".
    for (const auto& unit : kTimeUnits)
        if (unit.name != "w" && rest >= unit.size && rest % unit.size == 0)
            return std::to_string(rest / unit.size) + std::string(unit.name);
    return "0s";
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_digit)) {
        std::string with_unit(text);
        with_unit += 'B';
        return parse_bytes(with_unit);
    }
    const auto amount = take_amount(text, kByteUnits);
    return text.empty() ? amount : std::nullopt;
}

std::string format_bytes(std::uint64_t bytes) {
    for (const auto& unit : kByteUnits)
        if (unit.name.ends_with("iB") && bytes >= unit.size && bytes % unit.size == 0)
            return std::to_string(bytes / unit.size) + std::string(unit.name);
    return std::to_string(bytes) + "B";
}

std::optional<std::string> url_fault(std::string_view url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return "must start with http:// or https://";
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

std::optional<std::string> listen_fault(std::string_view listen) {
    const auto host = split_host(listen);
    if (!host || host->first.empty() || !host->second) return "must be HOST:PORT, e.g. \"127.0.0.1:9464\"";
    if (!parse_port(*host->second)) return "has no valid port (0 to 65535)";
    return std::nullopt;
}

// 2 to 64 of a-z 0-9 with single separators . _ - between them (chain-model.md).
std::optional<std::string> account_fault(std::string_view account_id) {
    if (account_id.size() < 2 || account_id.size() > 64)
        return "has " + std::to_string(account_id.size()) + " bytes; an account id has 2 to 64";
    bool separator = true;
    for (const char c : account_id) {
        const bool is_separator = c == '.' || c == '_' || c == '-';
        if (!is_separator && !is_digit(c) && !is_small_letter(c))
            return "may hold only a-z, 0-9 and the separators . _ -";
        if (is_separator && separator) return "has a separator (. _ -) at its start or after another one";
        separator = is_separator;
    }
    if (separator) return "ends in a separator";
    return std::nullopt;
}

std::optional<std::string> name_fault(std::string_view name) {
    const auto good = [](char c) { return is_small_letter(c) || is_digit(c) || c == '_' || c == '-'; };
    if (name.empty() || name.size() > 40 || !std::all_of(name.begin(), name.end(), good))
        return "must be 1 to 40 of a-z, 0-9, _ and -";
    return std::nullopt;
}

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

bool is_loopback_host(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

namespace {

// Optimal string alignment distance: a swap of neighbours counts once.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& known) {
    if (word.size() > 64) return std::nullopt;
    std::optional<std::string_view> best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const auto candidate : known) {
        const auto now = distance(word, candidate);
        if (now >= best_distance) continue;
        best_distance = now;
        best = candidate;
    }
    return best;
}

}  // namespace receiptd::config
