// Texts of others, in which nothing stays hidden from the person who reads them.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::base {

// UTF-8 in which nothing is hidden: broken bytes, control characters but for line ends and tabs, and
// characters that change the direction of text, have no width or leave a blank are replaced by �.
std::string visible(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace receiptd::base
