// Trees are found by the hash of their transaction among all partitions, with all that judging them needs.
#include "storage/stored_tree.hpp"
#include "watch_test_support.hpp"

namespace receiptd::test {
namespace {

using storage::StoredTree;

class StoredTrees : public WatchStoreTest {
protected:
    // T -> A -> B (promise, fails), A -> C (its callback), C -> F (refund)
    void commit_tree() {
        auto batch = block_batch(100);
        add_line(batch, Table::transactions,
                 {"T", "T", "100", time_text(100), "0", "0", "alice.near", "bob.near", "7", "ed25519:key",
                  R"([{"Transfer":{"deposit":"3"}},{"Delegate":{"delegate_action":{"sender_id":"user.near",)"
                  R"("receiver_id":"app.near","actions":[{"FunctionCall":{"method_name":"play","args_json":)"
                  R"({"n":340282366920938463463374607431768211456},"gas":1,"deposit":"2"}}]}}}])",
                  "success_receipt_id", "A", kNull, kNull, "100", "5", kNull});
        add_receipt(batch, 100, {"A", "T", "T", "", "initial", "{B,C}", "alice.near"});
        add_receipt(batch, 100,
                    {"B", "T", "T", "A", "promise", "{}", "bob.near", "token.near", "failure",
                     R"([{"FunctionCall":{"method_name":"ft_transfer","args":"!","gas":1,"deposit":"1"}}])",
                     "", "{d}", "contract_panic"});
        add_receipt(
            batch, 100,
            {"C", "T", "T", "A", "callback", "{F}", "bob.near", "bob.near", "success_value", "[]", "{d}"});
        add_receipt(batch, 100,
                    {"F", "T", "T", "C", "refund", "{}", "system", "alice.near", "success_value",
                     R"([{"Transfer":{"deposit":"1"}}])"});
        add_line(batch, Table::data_receipts,
                 {"d", "rd", "T", "T", "100", time_text(100), "0", "token.near", "bob.near", "f", kNull});
        commit(std::move(batch));
    }

    std::map<std::string, StoredTree> trees(std::vector<std::string> tx_hashes) {
        return await(watches().stored_trees(std::move(tx_hashes)));
    }
};

TEST_F(StoredTrees, HaveAllThatJudgingNeeds) {
    commit_tree();
    const auto found = trees({"T", "nothing"});
    ASSERT_EQ(found.size(), 1u);
    const auto& tree = found.at("T");
    ASSERT_TRUE(tree.transaction);
    EXPECT_EQ(tree.transaction->signer_id, "alice.near");
    EXPECT_EQ(tree.transaction->deposit, 5u);
    EXPECT_EQ(tree.transaction->delegate, (chain::DelegateFacts{"user.near", "app.near"}));
    EXPECT_EQ(tree.transaction->method_name, "Transfer");
    EXPECT_EQ(tree.listed_at, executed_at(100));
    EXPECT_EQ(tree.receipts.size(), 4u);
    EXPECT_EQ(tree.outcomes.size(), 5u);
    ASSERT_EQ(tree.data.size(), 1u);
    EXPECT_TRUE(tree.data[0].failed);
    EXPECT_EQ(tree.receipts[1].method_name, "run");
    EXPECT_EQ(tree.receipts[3].deposit, 1u);
    EXPECT_EQ(tree.receipts[1].action_names, std::vector<std::string>{"FunctionCall"});
    const auto judgement = storage::tree_of("T", tree).judge();
    EXPECT_EQ(judgement.verdict, chain::Verdict::succeeded_with_handled_failure);
    EXPECT_TRUE(judgement.settled);
    EXPECT_EQ(judgement.net_deposit, 5u);
    EXPECT_EQ(judgement.refunds.gas, 1u);
    ASSERT_TRUE(judgement.delegate);
    EXPECT_EQ(judgement.delegate->relayer_id, "alice.near");
}

TEST_F(StoredTrees, AreFoundByTheIdsOfTheirReceipts) {
    commit_tree();
    EXPECT_EQ(await(watches().tree_of("T")), "T");
    EXPECT_EQ(await(watches().tree_of("C")), "T");
    EXPECT_FALSE(await(watches().tree_of("nothing")));
}

TEST_F(StoredTrees, TellWhereEachPartWasExecutedAndWhoAwaitedWhom) {
    commit_tree();
    execute("UPDATE transactions SET shard_id = 7");
    execute("UPDATE receipts SET shard_id = CASE receipt_id WHEN 'B' THEN 3 END");
    const auto judgement = storage::tree_of("T", trees({"T"}).at("T")).judge();
    EXPECT_EQ(judgement.included_in_shard, 7u);
    for (const auto& receipt : judgement.receipts) {
        const bool is_promise = receipt.receipt_id == "B";
        EXPECT_EQ(receipt.shard_id, is_promise ? std::optional<chain::ShardId>(3) : std::nullopt);
        const std::vector<std::string> awaited = {"B"};
        EXPECT_EQ(receipt.awaits, receipt.receipt_id == "C" ? awaited : std::vector<std::string>{});
    }
}

TEST_F(StoredTrees, KnowWhichActionOfABatchFailed) {
    commit_tree();
    execute(R"(UPDATE receipts SET error = '{"ActionError":{"index":2,"kind":{"FunctionCallError":{)"
            R"("ExecutionError":"Smart contract panicked: \u0000"}}}}' WHERE receipt_id = 'B')");
    const auto judgement = storage::tree_of("T", trees({"T"}).at("T")).judge();
    for (const auto& receipt : judgement.receipts)
        EXPECT_EQ(receipt.failure.action_index,
                  receipt.receipt_id == "B" ? std::optional<std::uint64_t>(2) : std::nullopt)
            << receipt.receipt_id;
}

TEST_F(StoredTrees, OfATransactionWithoutOutcomeTellWhereItIsListed) {
    auto batch = block_batch(100);
    add_transaction(batch, {"T", ""});
    commit(std::move(batch));
    const auto tree = trees({"T"}).at("T");
    EXPECT_TRUE(tree.any());
    EXPECT_TRUE(tree.outcomes.empty());
    EXPECT_EQ(tree.listed_at, executed_at(100));
}

TEST_F(StoredTrees, OfATransactionOutOfScopeHaveTheReceiptsThatAreStored) {
    auto batch = block_batch(100);
    add_receipt(batch, 100, {"B", "T", "T", "A"});
    commit(std::move(batch));
    const auto tree = trees({"T"}).at("T");
    EXPECT_FALSE(tree.transaction);
    EXPECT_EQ(tree.outcomes.size(), 1u);
}

TEST_F(StoredTrees, AreFoundOnWhateverDayTheyBegan) {
    // The same rows on many days, one tree a day, and one that lasts over midnight.
    execute(
        "SELECT make_partitions(day, day) FROM generate_series(timestamptz '2022-09-01Z', '2022-10-20Z', '1 "
        "day') "
        "AS day");
    execute(
        "INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, "
        "nonce, status, "
        "initial_receipt_id) SELECT 'T' || d, 'T' || d, d, timestamptz '2022-09-01 23:59:59+00' + d * "
        "interval '1 "
        "day', 'alice.near', 'bob.near', d, 'success_receipt_id', 'R' || d FROM generate_series(0, 47) d");
    execute(
        "INSERT INTO receipts (receipt_id, tree_id, tx_hash, block_height, block_time, predecessor_id, "
        "receiver_id, "
        "signer_id, role, actions, deposit, status) SELECT 'R' || d, 'T' || d, 'T' || d, d + 1, timestamptz "
        "'2022-09-02 00:00:01+00' + d * interval '1 day', 'alice.near', 'bob.near', 'alice.near', 'initial', "
        "'[]', 0, "
        "'success_value' FROM generate_series(0, 47) d");
    std::vector<std::string> all;
    for (int day = 0; day < 48; ++day) all.push_back("T" + std::to_string(day));
    const auto found = trees(all);
    ASSERT_EQ(found.size(), 48u);
    for (const auto& [tx_hash, tree] : found) {
        EXPECT_TRUE(storage::tree_of(tx_hash, tree).judge().settled) << tx_hash;
        EXPECT_EQ(tree.receipts.size(), 1u) << tx_hash;
    }
}

TEST_F(StoredTrees, ThatLastForDaysAreWhole) {
    commit_tree();
    execute("SELECT make_partitions('2022-10-19', '2022-10-25')");
    execute("UPDATE receipts SET block_time = block_time + interval '3 days' WHERE receipt_id IN ('C', 'F')");
    const auto tree = trees({"T"}).at("T");
    EXPECT_EQ(tree.receipts.size(), 4u);
    EXPECT_EQ(tree.outcomes.size(), 5u);
    EXPECT_EQ(tree.data.size(), 1u);
    EXPECT_TRUE(storage::tree_of("T", tree).judge().settled);
}

TEST_F(StoredTrees, OfHostileHashesAreNone) {
    commit_tree();
    EXPECT_TRUE(
        trees({"'; DROP TABLE receipts; --", "\"", "{a,b}", "\\", std::string(100'000, 'x')}).empty());
    EXPECT_TRUE(trees({}).empty());
    EXPECT_EQ(trees({"T", "T"}).size(), 1u);
}

}  // namespace
}  // namespace receiptd::test
