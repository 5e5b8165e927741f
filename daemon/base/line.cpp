#include "base/line.hpp"

namespace receiptd::base {

std::string shortened(std::string text, std::size_t most) {
    constexpr std::string_view kEllipsis = "…";
    if (text.size() <= most) return text;
    auto cut = most > kEllipsis.size() ? most - kEllipsis.size() : 0;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U) --cut;
    text.resize(cut);
    return text.append(kEllipsis);
}

std::string one_line(std::string_view text) {
    std::string line(text);
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return line;
}

}  // namespace receiptd::base
