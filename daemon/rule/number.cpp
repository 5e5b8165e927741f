#include "rule/number.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace receiptd::rule {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

std::string_view take_digits(std::string_view& text) {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

bool take(std::string_view& text, char wanted) {
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(1);
    return true;
}

// One that is beyond 64 bits is the largest or the smallest. nullopt: it is none.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (!take(text, '+')) take(text, '-');
    if (!is_digits(text)) return std::nullopt;
    std::int64_t exponent = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (read.ec != std::errc()) exponent = Limits::max();
    return negative ? -exponent : exponent;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? Limits::min() : Limits::max();
    return sum;
}

std::strong_ordering compare_sizes(const Number& a, const Number& b) {
    if (a.digits.empty() || b.digits.empty()) return !a.digits.empty() <=> !b.digits.empty();
    if (a.point != b.point) return a.point <=> b.point;
    return a.digits.compare(b.digits) <=> 0;
}

}  // namespace

std::strong_ordering operator<=>(const Number& a, const Number& b) {
    if (a.negative != b.negative)
        return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Number> parse_number(std::string_view text) {
    Number number;
    number.negative = take(text, '-');
    number.digits = take_digits(text);
    if (number.digits.empty()) return std::nullopt;
    number.point = static_cast<std::int64_t>(number.digits.size());
    if (take(text, '.')) {
        const auto fraction = take_digits(text);
        if (fraction.empty()) return std::nullopt;
        number.digits += fraction;
    }
    if (take(text, 'e') || take(text, 'E')) {
        const auto exponent = parse_exponent(text);
        if (!exponent) return std::nullopt;
        number.point = sum(*exponent, number.point);
        text = {};
    }
    if (!text.empty()) return std::nullopt;
    const auto zeros = std::min(number.digits.find_first_not_of('0'), number.digits.size());
    number.digits.erase(0, zeros);
    number.digits.erase(number.digits.find_last_not_of('0') + 1);
    if (number.digits.empty()) return Number{};
    number.point = sum(number.point, -static_cast<std::int64_t>(zeros));
    return number;
}

}  // namespace receiptd::rule
