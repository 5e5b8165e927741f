// Sums that say when they do not fit, or stop at the largest number.
#pragma once

#include <optional>

namespace receiptd::base {

template <class T>
std::optional<T> checked_add(T a, T b) {
    T sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

template <class T>
std::optional<T> checked_add(std::optional<T> a, std::optional<T> b) {
    return a && b ? checked_add(*a, *b) : std::nullopt;
}

template <class T>
std::optional<T> checked_multiply(T a, T b) {
    T product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

// std::numeric_limits does not know 128 bits in strict C++20.
template <class T>
constexpr T largest() {
    static_assert(static_cast<T>(-1) > T{0}, "unsigned numbers only");
    return static_cast<T>(-1);
}

// The largest number where the result does not fit. T is unsigned, of up to 128 bits.
template <class T>
T saturated_add(T a, T b) {
    return checked_add(a, b).value_or(largest<T>());
}
template <class T>
T saturated_multiply(T a, T b) {
    return checked_multiply(a, b).value_or(largest<T>());
}

}  // namespace receiptd::base
