// Receipts of followed accounts wait for their tree (source rpc, scope accounts).
#include "store_test_support.hpp"

#include "storage/pg_unplaced_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace receiptd::test {
namespace {

using storage::FoundTransaction;
using storage::UnplacedRound;

class Unplaced : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        waiting_ = std::make_unique<storage::PgUnplacedStore>(store().database);
    }
    void TearDown() override {
        waiting_.reset();
        StoreTest::TearDown();
    }
    storage::PgUnplacedStore& waiting() { return *waiting_; }

    static void list(RowBatch& batch, const std::string& id, const std::string& signer = "alice.near") {
        const auto& block = batch.facts.blocks.back();
        batch.listed.push_back({id, "token.near", signer, block.height, block.timestamp_nanosec});
    }
    void commit_listing(base::Height height, const std::vector<std::string>& ids) {
        auto batch = block_batch(height);
        for (const auto& id : ids) list(batch, id);
        commit(std::move(batch));
    }
    // A block that lists TX and one of its receipts.
    void commit_pending() {
        auto batch = block_batch(100);
        add_transaction(batch, {"TX", ""});
        add_pending(batch, "TX");
        list(batch, "R1");
        commit(std::move(batch));
    }
    UnplacedRound due() {
        rows("UPDATE unplaced_receipts SET due_at = now() RETURNING 1");
        return await(waiting().due_unplaced(10));
    }
    // As a host told of it: TX of `height`, with these receipts.
    static FoundTransaction found(base::Height height, const std::vector<std::string>& ids) {
        auto batch = block_batch(height);
        batch.tables = {};
        add_transaction(batch, {"TX", ""});
        add_pending(batch, "TX");
        FoundTransaction found;
        found.tx_hash = "TX";
        found.timestamp_nanosec = batch.facts.blocks.back().timestamp_nanosec;
        found.rows.tables = batch.tables;
        found.asked_for = ids.front();
        found.receipt_ids = ids;
        return found;
    }
    static chain::TreeRows tree(base::Height height, const std::vector<std::string>& ids) {
        auto batch = block_batch(height);
        chain::TreeRows tree;
        for (const auto& id : ids) add_receipt(tree.batch, height + 1, {id, "TX", "TX"});
        tree.completion.tx_hash = "TX";
        tree.completion.block_timestamp_nanosec = batch.facts.blocks.back().timestamp_nanosec;
        tree.completion.status = "success_receipt_id";
        tree.completion.receipt_ids = ids;
        return tree;
    }

private:
    std::unique_ptr<storage::PgUnplacedStore> waiting_;
};

TEST_F(Unplaced, WaitFromTheCommitOfTheirBlockOn) {
    commit_listing(100, {"R1", "R2"});
    EXPECT_EQ(await(waiting().unplaced_count({0, 99})), 0u);
    EXPECT_EQ(await(waiting().unplaced_count({100, 100})), 2u);
    const auto round = due();
    ASSERT_EQ(round.due.size(), 2u);
    EXPECT_EQ(round.due[0].receipt.receiver_id, "token.near");
    EXPECT_EQ(round.due[0].receipt.height, 100u);
    EXPECT_FALSE(round.due[0].signer_pending);
    EXPECT_TRUE(await(waiting().due_unplaced(10)).due.empty()) << "not again at once";
}

TEST_F(Unplaced, AreGoneWithTheTreeThatBringsThem) {
    commit_pending();
    EXPECT_TRUE(due().due.at(0).signer_pending);
    await(store().trees.commit_tree(tree(100, {"R1"})));
    const auto round = due();
    EXPECT_EQ(round.came, 1u);
    EXPECT_TRUE(round.due.empty());
    EXPECT_EQ(value("SELECT count(*) FROM unplaced_receipts"), "0");
}

TEST_F(Unplaced, FindTheTreeOfATransactionThatNoBlockBrought) {
    commit_listing(100, {"R1", "R2"});
    await(waiting().place(found(90, {"R1", "R2"})));
    await(waiting().place(found(90, {"R2", "R1"})));  // told twice
    EXPECT_EQ(rows("SELECT tx_hash, block_height FROM transactions"), "TX|90\n");
    EXPECT_EQ(value("SELECT count(*) FROM pending_trees"), "1");
    const auto waits = due();
    ASSERT_EQ(waits.due.size(), 2u);
    EXPECT_TRUE(waits.due[0].tree_pending && waits.due[1].tree_pending);
    await(store().trees.commit_tree(tree(90, {"R1", "R2"})));
    EXPECT_EQ(value("SELECT status FROM transactions"), "success_receipt_id");
    EXPECT_EQ(due().came_when_asked, 2u);
    EXPECT_EQ(value("SELECT count(*) FROM unplaced_receipts"), "0");
}

TEST_F(Unplaced, FindTheTreeOfAnotherExecutionThanTheOneThatIsPending) {
    commit_pending();
    await(waiting().place(found(90, {"R1"})));
    EXPECT_EQ(rows("SELECT tx_hash, block_height FROM pending_trees ORDER BY 2"), "TX|90\nTX|100\n");
}

TEST_F(Unplaced, ABlockThatComesLaterBringsItsTransactionAgain) {
    commit_listing(100, {"R1"});
    await(waiting().place(found(90, {"R1"})));
    await(store().trees.commit_tree(tree(90, {"R1"})));
    auto block = block_batch(90);
    add_transaction(block, {"TX", ""});
    add_pending(block, "TX");
    EXPECT_EQ(commit(std::move(block)), CommitOutcome::committed);
    EXPECT_EQ(value("SELECT count(*) FROM transactions"), "1");
    await(store().trees.commit_tree(tree(90, {"R1"})));
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM pending_trees"), "0");
}

TEST_F(Unplaced, StayOrphansUntilTheirTreeComesAfterAll) {
    commit_listing(100, {"R1"});
    await(waiting().want_outcome("R1", "nobody knows"));
    EXPECT_TRUE(due().due.at(0).wants_outcome);
    RowBatch orphan;
    add_receipt(orphan, 101, {"R1", "R1", "", "", "detached"});
    add_line(orphan, Table::orphan_receipts, {"receipt", "R1", kNull, "101", time_text(101)});
    await(waiting().store_orphan("R1", orphan));
    await(waiting().store_orphan("R1", orphan));  // a commit in doubt
    EXPECT_EQ(rows("SELECT receipt_id, tree_id FROM receipts"), "R1|R1\n");
    await(waiting().place(found(100, {"R1"})));
    await(store().trees.commit_tree(tree(100, {"R1"})));
    EXPECT_EQ(rows("SELECT receipt_id, tree_id FROM receipts"), "R1|TX\n");
    EXPECT_EQ(value("SELECT count(*) FROM orphan_receipts"), "0");
}

TEST_F(Unplaced, ArePostponedAndCountWhatWasAskedInVain) {
    commit_listing(100, {"R1"});
    await(waiting().postpone_unplaced("R1", std::chrono::milliseconds(0), true, "unknown"));
    await(waiting().postpone_unplaced("R1", std::chrono::milliseconds(0), false, "a fault"));
    EXPECT_EQ(await(waiting().due_unplaced(10)).due.at(0).attempts, 1u);
}

void add_chunk(RowBatch& batch, int shard, const std::string& root, bool missing = false) {
    const auto height = batch.facts.blocks.back().height;
    add_line(batch, Table::chunks,
             {std::to_string(height), time_text(height), std::to_string(shard), "C", missing ? "t" : "f", "1",
              "1", "1", "1", "0", "1", root, "tx"});
}

TEST_F(Unplaced, OutcomesAreOfTheChunkBelowTheOneThatCommitsToThem) {
    for (base::Height height = 100; height <= 102; ++height) {
        auto batch = block_batch(height);
        add_chunk(batch, 3, "root" + std::to_string(height), height == 101);
        commit(std::move(batch));
    }
    const auto at = await(waiting().executed_at("hash102", "root102"));
    ASSERT_TRUE(at);
    EXPECT_EQ(at->height, 100u) << "the chunk of 101 is missing";
    EXPECT_EQ(at->timestamp_nanosec, kFirstTime + 100ull * 1'000'000'000);
    EXPECT_FALSE(await(waiting().executed_at("hash102", "other")));
    EXPECT_FALSE(await(waiting().executed_at("unknown", "root102")));
}

TEST_F(Unplaced, OutcomesOfASplitShardAreOfItsLastChunk) {
    for (base::Height height = 100; height <= 102; ++height) {
        auto batch = block_batch(height);
        add_chunk(batch, 1, "other" + std::to_string(height));
        if (height < 102)
            add_chunk(batch, 3, "root" + std::to_string(height), height == 101);
        else
            for (const int child : {4, 5}) add_chunk(batch, child, "root102");
        commit(std::move(batch));
    }
    const auto at = await(waiting().executed_at("hash102", "root102"));
    ASSERT_TRUE(at);
    EXPECT_EQ(at->height, 100u);
    EXPECT_EQ(await(waiting().executed_at("hash102", "other102")).value().height, 101u);
}

TEST_F(Unplaced, StoredRowsTellWhatTheyAnnounceAndDoNotHold) {
    auto batch = block_batch(100);
    add_transaction(batch, {"T1", "A1"});
    add_transaction(batch, {"T2", "A2"});
    add_receipt(batch, 100, {"A1", "T1", "T1", "", "initial", "{B1,B2}"});
    add_receipt(batch, 100, {"B1", "T1", "T1", "A1"});
    commit(std::move(batch));
    EXPECT_EQ(await(store().orphans.announced_below(100)), std::vector<std::string>{});
    auto ids = await(store().orphans.announced_below(101));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, (std::vector<std::string>{"A2", "B2"}));
    EXPECT_EQ(await(store().orphans.announced_below(2000)), std::vector<std::string>{}) << "too long ago";
}

}  // namespace
}  // namespace receiptd::test
