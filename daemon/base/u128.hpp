// Unsigned 128-bit integers: NEAR's Balance (yoctoNEAR), exact in every direction.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::base {

__extension__ typedef unsigned __int128 u128;

// Decimal digits only; nullopt for an empty, signed, non-decimal or too large text.
std::optional<u128> parse_u128(std::string_view decimal);

std::string to_string(u128 value);

}  // namespace receiptd::base
