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

TEST_F(PreflightTest, ANonceThatNoBlockOfTodayTakesIsRefused) {
    EXPECT_FALSE(check_against_chain(transfer(100), facts));
    expect(transfer(3'000'000'000), "nonce_too_large", "transaction.nonce");
}

TEST_F(PreflightTest, AHeadOrAWindowWithoutEndWrapsNothing) {
    facts.head.height = std::numeric_limits<std::uint64_t>::max() - 5;
    facts.validity_blocks = std::numeric_limits<std::uint64_t>::max();
    EXPECT_FALSE(check_against_chain(transfer(100), facts));
    EXPECT_EQ(valid_until(facts), std::numeric_limits<std::int64_t>::max());
}

TEST(Opinions, OneHostWithoutAnObjectionOutweighsAllOthers) {
    const auto judged = judge({objects("a", "\"InvalidSignature\""), no_objection("b"), no_objection("c")});
    EXPECT_EQ(judged.unobjected_by, "b, c");
    EXPECT_EQ(judged.error_json, "");
    EXPECT_FALSE(judged.is_proof);
    EXPECT_TRUE(judge({objects("a", "\"InvalidSignature\""), has_it("b")}).on_chain);
}

TEST(Opinions, WhatAHostThatLagsSaysOfAFreshBlockHashIsWorthLess) {
    const auto used = objects("b", R"({"InvalidNonce":{"tx_nonce":1,"ak_nonce":2}})");
    EXPECT_EQ(judge({objects("a", "\"Expired\""), used}).error_json, used.error_json);
    EXPECT_EQ(judge({used, objects("a", "\"Expired\"")}).error_json, used.error_json);
    EXPECT_EQ(judge({objects("a", "\"Expired\"")}).error_json, "\"Expired\"");
}

TEST(Opinions, OnlyWhatNoBlockHealsIsAProof) {
    for (const char* error :
         {"\"InvalidSignature\"", R"({"ActionsValidation":"DeleteActionMustBeFinal"})",
          R"({"TransactionSizeExceeded":{"size":2,"limit":1}})", "\"InvalidTransactionVersion\""})
        EXPECT_TRUE(judge({objects("a", error), objects("b", error)}).is_proof) << error;
    for (const char* error : {"\"Expired\"", "\"InvalidChain\"", "\"CostOverflow\"",
                              R"({"InvalidNonce":{"tx_nonce":1,"ak_nonce":2}})", R"({"NotEnoughBalance":{}})",
                              R"({"LackBalanceForState":{}})", R"({"SignerDoesNotExist":{}})",
                              R"({"InvalidAccessKeyError":"RequiresFullAccess"})", R"({"ShardStuck":{}})",
                              R"({"NewKind":{}})", "7"})
        EXPECT_FALSE(judge({objects("a", error), objects("b", error)}).is_proof) << error;
}

TEST(Opinions, ABlockHashThatLostIsRefusedByTwoOfWhichOneKnowsItsBlock) {
    const auto lost = objects("a", "\"InvalidChain\"");
    const auto judged = judge({objects("b", "\"Expired\""), lost});
    EXPECT_TRUE(judged.block_refused);
    EXPECT_EQ(judged.error_json, "\"InvalidChain\"");
    EXPECT_TRUE(judge({lost}).block_refused) << "there is no other host";
    EXPECT_FALSE(judge({lost, silent("b")}).block_refused);
    EXPECT_FALSE(judge({lost, no_objection("b")}).block_refused);
    EXPECT_FALSE(judge({lost, objects("b", R"({"NotEnoughBalance":{}})")}).block_refused);
    EXPECT_FALSE(judge({objects("a", "\"Expired\""), objects("b", "\"Expired\"")}).block_refused);
}

TEST(Opinions, AProofIsTheWordOfTwoWhereTwoHaveOne) {
    const auto wrong = objects("a", "\"InvalidSignature\"");
    EXPECT_TRUE(judge({wrong}).is_proof);
    EXPECT_TRUE(judge({wrong, {"b", rpc::SubmitSource::Opinion::Says::not_offered, {}}}).is_proof);
    EXPECT_FALSE(judge({wrong, tracks_nothing("b")}).is_proof) << "it passes on what it could refuse";
    EXPECT_FALSE(judge({wrong, silent("b")}).is_proof);
    EXPECT_FALSE(judge({wrong, objects("b", "\"Expired\"")}).is_proof);
    EXPECT_TRUE(judge({wrong, objects("b", "\"InvalidSignature\""), silent("c")}).is_proof);
    EXPECT_FALSE(judge({}).is_proof);
}

}  // namespace
}  // namespace receiptd::watch::testing
