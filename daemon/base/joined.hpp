#pragma once

#include <string>
#include <vector>

namespace receiptd::base {

// "a, b, c"
inline std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace receiptd::base
