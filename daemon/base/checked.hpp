// Sums that say when they do not fit, or stop at the largest number.
#pragma once

#include <limits>
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

// The largest number where the result does not fit.
template <class T>
T saturated_add(T a, T b) {
    return checked_add(a, b).value_or(std::numeric_limits<T>::max());
}
template <class T>
T saturated_multiply(T a, T b) {
    return checked_multiply(a, b).value_or(std::numeric_limits<T>::max());
}

}  // namespace receiptd::base
