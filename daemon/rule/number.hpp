// Decimal numbers of any size, exact: amounts do not fit a double.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::rule {

// Equal numbers have equal members.
struct Number {
    bool negative = false;
    std::string whole;     // digits without leading zeros; empty: zero
    std::string fraction;  // digits without trailing zeros

    friend bool operator==(const Number&, const Number&) = default;
    friend std::strong_ordering operator<=>(const Number& a, const Number& b);
};

// A number as JSON writes it. nullopt: it is none, or its exponent is beyond ±100.
std::optional<Number> parse_number(std::string_view text);
bool is_digits(std::string_view text);  // not empty, and nothing else

}  // namespace receiptd::rule
