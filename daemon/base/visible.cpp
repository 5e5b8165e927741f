#include "base/visible.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace receiptd::base {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool broken = true;
};

// The first character of a text that is not empty.
Character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const auto head = byte(0);
    if (head < 0x80) return {head, 1, false};
    const std::size_t bytes = head >= 0xf0 && head < 0xf5 ? 4 : head >= 0xe0 && head < 0xf0 ? 3 : 2;
    if (head < 0xc2 || head >= 0xf5 || text.size() < bytes) return {};
    auto code = head & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return {};
        code = (code << 6u) | (byte(i) & 0x3fu);
    }
    constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
    return {code, bytes, false};
}

bool is_hidden(std::uint32_t code) {
    struct Range {
        std::uint32_t from, to;
    };
    static constexpr std::array<Range, 20> kHidden = {
        {{0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x034f, 0x034f},
         {0x061c, 0x061c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
         {0x2028, 0x202e}, {0x2060, 0x206f}, {0x2800, 0x2800}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},
         {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0xfdd0, 0xfdef}, {0xe0000, 0xe0fff}}};
    return std::any_of(kHidden.begin(), kHidden.end(),
                       [&](const Range& range) { return code >= range.from && code <= range.to; });
}

// Joiners within scripts that need them and within emoji, and selectors of how a sign looks: families, flags,
// keycaps. Beside letters of account ids and hashes they could only deceive.
bool belongs(std::uint32_t code, std::uint32_t before, std::string_view after) {
    const auto next = after.empty() ? Character{} : first_of(after);
    if (code == 0x200c || code == 0x200d)
        return before >= 0x0590 && !next.broken && next.code >= 0x0590 && !is_hidden(next.code);
    return code >= 0xfe00 && code <= 0xfe0f && before >= 0xa9;
}

}  // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto next = first_of(text);
        if (next.broken) return false;
        text.remove_prefix(next.bytes);
    }
    return true;
}

std::string visible(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    std::uint32_t before = 0;
    while (!text.empty()) {
        const auto next = first_of(text);
        const auto bytes = text.substr(0, next.bytes);
        text.remove_prefix(next.bytes);
        const bool shows = !next.broken && (!is_hidden(next.code) || belongs(next.code, before, text));
        clean.append(shows ? bytes : kReplacement);
        before = shows ? next.code : 0;
    }
    return clean;
}

}  // namespace receiptd::base
