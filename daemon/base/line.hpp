// Texts of others, made fit to stand in a line of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace receiptd::base {

// At most `most` bytes of UTF-8, cut between characters, with "…" where something is left out.
std::string shortened(std::string text, std::size_t most);
// Line ends and other control characters become spaces.
std::string one_line(std::string_view text);

}  // namespace receiptd::base
