// Base58, Base64, hex, hashes and account ids.
#include "chain/wire/account_id.hpp"
#include "chain/wire/base58.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/keccak.hpp"
#include "codec_vectors.hpp"

#include <gtest/gtest.h>

#include <random>

namespace receiptd::chain {
namespace {

using vector_data::load_vectors;
using vector_data::unhex;

Bytes random_bytes(std::mt19937_64& random, std::size_t size) {
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

TEST(Base58, MatchesTheVectors) {
    for (const auto& pair : load_vectors("keys.json", "base58")) {
        const Bytes bytes = unhex(pair.at("hex"));
        EXPECT_EQ(base58_encode(bytes), pair.at("base58"));
        EXPECT_EQ(base58_decode(pair.at("base58").get<std::string>()), bytes);
    }
}

TEST(Base58, DecodesWhatItEncodesForEveryLength) {
    std::mt19937_64 random(58);
    for (std::size_t size = 0; size < 300; ++size) {
        Bytes bytes = random_bytes(random, size);
        for (std::size_t zeros = random() % 4; zeros > 0 && zeros <= size; --zeros) bytes[zeros - 1] = 0;
        const std::string text = base58_encode(bytes);
        EXPECT_EQ(base58_decode(text), bytes) << text;
        Bytes exact(size);
        EXPECT_TRUE(base58_decode_exact(text, exact)) << text;
        EXPECT_EQ(exact, bytes);
    }
}

TEST(Base58, CarriesKeysAndSignaturesOfMlDsa) {
    std::mt19937_64 random(65);
    const Bytes bytes = random_bytes(random, 3309);
    EXPECT_EQ(base58_decode(base58_encode(bytes)), bytes);
}

TEST(Base58, RefusesForeignCharactersAndEndlessTexts) {
    for (const char* text : {"0", "O", "I", "l", "abc ", "a+b", "\xc3\xa4"})
        EXPECT_FALSE(base58_decode(text)) << text;
    EXPECT_FALSE(base58_decode(std::string_view("a\0b", 3)));
    EXPECT_FALSE(base58_decode(std::string(kMaxBase58Text + 1, '2')));
}

TEST(CryptoHash, IsExactly32Bytes) {
    EXPECT_TRUE(CryptoHash::parse("11111111111111111111111111111111"));
    EXPECT_FALSE(CryptoHash::parse(""));
    EXPECT_FALSE(CryptoHash::parse("1111111111111111111111111111111"));
    EXPECT_FALSE(CryptoHash::parse("111111111111111111111111111111111"));
    EXPECT_FALSE(CryptoHash::parse("JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH"));  // 2^256
    EXPECT_FALSE(CryptoHash::parse(std::string(10000, '1')));
}

TEST(Base64, FollowsTheRfc) {
    const std::pair<const char*, const char*> pairs[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, encoded] : pairs) {
        EXPECT_EQ(base64_encode(bytes_of(plain)), encoded);
        std::string decoded = "left over";
        EXPECT_TRUE(base64_decode_into(encoded, decoded));
        EXPECT_EQ(decoded, plain);
    }
}

TEST(Base64, DecodesWhatItEncodes) {
    std::mt19937_64 random(64);
    for (std::size_t size = 0; size < 300; ++size) {
        const Bytes bytes = random_bytes(random, size);
        EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    }
}

TEST(Base64, IsStrict) {
    for (const char* text : {"Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9v", "Zm-_",
                             "Zh==", "Zm9=", "Z=g=", "Zm9vZm9v=m9v",
                             "\xc3\xa4"
                             "aa"}) {
        EXPECT_FALSE(base64_decode(text)) << text;
        std::string out = "left over";
        EXPECT_FALSE(base64_decode_into(text, out)) << text;
        EXPECT_TRUE(out.empty());
    }
}

TEST(Hex, TakesEitherCaseAndRefusesTheRest) {
    EXPECT_EQ(hex_encode(Bytes{0x00, 0xab, 0xff}), "00abff");
    EXPECT_EQ(hex_decode("00aBFf"), (Bytes{0x00, 0xab, 0xff}));
    EXPECT_FALSE(hex_decode("0"));
    EXPECT_FALSE(hex_decode("0g"));
}

TEST(Keccak, HashesLikeEthereumAndSha3) {
    EXPECT_EQ(hex_encode(keccak256({}).view()),
              "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    EXPECT_EQ(hex_encode(sha3_256({}).view()),
              "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
    EXPECT_EQ(hex_encode(sha3_256(bytes_of("abc")).view()),
              "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
    const std::string million(200, '\xa3');  // the SHA3 example of 1600 bits
    EXPECT_EQ(hex_encode(sha3_256(bytes_of(million)).view()),
              "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787");
}

TEST(AccountId, FollowsTheGrammar) {
    for (const char* id : {"ok", "bowen", "ek-2", "ek.near", "com", "google.com", "bowen.google.com", "near",
                           "a-b_c.d", "100", "0o", "a.b.c.d.e", "b-o_w_e-n", "no_lols", "system", "x.0-0.y"})
        EXPECT_TRUE(is_valid_account_id(id)) << id;
    EXPECT_TRUE(is_valid_account_id(std::string(64, 'a')));
    for (const char* id : {"",
                           "a",
                           "A",
                           "Abc",
                           "-near",
                           "near-",
                           "-near-",
                           "near.",
                           ".near",
                           "near@",
                           "@near",
                           "неар",
                           "_____",
                           "0__0",
                           "0_-_0",
                           "..",
                           "a..near",
                           "nEar",
                           "_bowen",
                           "hello world",
                           "a.-b",
                           "a-.b",
                           "abcdefghijklmnopqrstuvwxyz.abcdefghijklmnopqrstuvwxyz.abcdefghijklmnopqrstuvwxyz",
                           "bo__wen"})
        EXPECT_FALSE(is_valid_account_id(id)) << id;
    EXPECT_FALSE(is_valid_account_id(std::string(65, 'a')));
    EXPECT_FALSE(is_valid_account_id(std::string_view("a\0b", 3)));
}

TEST(AccountId, KnowsItsKindByItsForm) {
    const std::string forty(40, 'a');
    EXPECT_EQ(account_kind("alice.near"), AccountKind::named);
    EXPECT_EQ(account_kind(std::string(64, 'f')), AccountKind::near_implicit);
    EXPECT_EQ(account_kind(std::string(64, 'g')), AccountKind::named);
    EXPECT_EQ(account_kind("0x" + forty), AccountKind::eth_implicit);
    EXPECT_EQ(account_kind("0s" + forty), AccountKind::deterministic);
    for (const char last : {'0', 'g'}) EXPECT_TRUE(is_universal_account("0u" + std::string(51, 'z') + last));
    for (const auto& other : {"0u" + std::string(52, 'z'), "0u" + std::string(51, 'u') + "0",
                              "0u" + std::string(50, 'z') + "0", "0s" + std::string(51, 'z') + "0"})
        EXPECT_FALSE(is_universal_account(other)) << other;
    EXPECT_EQ(account_kind("0u" + forty), AccountKind::named);
    EXPECT_EQ(account_kind("0x" + std::string(39, 'a') + "z"), AccountKind::named);
    EXPECT_EQ(account_kind("0x" + std::string(39, 'a')), AccountKind::named);
}

TEST(AccountId, IsCreatedOnlyByItsParent) {
    EXPECT_TRUE(is_sub_account_of("a.b.near", "b.near"));
    EXPECT_FALSE(is_sub_account_of("a.b.near", "near"));
    EXPECT_FALSE(is_sub_account_of("ab.near", "b.near"));
    EXPECT_FALSE(is_sub_account_of("near", ""));
    EXPECT_EQ(parent_account("near"), "");
}

TEST(AccountId, IsDerivedFromKeysAndStates) {
    const auto vectors = load_vectors("keys.json");
    for (const auto& [name, entry] : vectors.at("keys").items()) {
        const char* field =
            entry.at("type") == "secp256k1" ? "eth_implicit_account_id" : "near_implicit_account_id";
        EXPECT_EQ(implicit_account(vector_data::key(entry.at("public_key"))), entry.at(field)) << name;
    }
    for (const auto& entry : vectors.at("deterministic_accounts")) {
        const wire::StateInit init = vector_data::state_init(entry.at("state_init"));
        EXPECT_EQ(hex_encode(wire::encode(init)), entry.at("state_init_borsh_hex"));
        EXPECT_EQ(wire::deterministic_account(init), entry.at("account_id"));
        EXPECT_EQ(account_kind(wire::deterministic_account(init)), AccountKind::deterministic);
    }
    EXPECT_EQ(implicit_account(vector_data::key(vectors.at("ml_dsa_65").at("public_key"))), "");
}

}  // namespace
}  // namespace receiptd::chain
