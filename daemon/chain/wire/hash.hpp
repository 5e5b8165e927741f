// SHA-256 and CryptoHash, the 32 bytes that name blocks, transactions, receipts and data.
#pragma once

#include "chain/wire/bytes.hpp"

#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

struct CryptoHash {
    std::array<std::uint8_t, 32> bytes{};

    ByteView view() const { return bytes; }
    std::string to_string() const;  // base58
    // nullopt unless the text is base58 of exactly 32 bytes.
    static std::optional<CryptoHash> parse(std::string_view base58);

    friend auto operator<=>(const CryptoHash&, const CryptoHash&) = default;
};

CryptoHash sha256(ByteView bytes);
// SHA-256 of an input that is given in parts, which need not be in memory together.
class Sha256 {
public:
    Sha256();
    void add(ByteView part);
    CryptoHash result();  // once, after the last part

private:
    crypto_hash_sha256_state state_;
};
// SHA-256 of one hash after the other: the node of every Merkle tree of the chain.
CryptoHash sha256_pair(const CryptoHash& left, const CryptoHash& right);

}  // namespace receiptd::chain
