#include "chain/tree/paint.hpp"

#include <algorithm>

namespace receiptd::chain {
namespace {

constexpr std::string_view escape_of(Ink ink) {
    switch (ink) {
        case Ink::plain: return {};
        case Ink::faint: return "\x1b[2m";
        case Ink::red: return "\x1b[31m";
        case Ink::yellow: return "\x1b[33m";
        case Ink::green: return "\x1b[32m";
    }
    return {};
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string_view prefix(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end)
        if (!continues_character(text[end]) && seen++ == columns) break;
    return text.substr(0, end);
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string_view first_line_of(std::string_view text, std::size_t columns) {
    const auto fits = prefix(text, std::max<std::size_t>(columns, 1));
    if (fits.size() == text.size()) return text;
    const auto blank = fits.rfind(' ');
    return blank == std::string_view::npos || blank == 0 ? fits : fits.substr(0, blank);
}

PaintedLine& PaintedLine::add(std::string_view text, Ink ink) {
    if (!text.empty()) parts_.push_back({std::string(text), ink});
    return *this;
}

std::string PaintedLine::text() const {
    std::size_t columns = 0;
    for (const auto& part : parts_) columns += columns_of(part.text);
    const bool is_cut = width_ > 0 && columns > width_;
    auto room = is_cut ? width_ - 1 : columns;  // the last column is for "…"
    std::string text;
    for (const auto& part : parts_) {
        const auto shown = prefix(part.text, room);
        room -= columns_of(shown);
        const auto escape = colour_ && !shown.empty() ? escape_of(part.ink) : std::string_view();
        text.append(escape).append(shown).append(escape.empty() ? "" : "\x1b[0m");
    }
    return text + (is_cut ? "…\n" : "\n");
}

}  // namespace receiptd::chain
