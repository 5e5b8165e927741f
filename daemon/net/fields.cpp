#include "net/fields.hpp"

#include <boost/url/pct_string_view.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace receiptd::net {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_token_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

}  // namespace

bool equals_ignoring_case(std::string_view left, std::string_view right) {
    return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                     [](char a, char b) { return lower(a) == lower(b); });
}

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = lower(c);
    return result;
}

std::string_view find_header(const std::vector<Header>& headers, std::string_view name) {
    for (const Header& header : headers)
        if (equals_ignoring_case(header.name, name)) return header.value;
    return {};
}

bool lists_word(std::string_view value, std::string_view word) {
    while (!value.empty()) {
        const std::size_t comma = std::min(value.find(','), value.size());
        if (equals_ignoring_case(trimmed(value.substr(0, comma)), word)) return true;
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return false;
}

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_field_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

bool is_request_target(std::string_view text) {
    return text.starts_with('/') &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
    const auto escaped = boost::urls::make_pct_string_view(text);
    if (!escaped) return std::nullopt;
    boost::urls::encoding_opts options;
    options.space_as_plus = plus_is_space;
    auto plain = escaped->decode(options);
    if (plain.find('\0') != std::string::npos) return std::nullopt;
    return plain;
}

std::string http_date(std::chrono::system_clock::time_point time) {
    // Not strftime: the names of days and months must not follow the locale.
    static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                  kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                  kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                  utc.tm_sec);
    return text.data();
}

}  // namespace receiptd::net
