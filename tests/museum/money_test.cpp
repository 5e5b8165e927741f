// Reports of money that did not come, was lost, or came back.
#include "museum/stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::museum {
namespace {

using testing::ElementsAre;

std::string yocto(u128 amount) { return base::to_string(amount); }
const std::string kImplicit(64, 'e');

class TokenCalls : public testing::Test {
protected:
    TokenCalls() {
        stage.send("alice.sandbox", "ft.sandbox",
                   {wire::Action{call("ft_mint", R"({"account_id":"alice.sandbox","amount":"9000"})", 50)}});
    }
    // alice sends 1000 tokens to receiver.sandbox; the message says what that does with them.
    std::string send_tokens(const std::string& message, const std::string& memo = {}) {
        Json args{{"receiver_id", "receiver.sandbox"}, {"amount", "1000"}, {"msg", message}};
        if (!memo.empty()) args["memo"] = memo;
        return stage.send("alice.sandbox", "ft.sandbox", {call("ft_transfer_call", args.dump(), 100, 1)});
    }
    Stage stage;
};

TEST_F(TokenCalls, EndInAsManyWaysAsTheirReceiversWill) {
    const std::map<std::string, std::string> ends{
        {"keep", "succeeded, NEAR says success"},
        {"return:5", "succeeded, NEAR says success, refunded_in_part"},
        {"return:1000", "succeeded, NEAR says success, refunded"},
        {"panic", "succeeded_with_handled_failure, NEAR says success, refunded"},
        {"burn_gas", "succeeded_with_handled_failure, NEAR says success, refunded"},
    };
    std::map<std::string, std::string> hashes;
    for (const auto& [message, end] : ends) hashes[message] = send_tokens(message);
    stage.blocks(25);
    const auto stored = stage.stored();
    for (const auto& [message, end] : ends) EXPECT_EQ(stored.end(hashes[message]), end) << message;
}

TEST_F(TokenCalls, TokensThatCameBackAreCounted) {
    const auto hash = send_tokens("return:400");
    stage.blocks(25);
    const auto findings = stage.stored().rows(Table::findings, hash);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0]["kind"], "tokens_returned");
    EXPECT_EQ(findings[0]["amount_kept"], "600");
    EXPECT_EQ(findings[0]["amount_returned"], "400");
}

TEST_F(TokenCalls, AReceiverThatAnswersGarbageGetsNothing) {
    const auto hash = send_tokens("garbage");
    stage.blocks(25);
    EXPECT_EQ(stage.stored().end(hash), "succeeded, NEAR says success, refunded");
}

TEST_F(TokenCalls, ARefundThatFailsIsNoRefundWhateverNearSays) {
    const auto seen = send_tokens("panic", "sandbox:resolve-panics");
    const auto unseen = send_tokens("panic", "sandbox:resolve-panics-unseen");
    stage.blocks(25);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(seen), "callback_failed, NEAR says failure");
    EXPECT_EQ(stored.end(unseen), "callback_failed, NEAR says success");
}

TEST(Money, ThatATransferMovedIsNotBookedIfTheCallbackPanics) {
    Stage stage;
    const auto hash = stage.run(
        R"([{"transfer":{"to":"bob.sandbox","amount":"5000000000000000000000000","as":"t"}},)"
        R"({"then":{"after":"t","run":[{"panic":"exchange_callback_post_withdraw_near"}]}},{"return":"ok"}])");
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "callback_failed, NEAR says success") << "nothing came back";
    EXPECT_THAT(stored.findings(hash), ElementsAre("failed_receipt callback not handled: contract_panic"));
}

TEST(Money, ThatIsRefundedToAnImplicitAccountThatIsGoneIsBurnt) {
    Stage stage({kImplicit});
    const auto hash =
        stage.send(kImplicit, "script.sandbox", {call("run", R"([{"panic":"no"}])", 50, 3 * kNear)});
    stage.send(kImplicit, kImplicit, {{wire::DeleteAccount{"bob.sandbox"}}});
    stage.blocks(20);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "failed, NEAR says failure, tokens_lost");
    const auto findings = stored.rows(Table::findings, hash);
    const auto& burnt = chain::testing::row_with(findings, "amount_burnt", yocto(3 * kNear));
    EXPECT_EQ(burnt["kind"], "burnt_tokens");
    EXPECT_EQ(burnt["contract_id"], kImplicit);
}

TEST(Money, ForANewImplicitAccountIsThereWhenTheReceiptRan) {
    Stage stage;
    const auto hash = stage.send("alice.sandbox", kImplicit, {{wire::Transfer{kNear}}});
    stage.blocks(10);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "succeeded, NEAR says success");
    EXPECT_TRUE(stored.result(hash)["completed_time"]);
    const auto receipts = stored.rows(Table::receipts, hash);
    EXPECT_EQ(chain::testing::row_with(receipts, "role", "initial")["receiver_id"], kImplicit);
}

TEST(Money, OfADeletedAccountWithoutAnHeirIsLost) {
    Stage stage;
    const auto hash = stage.send("carol.sandbox", "carol.sandbox", {{wire::DeleteAccount{"nobody.sandbox"}}});
    stage.blocks(10);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "succeeded, NEAR says success, tokens_lost");
    EXPECT_GT(*base::parse_u128(*stored.result(hash)["tokens_lost"]), 9'999 * kNear);
}

TEST(Money, OfAnOrdinaryDeletionRaisesNoAlarm) {
    Stage stage;
    const auto hash = stage.send("carol.sandbox", "carol.sandbox", {{wire::DeleteAccount{"bob.sandbox"}}});
    stage.blocks(10);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "succeeded, NEAR says success");
    const auto findings = stored.rows(Table::findings, hash);
    ASSERT_EQ(findings.size(), 1u) << "the refund of its gas";
    EXPECT_EQ(findings[0]["kind"], "burnt_tokens");
    EXPECT_EQ(findings[0]["expected"], "t");
}

TEST(Money, OfABatchThatFailsIsAllBack) {
    Stage stage;
    const auto hash =
        stage.send("alice.sandbox", "bob.sandbox",
                   {{wire::CreateAccount{}},
                    {wire::Transfer{2 * kNear}},
                    {wire::AddKey{stage.key_of("alice.sandbox").public_key(), wire::AccessKey()}}});
    stage.blocks(10);
    const auto stored = stage.stored();
    EXPECT_EQ(stored.end(hash), "failed, NEAR says failure, refunded");
    const auto result = stored.result(hash);
    EXPECT_EQ(result["error_class"], "account_exists");
    EXPECT_EQ(result["deposit_refunded"], yocto(2 * kNear)) << "told apart from the gas that came back";
    EXPECT_NE(result["gas_refunded"], result["deposit_refunded"]);
}

}  // namespace
}  // namespace receiptd::museum
