#include "base/u128.hpp"

#include <algorithm>

namespace receiptd::base {

std::optional<u128> parse_u128(std::string_view decimal) {
    if (decimal.empty()) return std::nullopt;
    constexpr u128 kMax = ~u128{0};
    u128 value = 0;
    for (char c : decimal) {
        if (c < '0' || c > '9') return std::nullopt;
        const auto digit = static_cast<unsigned>(c - '0');
        if (value > (kMax - digit) / 10) return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

std::string to_string(u128 value) {
    std::string digits;
    do {
        digits.push_back(static_cast<char>('0' + static_cast<unsigned>(value % 10)));
        value /= 10;
    } while (value != 0);
    std::reverse(digits.begin(), digits.end());
    return digits;
}

}  // namespace receiptd::base
