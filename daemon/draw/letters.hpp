// How wide texts are when they are drawn. Nobody asks a font: of the fonts that a reader may have, these are
// the widest, so that no text leaves its place. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::draw {

enum class Face : std::uint8_t { sans, bold, mono };
struct Font {
    Face face = Face::sans;
    double size = 11;  // pixels
};

// Pixels, of drawable() text.
double width_of(std::string_view text, Font font);

// Drawable text that is no wider than `room` pixels, with "…" in place of what is left out: the end, or for
// names that differ at their end the middle.
std::string cut(std::string_view text, double room, Font font);
std::string cut_middle(std::string_view text, double room, Font font);
// The same in `most` lines at most, broken between words where that can be; the last one is cut.
std::vector<std::string> wrapped(std::string_view text, double room, Font font, std::size_t most);

}  // namespace receiptd::draw
