// Source rpc: receipts that touch a followed account, of whatever transaction.
#include "chain/rows/rows.hpp"
#include "chain/tree/live_trees.hpp"

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
using testing::transaction;

class ListedReceipts : public ::testing::Test {
protected:
    ListedReceipts() {
        chunk_.receipts = {action_receipt("R1", "dex.near", "token.near", "alice.near"),
                           action_receipt("R2", "token.near", "dex.near", "bob.near"),
                           action_receipt("R3", "dex.near", "other.near", "carol.near"),
                           action_receipt("R1", "dex.near", "token.near", "alice.near"),
                           data_receipt("R4", "D", "dex.near", "token.near")};
    }
    RowBatch rows(const Scope& scope) {
        const auto& block = chain_.add_block(10, 2).block;
        chunk_.header = block.chunks[1];
        return block_rows(block, {&chunk_}, 9, scope);
    }
    ChainBuilder chain_;
    Chunk chunk_;
};

TEST_F(ListedReceipts, AreRememberedIfTheyTouchAFollowedAccount) {
    const auto batch = rows({ScopeKind::accounts, {"token.near"}, {}});
    ASSERT_EQ(batch.listed.size(), 2u) << "each once, and no data";
    EXPECT_EQ(batch.listed[0].receipt_id, "R1");
    EXPECT_EQ(batch.listed[0].receiver_id, "token.near");
    EXPECT_EQ(batch.listed[0].signer_id, "alice.near");
    EXPECT_EQ(batch.listed[0].height, 10u);
    EXPECT_EQ(batch.listed[1].receipt_id, "R2");
}

TEST_F(ListedReceipts, AreNobodysBusinessWithOtherScopes) {
    EXPECT_TRUE(rows({}).listed.empty());
    EXPECT_TRUE(rows({ScopeKind::headers, {}, {}}).listed.empty());
}

TEST_F(ListedReceipts, OfSeveralBlocksComeTogether) {
    auto batch = rows({ScopeKind::accounts, {"token.near"}, {}});
    auto other = batch;
    batch.append(std::move(other));
    EXPECT_EQ(batch.listed.size(), 4u);
}

TEST(FoundTransactions, AreRowsAsIfTheirBlockWereFollowed) {
    const auto sent = transaction("TX", "a.near", "b.near", "");
    const BlockRef block{7, "block-7", "block-6", 6, 7'000'000'000};
    const auto batch = found_transaction_rows(sent.transaction, block);
    const auto transactions = read_rows(batch, Table::transactions);
    ASSERT_EQ(transactions.size(), 1u);
    EXPECT_EQ(transactions[0]["tree_id"], "TX");
    EXPECT_EQ(transactions[0]["block_height"], "7");
    EXPECT_EQ(transactions[0]["status"], std::nullopt);
    EXPECT_EQ(transactions[0]["nonce_index"], std::nullopt);
    const auto pending = read_rows(batch, Table::pending_trees);
    ASSERT_EQ(pending.size(), 1u);
    EXPECT_EQ(pending[0]["sender_id"], "a.near");
    EXPECT_EQ(pending[0]["block_hash"], "block-7");
    EXPECT_TRUE(batch.facts.covered.empty()) << "the block itself is not stored";
}

class OrphanRows : public ::testing::Test {
protected:
    OrphanRows() { outcome_.outcome.gas_burnt = 5; }
    const ListedReceipt listed_{"R", "token.near", "alice.near", 10, 10'000'000'000};
    const Receipt body_ = action_receipt("R", "dex.near", "token.near", "alice.near");
    ExecutedReceipt outcome_ = executed(body_, {"child"});
};

TEST_F(OrphanRows, CarryTheirOwnNameAndWhatIsProven) {
    const auto batch =
        orphan_receipt_rows(listed_, &body_, &outcome_.outcome, ExecutedAt{11, 11'000'000'000});
    const auto rows = read_rows(batch, Table::receipts);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0]["tree_id"], "R");
    EXPECT_EQ(rows[0]["tx_hash"], std::nullopt);
    EXPECT_EQ(rows[0]["predecessor_id"], "dex.near");
    EXPECT_EQ(rows[0]["role"], std::nullopt) << "returned or detached: nobody knows";
    EXPECT_EQ(rows[0]["block_height"], "11");
    EXPECT_EQ(rows[0]["gas_burnt"], "5");
    EXPECT_EQ(rows[0]["receipt_ids"], R"({"child"})");
    const auto orphans = read_rows(batch, Table::orphan_receipts);
    ASSERT_EQ(orphans.size(), 1u);
    EXPECT_EQ(orphans[0]["block_height"], "11");
    EXPECT_EQ(orphans[0]["block_time"], rows[0]["block_time"]) << "they are found by it";
}

TEST_F(OrphanRows, SayThatNothingIsKnown) {
    const auto batch = orphan_receipt_rows(listed_, nullptr, nullptr, std::nullopt);
    const auto rows = read_rows(batch, Table::receipts);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0]["status"], "unknown");
    EXPECT_EQ(rows[0]["receiver_id"], "token.near");
    EXPECT_EQ(rows[0]["predecessor_id"], std::nullopt);
    EXPECT_EQ(rows[0]["block_height"], std::nullopt);
    EXPECT_EQ(read_rows(batch, Table::orphan_receipts).at(0)["block_height"], "10");
}

// T of others: A (initial) -> P to the followed account (fails, awaited by C) and Q between others (fails).
class TreesOfOthers : public ::testing::Test {
protected:
    TreesOfOthers() {
        for (BlockHeight height = 10; height < 14; ++height) chain_.add_block(height, 1);
        shard(0).transactions.push_back(transaction("T", "alice.near", "dex.near", "A"));
        auto initial = executed(action_receipt("A", "alice.near", "dex.near", "alice.near"));
        initial.outcome.receipt_ids = {"P", "C", "Q"};
        shard(1).executed.push_back(initial);
        auto promise = action_receipt("P", "dex.near", "token.near", "alice.near");
        promise.output_data_receivers = {{"d", "dex.near"}};
        shard(2).executed.push_back(failed(promise));
        shard(2).executed.push_back(failed(action_receipt("Q", "dex.near", "other.near", "alice.near")));
        callback_.input_data_ids = {"d"};
    }
    WholeBlockShard& shard(std::size_t at) { return chain_.blocks()[at].shards[0]; }
    static ExecutedReceipt failed(const Receipt& receipt) {
        auto item = executed(receipt);
        item.outcome.status.kind = StatusKind::failure;
        item.outcome.status.failure_json = R"({"ActionError":{"index":0,"kind":"DelegateActionExpired"}})";
        return item;
    }
    RowBatch follow(const std::string& account) {
        Lineage lineage;
        LiveTrees live_trees;
        RowBatch batch;
        for (const auto& block : chain_.blocks())
            batch.append(whole_block_rows(block, std::nullopt, {ScopeKind::accounts, {account}, {}}, lineage,
                                          &live_trees));
        return batch;
    }
    ChainBuilder chain_;
    Receipt callback_ = action_receipt("C", "dex.near", "dex.near", "alice.near");
};

TEST_F(TreesOfOthers, TellOfFailuresInScopeAlone) {
    shard(3).executed.push_back(executed(callback_));
    const auto batch = follow("token.near");
    const auto findings = read_rows(batch, Table::findings);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0]["receipt_id"], "P");
    EXPECT_EQ(findings[0]["tx_hash"], "T");
    EXPECT_EQ(findings[0]["handled"], "t") << "by a receipt that is out of scope";
    EXPECT_EQ(batch[Table::transaction_results].rows, 0u) << "its transaction is not stored";
    EXPECT_EQ(batch[Table::receipts].rows, 1u);
}

TEST_F(TreesOfOthers, KnowThatNobodyHandledAFailureInScope) {
    shard(3).executed.push_back(failed(callback_));
    const auto findings = read_rows(follow("token.near"), Table::findings);
    ASSERT_EQ(findings.size(), 1u) << "the callback's own failure is out of scope";
    EXPECT_EQ(findings[0]["receipt_id"], "P");
    EXPECT_EQ(findings[0]["handled"], "f");
}

TEST_F(TreesOfOthers, TellNothingOfWhatNoScopeHolds) {
    shard(3).executed.push_back(executed(callback_));
    EXPECT_EQ(follow("nobody.near")[Table::findings].rows, 0u);
    EXPECT_EQ(follow("alice.near")[Table::findings].rows, 2u) << "all of a transaction in scope";
    EXPECT_EQ(follow("alice.near")[Table::transaction_results].rows, 1u);
}

// As the database tells it to a run that begins at 13.
TEST_F(TreesOfOthers, AreHeldAcrossAStartByWhatStoredReceiptsAnnounced) {
    auto below = executed(action_receipt("P2", "other.near", "more.near", "alice.near"));
    shard(3).executed.push_back(below);
    Lineage lineage;
    lineage.hold_in_scope({"P2"});
    const Scope scope{ScopeKind::accounts, {"token.near"}, {}};
    const auto held = whole_block_rows(chain_.blocks()[3], std::nullopt, scope, lineage);
    EXPECT_EQ(read_rows(held, Table::receipts).at(0)["receipt_id"], "P2");
    EXPECT_EQ(held[Table::orphan_receipts].rows, 1u) << "until it is adopted";
    Lineage fresh;
    EXPECT_EQ(whole_block_rows(chain_.blocks()[3], std::nullopt, scope, fresh)[Table::receipts].rows, 0u);
}

}  // namespace
}  // namespace receiptd::chain
