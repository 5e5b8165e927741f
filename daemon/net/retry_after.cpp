#include "net/retry_after.hpp"

#include "net/fields.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace receiptd::net {

namespace {

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
