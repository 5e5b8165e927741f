#include "chain/rows/rows.hpp"

#include "chain/tree/lineage.hpp"
#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::Cell;
using testing::ChainBuilder;
using testing::data_receipt;
using testing::executed;
using testing::read_array;
using testing::read_rows;
using testing::row_with;
using testing::swap_chain;
using testing::transaction;

const Scope kAll{};

RowBatch rows_of(const ChainBuilder& chain, const Scope& scope = kAll) {
    Lineage lineage;
    RowBatch batch;
    for (const auto& block : chain.blocks())
        batch.append(whole_block_rows(block, std::nullopt, scope, lineage));
    return batch;
}

TEST(WholeBlockRows, ATreeIsFollowedAcrossBlocks) {
    const auto batch = rows_of(swap_chain());
    const auto receipts = read_rows(batch, Table::receipts);
    ASSERT_EQ(receipts.size(), 4u);
    for (const auto& row : receipts) {
        EXPECT_EQ(row["tree_id"], "TX");
        EXPECT_EQ(row["tx_hash"], "TX");
    }
    const auto expect = [&](const char* id, const Cell& parent, const char* role, const char* height) {
        const auto& row = row_with(receipts, "receipt_id", id);
        EXPECT_EQ(row["parent_receipt_id"], parent) << id;
        EXPECT_EQ(row["role"], role) << id;
        EXPECT_EQ(row["block_height"], height) << id;
    };
    expect("R1", std::nullopt, "initial", "11");
    expect("A", "R1", "promise", "12");
    expect("B", "R1", "callback", "13");
    expect("F", "B", "refund", "14");
    EXPECT_EQ(batch[Table::orphan_receipts].rows, 0u);
    EXPECT_EQ(batch[Table::pending_trees].rows, 0u);
    const auto data = read_rows(batch, Table::data_receipts);
    ASSERT_EQ(data.size(), 1u);
    EXPECT_EQ(data[0]["tree_id"], "TX");
    EXPECT_EQ(data[0]["tx_hash"], "TX");
}

TEST(WholeBlockRows, ALocalDeploymentTellsTheHashThatItsTransactionTells) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    shard.transactions.push_back(transaction("TX", "app.near", "app.near", "R"));
    shard.transactions[0].transaction.actions_json = R"([{"DeployGlobalContract":{"code":"hash"}}])";
    auto local = action_receipt("R", "app.near", "app.near", "app.near");
    local.actions_json = R"([{"DeployGlobalContract":{"code":"hash of the hash"}}])";
    shard.executed.push_back(executed(local));
    const auto receipts = read_rows(rows_of(chain), Table::receipts);
    ASSERT_EQ(receipts.size(), 1u);
    EXPECT_EQ(receipts[0]["actions"], R"([{"DeployGlobalContract":{"code":"hash"}}])");
}

TEST(WholeBlockRows, ReceiptsKeepTheOrderInWhichTheyWereExecuted) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    for (const char* id : {"second", "first"})
        shard.executed.push_back(executed(action_receipt(id, "a.near", "b.near", "a.near")));
    shard.executed[0].outcome.sides = {1, 1};  // a tree of two leaves: the other one is on the left
    shard.executed[1].outcome.sides = {0, 1};
    const auto receipts = read_rows(rows_of(chain), Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "first")["index_in_chunk"], "0");
    EXPECT_EQ(row_with(receipts, "receipt_id", "second")["index_in_chunk"], "1");
}

TEST(WholeBlockRows, AReceiptRowHoldsReceiptAndOutcome) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    auto receipt = action_receipt("R", "a.near", "b.near", "s.near");
    receipt.input_data_ids = {"D1", "D2"};
    receipt.output_data_receivers = {{"D3", "c.near"}};
    receipt.actions_json = R"([{"FunctionCall":{"args":"e30="}}])";
    Action call;
    call.kind = ActionKind::function_call;
    call.method_name = "swap";
    call.args = receipt.actions_json.substr(receipt.actions_json.find("e30="), 4);
    call.deposit = 40;
    Action transfer;
    transfer.kind = ActionKind::transfer;
    transfer.deposit = 2;
    receipt.actions = {transfer, call};
    auto item = executed(receipt, {"X", "Y"});
    item.outcome.logs = {"plain", Text("nul\0\"", 5),
                         R"(EVENT_JSON:{"standard":"s","version":"1","event":"e","data":[]})"};
    item.outcome.status.success_value = "dHJ1ZQ==";
    shard.executed.push_back(item);
    const auto batch = rows_of(chain);

    const auto row = read_rows(batch, Table::receipts).at(0);
    EXPECT_EQ(row["block_time"], "2020-09-13 12:26:46.000000+00");
    EXPECT_EQ(row["shard_id"], "0");
    EXPECT_EQ(row["index_in_chunk"], "0");
    EXPECT_EQ(row["predecessor_id"], "a.near");
    EXPECT_EQ(row["receiver_id"], "b.near");
    EXPECT_EQ(row["signer_id"], "s.near");
    EXPECT_EQ(row["method_name"], "swap");
    EXPECT_EQ(row["actions"], R"([{"FunctionCall":{"args_json":{}}}])");
    EXPECT_EQ(row["deposit"], "42");
    EXPECT_EQ(read_array(row["input_data_ids"]), (std::vector<std::string>{"D1", "D2"}));
    EXPECT_EQ(read_array(row["output_data_ids"]), (std::vector<std::string>{"D3"}));
    EXPECT_EQ(read_array(row["receipt_ids"]), (std::vector<std::string>{"X", "Y"}));
    EXPECT_EQ(row["status"], "success_value");
    EXPECT_EQ(row["result"], "dHJ1ZQ==");
    EXPECT_EQ(row["error"], std::nullopt);
    EXPECT_EQ(row["gas_burnt"], "1000");
    EXPECT_EQ(row["tokens_burnt"], "2000");
    EXPECT_EQ(read_array(row["logs"]).at(1), "nul\u2400\"");
    EXPECT_EQ(row["executed_block_hash"], std::nullopt);

    const auto event = read_rows(batch, Table::events).at(0);
    EXPECT_EQ(event["receipt_id"], "R");
    EXPECT_EQ(event["index"], "2");
    EXPECT_EQ(event["account_id"], "b.near");
    EXPECT_EQ(event["standard"], "s");
    EXPECT_EQ(event["event"], "e");
    EXPECT_EQ(event["data"], "[]");
}

TEST(WholeBlockRows, AFailureIsClassifiedAndKept) {
    const auto receipts = read_rows(rows_of(swap_chain()), Table::receipts);
    const auto& row = row_with(receipts, "receipt_id", "B");
    EXPECT_EQ(row["status"], "failure");
    EXPECT_EQ(row["result"], std::nullopt);
    EXPECT_EQ(row["error_class"], "contract_panic");
    EXPECT_EQ(row["error_text"], "no");
    EXPECT_NE(row["error"].value_or("").find("FunctionCallError"), std::string::npos);
}

TEST(WholeBlockRows, ALocalReceiptBelongsToTheTransactionOfItsBlock) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    shard.transactions.push_back(transaction("TX", "bob.near", "bob.near", "L"));
    shard.executed.push_back(executed(action_receipt("L", "bob.near", "bob.near", "bob.near"), {"C"}));
    chain.add_block(11).shards[0].executed.push_back(
        executed(action_receipt("C", "bob.near", "x.near", "bob.near")));
    const auto batch = rows_of(chain);
    const auto receipts = read_rows(batch, Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "L")["role"], "initial");
    EXPECT_EQ(row_with(receipts, "receipt_id", "L")["tree_id"], "TX");
    EXPECT_EQ(row_with(receipts, "receipt_id", "C")["tree_id"], "TX");
    EXPECT_EQ(row_with(receipts, "receipt_id", "C")["role"], "detached");
    EXPECT_EQ(batch[Table::orphan_receipts].rows, 0u);
    const auto row = read_rows(batch, Table::transactions).at(0);
    EXPECT_EQ(row["status"], "success_receipt_id");
    EXPECT_EQ(row["initial_receipt_id"], "L");
}

// Instant receipts execute beside their parent; the child may even be told before it.
TEST(WholeBlockRows, AReceiptCanExecuteInTheBlockOfItsParent) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    shard.executed.push_back(executed(action_receipt("grandchild", "a.near", "a.near", "s.near")));
    shard.executed.push_back(executed(action_receipt("child", "a.near", "a.near", "s.near"), {"grandchild"}));
    shard.executed.push_back(executed(action_receipt("parent", "s.near", "a.near", "s.near"), {"child"}));
    shard.transactions.push_back(transaction("TX", "s.near", "a.near", "parent"));
    const auto batch = rows_of(chain);
    const auto receipts = read_rows(batch, Table::receipts);
    for (const auto& row : receipts) EXPECT_EQ(row["tree_id"], "TX");
    EXPECT_EQ(row_with(receipts, "receipt_id", "grandchild")["parent_receipt_id"], "child");
    EXPECT_EQ(row_with(receipts, "receipt_id", "child")["parent_receipt_id"], "parent");
    EXPECT_EQ(batch[Table::orphan_receipts].rows, 0u);
}

TEST(WholeBlockRows, ReceiptsThatSpawnEachOtherInARingAreOrphansNotAHang) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    shard.executed.push_back(executed(action_receipt("a", "x.near", "y.near", "s.near"), {"b"}));
    shard.executed.push_back(executed(action_receipt("b", "x.near", "y.near", "s.near"), {"a"}));
    shard.executed.push_back(executed(action_receipt("self", "x.near", "y.near", "s.near"), {"self"}));
    const auto batch = rows_of(chain);
    EXPECT_EQ(batch[Table::receipts].rows, 3u);
    EXPECT_EQ(batch[Table::orphan_receipts].rows, 2u);
}

TEST(WholeBlockRows, AReceiptWithoutAKnownParentIsAnOrphanAndRootOfItsTree) {
    ChainBuilder chain;
    chain.add_block(10).shards[0].executed.push_back(
        executed(action_receipt("R", "a.near", "b.near", "s.near"), {"C"}));
    chain.add_block(11).shards[0].executed.push_back(
        executed(action_receipt("C", "b.near", "c.near", "s.near")));
    const auto batch = rows_of(chain);
    const auto receipts = read_rows(batch, Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "R")["tree_id"], "R");
    EXPECT_EQ(row_with(receipts, "receipt_id", "R")["tx_hash"], std::nullopt);
    EXPECT_EQ(row_with(receipts, "receipt_id", "C")["tree_id"], "R");
    EXPECT_EQ(row_with(receipts, "receipt_id", "C")["parent_receipt_id"], "R");
    const auto orphans = read_rows(batch, Table::orphan_receipts);
    ASSERT_EQ(orphans.size(), 1u);
    EXPECT_EQ(orphans[0]["kind"], "receipt");
    EXPECT_EQ(orphans[0]["id"], "R");
    EXPECT_EQ(orphans[0]["tree_id"], std::nullopt) << "its own id";
}

TEST(WholeBlockRows, TheTransactionThatTheSourceTellsNamesTheTree) {
    ChainBuilder chain;
    auto item = executed(action_receipt("R", "a.near", "b.near", "s.near"), {"C"});
    item.tx_hash = "TX";
    chain.add_block(10).shards[0].executed.push_back(item);
    chain.add_block(11).shards[0].executed.push_back(
        executed(action_receipt("C", "b.near", "c.near", "s.near")));
    const auto batch = rows_of(chain);
    for (const auto& row : read_rows(batch, Table::receipts)) {
        EXPECT_EQ(row["tree_id"], "TX");
        EXPECT_EQ(row["tx_hash"], "TX");
    }
    EXPECT_EQ(read_rows(batch, Table::orphan_receipts).at(0)["tree_id"], "TX");
}

TEST(WholeBlockRows, ThePayoutOfADeletedAccountIsNoRefund) {
    ChainBuilder chain;
    auto deletion = action_receipt("R", "a.near", "a.near", "a.near");
    deletion.actions.resize(1);
    deletion.actions[0].kind = ActionKind::delete_account;
    deletion.actions[0].beneficiary_id = "b.near";
    chain.add_block(10).shards[0].executed.push_back(executed(deletion, {"P"}));
    chain.add_block(11).shards[0].executed.push_back(
        executed(action_receipt("P", "system", "b.near", "system")));
    EXPECT_EQ(row_with(read_rows(rows_of(chain), Table::receipts), "receipt_id", "P")["role"], "payout");
}

// TX -> R returns C, C returns D, D fails; C makes X beside it.
ChainBuilder returning_chain() {
    ChainBuilder chain;
    const auto returns = [](ExecutedReceipt item, Text child) {
        item.outcome.status.kind = StatusKind::success_receipt_id;
        item.outcome.status.success_receipt_id = child;
        return item;
    };
    chain.add_block(10).shards[0].transactions.push_back(transaction("TX", "a.near", "b.near", "R"));
    chain.add_block(11).shards[0].executed.push_back(
        returns(executed(action_receipt("R", "a.near", "b.near", "a.near"), {"C"}), "C"));
    chain.add_block(12).shards[0].executed.push_back(
        returns(executed(action_receipt("C", "b.near", "c.near", "a.near"), {"X", "D"}), "D"));
    auto& last = chain.add_block(13).shards[0].executed;
    last.push_back(executed(action_receipt("X", "c.near", "x.near", "a.near")));
    last.push_back(executed(action_receipt("D", "c.near", "d.near", "a.near")));
    last.back().outcome = testing::failed(last.back().outcome);
    return chain;
}

TEST(WholeBlockRows, WhatIsReturnedToTheTransactionIsNotDetached) {
    const auto receipts = read_rows(rows_of(returning_chain()), Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "R")["role"], "initial");
    EXPECT_EQ(row_with(receipts, "receipt_id", "C")["role"], "returned");
    EXPECT_EQ(row_with(receipts, "receipt_id", "D")["role"], "returned");
    EXPECT_EQ(row_with(receipts, "receipt_id", "X")["role"], "detached");
}

TEST(WholeBlockRows, WhatAnOrphanReturnedHasNoRoleUntilTheOrphanHasAParent) {
    auto chain = returning_chain();
    chain.blocks().erase(chain.blocks().begin(), chain.blocks().begin() + 2);  // begins with C
    const auto receipts = read_rows(rows_of(chain), Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "C")["role"], std::nullopt);
    EXPECT_EQ(row_with(receipts, "receipt_id", "D")["role"], std::nullopt);
    EXPECT_EQ(row_with(receipts, "receipt_id", "X")["role"], "detached");
}

TEST(WholeBlockRows, ATextThatIsStoredAsAnotherIsKeptAsItWasGiven) {
    constexpr Text kKey = R"([{"AddKey":{"method_names":["a\u0000b"]}}])";
    constexpr Text kError = R"({"ActionError":{"kind":{"X":"\ud800"}}})";
    ChainBuilder chain;
    auto listed = transaction("TX", "s.near", "a.near", "R");
    listed.transaction.actions_json = kKey;
    chain.add_block(10).shards[0].transactions.push_back(listed);
    auto& shard = chain.add_block(11).shards[0];
    auto receipt = executed(action_receipt("R", "s.near", "a.near", "s.near"));
    receipt.receipt.actions_json = kKey;
    receipt.outcome.logs = {Text("l\0g\"", 4), "plain"};
    receipt.outcome = testing::failed(receipt.outcome);
    receipt.outcome.status.failure_json = kError;
    shard.executed.push_back(receipt);
    shard.executed.push_back(executed(action_receipt("calm", "s.near", "a.near", "s.near")));

    const auto batch = rows_of(chain);
    const auto actions = "\"actions\":" + std::string(kKey);
    EXPECT_EQ(read_rows(batch, Table::transactions).at(0)["as_given"], "{" + actions + "}");
    const auto receipts = read_rows(batch, Table::receipts);
    EXPECT_EQ(row_with(receipts, "receipt_id", "R")["as_given"],
              "{" + actions + ",\"error\":" + std::string(kError) + R"(,"logs":["l\u0000g\"","plain"]})");
    EXPECT_EQ(row_with(receipts, "receipt_id", "calm")["as_given"], std::nullopt);
}

// A resume's data belongs to the tree of the yielded receipt, which nobody announced.
TEST(WholeBlockRows, DataThatNobodyAnnouncedBelongsToTheReceiptThatAwaitedIt) {
    ChainBuilder chain;
    chain.add_block(10).shards[0].transactions.push_back(transaction("TX", "s.near", "a.near", "Y"));
    auto& shard = chain.add_block(11).shards[0];
    auto yielded = action_receipt("Y", "a.near", "a.near", "s.near");
    yielded.input_data_ids = {"D"};
    yielded.is_promise_yield = true;
    shard.executed.push_back(executed(yielded));
    auto resume = data_receipt("DR", "D", "a.near", "a.near");
    resume.is_promise_resume = true;
    resume.data = std::nullopt;
    shard.listed_data.push_back(resume);
    shard.listed_data.push_back(data_receipt("DR2", "unheard", "a.near", "a.near"));
    const auto batch = rows_of(chain);
    EXPECT_EQ(read_rows(batch, Table::receipts).at(0)["is_promise_yield"], "t");
    const auto data = read_rows(batch, Table::data_receipts);
    EXPECT_EQ(row_with(data, "data_id", "D")["tree_id"], "TX");
    EXPECT_EQ(row_with(data, "data_id", "D")["is_promise_resume"], "t");
    EXPECT_EQ(row_with(data, "data_id", "D")["data"], std::nullopt);
    EXPECT_EQ(row_with(data, "data_id", "unheard")["tree_id"], "DR2");
    EXPECT_EQ(row_with(data, "data_id", "unheard")["data"], "");
    const auto orphans = read_rows(batch, Table::orphan_receipts);
    ASSERT_EQ(orphans.size(), 1u);
    EXPECT_EQ(orphans[0]["kind"], "data");
    EXPECT_EQ(orphans[0]["id"], "unheard");
}

TEST(WholeBlockRows, ATransactionThatFailedHasNoReceipt) {
    ChainBuilder chain;
    auto item = transaction("TX", "a.near", "b.near", "unused");
    item.outcome->receipt_ids.clear();
    item.outcome->status = {};
    item.outcome->status.kind = StatusKind::failure;
    item.outcome->status.failure_json = R"({"InvalidTxError":"InvalidSignature"})";
    item.transaction.nonce = ~Nonce{0};
    item.transaction.nonce_index = 3;
    chain.add_block(10).shards[0].transactions.push_back(item);
    const auto row = read_rows(rows_of(chain), Table::transactions).at(0);
    EXPECT_EQ(row["status"], "failure");
    EXPECT_EQ(row["initial_receipt_id"], std::nullopt);
    EXPECT_TRUE(row["error_class"].has_value());
    EXPECT_EQ(row["nonce"], "18446744073709551615");
    EXPECT_EQ(row["nonce_index"], "3");
}

TEST(WholeBlockRows, WhatABlockNamesTwiceIsStoredOnce) {
    ChainBuilder chain;
    auto& shard = chain.add_block(10).shards[0];
    for (int i = 0; i < 2; ++i) {
        shard.transactions.push_back(transaction("TX", "a.near", "b.near", "R"));
        shard.executed.push_back(executed(action_receipt("X", "a.near", "b.near", "s.near")));
        shard.listed_data.push_back(data_receipt("DR", "D", "a.near", "b.near"));
    }
    const auto batch = rows_of(chain);
    EXPECT_EQ(batch[Table::transactions].rows, 1u);
    EXPECT_EQ(batch[Table::receipts].rows, 1u);
    EXPECT_EQ(batch[Table::data_receipts].rows, 1u);
}

TEST(WholeBlockRows, AMissingChunkRepeatsItsHeaderOrHasNone) {
    ChainBuilder chain;
    auto& whole = chain.add_block(10, 4);
    whole.block.chunks[1].height_included = 9;
    whole.shards[2].chunk_header = std::nullopt;
    whole.block.chunks.pop_back();  // shard 3: only its outcomes are told
    const auto chunks = read_rows(rows_of(chain), Table::chunks);
    ASSERT_EQ(chunks.size(), 4u);
    EXPECT_EQ(row_with(chunks, "shard_id", "0")["missing"], "f");
    EXPECT_EQ(row_with(chunks, "shard_id", "1")["missing"], "t");
    EXPECT_EQ(row_with(chunks, "shard_id", "1")["chunk_hash"], "chunk-10-1");
    EXPECT_EQ(row_with(chunks, "shard_id", "2")["missing"], "t");
    EXPECT_EQ(row_with(chunks, "shard_id", "3")["missing"], "t");
    EXPECT_EQ(row_with(chunks, "shard_id", "3")["chunk_hash"], std::nullopt);
}

TEST(WholeBlockRows, TheParentsHeightComesFromTheHeaderOrFromTheFollower) {
    ChainBuilder chain;
    chain.add_block(10);
    Lineage lineage;
    auto batch = whole_block_rows(chain.blocks()[0], 8, kAll, lineage);
    EXPECT_EQ(read_rows(batch, Table::blocks).at(0)["prev_height"], "8");
    EXPECT_EQ(batch.facts.blocks.at(0).prev_height, 8u);
    EXPECT_EQ(batch.facts.blocks.at(0).hash, "block-10");
    EXPECT_EQ(batch.facts.covered, base::HeightSet({10, 10}));
    chain.blocks()[0].block.header.prev_height = 9;
    batch = whole_block_rows(chain.blocks()[0], 8, kAll, lineage);
    EXPECT_EQ(read_rows(batch, Table::blocks).at(0)["prev_height"], "9");
    batch = whole_block_rows(ChainBuilder().add_block(10), std::nullopt, kAll, lineage);
    EXPECT_EQ(read_rows(batch, Table::blocks).at(0)["prev_height"], std::nullopt);
}

}  // namespace
}  // namespace receiptd::chain
