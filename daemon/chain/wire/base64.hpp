// Base64, standard alphabet, padded. Decoding is strict: no white space, no missing padding, no
// stray bits in the last group, so that every value has exactly one text.
#pragma once

#include "chain/wire/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

std::string base64_encode(ByteView bytes);

std::optional<Bytes> base64_decode(std::string_view text);

// Replaces `out` by the decoded bytes, reusing its capacity; false (out empty) if not base64.
bool base64_decode_into(std::string_view text, std::string& out);

}  // namespace receiptd::chain
