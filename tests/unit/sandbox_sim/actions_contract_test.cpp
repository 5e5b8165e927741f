#include "sandbox/sim/global_contracts.hpp"

#include "action_stage.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;
using testing::IsEmpty;
using testing::SizeIs;

const Bytes kCode = raw("global contract");

const std::vector<wire::Action>& actions_of(const Receipt& receipt) {
    return std::get<ActionReceipt>(receipt.body).actions;
}

struct GlobalContractActions : ActionStage {
    wire::Action deploy(wire::GlobalContractDeployMode mode) {
        return {wire::DeployGlobalContract{kCode, mode}};
    }
    wire::Action by_hash() { return deploy(wire::GlobalContractDeployMode::code_hash); }
    wire::Action by_account() { return deploy(wire::GlobalContractDeployMode::account_id); }
    wire::Action use(wire::GlobalContractId contract) {
        return {wire::UseGlobalContract{std::move(contract)}};
    }
    // The contract that alice deploys comes to this shard.
    Result deployed(const wire::Action& action) {
        Result result = run("alice.test", "alice.test", {action});
        EXPECT_THAT(result.new_receipts, SizeIs(1));
        for (const Receipt& receipt : result.new_receipts) take(receipt);
        return result;
    }
    // The receipts that go on.
    std::vector<Receipt> take(const Receipt& receipt) {
        ShardQueues queues;
        Contracts contracts;
        ShardResult shard;
        ChunkFrame chunk{state, queues, block, contracts, shard};
        take_global_contract(chunk, receipt);
        return shard.outgoing;
    }
};

TEST_F(GlobalContractActions, CodeIsDeployedByItsHashAndUsedByAnybody) {
    const Result result = deployed(by_hash());
    EXPECT_TRUE(result.error.is_null());
    EXPECT_EQ(result.tokens_burnt, kCode.size() * 10 * kStoragePricePerByte);
    EXPECT_EQ(amount("alice.test"), 100 * kOneToken - result.tokens_burnt);
    EXPECT_FALSE(state.contract_hash("alice.test"));

    EXPECT_TRUE(own("bob.test", {use(chain::sha256(kCode))}).is_null());
    EXPECT_EQ(state.contract_hash("bob.test"), chain::sha256(kCode));
    EXPECT_EQ(state.account("bob.test")->storage_usage, 182U + 32);
}

TEST_F(GlobalContractActions, CodeThatAnAccountDeploysChangesForAllWhoUseIt) {
    deployed(by_account());
    EXPECT_TRUE(own("bob.test", {use("alice.test")}).is_null());
    EXPECT_EQ(state.code("bob.test"), kCode);
    block.height = 201;
    const wire::Action newer{
        wire::DeployGlobalContract{raw("newer"), wire::GlobalContractDeployMode::account_id}};
    deployed(newer);
    EXPECT_EQ(state.code("bob.test"), raw("newer"));
    EXPECT_EQ(state.code("bob.test", 200), kCode);
}

TEST_F(GlobalContractActions, AContractThatNobodyDeployedDoesNotExist) {
    EXPECT_EQ(own("bob.test", {use("alice.test")}),
              (Json{{"GlobalContractDoesNotExist", {{"identifier", {{"account_id", "alice.test"}}}}}}));
    const CryptoHash hash = chain::sha256(kCode);
    EXPECT_EQ(own("bob.test", {use(hash)}),
              (Json{{"GlobalContractDoesNotExist", {{"identifier", {{"hash", hash.to_string()}}}}}}));
}

TEST_F(GlobalContractActions, DeployingCostsTokensForGood) {
    const u128 price = kCode.size() * 10 * kStoragePricePerByte;
    set_amount("alice.test", price - 1);
    EXPECT_EQ(own("alice.test", {by_hash()}),
              (Json{{"LackBalanceForState", {{"account_id", "alice.test"}, {"amount", decimal(price)}}}}));
}

TEST_F(GlobalContractActions, CodeOfOnesOwnTakesThePlaceOfAGlobalContract) {
    deployed(by_hash());
    EXPECT_TRUE(own("alice.test", {use(chain::sha256(kCode))}).is_null());
    EXPECT_TRUE(own("alice.test", {{wire::DeployContract{raw("own")}}}).is_null());
    EXPECT_EQ(state.code("alice.test"), raw("own"));
    EXPECT_FALSE(state.account("alice.test")->global_contract);
}

TEST_F(GlobalContractActions, AContractCannotBeUsedInTheReceiptThatDeploysIt) {
    EXPECT_TRUE(own("alice.test", {by_account(), use("alice.test")}).contains("GlobalContractDoesNotExist"));
    EXPECT_EQ(StateUpdate(state).global_contract_nonce("alice.test"), 0U) << "nothing was deployed";
}

TEST_F(GlobalContractActions, ADeploymentThatALaterOneOvertookGoesOnWithoutItsCode) {
    block.shard_ids = {0, 1};
    const auto first = run("alice.test", "alice.test", {by_account()}).new_receipts;
    const wire::Action newer{
        wire::DeployGlobalContract{raw("newer"), wire::GlobalContractDeployMode::account_id}};
    const auto second = run("alice.test", "alice.test", {newer}).new_receipts;
    take(second.front());
    EXPECT_THAT(take(first.front()), SizeIs(1));
    EXPECT_EQ(state.global_contract("alice.test"), raw("newer"));
}

struct StateInits : GlobalContractActions {
    void SetUp() override {
        GlobalContractActions::SetUp();
        deployed(by_account());
        action.state_init.code = std::string("alice.test");
        action.state_init.data = {{raw("k"), raw("v")}};
    }
    std::string id() { return wire::deterministic_account(action.state_init); }
    Result init(u128 deposit = 0) {
        action.deposit = deposit;
        return run("bob.test", id(), {{action}});
    }
    wire::DeterministicStateInit action;
};

TEST_F(StateInits, MakeTheAccountWithContractAndData) {
    EXPECT_TRUE(init().error.is_null());
    EXPECT_EQ(state.code(id()), kCode);
    EXPECT_EQ(state.data(id(), "k"), "v");
    EXPECT_EQ(state.account(id())->storage_usage, 100U + 10 + 42);
    EXPECT_TRUE(state.access_keys(id()).empty());
}

TEST_F(StateInits, FillAnAccountThatATransferMade) {
    EXPECT_TRUE(error_of("bob.test", id(), {transfer(5)}).is_null());
    EXPECT_TRUE(init().error.is_null());
    EXPECT_EQ(state.code(id()), kCode);
    EXPECT_EQ(amount(id()), 5U);
}

TEST_F(StateInits, ReturnADepositThatTheStorageDoesNotNeed) {
    const Result result = init(50);
    EXPECT_EQ(amount(id()), 0U);
    ASSERT_THAT(result.new_receipts, SizeIs(1));
    EXPECT_EQ(result.new_receipts.front().predecessor_id, "system");
    EXPECT_EQ(result.new_receipts.front().receiver_id, "bob.test");
    EXPECT_EQ(actions_of(result.new_receipts.front()), std::vector<wire::Action>{transfer(50)});
}

TEST_F(StateInits, KeepWhatTheStorageNeeds) {
    action.state_init.data.emplace_back(raw("large"), Bytes(1000));
    const u128 needed = (152 + 1045) * kStoragePricePerByte;
    const Result result = init(needed + 7);
    EXPECT_EQ(amount(id()), needed);
    ASSERT_THAT(result.new_receipts, SizeIs(1));
    EXPECT_EQ(actions_of(result.new_receipts.front()), std::vector<wire::Action>{transfer(7)});
}

TEST_F(StateInits, KeepAllOfADepositThatIsTooSmall) {
    action.state_init.data.emplace_back(raw("large"), Bytes(1000));
    const Result result = init(9);
    EXPECT_EQ(amount(id()), 9U);
    EXPECT_THAT(result.new_receipts, IsEmpty());
    // The receipt as a whole then fails.
    EXPECT_TRUE(check_storage_stake(id(), *state.account(id())));
}

TEST_F(StateInits, DoNothingToAnAccountThatHasItsContract) {
    EXPECT_TRUE(init().error.is_null());
    change(state, 201, [&](StateUpdate& u) { u.set_data(id(), "k", "later"); });
    block.height = 202;
    const Result again = init(50);
    EXPECT_TRUE(again.error.is_null());
    EXPECT_EQ(state.data(id(), "k"), "later");
    EXPECT_THAT(again.new_receipts, SizeIs(1));
}

TEST_F(StateInits, NeedAContractThatExists) {
    action.state_init.code = std::string("nobody.test");
    EXPECT_EQ(init().error,
              (Json{{"GlobalContractDoesNotExist", {{"identifier", {{"account_id", "nobody.test"}}}}}}));
    EXPECT_FALSE(state.account(id()));
}

TEST_F(StateInits, MakeNobodyTheOwner) {
    const wire::Action thief{wire::AddKey{public_of("thief"), full_access()}};
    EXPECT_EQ(error_of("bob.test", id(), {{action}, thief}),
              (Json{{"ActorNoPermission", {{"account_id", id()}, {"actor_id", "bob.test"}}}}));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
