#include "unit/watch/faulty.hpp"
#include "unit/watch/submitter_fixture.hpp"

#include <gmock/gmock.h>

namespace receiptd::watch::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kUsedNonce = R"({"InvalidNonce":{"tx_nonce":5,"ak_nonce":5}})";
const std::string kPoor = R"({"NotEnoughBalance":{"signer_id":"alice.near","balance":"1","cost":"2"}})";
const std::string kTooMuchGas =
    R"({"ActionsValidation":{"TotalPrepaidGasExceeded":{"total_prepaid_gas":2,"limit":1}}})";

TEST_F(SubmitterTest, StoresThenSendsAndTellsWhatBecameOfIt) {
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->stage, chain::Stage::pending);
    EXPECT_FALSE((*result)->existing);
    EXPECT_EQ((*result)->valid_until, 1'000 + 86'400 + 1);
    ASSERT_THAT(rows.rows, SizeIs(1));
    const auto& row = rows.rows.begin()->second;
    EXPECT_EQ(row.origin, storage::WatchOrigin::submission);
    EXPECT_EQ(row.transaction.nonce, 6);
    EXPECT_EQ(row.signed_tx_base64, chain.sent.at(0));
    EXPECT_THAT(rows.evidence.at(0), HasSubstr("regular"));
}

TEST_F(SubmitterTest, WhatItsHostsObjectToIsNeitherStoredNorSent) {
    chain.before = {objects("regular", kUsedNonce), objects("archival", kUsedNonce)};
    const auto result = submit(request_for(transfer(5)));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().error_class, "invalid_nonce");
    EXPECT_EQ(result->error().where, "transaction.nonce");
    EXPECT_THAT(result->error().remedy, HasSubstr("nonce + 1"));
    EXPECT_THAT(result->error().detail, HasSubstr("regular, archival"));
    EXPECT_THAT(rows.rows, SizeIs(0));
    EXPECT_THAT(chain.sent, SizeIs(0));
}

TEST_F(SubmitterTest, AStrictNonceIsTheNextOne) {
    chain.before = {objects("regular", R"({"InvalidNonce":{"tx_nonce":9,"ak_nonce":5}})")};
    auto transaction = transfer(9);
    transaction.version = wire::TransactionVersion::v1;
    transaction.nonce_mode = wire::NonceMode::strict;
    const auto result = submit(request_for(transaction));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_THAT(result->error().detail, HasSubstr("strict nonce 9 is not the one after the access key's 5"));
    EXPECT_THAT(result->error().remedy, HasSubstr("exactly its nonce + 1"));
}

TEST_F(SubmitterTest, TheNonceOfAGasKeyIsThatOfItsPlace) {
    chain.before = {objects("regular", kUsedNonce)};
    auto transaction = transfer(5);
    transaction.version = wire::TransactionVersion::v1;
    transaction.nonce.nonce_index = 2;
    const auto result = submit(request_for(transaction));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().error_class, "invalid_nonce");
    EXPECT_THAT(result->error().detail, HasSubstr("nonce 5 at place 2 is not above the gas key's 5"));
    EXPECT_THAT(result->error().remedy, HasSubstr("view_gas_key_nonces"));
    EXPECT_THAT(result->error().remedy, HasSubstr("at place 2"));
}

TEST_F(SubmitterTest, ThatASignatureIsNotCheckedHereIsSaid) {
    wire::SignedTransaction post_quantum;
    post_quantum.transaction = transfer();
    post_quantum.transaction.public_key =
        *chain::PublicKey::from_raw(chain::KeyType::ml_dsa_65, chain::Bytes(1952, 1));
    post_quantum.signature = *chain::Signature::from_raw(chain::KeyType::ml_dsa_65, chain::Bytes(3309, 1));
    const auto bytes = wire::encode(post_quantum);
    SubmitRequest request;
    request.bytes.assign(bytes.begin(), bytes.end());
    for (const bool existing : {false, true}) {
        const auto result = submit(request);
        ASSERT_TRUE(result && *result);
        EXPECT_EQ((*result)->existing, existing);
        EXPECT_THAT((*result)->note, HasSubstr("ML-DSA-65 signature was not checked here"));
    }
    EXPECT_EQ((*submit(request_for(transfer())))->note, "");
}

TEST_F(SubmitterTest, WhatOneHostWouldTakeIsSent) {
    chain.before = {objects("lagging", "\"Expired\""), no_objection("regular")};
    EXPECT_TRUE(submit(request_for(transfer(6)))->has_value());
    chain.facts.head.height =
        1'000'000;  // of the lagging host's kind of error: then its block hash is too old
    chain.sent.clear();
    EXPECT_TRUE(submit(request_for(transfer(7)))->has_value());
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(SubmitterTest, CongestionPassesAndIsNoRefusal) {
    chain.before =
        chain.after = {objects("regular", R"({"ShardCongested":{"shard_id":1,"congestion_level":0.9}})")};
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->stage, chain::Stage::accepted);
    EXPECT_THAT((*result)->note, HasSubstr("congested"));
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(SubmitterTest, ItsOwnInclusionDoesNotSpeakAgainstIt) {
    chain.before = {has_it("regular"), objects("archival", kUsedNonce)};
    const auto result = submit(request_for(transfer(5)));
    ASSERT_TRUE(result && *result);
    EXPECT_THAT(rows.rows, SizeIs(1));
    EXPECT_THAT(chain.sent, SizeIs(0));
}

TEST_F(SubmitterTest, HostsThatDoNotTrackItsShardProveNothing) {
    chain.before = chain.after = {tracks_nothing("regular"), silent("archival")};
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->stage, chain::Stage::accepted);
    EXPECT_THAT((*result)->note, HasSubstr("tracks"));
    EXPECT_FALSE((*result)->certainty.conclusive);
    chain.after = {tracks_nothing("regular"), no_objection("archival")};
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::pending);
    EXPECT_THAT(rows.evidence.at(0), HasSubstr("archival"));
}

TEST_F(SubmitterTest, AnObjectionThatMayPassIsKeptAsEvidenceAndEndsNothing) {
    chain.after = {objects("regular", kPoor), objects("archival", kPoor)};
    submit(request_for(transfer()));
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::accepted);
    const auto& objection = rows.rows.begin()->second.transaction.objection;
    EXPECT_THAT(objection, HasSubstr("not_enough_balance"));
    EXPECT_THAT(objection, HasSubstr("regular, archival"));
    EXPECT_THAT(objection, HasSubstr("2023-11-14"));
    chain.after = {no_objection("regular")};
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::pending);
    EXPECT_EQ(objection, "");
    chain.after = {objects("regular", kPoor)};
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::pending) << "it may be in a mempool";
    EXPECT_NE(objection, "");
}

TEST_F(SubmitterTest, WhyItNeverCameIsNotForgottenWhenItExpires) {
    chain.after = {objects("regular", kPoor)};
    submit(request_for(transfer()));
    chain.after = {objects("regular", "\"Expired\"")};
    it_goes_on();
    EXPECT_THAT(rows.rows.begin()->second.transaction.objection, HasSubstr("not_enough_balance"));
    chain.after = {objects("regular", kUsedNonce)};
    it_goes_on();
    EXPECT_THAT(rows.rows.begin()->second.transaction.objection, HasSubstr("invalid_nonce"));
}

TEST_F(SubmitterTest, ThatTwoHostsRefuseItsBlockHashIsKept) {
    chain.after = {objects("regular", "\"InvalidChain\""), silent("archival")};
    submit(request_for(transfer()));
    const auto& objection = rows.rows.begin()->second.transaction.objection;
    EXPECT_THAT(objection, HasSubstr("invalid_chain"));
    EXPECT_FALSE(refuses_block(objection));
    chain.after = {objects("regular", "\"InvalidChain\""), objects("archival", "\"Expired\"")};
    it_goes_on();
    EXPECT_TRUE(refuses_block(objection)) << objection;
    EXPECT_EQ(stage(), chain::Stage::accepted) << "the chain has the last word";
}

TEST_F(SubmitterTest, AnErrorThatNoBlockHealsEndsItByTheWordOfTwo) {
    chain.after = {objects("regular", kTooMuchGas), silent("archival")};
    submit(request_for(transfer()));
    EXPECT_EQ(stage(), chain::Stage::accepted) << "the other host is waited for";
    chain.after = {objects("regular", kTooMuchGas), no_objection("archival")};
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::pending);
    chain.after = {objects("regular", kTooMuchGas), objects("archival", kTooMuchGas)};
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::rejected);
    const auto& row = rows.rows.begin()->second;
    EXPECT_EQ(row.state.reason, "total_prepaid_gas_exceeded");
    EXPECT_TRUE(row.certainty.conclusive);
    EXPECT_EQ(row.certainty.safe_to_resign_after_height, 0u);
    EXPECT_EQ(submitter->waiting(), 0);
}

TEST_F(SubmitterTest, WithoutASecondWordOneIsEnough) {
    const rpc::SubmitSource::Opinion not_offered{
        "archival", rpc::SubmitSource::Opinion::Says::not_offered, {}};
    chain.after = {objects("regular", "\"InvalidSignature\""), not_offered};
    submit(request_for(transfer()));
    EXPECT_EQ(stage(), chain::Stage::rejected);
}

TEST_F(SubmitterTest, AGasKeysNonceIsKeptWithItsPlace) {
    auto transaction = transfer();
    transaction.version = wire::TransactionVersion::v1;
    transaction.nonce.nonce_index = 3;
    submit(request_for(transaction));
    ASSERT_THAT(rows.rows, SizeIs(1));
    EXPECT_EQ(rows.rows.begin()->second.transaction.nonce, 6u);
    EXPECT_EQ(rows.rows.begin()->second.transaction.nonce_index, 3u);
}

TEST_F(SubmitterTest, AChainThatCannotBeAskedIsToldAndNothingIsStored) {
    chain.away = true;
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().kind, SubmitError::Kind::unavailable);
    EXPECT_THAT(rows.rows, SizeIs(0));
}

TEST_F(SubmitterTest, SendsAgainUntilABlockHoldsIt) {
    submit(request_for(transfer()));
    it_goes_on();
    EXPECT_THAT(chain.sent, SizeIs(3));  // not due at once
    rows.rows.begin()->second.state.stage = chain::Stage::included;
    it_goes_on();
    EXPECT_THAT(chain.sent, SizeIs(3));
    EXPECT_EQ(submitter->waiting(), 0);
}

TEST_F(SubmitterTest, WhatBeginsAnewAsItsBlockWasRemovedIsSentAgain) {
    submit(request_for(transfer(6)));
    rows.rows.begin()->second.state.stage = chain::Stage::included;
    time->passed += std::chrono::hours(1);
    submit(request_for(transfer(7)));
    it_goes_on();
    ASSERT_EQ(submitter->waiting(), 1u) << "the later one";
    const auto removed = std::find_if(rows.rows.begin(), rows.rows.end(), [](const auto& row) {
        return row.second.state.stage == chain::Stage::included;
    });
    removed->second.state.stage = chain::Stage::accepted;
    chain.sent.clear();
    it_goes_on();
    EXPECT_THAT(chain.sent, Contains(removed->second.signed_tx_base64));
    EXPECT_EQ(removed->second.state.stage, chain::Stage::pending);
}

TEST_F(SubmitterTest, WhatNoHostTakesIsSentAgainAndGivenUpInTheEnd) {
    chain.answer = rpc::SubmitSource::NotSent{"regular: timeout"};
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->stage, chain::Stage::accepted);
    EXPECT_THAT((*result)->note, HasSubstr("timeout"));
    it_goes_on();
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::forwarding_failed);
    EXPECT_EQ(submitter->waiting(), 0);
}

TEST_F(SubmitterTest, WhatAHostHasReadIsGivenUpOnlyAfterAsLongWithoutAny) {
    chain.after = {tracks_nothing("regular")};
    submit(request_for(transfer()));
    it_goes_on();
    it_goes_on();
    chain.answer = rpc::SubmitSource::NotSent{"regular: timeout"};
    run(submitter->send_due());
    EXPECT_EQ(stage(), chain::Stage::accepted) << "it was read a moment ago";
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::forwarding_failed);
}

TEST_F(SubmitterTest, ABlockThatTheHostsDoNotHaveYetIsAskedForAgain) {
    const auto block = std::exchange(chain.facts.block, std::nullopt);
    chain.block_comes_at = 3;
    chain.coming = block;
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->valid_until, 1'000 + 86'400 + 1);
    EXPECT_EQ(rows.rows.begin()->second.transaction.block_hash_height, 1'000u);
}

TEST_F(SubmitterTest, ABlockThatNeverComesIsOfAnotherChain) {
    chain.facts.block.reset();
    chain.before = {objects("regular", "\"Expired\"")};
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().error_class, "invalid_chain");
    EXPECT_THAT(result->error().detail, HasSubstr(transfer().block_hash.to_string()));
    EXPECT_EQ(time->passed, SubmitterOptions().block_patience);
    EXPECT_THAT(rows.rows, SizeIs(0));
}

TEST_F(SubmitterTest, ADatabaseThatIsAwayIsToldSoon) {
    rows.away = true;
    std::optional<SubmitResult> result;
    base::asio::co_spawn(context, submit_into(*submitter, request_for(transfer()), result),
                         [](const std::exception_ptr&) {});
    context.restart();
    while (!result && context.run_one() > 0) {
    }
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().kind, SubmitError::Kind::unavailable);
    EXPECT_THAT(result->error().detail, HasSubstr("nothing is known to be stored"));
    EXPECT_EQ(time->passed, SubmitterOptions().database_patience);
    EXPECT_THAT(chain.sent, SizeIs(0));
}

TEST_F(SubmitterTest, WhatNoHostTookBeginsAgainWhenItIsHandedInAgain) {
    submit(request_for(transfer(), "order-1"));
    for (const auto ended :
         {chain::Stage::forwarding_failed, chain::Stage::rejected, chain::Stage::unknown}) {
        auto& row = rows.rows.begin()->second;
        row.state.stage = ended;
        row.state.reason = "some reason";
        row.certainty = chain::certainty(row.state, row.transaction.valid_until);
        chain.sent.clear();
        const auto again = submit(request_for(transfer()));
        ASSERT_TRUE(again && *again);
        EXPECT_TRUE((*again)->existing);
        EXPECT_EQ(stage(), chain::Stage::pending);
        EXPECT_EQ(rows.rows.begin()->second.state.reason, "");
        EXPECT_THAT(chain.sent, SizeIs(1));
    }
}

TEST_F(SubmitterTest, WhatCannotBeIncludedAnyMoreStaysEnded) {
    submit(request_for(transfer()));
    auto& state = rows.rows.begin()->second.state;
    for (const auto ended : {chain::Stage::expired, chain::Stage::dropped, chain::Stage::final}) {
        state.stage = ended;
        rows.rows.begin()->second.certainty.conclusive = true;
        const auto again = submit(request_for(transfer()));
        ASSERT_TRUE(again && *again);
        EXPECT_EQ((*again)->stage, ended);
    }
    state.stage = chain::Stage::forwarding_failed;
    rows.rows.begin()->second.certainty.conclusive = false;
    chain.after = {objects("regular", R"({"InvalidNonce":{"tx_nonce":6,"ak_nonce":6}})")};
    const auto again = submit(request_for(transfer()));
    ASSERT_TRUE(again && *again);
    EXPECT_EQ((*again)->stage, chain::Stage::forwarding_failed);
    EXPECT_THAT((*again)->note, HasSubstr("invalid_nonce"));
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(SubmitterTest, ItIsSentWhoeverStoredIt) {
    test::Steps steps(5, test::Fault::exception);  // the first broadcast
    FaultyNodes nodes(chain, steps);
    Submitter other(context.get_executor(), rows, nodes, time);
    std::optional<SubmitResult> result;
    run(submit_into(other, request_for(transfer()), result));
    ASSERT_FALSE(result);
    ASSERT_THAT(rows.rows, SizeIs(1));
    ASSERT_THAT(chain.sent, SizeIs(0));
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::pending);
}

}  // namespace
}  // namespace receiptd::watch::testing
