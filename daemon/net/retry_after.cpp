#include "net/retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace receiptd::net {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<long> number(std::string_view digits) {
    long value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

// "2", or "0.376" as Discord has it; rounded up.
std::optional<long> whole_seconds(std::string_view text) {
    const auto dot = text.find('.');
    const auto seconds = number(text.substr(0, dot));
    if (!seconds || *seconds < 0 || dot == text.npos) return seconds;
    const auto fraction = text.substr(dot + 1);
    if (fraction.find_first_not_of("0123456789") != text.npos) return std::nullopt;
    const bool is_more = fraction.find_first_not_of('0') != text.npos;
    return *seconds + (is_more && *seconds < std::numeric_limits<long>::max() ? 1 : 0);
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
    if (text.size() != 29 || text.substr(25) != " GMT") return std::nullopt;
    const auto day = number(text.substr(5, 2));
    const auto year = number(text.substr(12, 4));
    const auto hour = number(text.substr(17, 2));
    const auto minute = number(text.substr(20, 2));
    const auto second = number(text.substr(23, 2));
    const auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
    if (!day || !year || !hour || !minute || !second || month == kMonths.end()) return std::nullopt;
    const std::chrono::year_month_day date(
        std::chrono::year(static_cast<int>(*year)),
        std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
        std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
           std::chrono::seconds(*second);
}

}  // namespace

std::optional<base::Duration> parse_retry_after(std::string_view header, base::WallTime now,
                                                std::chrono::seconds longest) {
    if (const auto seconds = whole_seconds(header)) {
        if (*seconds < 0) return std::nullopt;
        return std::min(std::chrono::seconds(*seconds), longest);
    }
    const auto date = parse_http_date(header);
    if (!date) return std::nullopt;
    // In seconds: nanoseconds do not reach the year 9999.
    const auto wait = *date - std::chrono::floor<std::chrono::seconds>(now);
    return std::clamp(wait, std::chrono::seconds(0), longest);
}

}  // namespace receiptd::net
