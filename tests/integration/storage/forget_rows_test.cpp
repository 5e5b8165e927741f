// Trees of an account that is followed no more.
#include "storage/forget_rows.hpp"
#include "storage/errors.hpp"
#include "storage/pg_account_store.hpp"
#include "store_test_support.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace receiptd::test {
namespace {

const std::string kWatched = "11111111111111111111111111111111111111111111";
const std::string kDelegate =
    R"([{"Delegate": {"delegate_action": {"sender_id": "x.near", "receiver_id": "b.near"}}}])";

class ForgetRowsTest : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        execute("UPDATE chain_identity SET scope = 'accounts'");
        await(store().database.follow_accounts({"a.near", "b.near"}));
        auto batch = block_batch(100);
        for (const std::string tx : {"txA", "txB", "txD", "txRuns"})
            add_tree(batch, tx, tx == "txB" ? "b.near" : "x.near", tx == "txRuns" ? "{later}" : "{}");
        add_tree(batch, kWatched, "x.near", "{}");
        commit(std::move(batch));
        execute("UPDATE transactions SET actions = '" + kDelegate + "' WHERE tx_hash = 'txD'");
        execute("INSERT INTO watches (tx_hash, sender_id) VALUES ('" + kWatched + "', 'a.near')");
        rows_ = std::make_unique<storage::PgForgetRows>(store().database);
    }
    void TearDown() override {
        rows_.reset();
        StoreTest::TearDown();
    }
    static void add_tree(RowBatch& batch, const std::string& tx, const std::string& receiver,
                         const std::string& children) {
        add_transaction(batch, {tx, "r" + tx, "a.near"});
        add_receipt(batch, 100,
                    {.receipt_id = "r" + tx,
                     .tree_id = tx,
                     .tx_hash = tx,
                     .children = children,
                     .predecessor_id = "a.near",
                     .receiver_id = receiver});
    }
    storage::ForgottenRows forget(bool only_count) {
        return await(rows_->forget("a.near", {0, 200}, only_count));
    }
    std::string trees() { return rows("SELECT tx_hash FROM transactions ORDER BY 1"); }

    std::unique_ptr<storage::PgForgetRows> rows_;
};

TEST_F(ForgetRowsTest, GoAsAWholeWhereNobodyElseTouchesThem) {
    const auto before = trees();
    const auto counted = forget(true);
    EXPECT_EQ(counted.trees, 1u);
    EXPECT_EQ(counted.receipts, 1u);
    EXPECT_EQ(counted.kept, 3u) << "of b.near, of the Delegate action on it, and watched";
    EXPECT_EQ(counted.running, 1u);
    EXPECT_EQ(trees(), before);
    EXPECT_THROW(forget(false), storage::StorageError) << "it is followed";
    storage::PgAccountStore accounts(store().database);
    await(accounts.forget("a.near"));
    EXPECT_EQ(forget(false).trees, 1u);
    EXPECT_EQ(trees(), kWatched + "\ntxB\ntxD\ntxRuns\n");
    EXPECT_EQ(rows("SELECT receipt_id FROM receipts ORDER BY 1"), "r" + kWatched + "\nrtxB\nrtxD\nrtxRuns\n");
    EXPECT_EQ(forget(false).trees, 0u);
}

TEST_F(ForgetRowsTest, LeaveHeightsThatAreWholeForEverythingNoMore) {
    storage::PgAccountStore accounts(store().database);
    await(accounts.forget("a.near"));
    execute(
        "INSERT INTO followed_accounts (account_id, since_height, was_whole) VALUES ('*', 0, '{[90,110)}')");
    forget(false);
    EXPECT_EQ(value("SELECT was_whole FROM followed_accounts WHERE account_id = '*'"),
              "{[90,100),[101,110)}");
}

}  // namespace
}  // namespace receiptd::test
