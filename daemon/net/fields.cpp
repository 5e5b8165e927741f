#include "net/fields.hpp"

#include "base/ascii.hpp"

#include <boost/url/pct_string_view.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace receiptd::net {

namespace {

constexpr std::array<std::string_view, 12> kMonthNames = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> date_part(std::string_view digits) {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) return std::nullopt;
    return value;
}

}  // namespace

std::string_view find_header(const std::vector<Header>& headers, std::string_view name) {
    for (const Header& header : headers)
        if (base::equals_ignoring_case(header.name, name)) return header.value;
    return {};
}

bool lists_word(std::string_view value, std::string_view word) {
    while (!value.empty()) {
        const std::size_t comma = std::min(value.find(','), value.size());
        if (base::equals_ignoring_case(base::trimmed(value.substr(0, comma), " \t"), word)) return true;
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return false;
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
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                  kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                  kMonthNames[static_cast<std::size_t>(utc.tm_mon)].data(), utc.tm_year + 1900, utc.tm_hour,
                  utc.tm_min, utc.tm_sec);
    return text.data();
}

std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
    if (text.size() != 29 || text.substr(25) != " GMT") return std::nullopt;
    const auto day = date_part(text.substr(5, 2));
    const auto year = date_part(text.substr(12, 4));
    const auto hour = date_part(text.substr(17, 2));
    const auto minute = date_part(text.substr(20, 2));
    const auto second = date_part(text.substr(23, 2));
    const auto month = std::find(kMonthNames.begin(), kMonthNames.end(), text.substr(8, 3));
    if (!day || !year || !hour || !minute || !second || month == kMonthNames.end()) return std::nullopt;
    const std::chrono::year_month_day date(
        std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(month - kMonthNames.begin()) + 1),
        std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
           std::chrono::seconds(*second);
}

}  // namespace receiptd::net
