#include "unit/watch/faulty.hpp"
#include "unit/watch/submit_fakes.hpp"

#include "base/coroutine.hpp"

#include <boost/asio/co_spawn.hpp>

#include <gmock/gmock.h>

namespace receiptd::watch::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

base::Task<void> submit_into(Submitter& submitter, SubmitRequest request,
                             std::optional<SubmitResult>& result) {
    result = co_await submitter.submit(std::move(request));
}

class SubmitterTest : public ::testing::Test {
protected:
    // nullopt: it failed on the way.
    std::optional<SubmitResult> submit(SubmitRequest request) {
        std::optional<SubmitResult> result;
        run(submit_into(*submitter, std::move(request), result));
        return result;
    }
    void run(base::Task<void> task) {
        std::exception_ptr failure;
        base::asio::co_spawn(context, std::move(task), [&](std::exception_ptr error) { failure = error; });
        context.restart();
        context.run();
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const std::runtime_error&) {
        }
    }
    // Until nothing new can happen.
    void it_goes_on() {
        run(submitter->look());
        for (int round = 0; round < 3; ++round) {
            run(submitter->send_due());
            time->passed += std::chrono::minutes(2);
        }
    }
    chain::Stage stage() { return rows.rows.begin()->second.state.stage; }

    base::asio::io_context context{1};
    std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();
    Rows rows{context.get_executor(), *time};
    FakeChain chain;
    std::unique_ptr<Submitter> submitter =
        std::make_unique<Submitter>(context.get_executor(), rows, chain, time);
};

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

TEST_F(SubmitterTest, TheSameBytesTwiceAreOneSubmission) {
    submit(request_for(transfer()));
    const auto again = submit(request_for(transfer()));
    ASSERT_TRUE(again && *again);
    EXPECT_TRUE((*again)->existing);
    EXPECT_EQ((*again)->stage, chain::Stage::pending);
    EXPECT_THAT(rows.rows, SizeIs(1));
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(SubmitterTest, AnIdempotencyKeyIsForOneTransaction) {
    submit(request_for(transfer(6), "order-1"));
    const auto same = submit(request_for(transfer(6), "order-1"));
    EXPECT_TRUE(same && *same && (*same)->existing);
    const auto other = submit(request_for(transfer(7), "order-1"));
    ASSERT_TRUE(other && other->has_error());
    EXPECT_EQ(other->error().kind, SubmitError::Kind::conflict);
    EXPECT_THAT(rows.rows, SizeIs(1));
}

TEST_F(SubmitterTest, AnIdempotencyKeyThatComesWithARepeatIsKept) {
    submit(request_for(transfer(6)));
    const auto same = submit(request_for(transfer(6), "order-1"));
    EXPECT_TRUE(same && *same && (*same)->existing);
    const auto other = submit(request_for(transfer(7), "order-1"));
    ASSERT_TRUE(other && other->has_error());
    EXPECT_EQ(other->error().kind, SubmitError::Kind::conflict);
    const auto second = submit(request_for(transfer(6), "order-2"));
    ASSERT_TRUE(second && second->has_error()) << "one key each";
    EXPECT_EQ(second->error().kind, SubmitError::Kind::conflict);
    EXPECT_THAT(rows.rows, SizeIs(1));
}

TEST_F(SubmitterTest, WhatIsRefusedIsNeitherStoredNorSent) {
    const auto result = submit(request_for(transfer(5)));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().error_class, "invalid_nonce");
    EXPECT_THAT(rows.rows, SizeIs(0));
    EXPECT_THAT(chain.sent, SizeIs(0));
}

TEST_F(SubmitterTest, WhatTwoHostsRefuseIsRefused) {
    chain.others = {{"regular", chain.facts.head, std::nullopt, chain.facts.key},
                    {"archival", chain.facts.head, std::nullopt, chain.facts.key}};
    chain.facts.account.reset();
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && result->has_error());
    EXPECT_EQ(result->error().error_class, "signer_missing");
    EXPECT_THAT(chain.sent, SizeIs(0));
}

// For signer, nonce and balance alike: the facts of the other host count as a whole.
TEST_F(SubmitterTest, WhatOneHostRefusesAndAnotherWouldTakeIsSent) {
    const auto honest = chain.facts;
    chain.others = {{"archival", honest.head, honest.account, honest.key}};
    chain.facts.account.reset();
    EXPECT_TRUE(submit(request_for(transfer(6)))->has_value());
    chain.facts = honest;
    chain.facts.account->amount = 0;
    EXPECT_TRUE(submit(request_for(transfer(7)))->has_value());
    chain.facts = honest;
    chain.facts.key->nonce = 1'000;
    EXPECT_TRUE(submit(request_for(transfer(8)))->has_value());
    chain.facts = honest;
    chain.facts.head.height = 1'000'000;  // then its block hash is too old
    EXPECT_TRUE(submit(request_for(transfer(9)))->has_value());
    EXPECT_THAT(chain.sent, SizeIs(4));
}

TEST_F(SubmitterTest, ItsOwnInclusionDoesNotSpeakAgainstIt) {
    chain.included = true;
    const auto result = submit(request_for(transfer(5)));
    ASSERT_TRUE(result && *result);
    EXPECT_THAT(rows.rows, SizeIs(1));
    EXPECT_THAT(chain.sent, SizeIs(0));
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

TEST_F(SubmitterTest, WhatNoHostTakesIsSentAgainAndGivenUpInTheEnd) {
    chain.answer = rpc::SubmitSource::NotTaken{"regular: timeout"};
    const auto result = submit(request_for(transfer()));
    ASSERT_TRUE(result && *result);
    EXPECT_EQ((*result)->stage, chain::Stage::accepted);
    EXPECT_THAT((*result)->note, HasSubstr("timeout"));
    it_goes_on();
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::forwarding_failed);
    EXPECT_EQ(submitter->waiting(), 0);
}

TEST_F(SubmitterTest, AHostsRefusalEndsItUnlessABlockHoldsIt) {
    chain.answer = rpc::SubmitSource::Refused{"\"InvalidSignature\"", "regular"};
    submit(request_for(transfer()));
    EXPECT_EQ(stage(), chain::Stage::rejected);
    EXPECT_EQ(rows.rows.begin()->second.state.reason, "invalid_signature");
    rows.rows.clear();
    chain.included = true;
    submit(request_for(transfer()));
    EXPECT_EQ(stage(), chain::Stage::accepted);
}

TEST_F(SubmitterTest, ARefusalOfASecondSendingMeansNothing) {
    submit(request_for(transfer()));
    chain.answer = rpc::SubmitSource::Refused{R"({"InvalidNonce":{"tx_nonce":6,"ak_nonce":6}})", "regular"};
    it_goes_on();
    EXPECT_EQ(stage(), chain::Stage::pending);
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
         {chain::Stage::forwarding_failed, chain::Stage::rejected, chain::Stage::dropped}) {
        auto& state = rows.rows.begin()->second.state;
        state.stage = ended;
        state.reason = ended == chain::Stage::dropped ? chain::reason::kBalance : chain::Text("some reason");
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
        const auto again = submit(request_for(transfer()));
        ASSERT_TRUE(again && *again);
        EXPECT_EQ((*again)->stage, ended);
    }
    state.stage = chain::Stage::forwarding_failed;
    chain.facts.key->nonce = 6;
    const auto again = submit(request_for(transfer()));
    ASSERT_TRUE(again && *again);
    EXPECT_EQ((*again)->stage, chain::Stage::forwarding_failed);
    EXPECT_THAT((*again)->note, HasSubstr("invalid_nonce"));
    EXPECT_THAT(chain.sent, SizeIs(1));
}

TEST_F(SubmitterTest, ItIsSentWhoeverStoredIt) {
    test::Steps steps(7, test::Fault::exception);  // the first broadcast
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
