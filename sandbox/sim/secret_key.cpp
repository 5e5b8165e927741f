#include "sandbox/sim/secret_key.hpp"

#include "chain/wire/base58.hpp"
#include "chain/wire/curves.hpp"

#include <secp256k1.h>
#include <secp256k1_recovery.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace receiptd::sandbox::sim {

using chain::Bytes;
using chain::ByteView;
using chain::KeyType;
using chain::PublicKey;
using chain::Signature;

namespace {

constexpr std::size_t kSeedSize = 32;

std::optional<PublicKey> secp256k1_public_key(ByteView secret) {
    const secp256k1_context* context = chain::secp256k1_shared_context();
    secp256k1_pubkey point;
    if (secp256k1_ec_pubkey_create(context, &point, secret.data()) != 1) return std::nullopt;
    std::array<std::uint8_t, 65> uncompressed;
    std::size_t size = uncompressed.size();
    secp256k1_ec_pubkey_serialize(context, uncompressed.data(), &size, &point, SECP256K1_EC_UNCOMPRESSED);
    return PublicKey::from_raw(KeyType::secp256k1, ByteView(uncompressed).subspan(1));
}

}  // namespace

SecretKey::~SecretKey() { sodium_memzero(secret_.data(), secret_.size()); }

std::optional<SecretKey> SecretKey::from_seed(KeyType type, ByteView seed) {
    if (seed.size() != kSeedSize) return std::nullopt;
    if (type == KeyType::secp256k1) {
        auto key = secp256k1_public_key(seed);
        if (!key) return std::nullopt;
        return SecretKey(Bytes(seed.begin(), seed.end()), std::move(*key));
    }
    if (type != KeyType::ed25519) return std::nullopt;
    chain::start_sodium();
    Bytes secret(crypto_sign_ed25519_SECRETKEYBYTES);
    std::array<std::uint8_t, 32> raw;
    crypto_sign_ed25519_seed_keypair(raw.data(), secret.data(), seed.data());
    return SecretKey(std::move(secret), *PublicKey::from_raw(KeyType::ed25519, raw));
}

std::optional<SecretKey> SecretKey::parse(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const bool secp = text.substr(0, colon) == chain::key_type_name(KeyType::secp256k1);
    if (!secp && text.substr(0, colon) != chain::key_type_name(KeyType::ed25519)) return std::nullopt;
    const auto raw = chain::base58_decode(text.substr(colon + 1));
    if (!raw || raw->size() < kSeedSize) return std::nullopt;
    const ByteView bytes(*raw);
    auto key = from_seed(secp ? KeyType::secp256k1 : KeyType::ed25519, bytes.first(kSeedSize));
    const ByteView rest = bytes.subspan(kSeedSize);
    if (!key || (secp && rest.empty())) return key;
    const ByteView expected = key->public_key().raw();
    return std::equal(rest.begin(), rest.end(), expected.begin(), expected.end()) ? key : std::nullopt;
}

Signature SecretKey::sign(ByteView message) const {
    if (public_key_.type() == KeyType::ed25519) {
        std::array<std::uint8_t, 64> raw;
        crypto_sign_ed25519_detached(raw.data(), nullptr, message.data(), message.size(), secret_.data());
        return *Signature::from_raw(KeyType::ed25519, raw);
    }
    if (message.size() != 32) throw std::invalid_argument("secp256k1 signs a hash of 32 bytes");
    const secp256k1_context* context = chain::secp256k1_shared_context();
    secp256k1_ecdsa_recoverable_signature signature;
    secp256k1_ecdsa_sign_recoverable(context, &signature, message.data(), secret_.data(), nullptr, nullptr);
    std::array<std::uint8_t, 65> raw;
    int recovery_id = 0;
    secp256k1_ecdsa_recoverable_signature_serialize_compact(context, raw.data(), &recovery_id, &signature);
    raw[64] = static_cast<std::uint8_t>(recovery_id);
    return *Signature::from_raw(KeyType::secp256k1, raw);
}

std::string SecretKey::reveal() const {
    return std::string(chain::key_type_name(public_key_.type())) + ':' + chain::base58_encode(secret_);
}

}  // namespace receiptd::sandbox::sim
