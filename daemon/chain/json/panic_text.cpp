#include "chain/json/panic_text.hpp"

namespace receiptd::chain {

namespace {

constexpr std::string_view kPanicked = "panicked at ";

std::string with_place(std::string_view message, std::string_view place) {
    std::string text(message);
    if (!place.empty()) {
        if (!text.empty()) text += ' ';
        text += '(';
        text += place;
        text += ')';
    }
    return text;
}

}  // namespace

std::string readable_panic(std::string_view message) {
    if (!message.starts_with(kPanicked)) return std::string(message);
    const std::string_view rest = message.substr(kPanicked.size());
    if (rest.starts_with('\'')) {
        // The message may hold quotes itself; the place never does.
        const auto end = rest.rfind("', ");
        if (end != std::string_view::npos && end > 0)
            return with_place(rest.substr(1, end - 1), rest.substr(end + 3));
    }
    const auto line_end = rest.find(":\n");
    if (line_end != std::string_view::npos)
        return with_place(rest.substr(line_end + 2), rest.substr(0, line_end));
    return std::string(rest);
}

}  // namespace receiptd::chain
