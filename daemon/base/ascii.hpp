// ASCII text: no function here follows the locale.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::base {

inline constexpr std::string_view kBlanks = " \t\r\n\f\v";

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks);

char lowered(char c);
std::string lowered(std::string_view text);
bool equals_ignoring_case(std::string_view left, std::string_view right);

bool is_token(std::string_view text);        // RFC 9110 §5.6.2: a method or a header's name
bool is_field_value(std::string_view text);  // no control characters, so no second header in it

}  // namespace receiptd::base
