#include "chain/rows/rows.hpp"

#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::executed;
using testing::failed;
using testing::outcome;
using testing::read_rows;
using testing::row_with;
using testing::transaction;

// alice calls dex, which spawns promise A and callback B (awaits A); B fails, F refunds.
struct SwapTree {
    TransactionStatus status;
    std::vector<Receipt> receipts;
    std::vector<ExecutionBlock> executed_in;
    BlockRef included_in{10, "block-10", "block-9", 9, 6'000'000'000};

    SwapTree() {
        const auto sent = transaction("TX", "alice.near", "dex.near", "R1");
        status.transaction = sent.transaction;
        status.transaction->actions_json = R"([{"FunctionCall":{"args":"AA=="}}])";
        status.transaction_outcome = sent.outcome;
        status.receipts_outcome = {outcome("F", "alice.near"), failed(outcome("B", "dex.near", {"F"})),
                                   outcome("R1", "dex.near", {"A", "B"}), outcome("A", "token.near", {"G"}),
                                   outcome("G", "alice.near")};
        for (std::size_t i = 0; i < status.receipts_outcome.size(); ++i)
            executed_in.push_back({14 - i, 1'000'000'000 * (14 - i), i % 2});
        auto promise = action_receipt("A", "dex.near", "token.near", "alice.near");
        promise.output_data_receivers = {{"D", "dex.near"}};
        auto callback = action_receipt("B", "dex.near", "dex.near", "alice.near");
        callback.input_data_ids = {"D", "D2"};
        receipts = {callback, action_receipt("F", "system", "alice.near", "system"), promise};
    }
    TreeRows rows() const { return tree_rows(status, receipts, executed_in, included_in); }
};

TEST(TreeRows, ReceiptsComeDepthFirstWithParentsAndRoles) {
    const auto rows = SwapTree().rows();
    const auto receipts = read_rows(rows.batch, Table::receipts);
    std::vector<std::string> order;
    for (const auto& row : receipts) {
        order.push_back(*row["receipt_id"]);
        EXPECT_EQ(row["tree_id"], "TX");
        EXPECT_EQ(row["tx_hash"], "TX");
        EXPECT_EQ(row["index_in_chunk"], std::nullopt);
    }
    EXPECT_EQ(order, (std::vector<std::string>{"R1", "A", "G", "B", "F"}));
    EXPECT_EQ(row_with(receipts, "receipt_id", "R1")["role"], "initial");
    EXPECT_EQ(row_with(receipts, "receipt_id", "R1")["parent_receipt_id"], std::nullopt);
    EXPECT_EQ(row_with(receipts, "receipt_id", "A")["role"], "promise");
    EXPECT_EQ(row_with(receipts, "receipt_id", "B")["role"], "callback");
    EXPECT_EQ(row_with(receipts, "receipt_id", "B")["parent_receipt_id"], "R1");
    EXPECT_EQ(row_with(receipts, "receipt_id", "F")["role"], "refund");
    EXPECT_EQ(row_with(receipts, "receipt_id", "F")["block_height"], "14");
    EXPECT_EQ(row_with(receipts, "receipt_id", "F")["shard_id"], "0");
    EXPECT_TRUE(rows.batch.facts.blocks.empty());
    EXPECT_TRUE(rows.batch.facts.covered.empty());
}

TEST(TreeRows, TheInitialReceiptRepeatsItsTransaction) {
    const auto receipts = read_rows(SwapTree().rows().batch, Table::receipts);
    const auto& row = row_with(receipts, "receipt_id", "R1");
    EXPECT_EQ(row["predecessor_id"], "alice.near");
    EXPECT_EQ(row["receiver_id"], "dex.near");
    EXPECT_EQ(row["signer_id"], "alice.near");
    EXPECT_EQ(row["actions"], R"([{"FunctionCall":{"args":"AA=="}}])");
}

TEST(TreeRows, ABodyNobodyCouldGiveIsLeftOut) {
    const auto receipts = read_rows(SwapTree().rows().batch, Table::receipts);
    const auto& row = row_with(receipts, "receipt_id", "G");
    EXPECT_EQ(row["parent_receipt_id"], "A");
    EXPECT_EQ(row["receiver_id"], "alice.near");
    for (const char* column : {"predecessor_id", "signer_id", "role", "method_name", "actions", "deposit",
                               "input_data_ids", "output_data_ids", "is_promise_yield"})
        EXPECT_EQ(row[column], std::nullopt) << column;
    EXPECT_EQ(row["status"], "success_value");
}

TEST(TreeRows, BodiesInTheAnswerItselfCountToo) {
    SwapTree tree;
    tree.status.receipts = {action_receipt("G", "system", "alice.near", "alice.near")};
    const auto receipts = read_rows(tree.rows().batch, Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "G")["role"], "refund");
    EXPECT_EQ(row_with(receipts, "receipt_id", "A")["role"], "promise");
}

TEST(TreeRows, ABlockThatCannotBeHadIsNamedByItsHash) {
    SwapTree tree;
    tree.executed_in[0].height = std::nullopt;
    tree.executed_in[0].shard_id = std::nullopt;
    const auto receipts = read_rows(tree.rows().batch, Table::receipts);
    const auto& row = row_with(receipts, "receipt_id", "F");
    EXPECT_EQ(row["block_height"], std::nullopt);
    EXPECT_EQ(row["shard_id"], std::nullopt);
    EXPECT_EQ(row["executed_block_hash"], "executing block");
    EXPECT_EQ(row["block_time"], "1970-01-01 00:00:14.000000+00");
    EXPECT_EQ(row_with(receipts, "receipt_id", "B")["executed_block_hash"], std::nullopt);
}

TEST(TreeRows, TheCompletionTellsTheTransactionsOutcomeAndItsData) {
    const auto completion = SwapTree().rows().completion;
    EXPECT_EQ(completion.tx_hash, "TX");
    EXPECT_EQ(completion.block_timestamp_nanosec, 6'000'000'000u);
    EXPECT_EQ(completion.status, "success_receipt_id");
    EXPECT_EQ(completion.initial_receipt_id, "R1");
    EXPECT_EQ(completion.error_class, "");
    EXPECT_EQ(completion.gas_burnt, 1000u);
    EXPECT_EQ(completion.tokens_burnt, "2000");
    EXPECT_EQ(completion.data_ids, (std::vector<std::string>{"D", "D2"}));
}

TEST(TreeRows, AFailedConversionIsATreeWithoutReceipts) {
    TransactionStatus status;
    const auto sent = transaction("TX", "alice.near", "dex.near", "unused");
    status.transaction = sent.transaction;
    status.transaction_outcome = failed(outcome("TX", "alice.near"));
    const auto rows = tree_rows(status, {}, {}, {});
    EXPECT_EQ(rows.batch[Table::receipts].rows, 0u);
    EXPECT_EQ(read_rows(rows.batch, Table::transaction_results).at(0)["verdict"], "failed");
    EXPECT_EQ(read_rows(rows.batch, Table::findings).at(0)["kind"], "failed_transaction");
    EXPECT_EQ(rows.completion.status, "failure");
    EXPECT_EQ(rows.completion.initial_receipt_id, "");
    EXPECT_EQ(rows.completion.error_class, "contract_panic");
    EXPECT_EQ(rows.completion.error_text, "no");
}

TEST(TreeRows, AnOutcomeThatNothingSpawnedIsNotLost) {
    SwapTree tree;
    tree.status.receipts_outcome.push_back(outcome("stray", "x.near"));
    tree.executed_in.push_back({20, 1, 0});
    const auto receipts = read_rows(tree.rows().batch, Table::receipts);
    ASSERT_EQ(receipts.size(), 6u);
    EXPECT_EQ(receipts[5]["receipt_id"], "stray");
    EXPECT_EQ(receipts[5]["parent_receipt_id"], std::nullopt);
    EXPECT_EQ(receipts[5]["role"], std::nullopt);
}

TEST(TreeRows, RepeatedOutcomesAndRingsGiveEachReceiptOnce) {
    SwapTree tree;
    tree.status.receipts_outcome.push_back(tree.status.receipts_outcome[0]);
    tree.status.receipts_outcome[0].receipt_ids = {"R1", "F"};
    tree.executed_in.push_back({20, 1, 0});
    EXPECT_EQ(tree.rows().batch[Table::receipts].rows, 5u);
}

// The same tree, asked for later or from another host: the order of outcomes and bodies varies.
TEST(TreeRows, AnyOrderOfOutcomesAndBodiesGivesTheSameRows) {
    const auto expected = SwapTree().rows();
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    const SwapTree original;
    do {
        auto tree = original;
        for (std::size_t i = 0; i < order.size(); ++i) {
            tree.status.receipts_outcome[i] = original.status.receipts_outcome[order[i]];
            tree.executed_in[i] = original.executed_in[order[i]];
        }
        std::rotate(tree.receipts.begin(), tree.receipts.begin() + static_cast<int>(order[0] % 3),
                    tree.receipts.end());
        const auto rows = tree.rows();
        EXPECT_EQ(rows.batch[Table::receipts].pieces, expected.batch[Table::receipts].pieces);
        EXPECT_EQ(rows.completion.data_ids, expected.completion.data_ids);
    } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace receiptd::chain
