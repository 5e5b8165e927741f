// Colours, strokes and letters of the drawn trees.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::draw {

// CSS. All classes begin with rt-; the colours are variables --rt-…, with others where the reader prefers
// dark. A viewer that knows no variables shows the light ones.
const std::string& style();

}  // namespace receiptd::draw
