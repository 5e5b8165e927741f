// Base58 with the Bitcoin alphabet: hashes, keys and signatures as text (encoding.md §2).
#pragma once

#include "chain/wire/bytes.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace receiptd::chain {

// Decoding takes quadratic time, so longer texts are refused; the longest real one is an ML-DSA-65
// signature of 4,520 characters.
inline constexpr std::size_t kMaxBase58Text = 8192;

std::string base58_encode(ByteView bytes);

// nullopt: a foreign character or more than kMaxBase58Text characters.
std::optional<Bytes> base58_decode(std::string_view text);

// Fills `out` if the text stands for exactly that many bytes; else returns false and `out` is
// unspecified.
bool base58_decode_exact(std::string_view text, std::span<std::uint8_t> out);

}  // namespace receiptd::chain
