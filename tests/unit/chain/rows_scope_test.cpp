#include "chain/rows/rows.hpp"

#include "chain/tree/lineage.hpp"
#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::ChainBuilder;
using testing::data_receipt;
using testing::executed;
using testing::read_rows;
using testing::row_with;
using testing::swap_chain;
using testing::transaction;

const Scope kWholeChain{};

RowBatch rows_in_scope(const ChainBuilder& chain, const Scope& scope = kWholeChain) {
    Lineage lineage;
    RowBatch batch;
    for (const auto& block : chain.blocks())
        batch.append(whole_block_rows(block, std::nullopt, scope, lineage));
    return batch;
}

TEST(WholeBlockRows, AParentThatStandsForItsChildrenHasOneRow) {
    ChainBuilder chain;
    auto& whole = chain.add_block(10, 3);
    whole.block.chunks[0].shard_id = 7;
    whole.block.chunks[0].height_included = 9;
    whole.block.chunks[1] = whole.block.chunks[0];
    whole.shards[0].chunk_header = whole.shards[1].chunk_header = std::nullopt;
    const auto batch = rows_in_scope(chain);
    EXPECT_EQ(read_rows(batch, Table::blocks).at(0)["shard_count"], "3");
    const auto chunks = read_rows(batch, Table::chunks);
    ASSERT_EQ(chunks.size(), 4u);
    for (const char* shard : {"0", "1", "7"}) EXPECT_EQ(row_with(chunks, "shard_id", shard)["missing"], "t");
    EXPECT_EQ(row_with(chunks, "shard_id", "2")["missing"], "f");
}

TEST(WholeBlockRows, ScopeHeadersStoresBlocksAndChunksOnly) {
    const auto batch = rows_in_scope(swap_chain(), {ScopeKind::headers, {}, {}});
    EXPECT_EQ(batch[Table::blocks].rows, 5u);
    EXPECT_EQ(batch[Table::chunks].rows, 10u);
    EXPECT_EQ(batch.rows(), 15u);
}

TEST(WholeBlockRows, ScopeAccountsSelectsWholeTrees) {
    auto batch = rows_in_scope(swap_chain(), {ScopeKind::accounts, {"alice.near"}, {}});
    EXPECT_EQ(batch[Table::transactions].rows, 1u);
    EXPECT_EQ(batch[Table::receipts].rows, 4u);
    EXPECT_EQ(batch[Table::data_receipts].rows, 1u);
    batch = rows_in_scope(swap_chain(), {ScopeKind::accounts, {"nobody.near"}, {}});
    EXPECT_EQ(batch.rows(), 15u);
}

// A tree of others: R2 touches watched.near, R3 and R4 are below it.
ChainBuilder chain_of_others() {
    ChainBuilder chain;
    auto& sent = chain.add_block(10).shards[0];
    sent.transactions.push_back(transaction("TX", "a.near", "b.near", "R1"));
    chain.add_block(11).shards[0].executed.push_back(
        executed(action_receipt("R1", "a.near", "b.near", "a.near"), {"R2", "other"}));
    auto& shard = chain.add_block(12).shards[0];
    shard.executed.push_back(executed(action_receipt("R2", "b.near", "watched.near", "a.near"), {"R3"}));
    shard.executed.push_back(executed(action_receipt("other", "b.near", "c.near", "a.near")));
    chain.add_block(13).shards[0].executed.push_back(
        executed(action_receipt("R3", "watched.near", "d.near", "a.near"), {"R4"}));
    chain.add_block(14).shards[0].executed.push_back(
        executed(action_receipt("R4", "d.near", "e.near", "a.near")));
    return chain;
}

TEST(WholeBlockRows, ScopeAccountsStoresWhatIsBelowTheAccountsReceiptsThoughMemoryHasNoRoomForIt) {
    Lineage lineage(0);
    const Scope scope{ScopeKind::accounts, {"watched.near"}, {}};
    std::vector<std::string> stored;
    const auto chain = chain_of_others();
    for (const auto& block : chain.blocks()) {
        const auto batch = whole_block_rows(block, std::nullopt, scope, lineage);
        for (auto& row : read_rows(batch, Table::receipts)) stored.push_back(*row["receipt_id"]);
    }
    EXPECT_EQ(stored, (std::vector<std::string>{"R2", "R3", "R4"}));
    EXPECT_FALSE(lineage.holds_in_scope("R4")) << "a receipt executes once";
}

TEST(WholeBlockRows, ScopeAccountsFollowsATreeFromTheReceiptThatTouchesTheAccount) {
    const auto batch = rows_in_scope(chain_of_others(), {ScopeKind::accounts, {"watched.near"}, {}});
    const auto receipts = read_rows(batch, Table::receipts);
    ASSERT_EQ(receipts.size(), 3u);
    EXPECT_EQ(receipts[0]["receipt_id"], "R2");
    EXPECT_EQ(receipts[0]["tree_id"], "TX");
    EXPECT_EQ(receipts[0]["parent_receipt_id"], "R1");
    EXPECT_EQ(receipts[2]["receipt_id"], "R4");
    EXPECT_EQ(batch[Table::transactions].rows, 0u);
    EXPECT_EQ(batch[Table::orphan_receipts].rows, 0u);
}

TEST(WholeBlockRows, ScopeAccountsSeesWhoActsBehindARelayer) {
    ChainBuilder chain;
    auto item = transaction("TX", "relayer.near", "user.near", "R");
    Action delegate;
    delegate.kind = ActionKind::delegate;
    delegate.delegate_sender_id = "user.near";
    delegate.delegate_receiver_id = "app.near";
    item.transaction.actions = {delegate};
    chain.add_block(10).shards[0].transactions.push_back(item);
    EXPECT_EQ(rows_in_scope(chain, {ScopeKind::accounts, {"app.near"}, {}})[Table::transactions].rows, 1u);
    EXPECT_EQ(rows_in_scope(chain, {ScopeKind::accounts, {"user.near"}, {}})[Table::transactions].rows, 1u);
    EXPECT_EQ(rows_in_scope(chain, {ScopeKind::accounts, {"other.near"}, {}})[Table::transactions].rows, 0u);
}

TEST(WholeBlockRows, TheLineageForgetsWhatNeverExecutes) {
    ChainBuilder chain;
    Lineage lineage(20);
    for (BlockHeight height = 100; height < 400; ++height) {
        auto& whole = chain.add_block(height);
        const auto child = chain.own("child " + std::to_string(height));
        const auto id = chain.own("receipt " + std::to_string(height));
        whole.shards[0].executed.push_back(
            executed(action_receipt(id, "a.near", "b.near", "s.near"), {child}));
        whole_block_rows(whole, std::nullopt, kWholeChain, lineage);
    }
    EXPECT_LE(lineage.size(), 20u);
}

TEST(BlockRows, TransactionsWaitForTheirTrees) {
    ChainBuilder chain;
    const auto& block = chain.add_block(10, 2).block;
    Chunk chunk;
    chunk.header = block.chunks[1];
    chunk.transactions = {transaction("TX1", "a.near", "b.near", "").transaction,
                          transaction("TX2", "c.near", "b.near", "").transaction};
    chunk.receipts = {data_receipt("DR", "D", "a.near", "b.near"),
                      action_receipt("R", "a.near", "b.near", "s.near")};
    const auto batch = block_rows(block, {&chunk}, 9, kWholeChain);
    const auto transactions = read_rows(batch, Table::transactions);
    ASSERT_EQ(transactions.size(), 2u);
    EXPECT_EQ(transactions[1]["tx_hash"], "TX2");
    EXPECT_EQ(transactions[1]["tree_id"], "TX2");
    EXPECT_EQ(transactions[1]["shard_id"], "1");
    EXPECT_EQ(transactions[1]["index_in_chunk"], "1");
    EXPECT_EQ(transactions[1]["status"], std::nullopt);
    EXPECT_EQ(transactions[1]["tokens_burnt"], std::nullopt);
    const auto pending = read_rows(batch, Table::pending_trees);
    ASSERT_EQ(pending.size(), 2u);
    EXPECT_EQ(pending[0]["tx_hash"], "TX1");
    EXPECT_EQ(pending[0]["sender_id"], "a.near");
    EXPECT_EQ(pending[0]["block_hash"], "block-10");
    EXPECT_EQ(pending[0]["timestamp_nanosec"], "1600000006000000000");
    const auto data = read_rows(batch, Table::data_receipts);
    ASSERT_EQ(data.size(), 1u);
    EXPECT_EQ(data[0]["tree_id"], "DR");
    EXPECT_EQ(data[0]["tx_hash"], std::nullopt);
    EXPECT_EQ(batch[Table::receipts].rows, 0u);
    EXPECT_EQ(batch[Table::chunks].rows, 2u);
    EXPECT_EQ(batch[Table::orphan_receipts].rows, 0u);
    EXPECT_EQ(batch.facts.covered, base::HeightSet({10, 10}));

    const auto one = block_rows(block, {&chunk}, 9, {ScopeKind::accounts, {"c.near"}, {}});
    EXPECT_EQ(one[Table::transactions].rows, 1u);
    EXPECT_EQ(one[Table::pending_trees].rows, 1u);
    EXPECT_EQ(one[Table::data_receipts].rows, 0u);
    chunk.receipts[0].is_promise_resume = true;
    for (const bool timed_out : {false, true}) {
        if (timed_out) chunk.receipts[0].data.reset();
        const auto resumed = block_rows(block, {&chunk}, 9, {ScopeKind::accounts, {"c.near"}, {}});
        EXPECT_EQ(resumed[Table::data_receipts].rows, 1u) << "a tree in scope may have made the yield";
    }
    const auto headers = block_rows(block, {&chunk}, 9, {ScopeKind::headers, {}, {}});
    EXPECT_EQ(headers.rows(), 3u);
}

TEST(RowBatch, AppendingKeepsRowsBlocksAndHeights) {
    ChainBuilder chain;
    chain.add_block(10);
    chain.add_block(12);
    Lineage lineage;
    RowBatch batch;
    batch.append(whole_block_rows(chain.blocks()[0], std::nullopt, kWholeChain, lineage));
    auto second = whole_block_rows(chain.blocks()[1], 10, kWholeChain, lineage);
    second.facts.covered.add(11);
    const auto bytes = batch.bytes() + second.bytes();
    batch.append(std::move(second));
    EXPECT_EQ(batch.rows(), 4u);
    EXPECT_EQ(batch.bytes(), bytes);
    ASSERT_EQ(batch.facts.blocks.size(), 2u);
    EXPECT_EQ(batch.facts.blocks[1].height, 12u);
    EXPECT_EQ(batch.facts.covered, base::HeightSet({10, 12}));
    EXPECT_EQ(read_rows(batch, Table::blocks).size(), 2u);
}

}  // namespace
}  // namespace receiptd::chain
