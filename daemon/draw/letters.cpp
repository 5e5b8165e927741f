#include "draw/letters.hpp"

#include "base/ascii.hpp"
#include "draw/unicode.hpp"

#include <array>
#include <utility>

namespace receiptd::draw {
namespace {

// Thousandths of the font's size from the space to the tilde, as DejaVu Sans has them: of the fonts that the
// style names and those that stand in for them it is the widest.
constexpr std::array<std::uint16_t, 95> kSans = {
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};
constexpr std::array<std::uint16_t, 95> kBold = {
    349, 457,  521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416,  380, 366, 696, 696,  696,
    696, 696,  696, 696, 696, 696,  696, 400, 400, 838, 838, 838, 581, 1000, 774, 763, 734, 831,  684,
    684, 821,  837, 373, 373, 775,  638, 996, 837, 851, 733, 851, 771, 721,  683, 813, 774, 1104, 771,
    725, 726,  458, 366, 458, 838,  500, 500, 675, 716, 593, 716, 679, 436,  716, 712, 343, 343,  666,
    343, 1042, 712, 688, 716, 716,  494, 596, 479, 712, 652, 924, 646, 652,  583, 712, 366, 712,  838};
constexpr double kMono = 0.605;
constexpr double kSign = 1.0;    // arrows and punctuation
constexpr double kWidest = 1.6;  // other letters
constexpr std::string_view kEllipsis = "…";

double em_of(char32_t character, Face face) {
    if (character >= 0x20 && character <= 0x7e) {
        if (face == Face::mono) return kMono;
        const auto& table = face == Face::bold ? kBold : kSans;
        return table.at(character - 0x20) / 1000.0;
    }
    const bool sign =
        (character >= 0x2010 && character <= 0x2027) || (character >= 0x2190 && character <= 0x21ff);
    return sign || character == 0xb7 ? kSign : kWidest;
}

// The longest beginning of the text that fits.
std::string_view beginning(std::string_view text, double room, Font font) {
    auto rest = text;
    double width = 0;
    while (!rest.empty()) {
        const auto here = rest;
        width += em_of(take_character(rest), font.face) * font.size;
        if (width > room) return text.substr(0, text.size() - here.size());
    }
    return text;
}

// The longest end.
std::string_view ending(std::string_view text, double room, Font font) {
    double width = width_of(text, font);
    while (!text.empty() && width > room) width -= em_of(take_character(text), font.face) * font.size;
    return text;
}

}  // namespace

double width_of(std::string_view text, Font font) {
    double width = 0;
    while (!text.empty()) width += em_of(take_character(text), font.face) * font.size;
    return width;
}

std::string cut(std::string_view text, double room, Font font) {
    const auto line = drawable(text);
    if (width_of(line, font) <= room) return line;
    const auto dots = width_of(kEllipsis, font);
    if (dots > room) return {};
    return std::string(base::trimmed(beginning(line, room - dots, font), " ")).append(kEllipsis);
}

std::string cut_middle(std::string_view text, double room, Font font) {
    const auto line = drawable(text);
    if (width_of(line, font) <= room) return line;
    const auto dots = width_of(kEllipsis, font);
    if (dots > room) return {};
    const auto half = (room - dots) / 2;
    return std::string(beginning(line, half, font)).append(kEllipsis).append(ending(line, half, font));
}

std::vector<std::string> wrapped(std::string_view text, double room, Font font, std::size_t most) {
    const auto line = drawable(text);
    std::vector<std::string> lines;
    auto rest = base::trimmed(line, " ");
    while (!rest.empty() && lines.size() < most) {
        if (lines.size() + 1 == most) {
            lines.push_back(cut(rest, room, font));
            break;
        }
        auto fits = beginning(rest, room, font);
        if (fits.size() < rest.size() && rest[fits.size()] != ' ') {
            const auto space = fits.rfind(' ');
            // A word that is longer than half a line is broken.
            if (space != std::string_view::npos && space > fits.size() / 2) fits = fits.substr(0, space);
        }
        if (fits.empty()) break;
        lines.emplace_back(base::trimmed(fits, " "));
        rest = base::trimmed(rest.substr(fits.size()), " ");
    }
    return lines;
}

}  // namespace receiptd::draw
