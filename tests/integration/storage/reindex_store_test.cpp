// Rows of stored heights are replaced by those that hosts tell now.
#include "storage/pg_reindex_store.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <string>

namespace receiptd::test {
namespace {

const std::string kWatched = "11111111111111111111111111111111111111111111";

// Heights 100 to 102; at 101 the tree txA is stored, and one that is watched and out of scope.
class ReindexStoreTest : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        execute("UPDATE chain_identity SET scope = 'accounts'");
        reindex_ = std::make_unique<storage::PgReindexStore>(store().database);
        commit(block_batch(100));
        auto batch = rows_of_a("detached");
        add_transaction(batch, {kWatched, "w1"});
        add_receipt(batch, 101, {.receipt_id = "w1", .tree_id = kWatched, .tx_hash = kWatched});
        commit(std::move(batch));
        commit(block_batch(102));
        execute("INSERT INTO watches (tx_hash, sender_id) VALUES ('" + kWatched + "', 'alice.near')");
        order_ = await(store().backfills.claim_reindex({101, 102})).id;
    }
    void TearDown() override {
        reindex_.reset();
        StoreTest::TearDown();
    }
    static RowBatch rows_of_a(const std::string& role) {
        auto batch = block_batch(101);
        add_transaction(batch, {"txA", "r1"});
        add_receipt(batch, 101, {.receipt_id = "r1", .tree_id = "txA", .tx_hash = "txA", .role = role});
        return batch;
    }
    bool replace(RowBatch batch) { return await(reindex_->replace_rows(order_, std::move(batch))); }
    std::string receipts() { return rows("SELECT receipt_id, role FROM receipts ORDER BY 1"); }

    std::unique_ptr<storage::PgReindexStore> reindex_;
    std::int64_t order_ = 0;
};

TEST_F(ReindexStoreTest, PutsRowsInThePlaceOfThoseOfTheirHeight) {
    execute(
        "INSERT INTO receipts (receipt_id, tree_id, block_height, block_time, receiver_id, status) "
        "SELECT 'invented', tree_id, block_height, block_time, 'b.near', 'failure' FROM receipts "
        "WHERE receipt_id = 'r1'");
    EXPECT_EQ(await(reindex_->to_replace(order_)), base::HeightSet({101, 102}));
    EXPECT_TRUE(replace(rows_of_a("promise")));
    EXPECT_EQ(receipts(), "r1|promise\nw1|detached\n");
    EXPECT_EQ(await(reindex_->to_replace(order_)), base::HeightSet({102, 102}));
    EXPECT_TRUE(replace(rows_of_a("promise"))) << "an attempt in doubt is made again";
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "3");
}

TEST_F(ReindexStoreTest, LeavesWhatIsWatchedUntilItIsFetchedAgain) {
    EXPECT_TRUE(replace(rows_of_a("promise")));
    EXPECT_EQ(rows("SELECT tx_hash, stored_part FROM pending_trees"), kWatched + "|whole\n");
    EXPECT_EQ(await(store().trees.pending_tree_count({101, 101})), 1u);
    const auto due = await(store().trees.due_trees(1, base::kAllHeights));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_TRUE(due[0].ordered && due[0].stored_whole);
    execute("DELETE FROM watches");
    EXPECT_TRUE(replace(rows_of_a("promise")));
    EXPECT_EQ(receipts(), "r1|promise\n");
    EXPECT_EQ(value("SELECT count(*) FROM pending_trees"), "0");
}

TEST_F(ReindexStoreTest, LeavesTreesOfBlocksWithoutOutcomesUntilTheyAreFetchedAgain) {
    auto batch = block_batch(101);
    batch.facts.tell_outcomes = false;
    add_transaction(batch, {"txA"});
    EXPECT_TRUE(replace(std::move(batch)));
    EXPECT_EQ(rows("SELECT tx_hash, status, initial_receipt_id FROM transactions WHERE tx_hash = 'txA'"),
              "txA|success_receipt_id|r1\n");
    EXPECT_EQ(receipts(), "r1|detached\nw1|detached\n");
    EXPECT_EQ(value("SELECT without_outcomes FROM coverage"), "{[101,102)}");
}

TEST_F(ReindexStoreTest, WritesNothingAtAHeightThatIsNotStoredAnyMore) {
    await(store().blocks.remove_block(101));
    EXPECT_FALSE(replace(rows_of_a("promise")));
    EXPECT_EQ(receipts(), "");
}

TEST_F(ReindexStoreTest, LooksForTreesThatLackReceipts) {
    execute("DELETE FROM receipts WHERE receipt_id = 'r1'");
    await(reindex_->fetch_lacking({100, 102}));
    EXPECT_EQ(rows("SELECT tx_hash, stored_part FROM pending_trees"), "txA|whole\n");
}

}  // namespace
}  // namespace receiptd::test
