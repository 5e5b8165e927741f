// Numbers written with the characters of an alphabet, so many digits each, the most significant first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace receiptd::sandbox {

struct Alphabet {
    explicit constexpr Alphabet(std::string_view all) : characters(all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            values[static_cast<unsigned char>(all[i])] = static_cast<std::uint8_t>(i);
    }
    constexpr std::uint8_t value_of(char c) const { return values[static_cast<unsigned char>(c)]; }

    std::string_view characters;
    std::array<std::uint8_t, 256> values{};  // of the characters; 0 of all others
};

// The lowest `Size` digits of a number.
template <std::size_t Size>
std::array<std::uint8_t, Size> digits_of(std::uint64_t number, unsigned base) {
    std::array<std::uint8_t, Size> digits{};
    for (std::size_t i = Size; i-- > 0; number /= base) digits[i] = static_cast<std::uint8_t>(number % base);
    return digits;
}

// Writes to `sum` what the `size` digits at `text` are when as many at `added` are added to them; the carry
// of the first digit is dropped. The base is that of the alphabet, or a smaller one.
inline void add_digits(const Alphabet& alphabet, unsigned base, const std::uint8_t* added, std::size_t size,
                       const char* text, char* sum) {
    unsigned carry = 0;
    for (std::size_t i = size; i-- > 0;) {
        const unsigned digit = alphabet.value_of(text[i]) + added[i] + carry;
        carry = digit >= base ? 1 : 0;
        sum[i] = alphabet.characters[digit - (carry ? base : 0)];
    }
}

}  // namespace receiptd::sandbox
