#include "chain/wire/base64.hpp"
#include "unit/watch/submit_fakes.hpp"

#include <gmock/gmock.h>

namespace receiptd::watch::testing {
namespace {

using ::testing::HasSubstr;

class PreflightTest : public ::testing::Test {
protected:
    SubmitError refusal_of(const wire::Transaction& transaction) {
        auto refused = check_against_chain(transaction, facts);
        if (!refused) ADD_FAILURE() << "nothing speaks against it";
        return refused.value_or(SubmitError());
    }
    void expect(const wire::Transaction& transaction, const std::string& error_class,
                const std::string& where) {
        const auto error = refusal_of(transaction);
        EXPECT_EQ(error.error_class, error_class) << error.detail;
        EXPECT_EQ(error.where, where);
        EXPECT_FALSE(error.remedy.empty());
        EXPECT_FALSE(error.error_json.empty());
    }
    static wire::Transaction call(chain::u128 deposit = 0) {
        auto transaction = transfer();
        transaction.actions.clear();
        transaction.actions.push_back({wire::FunctionCall{"pay", {}, 1'000'000'000'000, deposit}});
        return transaction;
    }
    void key_for(const std::string& receiver, const std::string& methods,
                 const std::string& allowance = "null") {
        facts.key->permission_json = R"({"FunctionCall":{"allowance":)" + allowance + R"(,"receiver_id":")" +
                                     receiver + R"(","method_names":)" + methods + "}}";
    }

    ChainFacts facts = FakeChain().facts;
};

TEST_F(PreflightTest, AGoodTransactionPasses) {
    const auto read = read_transaction(request_for(transfer()));
    ASSERT_TRUE(read);
    EXPECT_FALSE(check_against_chain(read->body(), facts));
}

TEST_F(PreflightTest, BytesAndBase64AreTheSameTransaction) {
    const auto bytes = signed_bytes(transfer());
    SubmitRequest request;
    request.base64 = chain::base64_encode(chain::bytes_of(bytes));
    const auto read = read_transaction(request);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->base64, request.base64);
    EXPECT_EQ(read->tx_hash, read_transaction(request_for(transfer()))->tx_hash);
}

TEST_F(PreflightTest, BrokenBase64IsToldWithItsPlace) {
    SubmitRequest request;
    request.base64 = "AAAA*AAA";
    EXPECT_EQ(read_transaction(request).error().where, "character 4");
    request.base64 = "AAAAA";
    EXPECT_EQ(read_transaction(request).error().kind, SubmitError::Kind::malformed);
    request.base64 = "";
    EXPECT_EQ(read_transaction(request).error().error_class, "parse_error");
}

TEST_F(PreflightTest, BrokenBorshIsToldWithItsPlace) {
    auto request = request_for(transfer());
    request.bytes.resize(20);
    const auto error = read_transaction(request).error();
    EXPECT_EQ(error.kind, SubmitError::Kind::malformed);
    EXPECT_THAT(error.where, HasSubstr("byte 15: public_key"));
}

TEST_F(PreflightTest, AnAccountIdThatIsNoneIsToldWithItsPlace) {
    auto transaction = transfer();
    transaction.receiver_id = "Not An Account";
    const auto error = read_transaction(request_for(transaction)).error();
    EXPECT_THAT(error.where, HasSubstr("receiver_id"));
}

TEST_F(PreflightTest, AForeignSignatureIsRefused) {
    auto request = request_for(transfer());
    request.bytes[request.bytes.size() - 40] ^= 1;
    const auto error = read_transaction(request).error();
    EXPECT_EQ(error.error_class, "invalid_signature");
    EXPECT_THAT(error.remedy, HasSubstr("SHA-256"));
}

TEST_F(PreflightTest, ActionsThatNoVersionTakesAreRefused) {
    auto transaction = call();
    std::get<wire::FunctionCall>(transaction.actions[0].value).gas = 0;
    EXPECT_EQ(read_transaction(request_for(transaction)).error().error_class, "zero_attached_gas");
    transaction = transfer();
    transaction.actions.insert(transaction.actions.begin(), {wire::DeleteAccount{"bob.near"}});
    EXPECT_EQ(read_transaction(request_for(transaction)).error().error_class, "delete_action_must_be_final");
}

TEST_F(PreflightTest, BlockHashes) {
    facts.head.height = 1'000 + 86'400;
    EXPECT_FALSE(check_against_chain(transfer(), facts));
    facts.head.height += 1;
    expect(transfer(), "expired", "transaction.block_hash");
    const auto detail = check_against_chain(transfer(), facts)->detail;
    for (const std::string& known :
         {transfer().block_hash.to_string(), std::string("1000"), std::string("87401"), std::string("86400")})
        EXPECT_NE(detail.find(known), std::string::npos) << detail;
    facts.block.reset();
    expect(transfer(), "invalid_chain", "transaction.block_hash");
}

TEST_F(PreflightTest, SignerAndKey) {
    const auto key = facts.key;
    facts.key.reset();
    expect(transfer(), "access_key_not_found", "transaction.public_key");
    facts.key = key;
    facts.account.reset();
    expect(transfer(), "signer_missing", "transaction.signer_id");
}

TEST_F(PreflightTest, Nonces) {
    expect(transfer(5), "invalid_nonce", "transaction.nonce");
    EXPECT_FALSE(check_against_chain(transfer(100), facts));
    expect(transfer(3'000'000'000), "nonce_too_large", "transaction.nonce");
    facts.key->permission_json = R"({"GasKeyFullAccess":{"balance":"0","num_nonces":4}})";
    EXPECT_FALSE(check_against_chain(transfer(5), facts));
}

TEST_F(PreflightTest, AHeadOrAWindowWithoutEndWrapsNothing) {
    facts.head.height = std::numeric_limits<std::uint64_t>::max() - 5;
    facts.validity_blocks = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(check_against_chain(transfer(100), facts));
    EXPECT_EQ(valid_until(facts), std::numeric_limits<std::int64_t>::max());
}

TEST_F(PreflightTest, Balances) {
    const auto cost = *cost_of(transfer(), facts.gas_price);
    facts.account->amount = cost;
    EXPECT_FALSE(check_against_chain(transfer(), facts));
    facts.account->amount = cost - 1;
    expect(transfer(), "not_enough_balance", "transaction.signer_id");
}

TEST_F(PreflightTest, FunctionCallKeys) {
    key_for("bob.near", R"(["pay"])");
    EXPECT_FALSE(check_against_chain(call(), facts));
    expect(call(1), "access_key_permission_deposit", "transaction.actions");
    expect(transfer(), "access_key_permission_full_access", "transaction.actions");
    key_for("bob.near", R"(["other"])");
    expect(call(), "access_key_permission_method", "transaction.actions");
    key_for("carol.near", "[]");
    expect(call(), "access_key_permission_receiver", "transaction.receiver_id");
    key_for("bob.near", "[]", "\"1\"");
    expect(call(), "access_key_allowance", "transaction.public_key");
}

TEST_F(PreflightTest, WhatCannotBeReadOfAKeyIsLeftToTheChain) {
    facts.key->permission_json = R"({"NewKind":{}})";
    EXPECT_FALSE(check_against_chain(call(1), facts));
}

}  // namespace
}  // namespace receiptd::watch::testing
