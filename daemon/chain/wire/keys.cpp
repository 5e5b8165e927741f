#include "chain/wire/keys.hpp"

#include "chain/wire/base58.hpp"
#include "chain/wire/keccak.hpp"

#include <array>

namespace receiptd::chain {

namespace {

struct TypeSpec {
    std::string_view name;
    std::size_t public_key;
    std::size_t signature;
};
constexpr std::array<TypeSpec, kKeyTypes> kTypes = {{
    {"ed25519", 32, 64},
    {"secp256k1", 64, 65},
    {"ml-dsa-65", 1952, 3309},
}};

const TypeSpec& spec(KeyType type) { return kTypes[static_cast<std::size_t>(type)]; }

struct TypedText {
    KeyType type;
    std::string_view base58;
};

std::optional<TypedText> split_prefix(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return TypedText{KeyType::ed25519, text};
    for (std::size_t i = 0; i < kTypes.size(); ++i)
        if (text.substr(0, colon) == kTypes[i].name)
            return TypedText{static_cast<KeyType>(i), text.substr(colon + 1)};
    return std::nullopt;
}

std::string typed_text(KeyType type, ByteView raw) {
    return std::string(spec(type).name) + ':' + base58_encode(raw);
}

std::optional<Bytes> decode_sized(std::string_view base58, std::size_t size) {
    Bytes raw(size);
    if (!base58_decode_exact(base58, raw)) return std::nullopt;
    return raw;
}

bool top_bits_set(ByteView ed25519_signature) { return (ed25519_signature.back() & 0xe0) != 0; }

}  // namespace

std::string_view key_type_name(KeyType type) { return spec(type).name; }
std::size_t public_key_size(KeyType type) { return spec(type).public_key; }
std::size_t signature_size(KeyType type) { return spec(type).signature; }

std::optional<PublicKey> PublicKey::from_raw(KeyType type, ByteView raw) {
    if (raw.size() != public_key_size(type)) return std::nullopt;
    return PublicKey(type, Bytes(raw.begin(), raw.end()));
}

std::optional<PublicKey> PublicKey::parse(std::string_view text) {
    const auto typed = split_prefix(text);
    if (!typed) return std::nullopt;
    auto raw = decode_sized(typed->base58, public_key_size(typed->type));
    if (!raw) return std::nullopt;
    return PublicKey(typed->type, std::move(*raw));
}

PublicKey PublicKey::read(Reader& reader, const char* what) {
    const Reader::Scope scope(reader, what);
    const std::uint8_t index = reader.variant("type", kKeyTypes);
    if (!reader.ok()) return {};
    const auto type = static_cast<KeyType>(index);
    const ByteView raw = reader.raw("", public_key_size(type));
    return reader.ok() ? PublicKey(type, Bytes(raw.begin(), raw.end())) : PublicKey();
}

void PublicKey::write(Writer& writer) const {
    writer.u8(static_cast<std::uint8_t>(type_));
    writer.raw(raw_);
}

std::string PublicKey::to_string() const { return typed_text(type_, raw_); }

std::string PublicKey::view_handle() const {
    if (type_ != KeyType::ml_dsa_65) return to_string();
    static constexpr std::string_view kDomain = "near:ml-dsa-65-pubkey-hash:v1";
    Bytes input(kDomain.begin(), kDomain.end());
    input.insert(input.end(), raw_.begin(), raw_.end());
    return "ml-dsa-65-hash:" + sha3_256(input).to_string();
}

std::optional<Signature> Signature::from_raw(KeyType type, ByteView raw) {
    if (raw.size() != signature_size(type)) return std::nullopt;
    return Signature(type, Bytes(raw.begin(), raw.end()));
}

std::optional<Signature> Signature::parse(std::string_view text) {
    const auto typed = split_prefix(text);
    if (!typed) return std::nullopt;
    auto raw = decode_sized(typed->base58, signature_size(typed->type));
    if (!raw) return std::nullopt;
    return Signature(typed->type, std::move(*raw));
}

Signature Signature::read(Reader& reader, const char* what) {
    const Reader::Scope scope(reader, what);
    const std::uint8_t index = reader.variant("type", kKeyTypes);
    if (!reader.ok()) return {};
    const auto type = static_cast<KeyType>(index);
    const std::size_t at = reader.offset();
    const ByteView raw = reader.raw("", signature_size(type));
    if (!reader.ok()) return {};
    if (type == KeyType::ed25519 && top_bits_set(raw))
        reader.fail("", "ed25519 signature with one of its top three bits set", at);
    return Signature(type, Bytes(raw.begin(), raw.end()));
}

void Signature::write(Writer& writer) const {
    writer.u8(static_cast<std::uint8_t>(type_));
    writer.raw(raw_);
}

std::string Signature::to_string() const { return typed_text(type_, raw_); }

}  // namespace receiptd::chain
