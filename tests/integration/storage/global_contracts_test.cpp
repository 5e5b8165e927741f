// The database tells how many shards have a global contract that is deployed.
#include "watch_test_support.hpp"

namespace receiptd::test {
namespace {

constexpr const char* kDeploys = R"([{"DeployGlobalContractByAccountId":{"code":"c="}}])";

class GlobalContracts : public WatchStoreTest {
protected:
    // A block of shards 1, 2 and 3; `missing`: a shard without a new chunk.
    RowBatch block(base::Height height, const std::string& missing = "") {
        auto batch = block_batch(height);
        for (const std::string shard : {"1", "2", "3"})
            add_line(
                batch, Table::chunks,
                {std::to_string(height), time_text(height), shard, "chunk", shard == missing ? "t" : "f"});
        return batch;
    }
    static void sent(RowBatch& batch, const std::string& target, unsigned delivered,
                     const std::string& nonce = "1") {
        const auto height = batch.facts.blocks.back().height;
        add_line(batch, Table::global_contract_distributions,
                 {"G" + nonce + "-" + std::to_string(delivered), std::to_string(height), time_text(height),
                  "1", "app.near", kNull, "app.near", "c=", nonce, target, std::to_string(delivered)});
    }
    void deployed(base::Height height, const std::string& status = "success_value") {
        auto batch = block(height);
        const std::string name = "D" + std::to_string(height);
        add_transaction(batch, {"T" + name, name, "app.near"});
        add_receipt(
            batch, height,
            {name, "T" + name, "T" + name, "", "initial", "{}", "app.near", "app.near", status, kDeploys});
        commit(std::move(batch));
        execute("UPDATE blocks SET shard_count = 3");
    }
    void step(base::Height height, const std::string& target, unsigned delivered,
              const std::string& missing = "", const std::string& nonce = "1") {
        auto batch = block(height, missing);
        sent(batch, target, delivered, nonce);
        commit(std::move(batch));
        execute("UPDATE blocks SET shard_count = 3");
    }
    std::string view() {
        return rows(
            "SELECT contract_account_id, nonce, block_height, shards_with_it, shards, complete_height "
            "FROM global_contracts('-infinity') ORDER BY block_height");
    }
    std::vector<storage::DeployedContract> of_tree(const std::string& tx_hash) {
        auto trees = await(watches().stored_trees({tx_hash}));
        return std::move(trees[tx_hash].contracts);
    }
};

TEST_F(GlobalContracts, ComeToOneShardAfterTheOther) {
    deployed(100);
    EXPECT_EQ(view(), "");
    EXPECT_TRUE(of_tree("TD100").empty());
    step(101, "1", 0);
    EXPECT_EQ(view(), "app.near|1|101|1|3|-\n");
    step(102, "2", 1);
    ASSERT_EQ(of_tree("TD100").size(), 1U);
    const auto contract = of_tree("TD100").front();
    EXPECT_EQ(contract.receipt_id, "D100");
    EXPECT_EQ(contract.contract_account_id, "app.near");
    EXPECT_EQ(contract.contract_hash, "");
    EXPECT_EQ(contract.shards_with_it, 2U);
    EXPECT_EQ(contract.shards, 3U);
    step(103, "3", 2, "3");
    EXPECT_EQ(view(), "app.near|1|101|2|3|-\n") << "the shard had no chunk";
    commit(block(104));
    EXPECT_EQ(view(), "app.near|1|101|3|3|104\n");
}

TEST_F(GlobalContracts, ThatAreDeployedAgainAreCountedAnew) {
    deployed(100);
    step(101, "1", 0);
    deployed(102);
    step(103, "1", 0, "", "2");
    step(104, "2", 1);
    EXPECT_EQ(view(), "app.near|1|101|2|3|-\napp.near|2|103|1|3|-\n");
    EXPECT_EQ(of_tree("TD100").front().shards_with_it, 2U);
    EXPECT_EQ(of_tree("TD102").front().shards_with_it, 1U);
}

TEST_F(GlobalContracts, OfADeploymentThatFailedThereIsNone) {
    deployed(100, "failure");
    step(101, "1", 0);
    EXPECT_TRUE(of_tree("TD100").empty());
}

TEST_F(GlobalContracts, AreRemovedWithTheirBlock) {
    step(101, "1", 0);
    await(store().blocks.remove_block(101));
    EXPECT_EQ(view(), "");
}

TEST_F(GlobalContracts, ATreeThatCannotBeReadHidesNoOther) {
    deployed(100);
    deployed(102);
    step(103, "1", 0);
    execute(R"(UPDATE receipts SET actions = '[{"DeployGlobalContractByAccountId":{"code":"\u0000"}}]' )"
            "WHERE receipt_id = 'D100'");
    const auto stored = [&] {
        std::string names;
        for (const auto& [tx_hash, tree] : await(watches().stored_trees({"TD100", "TD102"})))
            names += tx_hash + " " +
                     (tree.unreadable ? "unreadable" : std::to_string(tree.contracts.size())) + " ";
        return names;
    };
    EXPECT_EQ(stored(), "TD100 unreadable TD102 1 ") << "whatever one of them is not for the database";
}

}  // namespace
}  // namespace receiptd::test
