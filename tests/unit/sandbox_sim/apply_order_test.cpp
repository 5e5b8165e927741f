#include "world.hpp"

namespace receiptd::sandbox::sim {
namespace {

const std::string kBusy = "busy.test";

Receipt receipt_for(const std::string& receiver, std::uint8_t id, std::vector<CryptoHash> awaits = {}) {
    Receipt receipt;
    receipt.receipt_id.bytes[0] = id;
    receipt.predecessor_id = kSystemAccount;  // free, so that nothing else is made
    receipt.receiver_id = receiver;
    ActionReceipt body;
    body.signer_id = kSystemAccount;
    body.input_data_ids = std::move(awaits);
    body.actions.push_back(transfer_action(1));
    receipt.body = body;
    return receipt;
}
Receipt data_for(const std::string& receiver, const CryptoHash& data_id) {
    Receipt receipt;
    receipt.receiver_id = receiver;
    receipt.body = DataReceipt{data_id, bytes("v"), false};
    return receipt;
}
CryptoHash hash_of(std::string_view name) { return chain::sha256(chain::bytes_of(name)); }

std::vector<int> executed_ids(const ShardResult& result) {
    std::vector<int> ids;
    for (const ExecutedReceipt& done : result.executed) ids.push_back(done.receipt.receipt_id.bytes[0]);
    return ids;
}

// One shard without transactions.
struct Shard {
    State state;
    ShardQueues queues;
    Contracts contracts;
    BlockContext block;

    Shard() {
        StateUpdate update(state);
        update.set_account(kBob, {kNear, 0, {}, 0, {}});
        update.commit(1);
        block.height = 1;
    }
    ShardResult apply(std::vector<Receipt> incoming) {
        ++block.height;
        ShardInput input;
        input.incoming = std::move(incoming);
        return apply_shard(state, queues, block, std::move(input), contracts);
    }
};

TEST(Postponed, AReceiptWaitsForItsData) {
    Shard shard;
    ShardResult result = shard.apply({receipt_for(kBob, 1, {hash_of("d")})});
    EXPECT_TRUE(result.executed.empty());
    ASSERT_EQ(result.postponed.size(), 1U);
    EXPECT_EQ(result.postponed[0].bytes[0], 1);
    EXPECT_EQ(shard.queues.postponed_count(), 1U);
    result = shard.apply({data_for(kBob, hash_of("d"))});
    EXPECT_EQ(executed_ids(result), (std::vector<int>{1}));
    EXPECT_EQ(shard.queues.postponed_count(), 0U);
}

TEST(Postponed, DataThatComesFirstWaitsForItsReceipt) {
    Shard shard;
    EXPECT_TRUE(shard.apply({data_for(kBob, hash_of("d"))}).executed.empty());
    const ShardResult result = shard.apply({receipt_for(kBob, 1, {hash_of("d")})});
    EXPECT_EQ(executed_ids(result), (std::vector<int>{1}));
    EXPECT_TRUE(result.postponed.empty());
}

TEST(Postponed, AReceiptWithSeveralDataWaitsForTheLast) {
    Shard shard;
    shard.apply({data_for(kBob, hash_of("b"))});
    EXPECT_EQ(
        shard.apply({receipt_for(kBob, 1, {hash_of("a"), hash_of("b"), hash_of("c")})}).postponed.size(), 1U);
    EXPECT_TRUE(shard.apply({data_for(kBob, hash_of("c"))}).executed.empty());
    EXPECT_EQ(executed_ids(shard.apply({data_for(kBob, hash_of("a"))})), (std::vector<int>{1}));
}

TEST(Postponed, AReceiptIsExecutedWhereItsLastDataStandsInTheOrder) {
    Shard shard;
    const ShardResult result = shard.apply({receipt_for(kBob, 1, {hash_of("d")}), receipt_for(kBob, 2),
                                            data_for(kBob, hash_of("d")), receipt_for(kBob, 3)});
    EXPECT_EQ(executed_ids(result), (std::vector<int>{2, 1, 3}));
    EXPECT_EQ(result.postponed.size(), 1U) << "even if only for a moment";
}

TEST(Postponed, DataThatNobodyWaitsForIsKeptAndHarmsNothing) {
    Shard shard;
    shard.apply({data_for(kBob, hash_of("d")), data_for("nobody.test", hash_of("e"))});
    EXPECT_EQ(executed_ids(shard.apply({receipt_for(kBob, 1)})), (std::vector<int>{1}));
}

// `spin` burns 100 Tgas.
World busy_world() {
    World world(1);
    world.add_contract(kBusy, {{"spin", [](Host& host) { host.use_gas(100 * kTera); }}});
    return world;
}

TEST(Delayed, WhatDoesNotFitIsExecutedInTheNextBlocksInItsOrder) {
    World world = busy_world();
    world.set_gas_limit(250 * kTera);
    std::vector<CryptoHash> calls;
    for (int i = 0; i < 7; ++i) calls.push_back(world.send_call(kBusy, "spin", 110 * kTera));
    world.step();
    world.step();
    EXPECT_EQ(world.result(kBusy).executed.size(), 3U);
    EXPECT_EQ(world.result(kBusy).delayed.size(), 4U);
    EXPECT_EQ(world.queues(kBusy).delayed_count(), 4U);
    EXPECT_GT(world.queues(kBusy).delayed_gas(), u128{4 * 110 * kTera});
    world.step();
    world.step();
    EXPECT_EQ(world.queues(kBusy).delayed_count(), 0U);
    EXPECT_EQ(world.queues(kBusy).delayed_gas(), u128{0});
    const std::vector<Height> heights{102, 102, 102, 103, 103, 103, 104};
    for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(world.initial(calls[i]).height, heights[i]) << i;
}

TEST(Delayed, ReceiptsGoBeforeIncomingOnesAndLocalOnesBeforeThem) {
    World world = busy_world();
    world.set_gas_limit(1);
    const CryptoHash delayed = world.send_call(kBusy, "spin", 110 * kTera);
    world.step();
    world.send(kBob, kBob, {transfer_action(1)});  // its conversion uses up the gas of the block
    world.step();
    EXPECT_EQ(world.result(kBusy).delayed.size(), 2U) << "the incoming and the local receipt";
    const CryptoHash incoming = world.send_call(kBusy, "spin", 110 * kTera);
    world.step();
    world.set_gas_limit(1000 * kTera);
    const CryptoHash local = world.send(kBob, kBob, {transfer_action(1)});
    world.step();
    const std::vector<ExecutedReceipt>& executed = world.result(kBusy).executed;
    ASSERT_GE(executed.size(), 4U);
    EXPECT_EQ(executed[0].receipt.receipt_id, world.initial(local).receipt.receipt_id);
    EXPECT_TRUE(executed[0].is_local);
    EXPECT_EQ(executed[1].receipt.receiver_id, kBob) << "the local receipt delayed before";
    EXPECT_FALSE(executed[1].is_local);
    EXPECT_EQ(executed[2].receipt.receipt_id, world.initial(delayed).receipt.receipt_id);
    EXPECT_EQ(executed[3].receipt.receipt_id, world.initial(incoming).receipt.receipt_id);
}

TEST(Delayed, TransactionsAreConvertedWhateverTheGas) {
    World world = busy_world();
    world.set_gas_limit(1);
    const CryptoHash first = world.send(kAlice, kBob, {transfer_action(1)});
    const CryptoHash second = world.send(kAlice, kBob, {transfer_action(1)});
    world.step();
    EXPECT_TRUE(succeeded(world.transaction_outcome(first)));
    EXPECT_TRUE(succeeded(world.transaction_outcome(second)));
}

TEST(Delayed, AShardWithoutGasDoesNothingUntilItHasSome) {
    World world = busy_world();
    world.set_gas_limit(0);
    const CryptoHash hash = world.send(kAlice, kBob, {transfer_action(1)});
    world.run(5);
    EXPECT_EQ(world.queues(kBob).delayed_count(), 1U);
    world.set_gas_limit(1000 * kTera);
    world.step();
    EXPECT_EQ(world.initial(hash).height, 106U);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
