#include "chain/wire/base64.hpp"
#include "chain/wire/delegate.hpp"
#include "chain/wire/transaction.hpp"
#include "codec_vectors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::chain::wire {
namespace {

using sandbox::sim::SecretKey;
using vector_data::Json;
using vector_data::load_vectors;
using vector_data::unhex;

std::vector<Json> all_transactions() {
    std::vector<Json> all;
    for (const char* file : {"transactions_v0.json", "transactions_v1.json"})
        for (const auto& vector : load_vectors(file, "vectors")) all.push_back(vector);
    return all;
}

TEST(TransactionVectors, AreAllThere) {
    EXPECT_EQ(all_transactions().size(), 28u + 4u);
    EXPECT_EQ(load_vectors("delegate.json", "vectors").size(), 3u);
}

TEST(TransactionVectors, EncodeToTheirBytesAndHash) {
    for (const auto& vector : all_transactions()) {
        const Transaction transaction = vector_data::transaction(vector);
        EXPECT_EQ(hex_encode(encode(transaction)), vector.at("tx_borsh_hex")) << vector.at("name");
        EXPECT_EQ(transaction_hash(transaction).to_string(), vector.at("tx_hash")) << vector.at("name");
        EXPECT_EQ(hex_encode(transaction_hash(transaction).view()), vector.at("tx_hash_hex"));
        const SignedTransaction sent{transaction, vector_data::signature(vector.at("signature"))};
        EXPECT_EQ(hex_encode(sent.signature.raw()), vector.at("signature_hex"));
        EXPECT_EQ(hex_encode(encode(sent)), vector.at("signed_tx_borsh_hex")) << vector.at("name");
        EXPECT_EQ(base64_encode(encode(sent)), vector.at("signed_tx_base64")) << vector.at("name");
    }
}

TEST(TransactionVectors, DecodeToTheirParts) {
    for (const auto& vector : all_transactions()) {
        const auto decoded =
            decode_signed_transaction_base64(vector.at("signed_tx_base64").get<std::string>());
        ASSERT_TRUE(decoded.has_value()) << vector.at("name") << decoded.error().to_string();
        EXPECT_EQ(decoded->transaction, vector_data::transaction(vector)) << vector.at("name");
        EXPECT_EQ(decoded->signature.to_string(), vector.at("signature"));
        const auto bare = decode_transaction(unhex(vector.at("tx_borsh_hex")));
        ASSERT_TRUE(bare.has_value()) << vector.at("name");
        EXPECT_EQ(*bare, decoded->transaction);
        EXPECT_FALSE(has_unknown_actions(*bare));
    }
}

TEST(TransactionVectors, AreSignedByTheirKey) {
    const auto keys = load_vectors("keys.json");
    for (const auto& vector : all_transactions()) {
        SignedTransaction transaction = *decode_signed_transaction(unhex(vector.at("signed_tx_borsh_hex")));
        EXPECT_EQ(check_signature(transaction), SignatureCheck::valid) << vector.at("name");
        const SecretKey key =
            vector_data::secret_key(keys.at("keys").at(vector.at("key").get<std::string>()));
        EXPECT_EQ(key.sign(transaction_hash(transaction.transaction).view()), transaction.signature);
        transaction.transaction.nonce.nonce ^= 1;
        EXPECT_EQ(check_signature(transaction), SignatureCheck::invalid) << vector.at("name");
    }
}

TEST(TransactionVectors, CutAnywhereAreAnErrorThere) {
    for (const auto& vector : all_transactions()) {
        const Bytes bytes = unhex(vector.at("signed_tx_borsh_hex"));
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto decoded = decode_signed_transaction(ByteView(bytes).first(size));
            ASSERT_FALSE(decoded.has_value()) << vector.at("name") << " cut to " << size;
            EXPECT_LE(decoded.error().offset, size);
            EXPECT_FALSE(decoded.error().reason.empty());
        }
    }
}

TEST(TransactionVectors, WithABrokenByteNeverDecodeToOtherBytes) {
    for (const auto& vector : all_transactions()) {
        const Bytes good = unhex(vector.at("signed_tx_borsh_hex"));
        for (std::size_t i = 0; i < good.size(); ++i) {
            for (const int flip : {0x01, 0x80, 0xff}) {
                Bytes bytes = good;
                bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ flip);
                const auto decoded = decode_signed_transaction(bytes);
                if (decoded.has_value()) {
                    EXPECT_EQ(encode(*decoded), bytes) << vector.at("name") << " byte " << i;
                }
            }
        }
    }
}

TEST(TransactionVectors, WithSomethingBehindAreRefused) {
    for (const auto& vector : all_transactions()) {
        Bytes bytes = unhex(vector.at("signed_tx_borsh_hex"));
        bytes.push_back(0);
        const auto decoded = decode_signed_transaction(bytes);
        ASSERT_FALSE(decoded.has_value());
        EXPECT_EQ(decoded.error().reason, "1 trailing bytes");
        EXPECT_EQ(decoded.error().offset, bytes.size() - 1);
    }
}

Transaction simple_transaction(TransactionVersion version, std::vector<Action> actions) {
    Transaction transaction;
    transaction.version = version;
    transaction.signer_id = "alice.near";
    transaction.receiver_id = "bob.near";
    transaction.actions = std::move(actions);
    return transaction;
}

std::string error_of(const Bytes& bytes) {
    const auto decoded = decode_signed_transaction(bytes);
    return decoded.has_value() ? "" : decoded.error().to_string();
}

class UnknownAction : public ::testing::TestWithParam<TransactionVersion> {
protected:
    // A transfer, then an action 16 and whatever else the node counts.
    SignedTransaction sent() {
        Transaction transaction =
            simple_transaction(GetParam(), {{Transfer{1}}, {UnknownActions{16, 3, Bytes{1, 2, 3, 4}}}});
        const SecretKey key = SecretKey::from_seed(KeyType::ed25519, Bytes(32, 5)).value();
        transaction.public_key = key.public_key();
        if (GetParam() == TransactionVersion::v1) transaction.nonce_mode = NonceMode::strict;
        const Signature signature = key.sign(transaction_hash(transaction).view());
        return {transaction, signature};
    }
};

TEST_P(UnknownAction, IsKeptRawSoThatHashAndSignatureStillHold) {
    const SignedTransaction original = sent();
    const Bytes bytes = encode(original);
    const auto decoded = decode_signed_transaction(bytes);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().to_string();
    EXPECT_EQ(*decoded, original);
    EXPECT_EQ(encode(*decoded), bytes);
    EXPECT_TRUE(has_unknown_actions(decoded->transaction));
    EXPECT_EQ(check_signature(*decoded), SignatureCheck::valid);
    const auto bare = decode_transaction(encode(original.transaction));
    ASSERT_TRUE(bare.has_value());
    EXPECT_EQ(*bare, original.transaction);
}

TEST_P(UnknownAction, IsAnErrorWhereTheCallerWantsNone) {
    const auto decoded = decode_signed_transaction(encode(sent()), UnknownPolicy::refuse);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().path, "actions[1].kind");
    EXPECT_EQ(decoded.error().reason, "unknown action 16");
}

TEST_P(UnknownAction, IsAnErrorInsideADelegateAction) {
    SignedDelegate delegate;
    delegate.delegate_action.sender_id = "alice.near";
    delegate.delegate_action.receiver_id = "bob.near";
    delegate.delegate_action.actions = {{UnknownActions{200, 1, {}}}};
    const SignedTransaction transaction{simple_transaction(GetParam(), {{delegate}}), {}};
    EXPECT_THAT(error_of(encode(transaction)),
                ::testing::StartsWith("actions[0].delegate_action.actions[0].kind: unknown action 200"));
}

INSTANTIATE_TEST_SUITE_P(InBothVersions, UnknownAction,
                         ::testing::Values(TransactionVersion::v0, TransactionVersion::v1));

TEST(TransactionDecoding, TellsTheVersionsApart) {
    EXPECT_EQ(error_of({}), "version: needs 2 bytes, 0 left (at byte 0)");
    EXPECT_EQ(error_of({2, 5}), "version: neither V0 nor V1: starts with 2 (at byte 0)");
    EXPECT_EQ(error_of({1, 0, 0, 0, 'a'}), "signer_id: not a valid account id (at byte 0)");
}

TEST(TransactionDecoding, RefusesInvalidAccountIds) {
    Transaction transaction = simple_transaction(TransactionVersion::v0, {});
    transaction.receiver_id = "Bob.near";
    EXPECT_THAT(error_of(encode(SignedTransaction{transaction, {}})), ::testing::StartsWith("receiver_id: "));
    transaction.receiver_id = "bob.near";
    transaction.actions = {{DeleteAccount{"-"}}};
    EXPECT_THAT(error_of(encode(SignedTransaction{transaction, {}})),
                ::testing::StartsWith("actions[0].beneficiary_id: not a valid account id"));
}

TEST(TransactionDecoding, RefusesADelegateInsideADelegate) {
    SignedDelegate inner;
    SignedDelegateV2 outer;
    outer.delegate_action.sender_id = outer.delegate_action.receiver_id = "alice.near";
    outer.delegate_action.actions = {{inner}};
    const SignedTransaction transaction{simple_transaction(TransactionVersion::v0, {{outer}}), {}};
    EXPECT_THAT(
        error_of(encode(transaction)),
        ::testing::StartsWith("actions[0].delegate_action.actions[0].kind: a delegate inside a delegate"));
}

TEST(TransactionDecoding, RefusesMapsOutOfOrder) {
    for (const Bytes& second : {Bytes{1}, Bytes{2}}) {
        DeterministicStateInit init;
        init.state_init.data = {{Bytes{2}, {}}, {second, {}}};
        const SignedTransaction transaction{simple_transaction(TransactionVersion::v0, {{init}}), {}};
        EXPECT_THAT(error_of(encode(transaction)),
                    ::testing::StartsWith("actions[0].state_init.data[1].key: not above the key before it"));
    }
}

// encoding.md §4.4; no vector shows one.
TEST(TransactionDecoding, ReadsTheStateInitOfAUniversalAccountAsItsBytes) {
    const auto sent = simple_transaction(TransactionVersion::v0, {{UniversalStateInit{{7, 8}, 258}}});
    Bytes action{15, 2, 0, 0, 0, 7, 8, 2, 1};
    action.resize(action.size() + 14);
    const auto bytes = encode(sent);
    ASSERT_GT(bytes.size(), action.size());
    EXPECT_EQ(Bytes(bytes.end() - static_cast<std::ptrdiff_t>(action.size()), bytes.end()), action);
    const auto decoded = decode_transaction(bytes);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().to_string();
    EXPECT_EQ(*decoded, sent);
}

TEST(TransactionDecoding, RefusesTextThatIsNotBase64) {
    EXPECT_EQ(decode_signed_transaction_base64("%%%").error().reason, "not base64");
    EXPECT_EQ(decode_signed_delegate_base64("=").error().reason, "not base64");
}

TEST(DelegateVectors, AreSignedAndEncodedByTheirRules) {
    for (const auto& vector : load_vectors("delegate.json", "vectors")) {
        const bool v1 = vector.contains("delegate_action_borsh_hex");
        const Signature signature = vector_data::signature(vector.at("signature"));
        const auto check = [&](const auto& delegate, const auto& decoded, const char* prefix) {
            EXPECT_EQ(hex_encode(encode(delegate.delegate_action)),
                      vector.at(v1 ? "delegate_action_borsh_hex" : "payload_borsh_hex"));
            EXPECT_EQ(hex_encode(signed_message(delegate.delegate_action)), vector.at("signed_message_hex"));
            EXPECT_EQ(hex_encode(delegate_hash(delegate.delegate_action).view()),
                      vector.at("signed_hash_hex"));
            const std::string name = std::string(prefix) + "signed_delegate_";
            EXPECT_EQ(hex_encode(encode(delegate)), vector.at(name + "borsh_hex"));
            EXPECT_EQ(base64_encode(encode(delegate)), vector.at(name + "base64"));
            ASSERT_TRUE(decoded.has_value()) << decoded.error().to_string();
            EXPECT_EQ(*decoded, delegate);
            EXPECT_EQ(check_delegate(*decoded), SignatureCheck::valid);
            auto forged = delegate;
            ++forged.delegate_action.max_block_height;
            EXPECT_EQ(check_delegate(forged), SignatureCheck::invalid);
        };
        const auto& action = vector.at("delegate_action");
        if (v1)
            check(SignedDelegate{vector_data::delegate_action(action), signature},
                  decode_signed_delegate_base64(vector.at("signed_delegate_base64").get<std::string>()), "");
        else
            check(SignedDelegateV2{vector_data::delegate_action_v2(action), signature},
                  decode_signed_delegate_v2_base64(
                      vector.at("versioned_signed_delegate_base64").get<std::string>()),
                  "versioned_");
    }
}

TEST(DelegateVectors, CutAnywhereAreAnError) {
    for (const auto& vector : load_vectors("delegate.json", "vectors")) {
        const bool v1 = vector.contains("delegate_action_borsh_hex");
        const Bytes bytes =
            unhex(vector.at(v1 ? "signed_delegate_borsh_hex" : "versioned_signed_delegate_borsh_hex"));
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const ByteView cut = ByteView(bytes).first(size);
            EXPECT_FALSE(v1 ? decode_signed_delegate(cut).has_value()
                            : decode_signed_delegate_v2(cut).has_value());
        }
    }
}

}  // namespace
}  // namespace receiptd::chain::wire
