// Verdicts, stages and trees.
#include "test_chain.hpp"

#include "chain/wire/delegate.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

TEST(Truth, ATransferPassesThroughAllStages) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("alice.sandbox", "relayer.sandbox", kToken), 5);
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("stage"), "final");
    EXPECT_EQ(truth.at("verdict"), "succeeded");
    EXPECT_EQ(truth.at("heights"), (Json{{"accepted", 1'000},
                                         {"included", 1'001},
                                         {"executed", 1'002},
                                         {"completed", 1'002},
                                         {"refunded", 1'003},
                                         {"final", 1'005},
                                         {"ended", nullptr}}));
    ASSERT_EQ(truth.at("tree").size(), 2U);
    EXPECT_EQ(truth.at("tree").at(1).at("role"), "refund");
    EXPECT_EQ(truth.at("tree").at(0).at("role"), "initial");
    EXPECT_EQ(truth.at("tree").at(0).at("status"), "success_value");
}

TEST(Truth, ALocalTransferIsExecutedWhereItIsIncluded) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("bob.sandbox", "bob.sandbox", kToken), 1);
    EXPECT_EQ(chain.truth(hash).at("heights").at("included"), 1'001);
    EXPECT_EQ(chain.truth(hash).at("heights").at("executed"), 1'001);
    EXPECT_EQ(chain.truth(hash).at("stage"), "completed");
}

TEST(Truth, AFailedInitialReceiptIsFailedWhateverItsRefundsDo) {
    TestChain chain;
    const std::string hash = chain.run(chain.call("alice.sandbox", "ft.sandbox", "panic", "", kToken));
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "failed");
    EXPECT_EQ(truth.at("failed_receipts").size(), 1U);
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("role"), "initial");
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("handled"), false);
    EXPECT_EQ(truth.at("tree").at(1).at("role"), "refund");
    EXPECT_GT(truth.at("heights").at("refunded"), truth.at("heights").at("completed"));
}

TEST(Truth, AFailedPromiseWhoseCallbackSucceededIsHandled) {
    TestChain chain;
    const std::string hash =
        chain.run(chain.call("alice.sandbox", "ft.sandbox", "call",
                             R"({"to":"script.sandbox","method":"panic","then":"keep","return":true})"));
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "succeeded_with_handled_failure");
    ASSERT_EQ(truth.at("failed_receipts").size(), 1U);
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("role"), "promise");
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("handled"), true);
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("handled_by").size(), 1U);
    EXPECT_EQ(truth.at("near_status"), "success");
    EXPECT_NE(truth.at("near_status_receipt_id"), truth.at("tree").at(0).at("receipt_id"))
        << "the callback's";
}

TEST(Truth, AReturnedPromiseThatFailsIsFailedAsNearSays) {
    TestChain chain;
    const std::string hash = chain.run(chain.call(
        "alice.sandbox", "ft.sandbox", "call", R"({"to":"script.sandbox","method":"panic","return":true})"));
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "failed") << truth.dump(1);
    EXPECT_EQ(truth.at("near_status"), "failure");
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("role"), "returned");
    EXPECT_EQ(truth.at("near_status_receipt_id"), truth.at("failed_receipts").at(0).at("receipt_id"));
}

TEST(Truth, ACallbackThatFailsIsCallbackFailedThoughTheCallSucceeded) {
    TestChain chain;
    const std::string hash =
        chain.run(chain.call("alice.sandbox", "ft.sandbox", "call",
                             R"({"to":"script.sandbox","method":"keep","then":"callback_panic"})"));
    EXPECT_EQ(chain.truth(hash).at("verdict"), "callback_failed");
    EXPECT_EQ(chain.truth(hash).at("failed_receipts").at(0).at("role"), "callback");
}

TEST(Truth, APromiseWhoseCallbackFailsAsWellIsNotHandled) {
    TestChain chain;
    const std::string hash =
        chain.run(chain.call("alice.sandbox", "ft.sandbox", "call",
                             R"({"to":"script.sandbox","method":"panic","then":"callback_panic"})"));
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "callback_failed");
    ASSERT_EQ(truth.at("failed_receipts").size(), 2U);
    for (const Json& failed : truth.at("failed_receipts")) EXPECT_EQ(failed.at("handled"), false);
}

TEST(Truth, AFailureThatNobodyAwaitsIsReceiptFailed) {
    TestChain chain;
    const std::string hash = chain.run(
        chain.call("alice.sandbox", "ft.sandbox", "call", R"({"to":"script.sandbox","method":"panic"})"));
    EXPECT_EQ(chain.truth(hash).at("verdict"), "receipt_failed");
    EXPECT_EQ(chain.truth(hash).at("failed_receipts").at(0).at("role"), "detached");
}

TEST(Truth, AReturnedPromiseIsAwaitedInPlaceOfItsMaker) {
    TestChain chain;
    const std::string inner = R"({"to":"script.sandbox","method":"panic","return":true})";
    Json outer = {
        {"to", "script.sandbox"}, {"method", "call"}, {"args", inner}, {"then", "keep"}, {"gas", 60}};
    const std::string hash = chain.run(chain.call("alice.sandbox", "ft.sandbox", "call", outer.dump()), 12);
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "succeeded_with_handled_failure") << truth.dump(1);
    EXPECT_EQ(truth.at("failed_receipts").at(0).at("handled"), true);
}

TEST(Truth, AMetaTransactionIsJudgedByItsInnerCallToo) {
    TestChain chain;
    wire::DelegateAction inner;
    inner.sender_id = "bob.sandbox";
    inner.receiver_id = "ft.sandbox";
    inner.actions = {{wire::FunctionCall{"panic", {}, 30 * sim::kTera, 0}}};
    inner.nonce = 1;
    inner.max_block_height = 10'000;
    inner.public_key = key_of("bob.sandbox").public_key();
    const chain::Signature signature = key_of("bob.sandbox").sign(wire::delegate_hash(inner).view());
    const std::string hash = chain.run(
        chain.make("relayer.sandbox", "bob.sandbox", {{wire::SignedDelegate{std::move(inner), signature}}}));
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("tree").at(0).at("status"), "success_value");
    EXPECT_EQ(truth.at("verdict"), "receipt_failed");
    EXPECT_EQ(truth.at("signer_id"), "relayer.sandbox");
    EXPECT_EQ(truth.at("user_id"), "bob.sandbox");
    EXPECT_EQ(chain.tx(hash).at("status"), Json({{"SuccessValue", ""}}));
}

TEST(Truth, APayoutOfADeletedAccountIsNoRefund) {
    TestChain chain;
    const std::string hash =
        chain.run(chain.make("carol.sandbox", "carol.sandbox", {{wire::DeleteAccount{"alice.sandbox"}}}), 6);
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("verdict"), "succeeded");
    bool payout = false;
    for (const Json& node : truth.at("tree")) payout = payout || node.at("role") == "payout";
    EXPECT_TRUE(payout) << truth.dump(1);
}

TEST(Truth, AYieldThatTimesOutIsACallbackExecutedThen) {
    TestChain chain;
    const std::string hash = chain.run(chain.call("alice.sandbox", "script.sandbox", "yield"), 15);
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("stage"), "final") << truth.dump(1);
    EXPECT_EQ(truth.at("tree").at(1).at("role"), "callback");
    EXPECT_GE(truth.at("tree").at(1).at("executed_height").get<Height>(), 1'008U);
}

TEST(Truth, HasNoVerdictBeforeTheLastReceiptWasExecuted) {
    TestChain chain;
    const std::string hash = chain.run(chain.call("alice.sandbox", "script.sandbox", "yield"), 4);
    EXPECT_EQ(chain.truth(hash).at("verdict"), nullptr);
    EXPECT_EQ(chain.truth(hash).at("stage"), "included");
    EXPECT_EQ(chain.truth(hash).at("tree").at(1).at("status"), "pending");
}

TEST(Truth, IsAskedByTheHeightsOfInclusionOrEnd) {
    TestChain chain;
    const std::string first = chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 1), 1);
    const std::string second = chain.run(chain.transfer("alice.sandbox", "bob.sandbox", 1), 5);
    EXPECT_EQ(chain.ledger->truth(1'001, 1'001).size(), 1U);
    EXPECT_EQ(chain.ledger->truth(1'001, 1'002).size(), 2U);
    EXPECT_EQ(chain.ledger->truth(1'003, 9'999).size(), 0U);
    EXPECT_FALSE(chain.ledger->truth_of(CryptoHash{}.to_string()));
}

}  // namespace
}  // namespace receiptd::sandbox
