#include "chain/json/json_check.hpp"

#include <simdjson.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace receiptd::chain {

namespace {

static_assert(std::endian::native == std::endian::little, "skip_plain() counts from the low byte");

constexpr std::size_t kMaxDepth = 1024;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Four hexadecimal digits, or -1.
int hex4(const char* digits) {
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = digits[i];
        int digit = 0;
        if (is_digit(c))
            digit = c - '0';
        else if (c >= 'a' && c <= 'f')
            digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F')
            digit = c - 'A' + 10;
        else
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

// A surrogate pair has one of each.
bool is_high_half(int unit) { return unit >> 10 == 0x36; }
bool is_low_half(int unit) { return unit >> 10 == 0x37; }

class Checker {
public:
    explicit Checker(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    JsonCheck run() {
        result_.valid = document();
        return result_;
    }

private:
    enum class Next { value, first_element, first_key, key, after_value };

    bool document() {
        Next next = Next::value;
        for (;;) {
            skip_space();
            if (at_ == end_) return next == Next::after_value && depth_ == 0;
            const bool closes = *at_ == ']' || *at_ == '}';
            if (closes && next != Next::value && next != Next::key) {
                if (!close()) return false;
                next = Next::after_value;
            } else if (next == Next::after_value) {
                if (depth_ == 0 || *at_++ != ',') return false;
                next = in_object_[depth_ - 1] ? Next::key : Next::value;
            } else if (next == Next::key || next == Next::first_key) {
                if (!key()) return false;
                next = Next::value;
            } else if (*at_ == '{' || *at_ == '[') {
                next = *at_ == '{' ? Next::first_key : Next::first_element;
                if (!open()) return false;
            } else {
                if (!scalar()) return false;
                next = Next::after_value;
            }
        }
    }

    bool open() {
        if (depth_ == kMaxDepth) return false;
        in_object_[depth_++] = *at_++ == '{';
        return true;
    }

    bool close() {
        if (depth_ == 0 || in_object_[depth_ - 1] != (*at_ == '}')) return false;
        --depth_;
        ++at_;
        return true;
    }

    bool key() {
        if (*at_ != '"' || !string()) return false;
        skip_space();
        return at_ != end_ && *at_++ == ':';
    }

    void skip_space() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    }

    bool scalar() {
        switch (*at_) {
            case '"': return string();
            case 't': return literal("true");
            case 'f': return literal("false");
            case 'n': return literal("null");
            default: return number();
        }
    }

    bool literal(std::string_view word) {
        if (!std::string_view(at_, left()).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    bool digits() {
        if (at_ == end_ || !is_digit(*at_)) return false;
        while (at_ != end_ && is_digit(*at_)) ++at_;
        return true;
    }

    bool number() {
        if (*at_ == '-') ++at_;
        if (at_ != end_ && *at_ == '0')
            ++at_;
        else if (!digits())
            return false;
        if (at_ != end_ && *at_ == '.') {
            ++at_;
            if (!digits()) return false;
        }
        if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
            ++at_;
            if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
            return digits();
        }
        return true;
    }

    bool string() {
        ++at_;
        for (;;) {
            skip_plain();
            if (at_ == end_) return false;
            if (*at_ == '"') break;
            if (*at_ != '\\' || !escape()) return false;  // else a bare control character
        }
        ++at_;
        return true;
    }

    // To the next quote, backslash or control character.
    void skip_plain() {
        constexpr std::uint64_t kOnes = 0x0101010101010101u;
        constexpr std::uint64_t kHighBits = 0x8080808080808080u;
        const auto zero_bytes = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighBits; };
        for (; left() >= 8; at_ += 8) {
            std::uint64_t word;
            std::memcpy(&word, at_, sizeof word);
            const auto control = (word - kOnes * 0x20) & ~word & kHighBits;
            const auto marks = control | zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\'));
            if (marks != 0) {  // the lowest mark is exact
                at_ += std::countr_zero(marks) / 8;
                return;
            }
        }
        while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
    }

    bool escape() {
        if (left() < 2) return false;
        const char kind = at_[1];
        if (kind == 'u') return unicode_escape();
        at_ += 2;
        return std::strchr("\"\\/bfnrt", kind) != nullptr && kind != '\0';
    }

    bool unicode_escape() {
        const int unit = left() < 6 ? -1 : hex4(at_ + 2);
        if (unit < 0) return false;
        at_ += 6;
        if (unit == 0) result_.nul_escape = true;
        if (!is_high_half(unit) && !is_low_half(unit)) return true;
        result_.surrogate_escape = true;
        const bool low_follows = left() >= 6 && at_[0] == '\\' && at_[1] == 'u' && is_low_half(hex4(at_ + 2));
        if (is_high_half(unit) && low_follows)
            at_ += 6;
        else
            result_.lone_surrogate = true;
        return true;
    }

    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

    const char* at_;
    const char* end_;
    std::size_t depth_ = 0;
    std::array<bool, kMaxDepth> in_object_;
    JsonCheck result_;
};

}  // namespace

JsonCheck check_json(std::string_view text) {
    auto result = Checker(text).run();
    result.valid = result.valid && simdjson::validate_utf8(text.data(), text.size());
    return result;
}

std::string queryable_json(std::string_view valid) {
    std::string text(valid);
    const auto unit_at = [&](std::size_t at) {
        const bool is_unit = at + 6 <= text.size() && text[at] == '\\' && text[at + 1] == 'u';
        return is_unit ? hex4(text.data() + at + 2) : -1;
    };
    for (auto at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
        const int unit = unit_at(at);
        if (unit == 0) text.replace(at + 2, 4, "2400");
        const bool is_pair = is_high_half(unit) && is_low_half(unit_at(at + 6));
        if ((is_high_half(unit) || is_low_half(unit)) && !is_pair) text.replace(at + 2, 4, "fffd");
        at += unit < 0 ? 2 : is_pair ? 12 : 6;
    }
    return text;
}

StorableJson::StorableJson(std::string_view given) {
    const auto check = check_json(given);
    if (!check.valid) return;
    if (!check.queryable()) changed_ = queryable_json(given);
    text = is_changed() ? changed_ : given;
}

}  // namespace receiptd::chain
