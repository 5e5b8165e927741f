// What accounts lack of stored heights, and the rows that fill it.
#include "storage/pg_account_store.hpp"
#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::ElementsAre;
using Accounts = std::vector<std::string>;

class AccountStoreTest : public StoreTest {
protected:
    storage::PgAccountStore& accounts() {
        if (!accounts_) accounts_ = std::make_unique<storage::PgAccountStore>(store().database);
        return *accounts_;
    }
    void TearDown() override {
        accounts_.reset();
        StoreTest::TearDown();
    }
    void follow(Accounts names) { await(store().database.follow_accounts(std::move(names))); }
    // Heights 100 to 103, stored with a.near alone; b.near comes then.
    void store_without_b() {
        follow({"a.near"});
        for (base::Height height = 100; height <= 103; ++height) {
            auto batch = block_batch(height);
            if (height == 101) {
                add_transaction(batch, {"txA", "r1"});
                add_receipt(batch, 101, {.receipt_id = "r1", .tree_id = "txA", .tx_hash = "txA"});
            }
            commit(std::move(batch));
        }
        follow({"b.near"});
    }
    RowBatch rows_of_b(base::Height height) {
        auto batch = block_batch(height);
        const auto h = std::to_string(height);
        add_transaction(batch, {"txB" + h, "s" + h});
        add_receipt(batch, height, {.receipt_id = "s" + h, .tree_id = "txB" + h, .tx_hash = "txB" + h});
        return batch;
    }
    bool fill(RowBatch batch, base::HeightSet whole) {
        return await(accounts().commit_rows_of({"b.near"}, std::move(batch), std::move(whole)));
    }
    std::string lacks(const std::string& account) {
        return value("SELECT not_whole FROM followed_accounts WHERE account_id = '" + account + "'");
    }

private:
    std::unique_ptr<storage::PgAccountStore> accounts_;
};

TEST_F(AccountStoreTest, LacksTheStoredHeightsThatWereThereBeforeIt) {
    store_without_b();
    const auto lacking = await(accounts().lacking({"a.near", "b.near", "c.near"}));
    EXPECT_EQ(lacking.heights, base::HeightSet({100, 103}));
    EXPECT_TRUE(lacking.reach_above);
    EXPECT_EQ(lacking.since, 104u);
    EXPECT_THAT(lacking.not_followed, ElementsAre("c.near"));
    EXPECT_TRUE(await(accounts().lacking({"a.near"})).heights.empty());
}

TEST_F(AccountStoreTest, GetsRowsThatAreNotThereAndNoOtherTwice) {
    store_without_b();
    auto batch = rows_of_b(101);
    add_transaction(batch, {"txA", "r1"});
    add_receipt(batch, 101, {.receipt_id = "r1", .tree_id = "txA", .tx_hash = "txA", .role = "other"});
    EXPECT_TRUE(fill(batch, base::HeightSet({100, 101})));
    EXPECT_EQ(rows("SELECT receipt_id, role FROM receipts ORDER BY 1"), "r1|detached\ns101|detached\n");
    EXPECT_EQ(rows("SELECT tx_hash FROM transactions ORDER BY 1"), "txA\ntxB101\n");
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "4");
    EXPECT_EQ(lacks("b.near"), "{[102,1304)}");
    EXPECT_TRUE(fill(batch, base::HeightSet({100, 101}))) << "an attempt in doubt is made again";
    EXPECT_EQ(value("SELECT count(*) FROM receipts"), "2");
}

TEST_F(AccountStoreTest, GivesStoredRowsTheirPlaceWhereNobodyKnewItBefore) {
    const auto rows_of_101 = [this](const std::string& shard_id, const std::string& transaction,
                                    const std::string& receipt) {
        auto batch = block_batch(101);
        add_transaction(batch, {"txA", "r1", "alice.near", shard_id, transaction});
        add_receipt(batch, 101,
                    {.receipt_id = "r1",
                     .tree_id = "txA",
                     .tx_hash = "txA",
                     .shard_id = shard_id,
                     .index_in_chunk = receipt});
        return batch;
    };
    const auto places = [this] {
        return rows(
            "SELECT shard_id, index_in_chunk FROM transactions UNION ALL SELECT shard_id, index_in_chunk "
            "FROM receipts");
    };
    follow({"a.near"});
    commit(block_batch(100));
    commit(rows_of_101("", "", ""));  // as hosts tell a transaction that no block of the scope brought
    EXPECT_EQ(places(), "-|-\n-|-\n");
    follow({"b.near"});
    EXPECT_TRUE(fill(rows_of_101("3", "5", ""), {}));
    EXPECT_EQ(places(), "3|5\n3|-\n");
    EXPECT_TRUE(fill(rows_of_101("3", "7", "9"), base::HeightSet({101, 101})));
    EXPECT_EQ(places(), "3|5\n3|9\n");
}

TEST_F(AccountStoreTest, GetsNothingAtAHeightThatIsNotStoredAnyMore) {
    store_without_b();
    await(store().blocks.remove_block(102));
    EXPECT_FALSE(fill(rows_of_b(102), base::HeightSet({102, 102})));
    EXPECT_EQ(value("SELECT count(*) FROM receipts WHERE receipt_id = 's102'"), "0");
    EXPECT_EQ(lacks("b.near"), "{[100,1304)}");
}

TEST_F(AccountStoreTest, IsWholeAboveOnceNoTreeGoesOnThere) {
    store_without_b();
    auto batch = block_batch(103);
    add_transaction(batch, {"txB", "s1"});
    add_receipt(batch, 103, {.receipt_id = "s1", .tree_id = "txB", .tx_hash = "txB", .children = "{s2}"});
    EXPECT_TRUE(fill(batch, base::HeightSet({100, 103})));
    EXPECT_EQ(lacks("b.near"), "{[104,1304)}");
    EXPECT_FALSE(await(accounts().settle_above({"b.near"}, 102, false))) << "103 was stored without it";
    EXPECT_FALSE(await(accounts().settle_above({"b.near"}, 103, false))) << "s2 is on its way";
    auto above = block_batch(104);
    add_receipt(above, 104, {.receipt_id = "s2", .tree_id = "txB", .tx_hash = "txB", .parent = "s1"});
    commit(above);
    await(accounts().whole_at({"b.near"}, base::HeightSet({104, 104})));
    EXPECT_TRUE(await(accounts().settle_above({"b.near"}, 104, false)));
    EXPECT_EQ(lacks("b.near"), "{}");
}

TEST_F(AccountStoreTest, IsWholeAboveWhereTreesAreFetchedAsAWhole) {
    store_without_b();
    await(accounts().whole_at({"b.near"}, base::HeightSet({100, 103})));
    EXPECT_TRUE(await(accounts().settle_above({"b.near"}, 103, true)));
    EXPECT_EQ(lacks("b.near"), "{}");
}

TEST_F(AccountStoreTest, IsForgottenWithItsOrders) {
    store_without_b();
    await(store().backfills.claim_fill({100, 103}, {"b.near"}));
    const auto before = await(store().database.followed_accounts()).serial;
    EXPECT_TRUE(await(accounts().forget("b.near")));
    EXPECT_FALSE(await(accounts().forget("b.near")));
    EXPECT_EQ(value("SELECT count(*) FROM backfills WHERE state = 'unfinished'"), "0");
    const auto after = await(store().database.followed_accounts());
    EXPECT_EQ(after.accounts.size(), 1u);
    EXPECT_GT(after.serial, before) << "daemons hear of it";
    follow({"b.near"});
    EXPECT_EQ(lacks("b.near"), "{[100,1304)}") << "what it had counts no more";
}

}  // namespace
}  // namespace receiptd::test
