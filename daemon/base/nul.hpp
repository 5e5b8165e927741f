// PostgreSQL stores no NUL in a text: it is shown as U+2400.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::base {

inline void append_without_nul(std::string& out, std::string_view text) {
    for (auto nul = text.find('\0'); nul != std::string_view::npos; nul = text.find('\0')) {
        out.append(text.substr(0, nul)).append("\u2400");
        text.remove_prefix(nul + 1);
    }
    out.append(text);
}

inline std::string without_nul(std::string_view text) {
    std::string out;
    append_without_nul(out, text);
    return out;
}

}  // namespace receiptd::base
