// Where blocks tell no outcomes, trees of whole blocks are fetched that are not over, or of which a block is
// lost.
#include "chain/tree/facts.hpp"
#include "settling.hpp"

namespace receiptd::test {
namespace {

class TakenOver : public Settling {};

TEST_F(TakenOver, AreTreesThatAreNotOver) {
    const auto take_over = [this](base::Height from) {
        return await(store().trees.take_over_trees({from, from}));
    };
    auto blocks = unconnected_blocks();
    commit(std::move(blocks[0]));
    EXPECT_EQ(take_over(100), 0u) << "it begins above";
    EXPECT_EQ(take_over(101), 1u);
    EXPECT_EQ(due(), std::vector<std::string>{"T"});
    EXPECT_EQ(rows("SELECT block_height, block_hash, sender_id FROM pending_trees"),
              "100|hash100|alice.near\n");
    commit(std::move(blocks[1]));
    EXPECT_EQ(take_over(102), 0u) << "it waits already";
    execute("DELETE FROM pending_trees");
    EXPECT_EQ(take_over(101 + chain::kSeamReach), 0u) << "too far below";
    EXPECT_EQ(take_over(100 + chain::kSeamReach), 1u);
}

TEST_F(TakenOver, IsNoTreeThatIsOver) {
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "1");
    EXPECT_EQ(await(store().trees.take_over_trees({105, 105})), 0u);
    EXPECT_EQ(value("SELECT count(*) FROM pending_trees"), "0");
}

TEST_F(TakenOver, IsAJudgedTreeThatHasLostABlock) {
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    execute("UPDATE receipts SET receipt_id = receipt_id || '?' WHERE block_height = 103");
    EXPECT_EQ(await(store().trees.take_over_trees({105, 105})), 0u) << "it ended below";
    EXPECT_EQ(await(store().trees.take_over_trees({103, 103})), 1u);
    EXPECT_EQ(due(), std::vector<std::string>{"T"});
    execute(
        "UPDATE receipts SET receipt_id = rtrim(receipt_id, '?'); UPDATE pending_trees SET due_at = now()");
    EXPECT_TRUE(due().empty()) << "it is whole by now";
}

TEST_F(TakenOver, IsAJudgedTreeThatHasLostTheBlockOfItsTransaction) {
    for (auto& block : unconnected_blocks()) commit_and_settle(std::move(block));
    execute(
        "UPDATE transactions SET status = NULL; INSERT INTO pending_trees (tx_hash, sender_id, block_height, "
        "block_hash, block_time, timestamp_nanosec) SELECT tx_hash, signer_id, block_height, 'hash100', "
        "block_time, 0 FROM transactions");
    EXPECT_EQ(due(), std::vector<std::string>{"T"});
}

}  // namespace
}  // namespace receiptd::test
