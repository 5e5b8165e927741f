// Reports of nonces, expiry and permissions: whether a transaction may still come, and what to tell its
// sender.
#include "chain/json/decode.hpp"
#include "chain/json/errors.hpp"
#include "chain/tree/lifecycle.hpp"
#include "rpc/error_class.hpp"
#include "watch/preflight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace receiptd::museum {
namespace {

using testing::HasSubstr;

watch::Judged heard(const std::string& error_of_one, const std::string& error_of_other) {
    using Opinion = rpc::SubmitSource::Opinion;
    const auto opinion = [](const char* host, const std::string& error) {
        return Opinion{host, error.empty() ? Opinion::Says::no_objection : Opinion::Says::objects, error};
    };
    return watch::judge({opinion("one", error_of_one), opinion("other", error_of_other)});
}

chain::WatchedTransaction handed_in(std::uint64_t nonce) {
    chain::WatchedTransaction transaction;
    transaction.tx_hash = "TX";
    transaction.nonce = nonce;
    transaction.valid_until = 1'000;
    transaction.block_hash_height = 900;
    transaction.watched_since = 900;
    return transaction;
}

TEST(Submission, AnInvalidNonceIsToldWithBothNumbers) {
    const std::string answer =
        R"({"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"name":"INVALID_TRANSACTION","info":{}},)"
        R"("code":-32000,"message":"Server error","data":{"TxExecutionError":{"InvalidTxError":{"InvalidNonce":)"
        R"({"tx_nonce":1,"ak_nonce":60462377000000}}}}},"id":"1"})";
    const auto envelope = chain::read_envelope(answer);
    ASSERT_TRUE(envelope);
    rpc::HttpObservation seen;
    seen.status = 200;
    seen.body = answer;
    seen.envelope = &*envelope;
    seen.method = "broadcast_tx_commit";
    const auto refused = watch::refusal(rpc::classify(seen).invalid_transaction_json, {});
    EXPECT_EQ(refused.error_class, "invalid_nonce");
    EXPECT_THAT(refused.detail, HasSubstr("nonce 1 "));
    EXPECT_THAT(refused.detail, HasSubstr("60462377000000"));
    EXPECT_NE(refused.remedy, "");
}

TEST(Submission, ExpiredByTheWordOfANodeThatLagsIsNoEnd) {
    EXPECT_EQ(heard("\"Expired\"", "").unobjected_by, "other");
    EXPECT_EQ(heard("\"Expired\"", "").error_json, "");
    EXPECT_FALSE(heard("\"Expired\"", "\"Expired\"").is_proof) << "only the chain's own height ends it";
}

TEST(Submission, OfTwoWithOneNonceOneIsSuperseded) {
    chain::WatchState state;
    chain::NotIncludedUpTo seen;
    seen.height = 950;
    seen.key_nonce = 7;
    seen.key_height = 940;
    const auto transitions = chain::step(state, handed_in(7), seen, chain::LifecycleRules());
    ASSERT_EQ(transitions.size(), 1u);
    EXPECT_EQ(transitions[0].to, chain::Stage::dropped);
    EXPECT_EQ(state.reason, chain::reason::kSuperseded);
    EXPECT_TRUE(chain::certainty(state, 1'000).conclusive);
}

TEST(Submission, WhatIsUnknownIsUnderWayUntilItsTimeIsOver) {
    chain::WatchState state;
    chain::NotIncludedUpTo seen;
    seen.height = 999;
    seen.key_nonce = 6;
    EXPECT_TRUE(chain::step(state, handed_in(7), seen, chain::LifecycleRules()).empty());
    seen.height = 1'000;
    chain::step(state, handed_in(7), seen, chain::LifecycleRules());
    EXPECT_EQ(state.stage, chain::Stage::expired);
}

TEST(Submission, AnInvalidNonceThatPaidHasUsedItsNonce) {
    chain::Judgement judgement;
    judgement.included = judgement.transaction_failed = true;
    judgement.gas_burnt = 223'182'562'500;
    EXPECT_FALSE(chain::tree_seen(judgement).is_invalid) << "no block may execute it again";
    judgement.gas_burnt = 0;
    EXPECT_TRUE(chain::tree_seen(judgement).is_invalid);
}

TEST(Submission, ADelegateActionWithAUsedNonceIsToldFromOthers) {
    const auto failure = chain::classify_failure(
        R"({"ActionError":{"index":0,"kind":{"DelegateActionInvalidNonce":{"delegate_nonce":7,"ak_nonce":9}}}})");
    EXPECT_EQ(failure.error_class, "delegate_nonce_used");
    EXPECT_THAT(failure.error_text, HasSubstr("7"));
    EXPECT_THAT(failure.error_text, HasSubstr("9"));
}

TEST(Submission, WhatAKeyMayNotDoIsSaidWithTheRemedy) {
    const auto allowance = watch::refusal(
        R"({"InvalidAccessKeyError":{"NotEnoughAllowance":{"account_id":"a.near","public_key":"ed25519:k",)"
        R"("allowance":"250000000000000000000000","cost":"300000000000000000000000"}}})",
        {});
    EXPECT_THAT(allowance.error_class, HasSubstr("allowance"));
    EXPECT_NE(allowance.remedy, "");
    const auto permission = watch::refusal(R"({"InvalidAccessKeyError":"RequiresFullAccess"})", {});
    EXPECT_EQ(permission.error_class, "access_key_permission_full_access");
    EXPECT_NE(permission.remedy, "");
}

}  // namespace
}  // namespace receiptd::museum
