// Results and findings of whole blocks: as the whole tree is judged, wherever the follower restarts.
#include "chain/rows/rows.hpp"
#include "chain/tree/live_trees.hpp"
#include "chain/tree/wallet.hpp"

#include "chain/tree/lineage.hpp"
#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::ChainBuilder;
using testing::executed;
using testing::read_rows;
using testing::transaction;

const Scope kEveryReceipt;

// T: A (initial) -> P (promise, fails), C (callback of P); 10, 11, 12.
class Decisions : public ::testing::Test {
protected:
    Decisions() {
        for (BlockHeight height = 10; height < 14; ++height) chain_.add_block(height, 1);
        shard(0).transactions.push_back(transaction("T", "alice.near", "dex.near", "A"));
        auto initial = executed(action_receipt("A", "alice.near", "dex.near", "alice.near"));
        initial.outcome.receipt_ids = {"P", "C"};
        shard(1).executed.push_back(initial);
        auto promise = action_receipt("P", "dex.near", "token.near", "alice.near");
        promise.output_data_receivers = {{"d", "dex.near"}};
        auto failed = executed(promise);
        failed.outcome.status.kind = StatusKind::failure;
        failed.outcome.status.failure_json = R"({"ActionError":{"index":0,"kind":"DelegateActionExpired"}})";
        shard(2).executed.push_back(failed);
        auto callback = action_receipt("C", "dex.near", "dex.near", "alice.near");
        callback.input_data_ids = {"d"};
        shard(3).executed.push_back(executed(callback));
    }
    WholeBlockShard& shard(std::size_t at) { return chain_.blocks()[at].shards[0]; }

    RowBatch follow(const Scope& scope = kEveryReceipt, std::size_t from = 0) {
        Lineage lineage;
        LiveTrees live_trees;
        RowBatch batch;
        for (std::size_t i = from; i < chain_.blocks().size(); ++i)
            batch.append(whole_block_rows(chain_.blocks()[i], std::nullopt, scope, lineage, &live_trees));
        return batch;
    }

    ChainBuilder chain_;
};

TEST_F(Decisions, HaveTheBeginningOfALongErrorAndTheReceiptHasItAll) {
    const std::string panic(16'000, 'x');
    shard(2).executed[0].outcome.status.failure_json = chain_.own(
        R"({"ActionError":{"index":0,"kind":{"FunctionCallError":{"ExecutionError":"Smart contract panicked: )" +
        panic + R"("}}}})");
    shard(3).executed[0].outcome.status = shard(2).executed[0].outcome.status;
    const auto batch = follow();
    const auto findings = read_rows(batch, Table::findings);
    ASSERT_EQ(findings.size(), 2u);
    EXPECT_EQ(findings[0]["error_text"], panic.substr(0, 4'093) + "…");
    const auto results = read_rows(batch, Table::transaction_results);
    EXPECT_EQ(results[0]["error_text"], panic.substr(0, 4'093) + "…");
    for (const auto& receipt : read_rows(batch, Table::receipts))
        EXPECT_TRUE(receipt["receipt_id"] != "P" || receipt["error_text"] == panic);
}

TEST_F(Decisions, AreRowsOfTheBlockThatSettlesThem) {
    const auto batch = follow();
    const auto results = read_rows(batch, Table::transaction_results);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0]["tx_hash"], "T");
    EXPECT_EQ(results[0]["verdict"], "succeeded_with_handled_failure");
    EXPECT_EQ(results[0]["near_status"], "success");
    EXPECT_FALSE(results[0]["near_status_receipt_id"]) << "the initial receipt's";
    EXPECT_FALSE(results[0]["net_deposit"]);
    EXPECT_EQ(results[0]["included_height"], "10");
    EXPECT_EQ(results[0]["settled_height"], "13");
    EXPECT_EQ(results[0]["receipts"], "3");
    EXPECT_EQ(results[0]["failed_receipts"], "1");
    const auto findings = read_rows(batch, Table::findings);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0]["finding_id"], "failed_receipt:P");
    EXPECT_EQ(findings[0]["role"], "promise");
    EXPECT_EQ(findings[0]["handled"], "t");
    EXPECT_EQ(findings[0]["handled_by"], R"({"C"})");
    EXPECT_EQ(findings[0]["contract_id"], "token.near");
    EXPECT_EQ(findings[0]["block_height"], "12");
    ASSERT_EQ(batch.findings.size(), 1u);
    EXPECT_EQ(batch.findings[0].finding_id, "failed_receipt:P");
}

TEST_F(Decisions, NameWhoStandsBehindARelayer) {
    EXPECT_FALSE(read_rows(follow(), Table::transactions)[0]["user_id"]) << "alice signed for herself";
    Action delegate;
    delegate.kind = ActionKind::delegate;
    delegate.delegate_sender_id = "dex.near";
    shard(0).transactions[0].transaction.actions = {delegate};
    const auto batch = follow();
    for (const auto table : {Table::transactions, Table::transaction_results, Table::findings}) {
        const auto row = read_rows(batch, table).at(0);
        EXPECT_EQ(row["user_id"], "dex.near");
        EXPECT_EQ(row["signer_id"], "alice.near");
    }
}

// T of the wallet of an ETH-implicit account: A refuses what its owner signed.
TEST_F(Decisions, TellWhatAWalletRefused) {
    constexpr Text kEthAccount = "0x4bae32fe351b5a8be431bd6ae44cd8e152b89266";
    Action call;
    call.kind = ActionKind::function_call;
    call.method_name = kWalletMethod;
    auto& sent = shard(0).transactions[0].transaction;
    auto& initial = shard(1).executed[0];
    sent.receiver_id = initial.receipt.receiver_id = initial.outcome.executor_id = kEthAccount;
    sent.actions = initial.receipt.actions = {call};
    initial.outcome.receipt_ids.clear();
    initial.outcome.status.success_value = "eyJzdWNjZXNzIjpmYWxzZSwiZXJyb3IiOiJubyJ9";
    const auto batch = follow();
    const auto findings = read_rows(batch, Table::findings);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0]["finding_id"], "wallet_refused:A");
    EXPECT_EQ(findings[0]["user_id"], std::nullopt) << "its owner need not have signed";
    EXPECT_EQ(read_rows(batch, Table::transaction_results)[0]["claimed_user_id"], kEthAccount);
    ASSERT_EQ(batch.disowned.size(), 1u);
    EXPECT_EQ(batch.disowned[0].claimed_user_id, kEthAccount);
    EXPECT_EQ(findings[0]["handled"], "f");
    EXPECT_EQ(findings[0]["error_text"], "no");
    EXPECT_EQ(read_rows(batch, Table::transaction_results)[0]["verdict"], "receipt_failed");
}

TEST_F(Decisions, AreNotMadeOfATreeWhoseBeginningWasNotSeen) {
    const auto batch = follow(kEveryReceipt, 1);
    EXPECT_EQ(batch[Table::transaction_results].rows, 0u);
    EXPECT_EQ(batch[Table::findings].rows, 0u);
}

TEST_F(Decisions, AreNotMadeOfATreeWithAHole) {
    chain_.blocks()[1].shards[0].executed.clear();  // A is not seen; the chain names the tree all the same
    for (std::size_t i = 2; i < 4; ++i) shard(i).executed[0].tx_hash = "T";
    const auto batch = follow();
    EXPECT_EQ(batch[Table::transaction_results].rows, 0u);
    EXPECT_EQ(batch[Table::findings].rows, 0u);
}

TEST_F(Decisions, AreMadeOfTransactionsInScope) {
    EXPECT_EQ(follow({ScopeKind::accounts, {"alice.near"}, {}})[Table::transaction_results].rows, 1u);
    EXPECT_EQ(follow({ScopeKind::accounts, {"alice.near"}, {}})[Table::findings].rows, 1u);
    EXPECT_EQ(follow({ScopeKind::accounts, {"bob.near"}, {}})[Table::findings].rows, 0u);
    EXPECT_EQ(follow({ScopeKind::headers, {}, {}})[Table::transaction_results].rows, 0u);
}

TEST_F(Decisions, TellATransactionThatFailedBeforeItMadeAReceipt) {
    auto& sent = shard(0).transactions[0];
    sent.outcome->receipt_ids.clear();
    sent.outcome->status.kind = StatusKind::failure;
    sent.outcome->status.failure_json = R"({"InvalidTxError":"Expired"})";
    const auto batch = follow();
    const auto findings = read_rows(batch, Table::findings);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0]["finding_id"], "failed_transaction:T");
    EXPECT_EQ(findings[0]["contract_id"], "dex.near");
    EXPECT_EQ(findings[0]["error_class"], "expired");
    EXPECT_FALSE(findings[0]["receipt_id"]);
    EXPECT_EQ(read_rows(batch, Table::transaction_results)[0]["verdict"], "failed");
}

}  // namespace
}  // namespace receiptd::chain
