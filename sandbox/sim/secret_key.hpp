// Signing keys: the daemon itself signs nothing.
#pragma once

#include "chain/wire/keys.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox::sim {

class SecretKey {
public:
    // From the 32 bytes of an ed25519 seed or a secp256k1 secret; nullopt for another size, an
    // impossible secp256k1 secret, and ML-DSA-65.
    static std::optional<SecretKey> from_seed(chain::KeyType type, chain::ByteView seed);
    // "ed25519:" base58(seed ‖ public key), "secp256k1:" base58(secret) or base58(secret ‖ public
    // key); nullopt also if the public key given is not the secret's.
    static std::optional<SecretKey> parse(std::string_view text);

    SecretKey(const SecretKey&) = default;
    SecretKey& operator=(const SecretKey&) = default;
    ~SecretKey();

    const chain::PublicKey& public_key() const { return public_key_; }
    // Deterministic (RFC 8032, RFC 6979). secp256k1 signs the 32 bytes of `message` as they are and
    // throws std::invalid_argument for another size.
    chain::Signature sign(chain::ByteView message) const;
    // The text that parse() reads (nearcore's forms). A secret: only for a person who asks for it.
    std::string reveal() const;

private:
    SecretKey(chain::Bytes secret, chain::PublicKey public_key)
        : secret_(std::move(secret)), public_key_(std::move(public_key)) {}

    chain::Bytes secret_;  // ed25519: seed ‖ public key
    chain::PublicKey public_key_;
};

}  // namespace receiptd::sandbox::sim
