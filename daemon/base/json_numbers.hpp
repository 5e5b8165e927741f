// Numbers of JSON that others wrote: their size and their digits are what the others made them, and no type
// of C++ has them all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace receiptd::base {

struct JsonWithoutNumbers {
    std::string json;                       // each number is its place in `numbers`: [1e400,-2] is [0,1]
    std::vector<std::string_view> numbers;  // views of the text
};

// For parsers that make doubles of numbers, or refuse them. In texts, half a surrogate pair becomes \ufffd,
// as most parsers refuse that, too. What is no JSON stays so.
JsonWithoutNumbers without_numbers(std::string_view text);

}  // namespace receiptd::base
