#include "world.hpp"

#include "sandbox/sim/derive.hpp"

#include <gmock/gmock.h>

namespace receiptd::sandbox::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// There are three shards: carol has 0, alice 1 and bob 2.
struct GlobalContracts : testing::Test {
    GlobalContracts() : world(3) { world.block().shard_ids = {1, 2, 0}; }

    CryptoHash deploy(wire::GlobalContractDeployMode mode = wire::GlobalContractDeployMode::account_id) {
        return world.send(kBob, kBob, {{wire::DeployGlobalContract{{'c', 'o', 'd', 'e'}, mode}}});
    }
    CryptoHash use(const std::string& user, wire::GlobalContractId contract = kBob) {
        return world.send(user, user, {{wire::UseGlobalContract{std::move(contract)}}});
    }
    // The only one under way.
    const Receipt& under_way() {
        const Receipt* found = nullptr;
        for (const std::string& account : {kAlice, kBob, kCarol})
            for (const Receipt& receipt : world.result(account).outgoing)
                if (std::holds_alternative<GlobalContractReceipt>(receipt.body)) found = &receipt;
        return *found;
    }
    const GlobalContractReceipt& contract() { return std::get<GlobalContractReceipt>(under_way().body); }
    std::size_t shards_with_it() {
        std::size_t count = 0;
        for (const std::string& account : {kAlice, kBob, kCarol})
            count += world.state_of(account).global_contract(kBob).has_value();
        return count;
    }

    World world;
};

TEST_F(GlobalContracts, ComeToTheirOwnShardAndThenToTheOthersInTheOrderOfTheLayout) {
    const CryptoHash hash = deploy();
    world.step();
    const auto& deployed = world.initial(hash);
    EXPECT_EQ(shards_with_it(), 0U) << "it comes to its own shard by a receipt, too";
    std::vector<std::uint64_t> delivered;
    auto id = child_receipt_id(deployed.outcome.id, deployed.height, 0);
    for (const std::uint64_t next : {2, 1, 0}) {
        EXPECT_EQ(under_way().receipt_id, id);
        EXPECT_EQ(under_way().predecessor_id, kBob);
        EXPECT_EQ(under_way().receiver_id, kSystemAccount);
        EXPECT_EQ(contract().target_shard, next);
        EXPECT_EQ(contract().already_delivered_shards, delivered);
        delivered.insert(std::upper_bound(delivered.begin(), delivered.end(), next), next);
        world.step();
        EXPECT_EQ(shards_with_it(), delivered.size());
        id = child_receipt_id(id, world.block().height, 0);
    }
    EXPECT_FALSE(world.is_busy());
}

TEST_F(GlobalContracts, AreInNoTreeAndHaveNoOutcome) {
    const CryptoHash hash = deploy();
    world.step();
    EXPECT_THAT(world.initial(hash).outcome.receipt_ids, IsEmpty());
    const CryptoHash id = under_way().receipt_id;
    world.run_until_idle();
    EXPECT_FALSE(world.has_outcome(id));
}

TEST_F(GlobalContracts, AreUnknownOnAShardThatTheyDidNotComeToYet) {
    deploy();
    world.step();
    const std::uint64_t first = contract().target_shard;
    world.step();
    const std::uint64_t second = contract().target_shard;
    ASSERT_NE(first, second);
    std::map<std::string, CryptoHash> used;
    for (const std::string& account : {kAlice, kBob, kCarol}) used[account] = use(account);
    world.step();  // the second shard gets it after the transaction
    for (const auto& [account, hash] : used) {
        const Outcome& outcome = world.initial(hash).outcome;
        if (world.shard_of(account) == first)
            EXPECT_TRUE(succeeded(outcome)) << account;
        else
            EXPECT_EQ(kind_of(outcome)["GlobalContractDoesNotExist"]["identifier"]["account_id"], kBob);
    }
    world.run(3);
    for (const std::string& account : {kAlice, kBob, kCarol}) used[account] = use(account);
    world.step();
    for (const auto& [account, hash] : used) EXPECT_TRUE(succeeded(world.initial(hash).outcome)) << account;
}

TEST_F(GlobalContracts, CountTheirDeploymentsByContract) {
    deploy();
    world.step();
    EXPECT_EQ(contract().nonce, 1U);
    world.run_until_idle();
    deploy();
    world.step();
    EXPECT_EQ(contract().nonce, 2U);
    world.run_until_idle();
    deploy(wire::GlobalContractDeployMode::code_hash);
    world.step();
    EXPECT_EQ(contract().nonce, 1U) << "by its hash it is another contract";
}

TEST_F(GlobalContracts, WaitForGasAsOtherReceipts) {
    deploy();
    world.step();
    world.send(kBob, kAlice, {{wire::Transfer{1}}});  // takes the gas of the shard's next chunk
    world.set_gas_limit(1);
    world.step();
    EXPECT_EQ(shards_with_it(), 0U);
    world.step();
    EXPECT_EQ(shards_with_it(), 1U);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
