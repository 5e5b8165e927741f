// "Did you mean": slips of the keyboard.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace receiptd::base {

// The known word most like this one (letters left out, added, changed or swapped), if any is near.
std::optional<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace receiptd::base
