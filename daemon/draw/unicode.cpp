#include "draw/unicode.hpp"

#include "base/visible.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace receiptd::draw {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t character) {
    return std::any_of(ranges.begin(), ranges.end(), [character](const Range& range) {
        return character >= range.first && character <= range.last;
    });
}

// Forbidden by XML 1.0, or left to others; what is hidden, base/visible.hpp replaces.
constexpr std::array kUnfit = {
    Range{0xe000, 0xf8ff},
    Range{0xfff0, 0xffff},
    Range{0x1fffe, 0x1ffff},
    Range{0x2fffe, 0x10ffff},
};

// Written from left to right, one beside the other, none of them wider than width_of() (letters.hpp) has it.
constexpr std::array kDrawable = {
    Range{0x20, 0x7e},       Range{0xa1, 0xac},
    Range{0xae, 0x24f},      Range{0x370, 0x482},
    Range{0x48a, 0x52f},     Range{0x2010, 0x2027},
    Range{0x2030, 0x205e},   Range{0x20a0, 0x20bf},
    Range{0x2190, 0x22ff},   Range{0x2500, 0x27bf},
    Range{0x3001, 0x3029},   Range{0x3041, 0x3096},
    Range{0x30a1, 0x30fa},   Range{0x3400, 0x4dbf},
    Range{0x4e00, 0x9fff},   Range{0xac00, 0xd7a3},
    Range{0xff01, 0xff5e},   Range{0x1f300, 0x1f3fa},
    Range{0x1f400, 0x1faff}, Range{kReplacement, kReplacement},
};

std::size_t length_of(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

bool is_too_long(char32_t character, std::size_t length) {
    constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    return character < kSmallest.at(length);
}

bool is_space(char32_t character) {
    return character == '\t' || character == '\n' || character == '\r' || character == 0xa0;
}

}  // namespace

char32_t take_character(std::string_view& text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const auto length = length_of(lead);
    char32_t character = length == 1 ? lead : lead & (0x7fU >> length);
    bool valid = length > 0 && length <= text.size();
    for (std::size_t i = 1; valid && i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        valid = (byte & 0xc0U) == 0x80U;
        character = (character << 6U) | (byte & 0x3fU);
    }
    valid = valid && !is_too_long(character, length) && character <= 0x10ffff &&
            (character < 0xd800 || character > 0xdfff);
    text.remove_prefix(valid ? length : 1);
    return valid ? character : kReplacement;
}

void append(std::string& text, char32_t character) {
    const auto add = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (character < 0x80) {
        add(character);
    } else if (character < 0x800) {
        add(0xc0U | (character >> 6U));
        add(0x80U | (character & 0x3fU));
    } else if (character < 0x10000) {
        add(0xe0U | (character >> 12U));
        add(0x80U | ((character >> 6U) & 0x3fU));
        add(0x80U | (character & 0x3fU));
    } else {
        add(0xf0U | (character >> 18U));
        add(0x80U | ((character >> 12U) & 0x3fU));
        add(0x80U | ((character >> 6U) & 0x3fU));
        add(0x80U | (character & 0x3fU));
    }
}

std::string escaped(std::string_view given) {
    const auto seen = base::visible(given);
    std::string safe;
    safe.reserve(seen.size() + seen.size() / 8);
    for (std::string_view text = seen; !text.empty();) {
        const auto character = take_character(text);
        switch (character) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '"': safe += "&quot;"; break;
            case '\'': safe += "&#39;"; break;
            case '\n': safe += "&#10;"; break;
            default:
                append(safe, is_space(character)        ? U' '
                             : is_in(kUnfit, character) ? kReplacement
                                                        : character);
        }
    }
    return safe;
}

std::string drawable(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const auto character = take_character(text);
        append(line, is_space(character) ? U' ' : is_in(kDrawable, character) ? character : kReplacement);
    }
    return line;
}

}  // namespace receiptd::draw
