// Transactions that a gas key signs and pays for.
#include "test_chain.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

struct GasKey : testing::Test {
    TestChain chain;
    sim::SecretKey key = key_of("gas");

    void SetUp() override {
        const wire::GasKeyFullAccess permission{{0, 3}};
        chain.run(chain.make("alice.sandbox", "alice.sandbox",
                             {{wire::AddKey{key.public_key(), {0, permission}}},
                              {wire::TransferToGasKey{key.public_key(), kToken}}}));
    }
    const Ledger& ledger() const { return *chain.ledger; }
    std::vector<std::uint64_t> nonces() const {
        return ledger().gas_key_nonces("alice.sandbox", key.public_key(), ledger().tip()).value();
    }
    wire::SignedTransaction signed_by_key(std::uint16_t index, std::uint64_t more, u128 deposit = 1) {
        wire::Transaction body = chain.transfer("alice.sandbox", "bob.sandbox", deposit).transaction;
        body.version = wire::TransactionVersion::v1;
        body.public_key = key.public_key();
        body.nonce = {nonces().at(index) + more, index};
        const chain::Signature signature = key.sign(wire::transaction_hash(body).view());
        return {std::move(body), signature};
    }
};

TEST_F(GasKey, HasANonceByIndexFromItsFirstBlockOn) {
    EXPECT_EQ(nonces(), std::vector<std::uint64_t>(3, 1'000'000'000));
    EXPECT_FALSE(
        ledger().gas_key_nonces("alice.sandbox", key_of("alice.sandbox").public_key(), ledger().tip()));
    EXPECT_FALSE(ledger().gas_key_nonces("alice.sandbox", key.public_key(), 1'000));
}

TEST_F(GasKey, SignsTransactionsThatTellTheIndexOfTheirNonce) {
    const std::string hash = chain.run(signed_by_key(2, 5));
    EXPECT_EQ(chain.truth(hash).at("verdict"), "succeeded");
    EXPECT_EQ(nonces().at(2), 1'000'000'005U);
    const Json told = chain.tx(hash).at("transaction");
    EXPECT_EQ(told.at("nonce_index"), 2);
    EXPECT_EQ(told.at("nonce_mode"), "monotonic");
    EXPECT_TRUE(ledger().check().ok()) << ledger().check().to_json();
}

TEST_F(GasKey, NoncesOfOneIndexWaitForNoneOfAnother) {
    const auto second = signed_by_key(0, 2), first = signed_by_key(0, 1), other = signed_by_key(1, 9);
    const std::string of_other = chain.send(other), of_second = chain.send(second),
                      of_first = chain.send(first);
    chain.produce(5);
    for (const std::string& hash : {of_other, of_second, of_first})
        EXPECT_EQ(chain.truth(hash).at("verdict"), "succeeded") << chain.truth(hash);
}

TEST_F(GasKey, ADepositThatIsGoneAtItsTurnFailsTheTransactionInItsBlock) {
    const auto pays = signed_by_key(0, 1, 9'000 * kToken);
    const auto rival = chain.transfer("alice.sandbox", "carol.sandbox", 9'500 * kToken);
    const std::string hash = chain.send(pays);
    chain.ledger->delay(hash, 2);
    chain.send(rival);
    chain.produce(6);
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "failed");
    EXPECT_TRUE(truth.at("error").at("InvalidTxError").contains("NotEnoughBalanceForDeposit")) << truth;
    EXPECT_TRUE(truth.at("tree").empty());
    EXPECT_GT(chain.tx(hash).at("transaction_outcome").at("outcome").at("gas_burnt"), 0);
    EXPECT_TRUE(ledger().check().ok()) << ledger().check().to_json();
}

}  // namespace
}  // namespace receiptd::sandbox
