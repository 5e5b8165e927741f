// Hexadecimal: lower case out, either case in.
#pragma once

#include "chain/wire/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

std::string hex_encode(ByteView bytes);

// nullopt: an odd number of digits or a foreign character.
std::optional<Bytes> hex_decode(std::string_view text);

}  // namespace receiptd::chain
