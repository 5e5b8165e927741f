#include "channel/text.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace receiptd::channel {

namespace {

constexpr std::string_view kJoiner = "\u2060";
constexpr std::string_view kEllipsis = "…";

// Bytes of the first character of a text that is not empty. What is no UTF-8 counts byte by byte.
std::size_t first_length(std::string_view text) {
    const auto head = static_cast<unsigned char>(text.front());
    const std::size_t length = head < 0xc0 ? 1 : head < 0xe0 ? 2 : head < 0xf0 ? 3 : 4;
    return std::min(length, text.size());
}

// Puts the joiner behind the first `keep` characters of each `mark`.
void break_each(std::string& text, std::string_view mark, std::size_t keep) {
    const auto same = [](char a, char b) { return base::lowered(a) == b; };
    auto from = text.begin();
    while ((from = std::search(from, text.end(), mark.begin(), mark.end(), same)) != text.end()) {
        const auto at = static_cast<std::size_t>(from - text.begin()) + keep;
        text.insert(at, kJoiner);
        from = text.begin() + static_cast<std::ptrdiff_t>(at + kJoiner.size());
    }
}

}  // namespace

std::string inert(std::string text) {
    break_each(text, "://", 1);
    break_each(text, "www.", 3);
    break_each(text, "mailto:", 6);
    return text;
}

std::string without_calls(std::string text) {
    for (const auto* call : {"@everyone", "@here", "@channel", "@all"}) break_each(text, call, 1);
    return text;
}

std::size_t units(std::string_view utf8) {
    std::size_t count = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0U) != 0x80U) count += byte >= 0xf0 ? 2 : 1;
    }
    return count;
}

std::string as_it_is(std::string_view character) { return std::string(character); }

std::string fitted(std::string_view utf8, std::size_t most, const Escape& escape) {
    std::string out;
    std::size_t used = 0;
    std::size_t cut = 0;  // where the ellipsis still has room
    while (!utf8.empty()) {
        const auto length = first_length(utf8);
        const auto written = escape(utf8.substr(0, length));
        utf8.remove_prefix(length);
        used += units(written);
        if (used > most) {
            out.resize(cut);
            return most == 0 ? out : out.append(kEllipsis);
        }
        out += written;
        if (used + 1 <= most) cut = out.size();
    }
    return out;
}

}  // namespace receiptd::channel
