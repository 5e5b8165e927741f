// Characters of texts that anybody may have written. Pure.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::draw {

inline constexpr char32_t kReplacement = 0xfffd;

// Takes the first character off a text that is not empty. Bytes that are no UTF-8 are kReplacement, one each.
char32_t take_character(std::string_view& text);
void append(std::string& text, char32_t character);

// The text for XML, within elements and within quotes: valid UTF-8, no control characters but spaces, nothing
// that turns the direction of writing or is not seen, the five signs of XML escaped.
std::string escaped(std::string_view text);

// The text in one line of characters whose width is known; all others become kReplacement.
std::string drawable(std::string_view text);

}  // namespace receiptd::draw
