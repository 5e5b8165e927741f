#include "world.hpp"

#include "sandbox/sim/derive.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {
namespace {

constexpr Gas kTransferGas = 223182562500;

TEST(ApplyTransfer, IsConvertedInItsBlockAndArrivesInTheNext) {
    World world;
    const CryptoHash hash = world.send(kAlice, kBob, {transfer_action(5 * kNear)});
    world.step();
    const Outcome& outcome = world.transaction_outcome(hash);
    EXPECT_EQ(outcome.executor_id, kAlice);
    EXPECT_EQ(outcome.gas_burnt, kTransferGas);
    EXPECT_EQ(outcome.tokens_burnt, kTransferGas * kGasPrice);
    ASSERT_EQ(outcome.receipt_ids.size(), 1U);
    EXPECT_EQ(std::get<SuccessReceiptId>(outcome.status).receipt_id, outcome.receipt_ids[0]);
    EXPECT_EQ(outcome.receipt_ids[0], sim::initial_receipt_id(hash, 101));
    EXPECT_FALSE(world.has_outcome(outcome.receipt_ids[0]));
    ASSERT_EQ(world.result(kAlice).outgoing.size(), 1U);
    const Receipt& listed = world.result(kAlice).outgoing[0];
    EXPECT_EQ(listed.predecessor_id, kAlice);
    EXPECT_EQ(listed.receiver_id, kBob);
    EXPECT_EQ(std::get<ActionReceipt>(listed.body).gas_price, kGasPrice);

    world.step();
    const World::Executed& receipt = world.initial(hash);
    EXPECT_EQ(receipt.height, 102U);
    EXPECT_FALSE(receipt.is_local);
    EXPECT_EQ(receipt.outcome.gas_burnt, kTransferGas);
    EXPECT_EQ(value_of(receipt.outcome), "");
    EXPECT_TRUE(receipt.outcome.receipt_ids.empty()) << "all gas was used: no refund";
    EXPECT_EQ(world.balance(kBob), 1005 * kNear);
    EXPECT_EQ(world.balance(kAlice), 995 * kNear - 2 * kTransferGas * kGasPrice);
}

TEST(ApplyTransfer, ToOneselfIsExecutedAtOnceAndListedNowhere) {
    World world;
    const CryptoHash hash = world.send(kAlice, kAlice, {transfer_action(kNear)});
    world.step();
    EXPECT_TRUE(world.initial(hash).is_local);
    EXPECT_EQ(world.initial(hash).height, 101U);
    EXPECT_TRUE(world.result(kAlice).outgoing.empty());
    ASSERT_EQ(world.result(kAlice).local.size(), 1U);
    EXPECT_EQ(world.result(kAlice).local[0].receipt_id, world.initial(hash).receipt.receipt_id);
}

TEST(ApplyTransfer, ToAnotherAccountOfTheSameShardTakesTheNextBlockToo) {
    World world;
    ASSERT_EQ(world.shard_of(kAlice), world.shard_of(kCarol));
    const CryptoHash hash = world.send(kAlice, kCarol, {transfer_action(kNear)});
    world.run(2);
    EXPECT_EQ(world.initial(hash).height, 102U);
}

TEST(ApplyTransfer, ThatItsSignerCannotPayAnyMoreGivesAFailedOutcomeWithoutReceipts) {
    World world;
    const CryptoHash first = world.send(kAlice, kBob, {transfer_action(999 * kNear)});
    const CryptoHash second = world.send(kAlice, kBob, {transfer_action(999 * kNear)});
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.transaction_outcome(first)));
    const Outcome& outcome = world.transaction_outcome(second);
    const Json error = failure_of(outcome)["InvalidTxError"]["NotEnoughBalance"];
    EXPECT_EQ(error["signer_id"], kAlice);
    EXPECT_EQ(error["balance"], base::to_string(kNear - 2 * kTransferGas * kGasPrice));
    EXPECT_EQ(error["cost"], base::to_string(999 * kNear + 2 * kTransferGas * kGasPrice));
    EXPECT_TRUE(outcome.receipt_ids.empty());
    EXPECT_EQ(outcome.gas_burnt, 0U);
    EXPECT_EQ(outcome.tokens_burnt, u128{0});
    EXPECT_EQ(outcome.executor_id, kAlice);
}

TEST(ApplyTransfer, WithAKeyThatTheSignerDoesNotHaveGivesAFailedOutcome) {
    World world;
    const CryptoHash hash = world.send(kAlice, kBob, {transfer_action(1)}, key_of(kBob));
    world.step();
    const Json error = failure_of(world.transaction_outcome(hash))["InvalidTxError"];
    EXPECT_TRUE(error["InvalidAccessKeyError"].contains("AccessKeyNotFound")) << error;
}

TEST(ApplyBatch, AFailingActionUndoesThoseBeforeIt) {
    World world;
    const std::vector<wire::Action> actions{
        transfer_action(kNear), {wire::CreateAccount{}}, transfer_action(1)};
    const CryptoHash hash = world.send(kAlice, kBob, actions);
    world.run(2);
    const Outcome& outcome = world.initial(hash).outcome;
    EXPECT_EQ(failure_of(outcome)["ActionError"]["index"], 1);
    EXPECT_EQ(kind_of(outcome)["AccountAlreadyExists"]["account_id"], kBob);
    EXPECT_EQ(world.balance(kBob), 1000 * kNear);
    world.run_until_idle();
    EXPECT_GT(world.balance(kAlice), 999 * kNear);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
