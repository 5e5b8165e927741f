// Trees that were stored before the block of one of their receipts, which all hosts denied.
#include "store_test_support.hpp"

namespace receiptd::test {
namespace {

class AwaitedBlocks : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        auto batch = block_batch(100);
        add_transaction(batch, {"T"});
        add_pending(batch, "T");
        commit(std::move(batch));
        await(store().trees.commit_tree(tree_without_height()));
        ASSERT_EQ(placed(), "A|-|hash103\n");
    }
    static chain::TreeRows tree_without_height() {
        chain::TreeRows tree;
        add_line(tree.batch, Table::receipts,
                 {"A",          "T",        kNull,           time_text(100), kNull, "0",   "T",   kNull,
                  "alice.near", "bob.near", "alice.near",    "initial",      "run", "[]",  "0",   kNull,
                  kNull,        kNull,      "success_value", kNull,          kNull, kNull, kNull, "10",
                  "1",          kNull,      "hash103",       kNull});
        add_line(tree.batch, Table::events,
                 {"A", "T", "T", kNull, time_text(100), "0", "bob.near", "nep141", "1.0.0", "ft_mint", "{}"});
        tree.completion.tx_hash = "T";
        tree.completion.block_timestamp_nanosec = kFirstTime + 100'000'000'000ull;
        tree.completion.status = "success_receipt_id";
        tree.completion.initial_receipt_id = "A";
        tree.completion.receipt_ids = {"A"};
        return tree;
    }
    std::string placed() {
        return rows("SELECT receipt_id, block_height, executed_block_hash FROM receipts");
    }
    std::string events() { return rows("SELECT event, block_height, block_time FROM events"); }
};

TEST_F(AwaitedBlocks, ABlockThatTellsTheReceiptTakesThePlaceOfItsRow) {
    auto batch = block_batch(103);
    add_receipt(batch, 103,
                {"A", "T", "T", "", "initial", "", "alice.near", "bob.near", "success_value", "[]", "", "",
                 "", "ft_mint"});
    commit(std::move(batch));
    EXPECT_EQ(placed(), "A|103|-\n");
    EXPECT_EQ(events(), "ft_mint|103|2022-10-19 00:01:43+00\n");
    EXPECT_EQ(value("SELECT count(*) FROM orphan_receipts"), "0");
}

TEST_F(AwaitedBlocks, ABlockThatTellsNoOutcomesGivesTheRowItsHeight) {
    commit(block_batch(103));
    EXPECT_EQ(placed(), "A|103|-\n");
    EXPECT_EQ(events(), "ft_mint|103|2022-10-19 00:01:43+00\n");
}

}  // namespace
}  // namespace receiptd::test
