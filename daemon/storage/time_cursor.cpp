#include "storage/time_cursor.hpp"

#include <cctype>
#include <string_view>

namespace receiptd::storage {

std::optional<TimeCursor> parse_time_cursor(const std::string& text) {
    constexpr std::string_view shape = "0000-00-00T00:00:00.000000Z,";
    if (text.size() <= shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        if (shape[i] == '0' ? !digit : text[i] != shape[i]) return std::nullopt;
    }
    return TimeCursor{text.substr(0, shape.size() - 1), text.substr(shape.size())};
}

}  // namespace receiptd::storage
