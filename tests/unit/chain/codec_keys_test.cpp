#include "chain/wire/base58.hpp"
#include "chain/wire/keys.hpp"
#include "codec_vectors.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using sandbox::sim::SecretKey;
using vector_data::load_vectors;
using vector_data::unhex;

Bytes borsh(const PublicKey& key) {
    Writer writer;
    key.write(writer);
    return writer.take();
}

// Group order minus s: the other valid s of the same signature.
Signature with_high_s(const Signature& low) {
    static const Bytes order = unhex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    Bytes raw(low.raw().begin(), low.raw().end());
    int borrow = 0;
    for (std::size_t i = 32; i > 0; --i) {
        const int digit = order[i - 1] - raw[31 + i] - borrow;
        borrow = digit < 0 ? 1 : 0;
        raw[31 + i] = static_cast<std::uint8_t>(digit + 256 * borrow);
    }
    raw[64] ^= 1;
    return Signature::from_raw(KeyType::secp256k1, raw).value();
}

class VectorKeys : public ::testing::Test {
protected:
    const vector_data::Json vectors = load_vectors("keys.json");
    const vector_data::Json& keys = vectors.at("keys");
};

TEST_F(VectorKeys, HaveTheirTextsAndBytes) {
    for (const auto& [name, entry] : keys.items()) {
        const PublicKey key = vector_data::key(entry.at("public_key"));
        EXPECT_EQ(hex_encode(key.raw()), entry.at("public_key_hex")) << name;
        EXPECT_EQ(key.to_string(), entry.at("public_key")) << name;
        EXPECT_EQ(key.view_handle(), entry.at("public_key")) << name;
        EXPECT_EQ(hex_encode(borsh(key)), entry.at("public_key_borsh_hex")) << name;
        const Bytes bytes = borsh(key);
        Reader reader(bytes);
        EXPECT_EQ(PublicKey::read(reader, "key"), key) << name;
        EXPECT_EQ(vector_data::secret_key(entry).public_key(), key) << name;
    }
}

TEST_F(VectorKeys, SignAndCheckAHash) {
    for (const auto& [name, entry] : keys.items()) {
        const auto& signing = entry.at("sign_sha256_of_message");
        const CryptoHash hash = sha256(bytes_of("message"));
        EXPECT_EQ(hex_encode(hash.view()), signing.at("hash_hex"));
        const Signature expected = vector_data::signature(signing.at("signature"));
        EXPECT_EQ(vector_data::secret_key(entry).sign(hash.view()), expected) << name;
        const PublicKey key = vector_data::key(entry.at("public_key"));
        EXPECT_EQ(check_signature(expected, hash.view(), key), SignatureCheck::valid) << name;
        EXPECT_EQ(check_signature(expected, sha256(hash.view()).view(), key), SignatureCheck::invalid)
            << name;
    }
}

TEST_F(VectorKeys, RefuseEverySignatureWithAFlippedBit) {
    for (const char* name : {"A", "S1"}) {
        const auto& entry = keys.at(name);
        const PublicKey key = vector_data::key(entry.at("public_key"));
        const CryptoHash hash = sha256(bytes_of("message"));
        const Signature good = vector_data::signature(entry.at("sign_sha256_of_message").at("signature"));
        for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
            Bytes raw(good.raw().begin(), good.raw().end());
            raw[bit / 8] = static_cast<std::uint8_t>(raw[bit / 8] ^ (1u << (bit % 8)));
            const Signature bad = Signature::from_raw(good.type(), raw).value();
            EXPECT_EQ(check_signature(bad, hash.view(), key), SignatureCheck::invalid)
                << name << " bit " << bit;
        }
    }
}

TEST_F(VectorKeys, ReadSecretKeysOfNearcoreAndOfNearApiJs) {
    for (const auto& [name, entry] : keys.items()) {
        const SecretKey key = vector_data::secret_key(entry);
        if (entry.contains("secret_key")) {
            EXPECT_EQ(key.reveal(), entry.at("secret_key")) << name;
        }
        EXPECT_EQ(SecretKey::parse(key.reveal()).value().public_key(), key.public_key()) << name;
    }
    const SecretKey secp = vector_data::secret_key(keys.at("S1"));
    Bytes with_public = unhex(keys.at("S1").at("secret_hex"));
    with_public.insert(with_public.end(), secp.public_key().raw().begin(), secp.public_key().raw().end());
    EXPECT_EQ(SecretKey::parse("secp256k1:" + base58_encode(with_public)).value().public_key(),
              secp.public_key());
    with_public.back() ^= 1;
    EXPECT_FALSE(SecretKey::parse("secp256k1:" + base58_encode(with_public)));
}

TEST_F(VectorKeys, SignRawBytesLikeNearcore) {
    EXPECT_EQ(
        vector_data::secret_key(keys.at("N")).sign(bytes_of("123")).to_string(),
        "ed25519:3s1dvZdQtcAjBksMHFrysqvF63wnyMHPA4owNQmCJZ2EBakZEKdtMsLqrHdKWQjJbSRN6kRknN2WdwSBLWGCokXj");
}

TEST_F(VectorKeys, LeadSecp256k1SignaturesBackToTheKey) {
    const auto& entry = keys.at("S1");
    const CryptoHash hash = sha256(bytes_of("message"));
    const Signature good = vector_data::signature(entry.at("sign_sha256_of_message").at("signature"));
    const PublicKey key = vector_data::key(entry.at("public_key"));
    EXPECT_EQ(recover_secp256k1(good, hash.view()), key);
    EXPECT_FALSE(recover_secp256k1(good, bytes_of("short")));
    EXPECT_FALSE(recover_secp256k1(Signature(), hash.view()));
}

TEST_F(VectorKeys, RefuseAHighSAndAWrongRecoveryId) {
    const auto& entry = keys.at("S1");
    const CryptoHash hash = sha256(bytes_of("message"));
    const Signature good = vector_data::signature(entry.at("sign_sha256_of_message").at("signature"));
    const PublicKey key = vector_data::key(entry.at("public_key"));
    const Signature high = with_high_s(good);
    EXPECT_EQ(recover_secp256k1(high, hash.view()), key) << "the same signature, were it not for the rule";
    EXPECT_EQ(check_signature(high, hash.view(), key), SignatureCheck::invalid);
    for (int id = 0; id < 256; ++id) {
        Bytes raw(good.raw().begin(), good.raw().end());
        raw[64] = static_cast<std::uint8_t>(id);
        const auto checked =
            check_signature(Signature::from_raw(KeyType::secp256k1, raw).value(), hash.view(), key);
        EXPECT_EQ(checked, id <= 3 ? SignatureCheck::valid : SignatureCheck::invalid) << id;
    }
}

TEST_F(VectorKeys, CarryMlDsaKeysUnchecked) {
    const auto& entry = vectors.at("ml_dsa_65");
    const PublicKey key = vector_data::key(entry.at("public_key"));
    EXPECT_EQ(key.type(), KeyType::ml_dsa_65);
    EXPECT_EQ(hex_encode(key.raw()), entry.at("public_key_hex"));
    EXPECT_EQ(key.to_string(), entry.at("public_key"));
    EXPECT_EQ(key.view_handle(), entry.at("view_handle"));
    const Bytes bytes = borsh(key);
    EXPECT_EQ(bytes.size(), entry.at("public_key_borsh_len"));
    EXPECT_EQ(hex_encode(ByteView(bytes).first(33)), entry.at("public_key_borsh_first_33_hex"));
    const Signature signature = Signature::from_raw(KeyType::ml_dsa_65, Bytes(3309, 7)).value();
    EXPECT_EQ(Signature::parse(signature.to_string()), signature);
    EXPECT_EQ(check_signature(signature, sha256({}).view(), key), SignatureCheck::unsupported);
}

TEST(PublicKeyText, WithoutAPrefixIsEd25519) {
    const std::string bare = "DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847";
    EXPECT_EQ(PublicKey::parse(bare).value().to_string(), "ed25519:" + bare);
}

TEST(PublicKeyText, OfWrongLengthOrKindIsRefused) {
    for (const char* text :
         {"", "ed25519:", "ed25519:1", "ed25518:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
          "secp256k1:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ847",
          "ed25519:DcA2MzgpJbrUATQLLceocVckhhAqrkingax4oJ9kZ8470", ":"})
        EXPECT_FALSE(PublicKey::parse(text)) << text;
    EXPECT_FALSE(PublicKey::from_raw(KeyType::secp256k1, Bytes(32)));
}

TEST(SignatureBytes, WithOneOfTheTopThreeBitsAreRefused) {
    for (const int last : {0x20, 0x40, 0x80, 0xff}) {
        Bytes raw(64);
        raw.back() = static_cast<std::uint8_t>(last);
        Bytes bytes{0};
        bytes.insert(bytes.end(), raw.begin(), raw.end());
        Reader reader(bytes);
        Signature::read(reader, "signature");
        EXPECT_FALSE(reader.ok());
        EXPECT_EQ(reader.error().offset, 1u);
        const Signature carried = Signature::from_raw(KeyType::ed25519, raw).value();
        EXPECT_EQ(check_signature(carried, sha256({}).view(), PublicKey()), SignatureCheck::invalid);
    }
}

TEST(SecretKeys, AreRefusedWhenMalformed) {
    EXPECT_FALSE(SecretKey::from_seed(KeyType::secp256k1, Bytes(32)));  // zero is no secret
    EXPECT_FALSE(SecretKey::from_seed(KeyType::ed25519, Bytes(31)));
    EXPECT_FALSE(SecretKey::from_seed(KeyType::ml_dsa_65, Bytes(32)));
    EXPECT_FALSE(SecretKey::parse("ed25519:" + base58_encode(Bytes(32, 1))));
    EXPECT_FALSE(SecretKey::parse("ed25519:" + base58_encode(Bytes(64, 1))));
    EXPECT_FALSE(SecretKey::parse("nothing"));
    const auto key = SecretKey::from_seed(KeyType::secp256k1, Bytes(32, 1));
    EXPECT_THROW(key->sign(bytes_of("not a hash")), std::invalid_argument);
}

}  // namespace
}  // namespace receiptd::chain
