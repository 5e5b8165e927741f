// Scalars of the wire as text: escapes, numbers, hashes. Private to the decoders.
#pragma once

#include "chain/json/model.hpp"

#include <optional>

namespace receiptd::chain::decoding {

// Writes the text of a JSON string's inside to `out` (never longer than `raw`) and returns its end;
// nullptr if an escape is none of JSON's. \u0000 gives a zero byte, a surrogate without its partner
// U+FFFD: contracts may log both, and a block must not become unreadable by it.
char* unescape(Text raw, char* out);

// By the grammar of RFC 8259.
bool is_json_number(Text token);

// Decimal digits up to 2^128-1.
std::optional<u128> parse_balance(Text digits);

// 32..44 base58 characters: a cheap check, not a decoding.
bool looks_like_hash(Text text);

}  // namespace receiptd::chain::decoding
