// Decimal numbers of any size, exact: amounts do not fit a double.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::rule {

// Equal numbers have equal members.
struct Number {
    bool negative = false;
    std::string digits;      // without zeros at either end; empty: zero
    std::int64_t point = 0;  // before so many digits, or so many zeros before them (negative)

    friend bool operator==(const Number&, const Number&) = default;
    friend std::strong_ordering operator<=>(const Number& a, const Number& b);
};

// A number as JSON writes it; an exponent beyond 64 bits counts as the largest or smallest of these. nullopt:
// it is none.
std::optional<Number> parse_number(std::string_view text);
bool is_digits(std::string_view text);  // not empty, and nothing else

}  // namespace receiptd::rule
