#include "rule/number.hpp"

#include <algorithm>
#include <charconv>

namespace receiptd::rule {
namespace {

constexpr int kLargestExponent = 100;

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

// Moves the point of a number; the text holds what stands behind its 'e'.
bool shift(Number& number, std::string_view exponent) {
    take(exponent, '+');
    int places = 0;
    const auto* end = exponent.data() + exponent.size();
    const auto read = std::from_chars(exponent.data(), end, places);
    if (read.ec != std::errc() || read.ptr != end || places > kLargestExponent || places < -kLargestExponent)
        return false;
    for (; places > 0; --places) {
        number.whole += number.fraction.empty() ? '0' : number.fraction.front();
        if (!number.fraction.empty()) number.fraction.erase(0, 1);
    }
    for (; places < 0; ++places) {
        number.fraction.insert(0, 1, number.whole.empty() ? '0' : number.whole.back());
        if (!number.whole.empty()) number.whole.pop_back();
    }
    return true;
}

std::strong_ordering compare_sizes(const Number& a, const Number& b) {
    if (const auto by_length = a.whole.size() <=> b.whole.size(); std::is_neq(by_length)) return by_length;
    if (const auto by_digits = a.whole.compare(b.whole); by_digits != 0) return by_digits <=> 0;
    return a.fraction.compare(b.fraction) <=> 0;
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
    number.whole = take_digits(text);
    if (number.whole.empty()) return std::nullopt;
    if (take(text, '.')) {
        number.fraction = take_digits(text);
        if (number.fraction.empty()) return std::nullopt;
    }
    if (take(text, 'e') || take(text, 'E')) {
        if (!shift(number, text)) return std::nullopt;
        text = {};
    }
    if (!text.empty()) return std::nullopt;
    number.whole.erase(0, std::min(number.whole.find_first_not_of('0'), number.whole.size()));
    number.fraction.erase(number.fraction.find_last_not_of('0') + 1);
    if (number.whole.empty() && number.fraction.empty()) number.negative = false;
    return number;
}

}  // namespace receiptd::rule
