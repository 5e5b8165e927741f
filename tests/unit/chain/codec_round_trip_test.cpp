// encode ∘ decode = id, for transactions out of a seeded generator.
#include "chain/wire/transaction.hpp"

#include <gtest/gtest.h>

#include <random>

namespace receiptd::chain::wire {
namespace {

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    SignedTransaction signed_transaction() {
        SignedTransaction result;
        Transaction& t = result.transaction;
        t.version = coin() ? TransactionVersion::v1 : TransactionVersion::v0;
        t.signer_id = account();
        t.public_key = key();
        t.nonce.nonce = number();
        t.receiver_id = account();
        t.block_hash = hash();
        for (std::size_t n = below(6); n > 0; --n) t.actions.push_back(action(true));
        if (below(8) == 0) t.actions.push_back(unknown());
        if (t.version == TransactionVersion::v1) {
            t.nonce = nonce();
            t.nonce_mode = coin() ? NonceMode::strict : NonceMode::monotonic;
        }
        result.signature = signature(t.public_key.type());
        return result;
    }

private:
    std::uint64_t number() { return random_() >> (random_() % 64); }
    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool coin() { return random_() % 2 == 0; }
    u128 amount() { return u128{number()} << (random_() % 65) | number(); }

    Bytes bytes(std::size_t limit) {
        Bytes result(below(limit));
        for (auto& byte : result) byte = static_cast<std::uint8_t>(random_());
        return result;
    }
    Bytes exactly(std::size_t size) {
        Bytes result(size);
        for (auto& byte : result) byte = static_cast<std::uint8_t>(random_());
        return result;
    }
    std::string account() {
        static const char* const names[] = {"aa", "alice.near", "x-y_z.0.near", "system"};
        return coin() ? names[below(4)] : std::string(2 + below(63), 'b');
    }
    std::string text() { return coin() ? "ft_transfer" : std::string("z\0\xc5\xbc", below(5) == 0 ? 4 : 1); }
    CryptoHash hash() {
        CryptoHash result;
        for (auto& byte : result.bytes) byte = static_cast<std::uint8_t>(random_());
        return result;
    }
    KeyType key_type() { return static_cast<KeyType>(below(8) == 0 ? 2 : below(2)); }
    PublicKey key() {
        const KeyType type = key_type();
        return PublicKey::from_raw(type, exactly(public_key_size(type))).value();
    }
    Signature signature(KeyType type) {
        Bytes raw = exactly(signature_size(type));
        if (type == KeyType::ed25519) raw.back() &= 0x1f;
        return Signature::from_raw(type, raw).value();
    }
    TransactionNonce nonce() {
        TransactionNonce result{number(), std::nullopt};
        if (coin()) result.nonce_index = static_cast<std::uint16_t>(random_());
        return result;
    }
    FunctionCallPermission call_permission() {
        FunctionCallPermission result{std::nullopt, text(), {}};
        if (coin()) result.allowance = amount();
        for (std::size_t n = below(3); n > 0; --n) result.method_names.push_back(text());
        return result;
    }
    GasKeyInfo gas_key() { return {amount(), static_cast<std::uint16_t>(random_())}; }
    Permission permission() {
        switch (below(4)) {
            case 0: return call_permission();
            case 1: return FullAccess{};
            case 2: return GasKeyFunctionCall{gas_key(), call_permission()};
            default: return GasKeyFullAccess{gas_key()};
        }
    }
    GlobalContractId contract() {
        if (coin()) return hash();
        return account();
    }
    StateInit state() {
        StateInit result{contract(), {}};
        for (std::uint8_t first = 0; first < below(4); ++first) {
            Bytes name = bytes(4);
            name.insert(name.begin(), first);
            result.data.emplace_back(std::move(name), bytes(20));
        }
        return result;
    }
    template <class Delegate>
    Delegate delegate() {
        Delegate result;
        result.delegate_action.sender_id = account();
        result.delegate_action.receiver_id = account();
        for (std::size_t n = below(4); n > 0; --n) result.delegate_action.actions.push_back(action(false));
        result.delegate_action.max_block_height = number();
        result.delegate_action.public_key = key();
        result.signature = signature(key_type());
        return result;
    }
    SignedDelegate delegate_v1() {
        auto result = delegate<SignedDelegate>();
        result.delegate_action.nonce = number();
        return result;
    }
    SignedDelegateV2 delegate_v2() {
        auto result = delegate<SignedDelegateV2>();
        result.delegate_action.nonce = nonce();
        return result;
    }
    Action action(bool outermost) {
        switch (below(outermost ? 16 : 14)) {
            case 0: return {CreateAccount{}};
            case 1: return {DeployContract{bytes(50)}};
            case 2: return {FunctionCall{text(), bytes(50), number(), amount()}};
            case 3: return {Transfer{amount()}};
            case 4: return {Stake{amount(), key()}};
            case 5: return {AddKey{key(), {number(), permission()}}};
            case 6: return {DeleteKey{key()}};
            case 7: return {DeleteAccount{account()}};
            case 8: return {DeployGlobalContract{bytes(50), static_cast<GlobalContractDeployMode>(below(2))}};
            case 9: return {UseGlobalContract{contract()}};
            case 10: return {DeterministicStateInit{state(), amount()}};
            case 11: return {TransferToGasKey{key(), amount()}};
            case 12: return {WithdrawFromGasKey{key(), amount()}};
            case 13: return {UniversalStateInit{bytes(50), amount()}};
            case 14: return {delegate_v1()};
            default: return {delegate_v2()};
        }
    }
    Action unknown() {
        const auto index = static_cast<std::uint8_t>(16 + below(240));
        Bytes raw = bytes(30);
        const auto count = static_cast<std::uint32_t>(1 + below(raw.size() + 1));
        return {UnknownActions{index, count, std::move(raw)}};
    }

    std::mt19937_64 random_;
};

TEST(SignedTransactions, DecodeToWhatWasEncoded) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const SignedTransaction original = Generator(seed).signed_transaction();
        const Bytes bytes = encode(original);
        const auto decoded = decode_signed_transaction(bytes);
        ASSERT_TRUE(decoded.has_value()) << "seed " << seed << ": " << decoded.error().to_string();
        ASSERT_EQ(*decoded, original) << "seed " << seed;
        ASSERT_EQ(encode(*decoded), bytes) << "seed " << seed;
    }
}

TEST(SignedTransactions, WithRandomDamageDecodeToTheSameBytesOrNotAtAll) {
    std::mt19937_64 random(7);
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Bytes bytes = encode(Generator(seed).signed_transaction());
        for (std::size_t n = 1 + random() % 4; n > 0; --n)
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        if (random() % 2 == 0) bytes.resize(random() % (bytes.size() + 1));
        const auto decoded = decode_signed_transaction(bytes);
        if (decoded.has_value()) {
            ASSERT_EQ(encode(*decoded), bytes) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace receiptd::chain::wire
