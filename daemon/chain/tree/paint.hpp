// Lines of a terminal: coloured, and cut or folded to its width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

enum class Ink { plain, faint, red, yellow, green };

// Each part is one of ours or one line of visible text.
class PaintedLine {
public:
    // `width`: in columns; 0: no limit.
    PaintedLine(std::size_t width, bool colour) : width_(width), colour_(colour) {}

    PaintedLine& add(std::string_view text, Ink ink = Ink::plain);
    // With its end of line.
    std::string text() const;

private:
    struct Part {
        std::string text;
        Ink ink;
    };
    std::size_t width_;
    bool colour_;
    std::vector<Part> parts_;
};

// One for each character: those of East Asia, which take two, make a line longer than it counts.
std::size_t columns_of(std::string_view text);
// The beginning of `text` that fits, up to a blank where there is one; at least one character.
std::string_view first_line_of(std::string_view text, std::size_t columns);

}  // namespace receiptd::chain
