// Text of the chain for services that make more of text than it is. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace receiptd::channel {

// Addresses in a text are followed by those who read it, by programs that show previews, and by mistake. A
// word joiner (U+2060), which nobody sees, stands in each of them, so that nobody takes it for one.
std::string inert(std::string text);

// The same of words that call many people: a joiner stands behind their "@".
std::string without_calls(std::string text);

// Services count UTF-16 code units, or characters, of which there are never more.
std::size_t units(std::string_view utf8);

// One character of UTF-8 to what stands for it.
using Escape = std::function<std::string(std::string_view character)>;
std::string as_it_is(std::string_view character);

// The escaped text, at most `most` units long, cut between characters, with "…" where something is left out.
std::string fitted(std::string_view utf8, std::size_t most, const Escape& escape = as_it_is);

}  // namespace receiptd::channel
