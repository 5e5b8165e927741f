// Patterns of account ids, methods and other short texts.
#pragma once

#include <string_view>

namespace receiptd::base {

// '*' is any text, '?' any one character of UTF-8; nothing else is special. The time grows with the product
// of both lengths at worst.
bool matches_glob(std::string_view glob, std::string_view text);

inline bool is_glob(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

}  // namespace receiptd::base
