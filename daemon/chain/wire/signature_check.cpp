#include "chain/wire/curves.hpp"
#include "chain/wire/keys.hpp"

#include <secp256k1.h>
#include <secp256k1_recovery.h>
#include <sodium/core.h>
#include <sodium/crypto_sign_ed25519.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace receiptd::chain {

namespace {

constexpr std::size_t kSecpMessageSize = 32;

std::optional<secp256k1_ecdsa_recoverable_signature> recoverable(const Signature& signature) {
    const ByteView raw = signature.raw();
    const int recovery_id = raw[64];
    if (recovery_id > 3) return std::nullopt;
    secp256k1_ecdsa_recoverable_signature parsed;
    if (secp256k1_ecdsa_recoverable_signature_parse_compact(secp256k1_shared_context(), &parsed, raw.data(),
                                                            recovery_id) != 1)
        return std::nullopt;
    return parsed;
}

bool ed25519_valid(const Signature& signature, ByteView message, const PublicKey& key) {
    start_sodium();
    if ((signature.raw().back() & 0xe0) != 0) return false;
    return crypto_sign_ed25519_verify_detached(signature.raw().data(), message.data(), message.size(),
                                               key.raw().data()) == 0;
}

bool secp256k1_valid(const Signature& signature, ByteView message, const PublicKey& key) {
    if (message.size() != kSecpMessageSize) return false;
    const auto parsed = recoverable(signature);
    if (!parsed) return false;
    const secp256k1_context* context = secp256k1_shared_context();
    std::array<std::uint8_t, 65> uncompressed;
    uncompressed[0] = 4;
    std::copy(key.raw().begin(), key.raw().end(), uncompressed.begin() + 1);
    secp256k1_pubkey point;
    if (secp256k1_ec_pubkey_parse(context, &point, uncompressed.data(), uncompressed.size()) != 1)
        return false;
    secp256k1_ecdsa_signature plain;
    secp256k1_ecdsa_recoverable_signature_convert(context, &plain, &*parsed);
    // Refuses s in the upper half, which is what keeps transaction hashes from being malleable.
    return secp256k1_ecdsa_verify(context, &plain, message.data(), &point) == 1;
}

}  // namespace

const secp256k1_context* secp256k1_shared_context() {
    static const secp256k1_context* const context =
        secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
    return context;
}

void start_sodium() {
    static const int started = sodium_init();
    if (started < 0) throw std::runtime_error("libsodium could not be initialised");
}

SignatureCheck check_signature(const Signature& signature, ByteView message, const PublicKey& key) {
    if (signature.type() != key.type()) return SignatureCheck::invalid;
    bool valid = false;
    switch (key.type()) {
        case KeyType::ed25519: valid = ed25519_valid(signature, message, key); break;
        case KeyType::secp256k1: valid = secp256k1_valid(signature, message, key); break;
        case KeyType::ml_dsa_65: return SignatureCheck::unsupported;
    }
    return valid ? SignatureCheck::valid : SignatureCheck::invalid;
}

std::optional<PublicKey> recover_secp256k1(const Signature& signature, ByteView message) {
    if (signature.type() != KeyType::secp256k1 || message.size() != kSecpMessageSize) return std::nullopt;
    const auto parsed = recoverable(signature);
    if (!parsed) return std::nullopt;
    const secp256k1_context* context = secp256k1_shared_context();
    secp256k1_pubkey point;
    if (secp256k1_ecdsa_recover(context, &point, &*parsed, message.data()) != 1) return std::nullopt;
    std::array<std::uint8_t, 65> uncompressed;
    std::size_t size = uncompressed.size();
    secp256k1_ec_pubkey_serialize(context, uncompressed.data(), &size, &point, SECP256K1_EC_UNCOMPRESSED);
    return PublicKey::from_raw(KeyType::secp256k1, ByteView(uncompressed).subspan(1));
}

}  // namespace receiptd::chain
