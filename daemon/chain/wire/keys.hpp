// Public keys and signatures of the three kinds a NEAR account may use (encoding.md §2).
#pragma once

#include "chain/wire/borsh.hpp"
#include "chain/wire/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

// The values are the Borsh indexes.
enum class KeyType : std::uint8_t { ed25519 = 0, secp256k1 = 1, ml_dsa_65 = 2 };
inline constexpr unsigned kKeyTypes = 3;

std::string_view key_type_name(KeyType type);  // "ed25519"
std::size_t public_key_size(KeyType type);
std::size_t signature_size(KeyType type);

class PublicKey {
public:
    PublicKey() : PublicKey(KeyType::ed25519, Bytes(32)) {}  // ed25519, all zero

    // nullopt unless `raw` has the size of the type.
    static std::optional<PublicKey> from_raw(KeyType type, ByteView raw);
    // "ed25519:…"; as in nearcore a text without a prefix is ed25519.
    static std::optional<PublicKey> parse(std::string_view text);
    static PublicKey read(Reader& reader, const char* what);
    void write(Writer& writer) const;

    KeyType type() const { return type_; }
    ByteView raw() const { return raw_; }
    std::string to_string() const;
    // As access-key lists and state changes show it: ML-DSA keys by their hash.
    std::string view_handle() const;

    friend bool operator==(const PublicKey&, const PublicKey&) = default;

private:
    PublicKey(KeyType type, Bytes raw) : type_(type), raw_(std::move(raw)) {}

    KeyType type_;
    Bytes raw_;
};

class Signature {
public:
    Signature() : Signature(KeyType::ed25519, Bytes(64)) {}

    static std::optional<Signature> from_raw(KeyType type, ByteView raw);
    static std::optional<Signature> parse(std::string_view text);
    // Like nearcore, refuses an ed25519 signature with any of the top three bits set.
    static Signature read(Reader& reader, const char* what);
    void write(Writer& writer) const;

    KeyType type() const { return type_; }
    ByteView raw() const { return raw_; }
    std::string to_string() const;

    friend bool operator==(const Signature&, const Signature&) = default;

private:
    Signature(KeyType type, Bytes raw) : type_(type), raw_(std::move(raw)) {}

    KeyType type_;
    Bytes raw_;
};

enum class SignatureCheck : std::uint8_t {
    valid,
    invalid,
    unsupported,  // ML-DSA-65: carried, never checked
};

// `message` is the signed text: on the chain always a 32-byte hash. The rules are nearcore's: in a
// secp256k1 signature s must be in the lower half and the recovery id in 0..3, but the recovery id
// need not lead back to the key.
SignatureCheck check_signature(const Signature& signature, ByteView message, const PublicKey& key);

// The secp256k1 key that r, s and recovery id lead to, for the 32 bytes of `message`.
std::optional<PublicKey> recover_secp256k1(const Signature& signature, ByteView message);

}  // namespace receiptd::chain
