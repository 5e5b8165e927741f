// The text of a 32-byte hash, kept in place: an owner of ids that allocates nothing.
#pragma once

#include "base/u128.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace receiptd::chain {

class IdText {
public:
    static constexpr std::size_t kLongest = 44;  // base58 characters
    static bool fits(std::string_view text) { return text.size() <= kLongest; }

    IdText() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it is a text. Throws where !fits(text).
    IdText(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
        if (!fits(text)) throw std::length_error("an id of more than 44 characters");
        std::copy(text.begin(), text.end(), text_.begin());
    }
    // NOLINTNEXTLINE(google-explicit-constructor)
    IdText(const char* text) : IdText(std::string_view(text)) {}

    std::string_view view() const { return {text_.data(), size_}; }
    // NOLINTNEXTLINE(google-explicit-constructor)
    operator std::string_view() const { return view(); }
    bool empty() const { return size_ == 0; }
    friend bool operator==(const IdText& a, std::string_view b) { return a.view() == b; }

private:
    std::array<char, kLongest> text_{};
    std::uint8_t size_ = 0;
};

// Hash and equality of maps and sets whose keys are ids, as IdText or as views.
struct IdHash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(std::string_view text) const {
        std::uint64_t hash = text.size();
        for (; text.size() > sizeof hash; text.remove_prefix(sizeof hash)) hash = mixed(hash ^ word(text));
        return mixed(hash ^ word(text));
    }

private:
    // Its first eight bytes, or fewer.
    static std::uint64_t word(std::string_view text) {
        std::uint64_t bytes = 0;
        if (!text.empty()) std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof bytes));
        return bytes;
    }
    // The halves of a product of 128 bits, one over the other: each bit depends on all bits of the value.
    static std::uint64_t mixed(std::uint64_t value) {
        const auto product = static_cast<base::u128>(value ^ 0x9e37'79b9'7f4a'7c15) * 0xd6e8'feb8'6659'fd93;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
};
struct IdEqual {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

}  // namespace receiptd::chain
