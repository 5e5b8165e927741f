#include "chain/wire/hash.hpp"

#include "chain/wire/base58.hpp"

#include <algorithm>

namespace receiptd::chain {

std::string CryptoHash::to_string() const { return base58_encode(bytes); }

std::optional<CryptoHash> CryptoHash::parse(std::string_view base58) {
    CryptoHash hash;
    if (!base58_decode_exact(base58, hash.bytes)) return std::nullopt;
    return hash;
}

CryptoHash sha256(ByteView bytes) {
    CryptoHash hash;
    crypto_hash_sha256(hash.bytes.data(), bytes.data(), bytes.size());
    return hash;
}

Sha256::Sha256() { crypto_hash_sha256_init(&state_); }

void Sha256::add(ByteView part) { crypto_hash_sha256_update(&state_, part.data(), part.size()); }

CryptoHash Sha256::result() {
    CryptoHash hash;
    crypto_hash_sha256_final(&state_, hash.bytes.data());
    return hash;
}

CryptoHash sha256_pair(const CryptoHash& left, const CryptoHash& right) {
    std::array<std::uint8_t, 64> both;
    std::copy(left.bytes.begin(), left.bytes.end(), both.begin());
    std::copy(right.bytes.begin(), right.bytes.end(), both.begin() + 32);
    return sha256(both);
}

}  // namespace receiptd::chain
