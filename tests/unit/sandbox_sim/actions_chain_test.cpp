// Actions as a chain applies them: what they leave to the next receipts, and that no token is lost
// on the way (World counts them after every block).
#include "chain/wire/delegate.hpp"
#include "chain/wire/hex.hpp"

#include "world.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

namespace receiptd::sandbox::sim {
namespace {

using testing::SizeIs;

wire::Action delegate_by(const std::string& user, const std::string& receiver,
                         std::vector<wire::Action> actions, std::uint64_t nonce = 1) {
    wire::SignedDelegate delegate;
    wire::DelegateAction& action = delegate.delegate_action;
    action.sender_id = user;
    action.receiver_id = receiver;
    action.actions = std::move(actions);
    action.nonce = nonce;
    action.max_block_height = 1000;
    action.public_key = key_of(user).public_key();
    delegate.signature = key_of(user).sign(wire::delegate_hash(action).view());
    return {std::move(delegate)};
}

TEST(MetaTransactions, TheRelayerPaysAndTheUserActs) {
    World world;
    const CryptoHash hash = world.send(kAlice, kBob, {delegate_by(kBob, kCarol, {transfer_action(5)})});
    world.run_until_idle();
    const auto& outer = world.initial(hash);
    EXPECT_EQ(value_of(outer.outcome), "");
    ASSERT_THAT(outer.outcome.receipt_ids, SizeIs(1));
    const auto& inner = world.child(outer, 0);
    EXPECT_TRUE(succeeded(inner.outcome));
    EXPECT_EQ(inner.receipt.predecessor_id, kBob);
    EXPECT_EQ(std::get<ActionReceipt>(inner.receipt.body).signer_id, kAlice);
    EXPECT_EQ(world.balance(kBob), 1000 * kNear);
    EXPECT_EQ(world.balance(kCarol), 1000 * kNear + 5);
    EXPECT_EQ(world.balance(kAlice), 1000 * kNear - 5 - world.burnt());
}

TEST(MetaTransactions, AFailedInnerCallReturnsItsDepositToTheUserAndItsGasToTheRelayer) {
    World world;
    const CryptoHash hash =
        world.send(kAlice, kBob, {delegate_by(kBob, kCarol, {call_action("run", kTera, 7)})});
    world.run_until_idle();
    const auto& inner = world.child(world.initial(hash), 0);
    EXPECT_FALSE(succeeded(inner.outcome));
    ASSERT_THAT(inner.outcome.receipt_ids, SizeIs(2));
    EXPECT_EQ(world.child(inner, 0).receipt.receiver_id, kBob);
    EXPECT_EQ(world.child(inner, 1).receipt.receiver_id, kAlice);
    EXPECT_EQ(world.balance(kBob), 1000 * kNear + 7);
    EXPECT_EQ(world.balance(kAlice), 1000 * kNear - 7 - world.burnt());
}

TEST(MetaTransactions, ARefusedDelegateReturnsTheInnerDepositToTheRelayer) {
    World world;
    world.send(kAlice, kBob, {delegate_by(kBob, kCarol, {transfer_action(5)})});
    world.run_until_idle();
    const CryptoHash again = world.send(kAlice, kBob, {delegate_by(kBob, kCarol, {transfer_action(5)})});
    world.run_until_idle();
    EXPECT_TRUE(kind_of(world.initial(again).outcome).contains("DelegateActionInvalidNonce"));
    EXPECT_EQ(world.balance(kCarol), 1000 * kNear + 5);
    EXPECT_EQ(world.balance(kAlice), 1000 * kNear - 5 - world.burnt());
}

TEST(MetaTransactions, AFailureAfterTheDelegateInItsReceiptDropsTheInnerReceipt) {
    World world;
    const CryptoHash hash = world.send(
        kAlice, kBob,
        {delegate_by(kBob, kCarol, {transfer_action(5)}), {wire::DeleteKey{key_of(kBob).public_key()}}});
    world.run_until_idle();
    const Json failure = failure_of(world.initial(hash).outcome)["ActionError"];
    EXPECT_EQ(failure["index"], 1);
    EXPECT_TRUE(failure["kind"].contains("ActorNoPermission"));
    EXPECT_EQ(world.balance(kCarol), 1000 * kNear);
    EXPECT_EQ(world.state_of(kBob).access_key(kBob, key_of(kBob).public_key())->nonce, 0U);
}

TEST(DeletedAccounts, PayOutAndWhatNobodyCanTakeIsBurnt) {
    World world;
    world.send(kAlice, kAlice, {{wire::DeleteAccount{kBob}}});
    world.run_until_idle();
    EXPECT_FALSE(world.state_of(kAlice).account(kAlice));
    EXPECT_GT(world.balance(kBob), 1999 * kNear);
    world.send(kBob, kBob, {{wire::DeleteAccount{"nobody.test"}}});
    world.run_until_idle();
    EXPECT_GT(world.burnt(), 1999 * kNear);
}

TEST(ImplicitAccounts, AreMadeAndSignWithTheirKey) {
    World world;
    const sim::SecretKey key = key_of("implicit");
    const std::string id = chain::hex_encode(key.public_key().raw());
    const CryptoHash hash = world.send(kAlice, id, {transfer_action(kNear)});
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.initial(hash).outcome));
    EXPECT_EQ(world.balance(id), kNear);
}

TEST(GlobalContractTokens, AreBurntAndCounted) {
    World world;
    const CryptoHash deployed = world.send(kAlice, kAlice, {{wire::DeployGlobalContract{Bytes(100), {}}}});
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.initial(deployed).outcome));
    EXPECT_GT(world.burnt(), kNear / 100);
}

struct GasKeyTransactions : testing::Test {
    World world{2, 86};
    sim::SecretKey key = key_of("gas");

    void SetUp() override {
        const wire::GasKeyFullAccess permission{{0, 2}};
        world.send(kAlice, kAlice, {{wire::AddKey{key.public_key(), {0, permission}}}});
        world.send(kBob, kAlice, {{wire::TransferToGasKey{key.public_key(), kNear}}});
        world.run_until_idle();
    }
    u128 gas_money() { return gas_key_balance(*world.state_of(kAlice).access_key(kAlice, key.public_key())); }
    CryptoHash send(u128 deposit, std::uint16_t index = 1) {
        wire::Transaction body;
        body.version = wire::TransactionVersion::v1;
        body.signer_id = kAlice;
        body.receiver_id = kCarol;
        body.nonce = {world.block().height * 1'000'000, index};
        body.actions = {transfer_action(deposit)};
        return world.send(std::move(body), key);
    }
};

TEST_F(GasKeyTransactions, TakeGasFromTheKeyAndGiveItsRefundBackToIt) {
    const u128 before = world.balance(kAlice);
    const u128 burnt = world.burnt();
    const CryptoHash hash = send(5);
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.initial(hash).outcome));
    EXPECT_EQ(world.balance(kAlice), before - 5);
    EXPECT_EQ(gas_money(), kNear - (world.burnt() - burnt));
    const auto& refund = world.child(world.initial(hash), 0).receipt;
    EXPECT_EQ(std::get<ActionReceipt>(refund.body).signer_public_key, key.public_key());
}

TEST_F(GasKeyTransactions, WhoseDepositIsNotThereFailInTheirBlockAndUseTheirNonce) {
    const u128 before = world.balance(kAlice);
    const u128 burnt = world.burnt();
    const CryptoHash hash = send(before + 1, 0);
    world.run_until_idle();
    const Outcome& outcome = world.transaction_outcome(hash);
    EXPECT_EQ(failure_of(outcome)["InvalidTxError"]["NotEnoughBalanceForDeposit"]["reason"],
              "NotEnoughBalance");
    EXPECT_TRUE(outcome.receipt_ids.empty());
    EXPECT_EQ(outcome.gas_burnt, 223'182'562'500U);
    EXPECT_EQ(outcome.tokens_burnt, world.burnt() - burnt);
    EXPECT_EQ(world.balance(kAlice), before);
    EXPECT_EQ(gas_money(), kNear - outcome.tokens_burnt);
    EXPECT_GT(world.state_of(kAlice).access_key(kAlice, key.public_key())->nonces.at(0), 0U);
}

TEST_F(GasKeyTransactions, TheRefundOfAKeyThatIsGoneGoesToTheAccount) {
    const CryptoHash hash = send(5);
    world.step();
    world.send(
        kAlice, kAlice,
        {{wire::WithdrawFromGasKey{key.public_key(), gas_money()}}, {wire::DeleteKey{key.public_key()}}});
    world.run_until_idle();
    const auto& refund = world.child(world.initial(hash), 0);
    EXPECT_TRUE(succeeded(refund.outcome));
    EXPECT_FALSE(world.state_of(kAlice).access_key(kAlice, key.public_key()));
}

TEST(GasKeyTokens, AreKeptAndCounted) {
    World world(2, 86);
    const PublicKey key = key_of("gas").public_key();
    const wire::GasKeyFullAccess permission{{0, 1}};
    world.send(kAlice, kAlice,
               {{wire::AddKey{key, {0, permission}}}, {wire::TransferToGasKey{key, kNear / 2}}});
    world.run_until_idle();
    const CryptoHash removed = world.send(kAlice, kAlice, {{wire::DeleteKey{key}}});
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.initial(removed).outcome));
    EXPECT_GT(world.burnt(), kNear / 2);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
