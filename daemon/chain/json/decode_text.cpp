#include "chain/json/decode_text.hpp"

#include <array>
#include <cstring>

namespace receiptd::chain::decoding {

namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::uint32_t kNoCode = 0xFFFFFFFF;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The code unit of `\uXXXX` at `at`.
std::uint32_t code_unit(const char* at, const char* end) {
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return kNoCode;
    std::uint32_t code = 0;
    for (int i = 2; i < 6; ++i) {
        const int digit = hex_digit(at[i]);
        if (digit < 0) return kNoCode;
        code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return code;
}

char* put_utf8(std::uint32_t code, char* out) {
    const auto byte = [&out](std::uint32_t value) { *out++ = static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | (code >> 6));
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3F));
        byte(0x80 | ((code >> 6) & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
    return out;
}

// Reads one \uXXXX, or two that form a pair; moves `at` behind it. nullptr: not hexadecimal.
char* put_unicode(const char*& at, const char* end, char* out) {
    const std::uint32_t code = code_unit(at, end);
    if (code == kNoCode) return nullptr;
    at += 6;
    if (code < 0xD800 || code > 0xDFFF) return put_utf8(code, out);
    if (code <= 0xDBFF) {
        const std::uint32_t low = code_unit(at, end);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            at += 6;
            return put_utf8(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out);
        }
    }
    return put_utf8(kReplacement, out);
}

char simple_escape(char c) {
    switch (c) {
        case '"':
        case '\\':
        case '/': return c;
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return 0;
    }
}

constexpr std::array<unsigned char, 256> not_base58_table() {
    std::array<unsigned char, 256> table{};
    for (auto& entry : table) entry = 1;
    for (const char c : Text("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")) {
        table[static_cast<unsigned char>(c)] = 0;
    }
    return table;
}
constexpr auto kNotBase58 = not_base58_table();

const char* skip_digits(const char* at, const char* end) {
    while (at != end && *at >= '0' && *at <= '9') ++at;
    return at;
}

// At most 19 digits.
bool parse_part(Text digits, std::uint64_t& value) {
    unsigned bad = 0;
    value = 0;
    for (const char c : digits) {
        const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
        bad |= digit > 9 ? 1U : 0U;
        value = value * 10 + digit;
    }
    return bad == 0;
}

}  // namespace

char* unescape(Text raw, char* out) {
    const char* at = raw.data();
    const char* const end = at + raw.size();
    while (at != end) {
        const auto left = static_cast<std::size_t>(end - at);
        const auto* slash = static_cast<const char*>(std::memchr(at, '\\', left));
        const std::size_t plain = slash == nullptr ? left : static_cast<std::size_t>(slash - at);
        std::memcpy(out, at, plain);
        out += plain;
        at += plain;
        if (at == end) break;
        if (end - at < 2) return nullptr;
        if (at[1] == 'u') {
            out = put_unicode(at, end, out);
            if (out == nullptr) return nullptr;
        } else {
            const char c = simple_escape(at[1]);
            if (c == 0) return nullptr;
            *out++ = c;
            at += 2;
        }
    }
    return out;
}

bool is_json_number(Text token) {
    const char* at = token.data();
    const char* const end = at + token.size();
    if (at != end && *at == '-') ++at;
    const char* digits = at;
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1)) return false;
    if (at != end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits) return false;
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-')) ++at;
        digits = at;
        at = skip_digits(at, end);
        if (at == digits) return false;
    }
    return at == end;
}

std::optional<u128> parse_balance(Text digits) {
    constexpr std::size_t kPart = 19;  // digits that always fit 64 bits
    // Two 64-bit halves instead of a 128-bit step per digit; more than 38 digits are rare.
    if (digits.empty() || digits.size() > 2 * kPart) return base::parse_u128(digits);
    const std::size_t low_digits = std::min(digits.size(), kPart);
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    if (!parse_part(digits.substr(0, digits.size() - low_digits), high)) return std::nullopt;
    if (!parse_part(digits.substr(digits.size() - low_digits), low)) return std::nullopt;
    return u128{high} * 10'000'000'000'000'000'000ULL + low;
}

bool looks_like_hash(Text text) {
    if (text.size() < 32 || text.size() > 44) return false;
    unsigned bad = 0;
    for (const char c : text) bad |= kNotBase58[static_cast<unsigned char>(c)];
    return bad == 0;
}

}  // namespace receiptd::chain::decoding
