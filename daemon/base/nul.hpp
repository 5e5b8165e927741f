// PostgreSQL stores no NUL in a text: it is shown as U+2400.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace receiptd::base {

// Most texts are ids. For a short one, memchr() costs more to call than to run.
inline bool has_nul(std::string_view text) {
    constexpr std::size_t kShort = 64;
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101, kHighBits = 0x8080'8080'8080'8080;
    if (text.size() > kShort) return text.find('\0') != std::string_view::npos;
    std::uint64_t found = 0;
    for (; text.size() >= sizeof found; text.remove_prefix(sizeof found)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), sizeof word);
        found |= (word - kOnes) & ~word & kHighBits;
    }
    for (const char c : text) found |= c == '\0' ? 1 : 0;
    return found != 0;
}

inline void append_without_nul(std::string& out, std::string_view text) {
    if (!has_nul(text)) {
        out.append(text);
        return;
    }
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
