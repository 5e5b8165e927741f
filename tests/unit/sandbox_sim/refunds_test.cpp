#include "world.hpp"

#include "sandbox/sim/derive.hpp"
#include "sandbox/sim/fees.hpp"

namespace receiptd::sandbox::sim {
namespace {

const std::string kRefunding = "contract.test";

// The rules of version 84, unless a test says otherwise.
const Protocol& kOld = *find_protocol(84);

World world_with_contract(std::uint32_t protocol_version = 84) {
    World world(2, protocol_version);
    world.add_contract(kRefunding,
                       {{"quiet", [](Host&) {}},
                        {"use", [](Host& host) { host.use_gas(10 * kTera); }},
                        {"panic",
                         [](Host& host) {
                             host.use_gas(2 * kTera);
                             host.panic("no");
                         }},
                        {"burn_all", [](Host& host) { host.use_gas(host.prepaid_gas() - host.used_gas()); }},
                        {"pay_bob", [](Host& host) {
                             const PromiseIndex pay = host.promise_batch_create(kBob);
                             host.promise_add_action(pay, transfer_action(kNear));
                         }}});
    return world;
}

const ActionReceipt& body_of(const World::Executed& executed) {
    return std::get<ActionReceipt>(executed.receipt.body);
}
u128 amount_of(const World::Executed& refund) {
    return std::get<wire::Transfer>(body_of(refund).actions.at(0).value).deposit;
}

TEST(Refunds, UnusedGasComesBackToTheSignerAtThePurchasePrice) {
    World world = world_with_contract();
    const u128 before = world.balance(kAlice);
    const CryptoHash hash = world.send_call(kRefunding, "use", 100 * kTera);
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    ASSERT_EQ(parent.outcome.receipt_ids.size(), 1U);
    const World::Executed& refund = world.child(parent, 0);
    EXPECT_EQ(refund.height, parent.height + 1);
    EXPECT_EQ(refund.receipt.predecessor_id, kSystemAccount);
    EXPECT_EQ(refund.receipt.receiver_id, kAlice);
    EXPECT_EQ(refund.outcome.gas_burnt, 223182562500U) << "a refund burns gas, and no tokens";
    EXPECT_EQ(refund.outcome.tokens_burnt, u128{0});
    EXPECT_EQ(body_of(refund).gas_price, u128{0});
    EXPECT_EQ(body_of(refund).signer_id, kAlice);
    EXPECT_EQ(body_of(refund).signer_public_key, key_of(kAlice).public_key());
    const Gas spent = world.transaction_outcome(hash).gas_burnt + parent.outcome.gas_burnt;
    EXPECT_EQ(world.balance(kAlice), before - spent * kGasPrice);
    EXPECT_EQ(amount_of(refund) % kGasPrice, u128{0});
}

TEST(Refunds, ThereIsNoneWhenAllGasWasBurnt) {
    World world = world_with_contract();
    const CryptoHash hash = world.send_call(kRefunding, "burn_all", 30 * kTera);
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.initial(hash).outcome));
    EXPECT_TRUE(world.initial(hash).outcome.receipt_ids.empty());
}

TEST(Refunds, AFailedReceiptReturnsItsDepositToThePredecessorBeforeTheGas) {
    World world = world_with_contract();
    const CryptoHash hash = world.send_call(kRefunding, "panic", 30 * kTera, 7 * kNear);
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    ASSERT_EQ(parent.outcome.receipt_ids.size(), 2U);
    const World::Executed& deposit = world.child(parent, 0);
    EXPECT_EQ(deposit.receipt.predecessor_id, kSystemAccount);
    EXPECT_EQ(deposit.receipt.receiver_id, kAlice);
    EXPECT_EQ(amount_of(deposit), 7 * kNear);
    EXPECT_EQ(body_of(deposit).signer_id, kSystemAccount);
    EXPECT_EQ(body_of(deposit).signer_public_key.to_string(), "ed25519:11111111111111111111111111111111");
    const World::Executed& gas = world.child(parent, 1);
    EXPECT_EQ(body_of(gas).signer_id, kAlice);
    EXPECT_EQ(gas.receipt.receipt_id, sim::child_receipt_id(parent.outcome.id, parent.height, 1));
    EXPECT_EQ(world.balance(kRefunding),
              1000 * kNear + (parent.outcome.gas_burnt - receipt_fee().exec -
                              action_fee(kOld, call_action("panic", 30 * kTera), kRefunding).exec) *
                                 3 / 10 * kGasPrice)
        << "only the reward";
}

TEST(Refunds, TheDepositOfAPromiseGoesBackToTheContractThatMadeIt) {
    World world = world_with_contract();
    world.add_contract("maker.test",
                       {{"run", [](Host& host) { call(host, kRefunding, "panic", 10 * kTera, kNear); }}});
    const CryptoHash hash = world.send_call("maker.test", "run");
    world.run_until_idle();
    const World::Executed& child = world.child(world.initial(hash), 0);
    EXPECT_EQ(world.child(child, 0).receipt.receiver_id, "maker.test");
    EXPECT_EQ(amount_of(world.child(child, 0)), kNear);
    EXPECT_EQ(world.child(child, 1).receipt.receiver_id, kAlice);
    EXPECT_GE(world.balance("maker.test"), 1000 * kNear);
}

TEST(Refunds, ToAnAccountThatIsGoneFailAndBurnTheTokens) {
    World world = world_with_contract();
    const std::string leaver = "leaver.test";
    world.add_account(leaver, 10 * kNear);
    const CryptoHash call = world.send(leaver, kRefunding, {call_action("panic", 30 * kTera, 2 * kNear)});
    const CryptoHash leave = world.send(leaver, leaver, {{wire::DeleteAccount{kBob}}});
    world.step();
    EXPECT_TRUE(succeeded(world.initial(leave).outcome)) << failure_of(world.initial(leave).outcome);
    const u128 burnt = world.burnt();
    world.run_until_idle();
    const World::Executed& parent = world.initial(call);
    u128 lost = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const World::Executed& refund = world.child(parent, i);
        EXPECT_EQ(kind_of(refund.outcome)["AccountDoesNotExist"]["account_id"], leaver);
        EXPECT_EQ(failure_of(refund.outcome)["ActionError"]["index"], 0);
        EXPECT_EQ(refund.outcome.tokens_burnt, u128{0});
        lost += amount_of(refund);
    }
    EXPECT_GE(world.burnt(), burnt + lost);
}

TEST(Refunds, ADeletionPaysTheBeneficiaryByAReceiptOfTheSystem) {
    World world;
    const CryptoHash hash = world.send(kBob, kBob, {{wire::DeleteAccount{kCarol}}});
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_TRUE(succeeded(parent.outcome)) << failure_of(parent.outcome);
    const World::Executed& payout = world.child(parent, 0);
    EXPECT_EQ(payout.receipt.predecessor_id, kSystemAccount);
    EXPECT_EQ(payout.receipt.receiver_id, kCarol);
    EXPECT_EQ(body_of(payout).signer_id, kSystemAccount);
    EXPECT_EQ(world.balance(kCarol), 1000 * kNear + amount_of(payout));
    EXPECT_FALSE(world.state_of(kBob).account(kBob).has_value());
}

TEST(Refunds, APayoutToAMissingBeneficiaryIsBurnt) {
    World world;
    world.send(kBob, kBob, {{wire::DeleteAccount{"nobody.test"}}});
    world.run_until_idle();
    EXPECT_GT(world.burnt(), 999 * kNear);
}

TEST(Refunds, OfGasRestoreTheAllowanceOfAFunctionCallKey) {
    World world = world_with_contract();
    const sim::SecretKey key = key_of("a function-call key of alice");
    StateUpdate update(world.state_of(kAlice));
    wire::FunctionCallPermission permission;
    permission.allowance = kNear;
    permission.receiver_id = kRefunding;
    update.set_access_key(kAlice, key.public_key(), wire::AccessKey{0, permission});
    update.commit(100);
    const CryptoHash hash = world.send(kAlice, kRefunding, {call_action("quiet", 100 * kTera)}, key);
    world.run_until_idle();
    ASSERT_TRUE(succeeded(world.initial(hash).outcome));
    const Gas spent = world.transaction_outcome(hash).gas_burnt + world.initial(hash).outcome.gas_burnt;
    const auto stored = world.state_of(kAlice).access_key(kAlice, key.public_key());
    EXPECT_EQ(std::get<wire::FunctionCallPermission>(stored->permission).allowance,
              kNear - spent * kGasPrice);
}

TEST(Refunds, KeepToThePurchasePriceWhenTheGasPriceMoves) {
    World world = world_with_contract();
    const u128 before = world.balance(kAlice);
    const CryptoHash hash = world.send_call(kRefunding, "use", 100 * kTera);
    world.step();
    world.block().gas_price = 3 * kGasPrice;
    world.run_until_idle();
    const Gas spent = world.transaction_outcome(hash).gas_burnt + world.initial(hash).outcome.gas_burnt;
    EXPECT_EQ(world.balance(kAlice), before - spent * kGasPrice);
    EXPECT_EQ(world.initial(hash).outcome.tokens_burnt, world.initial(hash).outcome.gas_burnt * kGasPrice);
}

TEST(Refunds, AContractGetsThreeTenthsOfTheGasItsCallBurnt) {
    World world = world_with_contract();
    const CryptoHash hash = world.send_call(kRefunding, "use", 100 * kTera);
    world.run_until_idle();
    const Outcome& outcome = world.initial(hash).outcome;
    const Gas in_call = outcome.gas_burnt - receipt_fee().exec -
                        action_fee(kOld, call_action("use", 100 * kTera), kRefunding).exec;
    EXPECT_GE(in_call, 10 * kTera);
    EXPECT_EQ(world.balance(kRefunding), 1000 * kNear + in_call * 3 / 10 * kGasPrice);
    EXPECT_EQ(outcome.tokens_burnt, outcome.gas_burnt * kGasPrice) << "the reward is shown as burnt";
}

TEST(Refunds, AContractGetsNothingFromVersion87On) {
    World world(2, 87);
    world.add_contract(kRefunding, {{"use", [](Host& host) { host.use_gas(10 * kTera); }}});
    const CryptoHash hash = world.send_call(kRefunding, "use", 100 * kTera);
    world.run_until_idle();
    EXPECT_TRUE(succeeded(world.initial(hash).outcome));
    EXPECT_EQ(world.balance(kRefunding), 1000 * kNear);
}

TEST(Refunds, AttachedGasThatPromisesTookAlongComesBackFromThem) {
    World world = world_with_contract();
    const CryptoHash hash = world.send_call(kRefunding, "pay_bob", 100 * kTera);
    world.run_until_idle();
    const World::Executed& transfer = world.child(world.initial(hash), 0);
    EXPECT_EQ(transfer.receipt.receiver_id, kBob);
    EXPECT_TRUE(transfer.outcome.receipt_ids.empty()) << "a transfer burns all it was given";
    EXPECT_EQ(world.balance(kBob), 1001 * kNear);
}

TEST(Tokens, OfAReceiptAreItsDepositsAndItsGasAtThePurchasePrice) {
    Receipt receipt;
    receipt.predecessor_id = kAlice;
    receipt.receiver_id = kBob;
    ActionReceipt body;
    body.gas_price = 7;
    body.actions = {call_action("x", 5 * kTera, 11), transfer_action(13)};
    receipt.body = body;
    const Gas gas = 5 * kTera + receipt_fee().exec + action_fee(kOld, body.actions[0], kBob).exec +
                    action_fee(kOld, body.actions[1], kBob).exec;
    EXPECT_EQ(gas_in(kOld, receipt), gas);
    EXPECT_EQ(tokens_in(kOld, receipt), u128{gas} * 7 + 24);
    receipt.predecessor_id = kSystemAccount;
    EXPECT_EQ(gas_in(kOld, receipt), 0U) << "nobody bought gas for a refund";
    receipt.body = DataReceipt{};
    EXPECT_EQ(tokens_in(kOld, receipt), u128{0});
}

// --- Version 86: gas is bought dearer than it is burnt ---

constexpr u128 kPurchasePrice = 1'000'000'000;

TEST(Surplus, OfATransferComesBackFromIt) {
    World world(2, 86);
    const u128 before = world.balance(kAlice);
    const CryptoHash hash = world.send(kAlice, kBob, {transfer_action(kNear)});
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(body_of(parent).gas_price, kPurchasePrice);
    EXPECT_EQ(parent.outcome.tokens_burnt, parent.outcome.gas_burnt * kGasPrice);
    ASSERT_EQ(parent.outcome.receipt_ids.size(), 1U);
    const World::Executed& refund = world.child(parent, 0);
    EXPECT_EQ(amount_of(refund), parent.outcome.gas_burnt * (kPurchasePrice - kGasPrice));
    EXPECT_EQ(body_of(refund).signer_id, kAlice);
    EXPECT_EQ(refund.outcome.gas_burnt, 223182562500U);
    EXPECT_EQ(refund.outcome.tokens_burnt, u128{0});
    EXPECT_EQ(before - world.balance(kAlice), kNear + 2 * u128{223182562500} * kGasPrice);
}

TEST(Surplus, AndUnusedGasComeBackInOneRefund) {
    World world = world_with_contract(86);
    const u128 before = world.balance(kAlice);
    const CryptoHash hash = world.send_call(kRefunding, "use", 100 * kTera);
    world.run_until_idle();
    const Outcome& outcome = world.initial(hash).outcome;
    ASSERT_EQ(outcome.receipt_ids.size(), 1U);
    const Gas spent = world.transaction_outcome(hash).gas_burnt + outcome.gas_burnt;
    EXPECT_EQ(before - world.balance(kAlice), spent * kGasPrice);
}

TEST(Surplus, IsOfThePriceOfTheExecutingBlock) {
    World world = world_with_contract(86);
    const CryptoHash hash = world.send_call(kRefunding, "use", 100 * kTera);
    world.step();
    world.block().gas_price = 3 * kGasPrice;
    world.run_until_idle();
    const Outcome& outcome = world.initial(hash).outcome;
    EXPECT_EQ(outcome.tokens_burnt, outcome.gas_burnt * 3 * kGasPrice);
}

TEST(Surplus, IsNoneWhereTheBlockIsAsDearAsThePurchase) {
    World world(2, 86);
    world.block().gas_price = 2 * kPurchasePrice;
    const CryptoHash hash = world.send(kAlice, kBob, {transfer_action(kNear)});
    world.run_until_idle();
    EXPECT_EQ(body_of(world.initial(hash)).gas_price, 2 * kPurchasePrice);
    EXPECT_TRUE(world.initial(hash).outcome.receipt_ids.empty());
}

TEST(Surplus, ComesBackAfterAFailureToo) {
    World world = world_with_contract(86);
    const u128 before = world.balance(kAlice);
    const CryptoHash hash = world.send_call(kRefunding, "panic", 30 * kTera, 7 * kNear);
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    ASSERT_EQ(parent.outcome.receipt_ids.size(), 2U) << "the deposit, then the gas";
    const Gas spent = world.transaction_outcome(hash).gas_burnt + parent.outcome.gas_burnt;
    EXPECT_EQ(before - world.balance(kAlice), spent * kGasPrice);
}

TEST(Surplus, OfADeletedAccountIsBurntAfterThePayout) {
    World world(2, 86);
    const CryptoHash hash = world.send(kBob, kBob, {{wire::DeleteAccount{kCarol}}});
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    ASSERT_EQ(parent.outcome.receipt_ids.size(), 2U);
    EXPECT_EQ(world.child(parent, 0).receipt.receiver_id, kCarol);
    const World::Executed& refund = world.child(parent, 1);
    EXPECT_EQ(body_of(refund).signer_id, kBob);
    EXPECT_EQ(kind_of(refund.outcome)["AccountDoesNotExist"]["account_id"], kBob);
}

TEST(NewAccounts, CostSevenThousandthsOfATokenInAll) {
    constexpr u128 kCharge = kNear * 7 / 1000;
    const Gas creation = 7'200'000'000'000;
    for (const std::string& receiver :
         {std::string(64, 'a'), "0x" + std::string(40, 'b'), "0s" + std::string(40, 'c')}) {
        World world(2, 86);
        const u128 before = world.balance(kAlice);
        const CryptoHash hash = world.send(kAlice, receiver, {transfer_action(kNear)});
        world.run_until_idle();
        const Outcome& outcome = world.initial(hash).outcome;
        const u128 charge = kCharge - creation * kGasPrice;
        EXPECT_EQ(outcome.tokens_burnt, outcome.gas_burnt * kGasPrice + charge);
        const Gas spent = world.transaction_outcome(hash).gas_burnt + outcome.gas_burnt;
        EXPECT_EQ(before - world.balance(kAlice), kNear + spent * kGasPrice + charge);
        EXPECT_EQ(world.balance(receiver), kNear) << "the charge is the signer's";
    }
}

TEST(NewAccounts, ThatAFailedReceiptWouldHaveMadeCostNothing) {
    World world(2, 86);
    const std::string id = "new." + kAlice;
    const CryptoHash hash = world.send(kAlice, id, {{wire::CreateAccount{}}, {wire::CreateAccount{}}});
    world.run_until_idle();
    const Outcome& outcome = world.initial(hash).outcome;
    EXPECT_FALSE(succeeded(outcome));
    EXPECT_EQ(outcome.tokens_burnt, outcome.gas_burnt * kGasPrice);
}

TEST(NewAccounts, PayNoMoreThanTheSurplus) {
    World world(2, 86);
    world.block().gas_price = kPurchasePrice * 999 / 1000;
    const CryptoHash hash = world.send(kAlice, "new." + kAlice, {{wire::CreateAccount{}}});
    world.run_until_idle();
    const Outcome& outcome = world.initial(hash).outcome;
    EXPECT_EQ(outcome.tokens_burnt, outcome.gas_burnt * world.block().gas_price)
        << "the gas of the creation is dearer than the charge";
}

TEST(Outcomes, NameTheContractsThatRan) {
    World world = world_with_contract(86);
    const CryptoHash call = world.send_call(kRefunding, "use");
    const CryptoHash transfer = world.send(kAlice, kBob, {transfer_action(kNear)});
    world.run_until_idle();
    const auto& contracts = world.initial(call).outcome.contracts;
    ASSERT_TRUE(contracts && contracts->size() == 1);
    EXPECT_EQ(std::get<LocalCode>(contracts->front().value()).hash,
              chain::sha256(chain::bytes_of("contract of " + kRefunding)));
    EXPECT_EQ(world.initial(transfer).outcome.contracts,
              std::optional(std::vector<std::optional<RunContract>>(1)));
    EXPECT_FALSE(world.transaction_outcome(call).contracts);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
