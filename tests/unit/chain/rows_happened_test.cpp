#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"

#include "unit/chain/asked.hpp"
#include "unit/chain/chain_builder.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::asked;
using testing::ChainBuilder;
using testing::executed;
using testing::failed;
using testing::ids_of;
using testing::kAnything;
using testing::transaction;
using Ids = std::vector<std::string>;

constexpr Text kEvent =
    R"(EVENT_JSON:{"standard":"nep141","event":"ft_mint","data":[{"owner_id":"eve.near","amount":"5"}]})";

Action transfer_of(u128 amount) {
    Action action;
    action.kind = ActionKind::transfer;
    action.name = "Transfer";
    action.deposit = amount;
    return action;
}

// relay.near sends for user.near, who calls app.near (block 11), which pays bob.near (block 12) and calls
// token.near, which fails.
class Happened : public ::testing::Test {
protected:
    Happened() {
        auto sent = transaction("TX", "relay.near", "user.near", "R0");
        Action delegate;
        delegate.kind = ActionKind::delegate;
        delegate.name = "Delegate";
        delegate.delegate_sender_id = "user.near";
        sent.transaction.actions = {delegate};
        chain_.add_block(10).shards[0].transactions.push_back(sent);
        chain_.add_block(11).shards[0].executed.push_back(
            executed(action_receipt("R0", "relay.near", "user.near", "relay.near"), {"A", "B"}));
        auto paid = action_receipt("A", "app.near", "bob.near", "relay.near");
        paid.actions = {transfer_of(100)};
        auto& last = chain_.add_block(12).shards[0];
        last.executed.push_back(executed(paid));
        last.executed.back().outcome.logs = {"hello", kEvent};
        last.executed.push_back(executed(action_receipt("B", "app.near", "token.near", "relay.near")));
        auto& failing = last.executed.back().outcome;
        failing.logs = {kEvent};
        failing = failed(failing);
    }

    RowBatch rows(const std::shared_ptr<const Interest>& interest, std::size_t from = 0) {
        Scope scope;
        scope.interest = interest;
        Lineage lineage;
        LiveTrees live_trees;
        RowBatch batch;
        for (auto at = from; at < chain_.blocks().size(); ++at)
            batch.append(whole_block_rows(chain_.blocks()[at], std::nullopt, scope, lineage, &live_trees));
        return batch;
    }

    ChainBuilder chain_;
};

TEST_F(Happened, ReceiptsThatSucceededTellWhatTheyDid) {
    const auto interest = asked(kAnything);
    const auto batch = rows(interest);
    EXPECT_EQ(batch.happened.interest, interest);
    EXPECT_EQ(ids_of(batch.happened.chosen),
              (Ids{"absence:A", "absence:R0", "event:A:1", "transfer:A:1.0:in:eve.near",
                   "transfer:A:near:in:bob.near", "transfer:A:near:out:app.near"}));
    EXPECT_EQ(batch.happened.chosen.back().receipt->at, (ExecutedAt{12, 1'600'000'007'200'000'000}));
}

TEST_F(Happened, TheUserOfARelayedTransactionIsKnownInItsWholeTree) {
    const auto of_user = [&](std::size_t from) {
        const auto batch = rows(asked(bit(HappeningKind::event), {"user.near"}), from);
        return batch.happened.chosen.empty() ? std::nullopt : batch.happened.chosen[0].receipt->user_id;
    };
    EXPECT_EQ(of_user(0), "user.near");
    EXPECT_EQ(rows(asked(bit(HappeningKind::event), {"zoe.near"})).happened.chosen.size(), 0u);
    // Without the transaction the tree is not known either.
    EXPECT_EQ(of_user(1), std::nullopt);
}

TEST_F(Happened, WithoutInterestNothingIsKept) {
    EXPECT_TRUE(rows(nullptr).happened.chosen.empty());
    EXPECT_TRUE(rows(asked(0)).happened.chosen.empty());
}

TEST_F(Happened, WhatIsOldIsWithheld) {
    auto batch = rows(asked(bit(HappeningKind::success)));
    const base::WallTime twelve{base::Duration(1'600'000'007'200'000'000)};
    batch.withhold_before({twelve});
    EXPECT_EQ(ids_of(batch.happened.chosen), Ids{"absence:A"});
    EXPECT_EQ(batch.happened.since, twelve);
    batch.withhold_before({base::WallTime::max()});
    EXPECT_TRUE(batch.happened.chosen.empty());
}

TEST_F(Happened, BatchesOfDifferentRulesAreOfNone) {
    const auto interest = asked(kAnything);
    auto batch = rows(interest);
    batch.append(rows(interest));
    EXPECT_EQ(batch.happened.interest, interest);
    batch.append(rows(asked(kAnything)));
    EXPECT_EQ(batch.happened.interest, nullptr);
    EXPECT_EQ(batch.happened.chosen.size(), 18u);
}

TEST_F(Happened, ATreeToldAtOnceTellsTheSame) {
    TransactionStatus status;
    status.transaction = chain_.blocks()[0].shards[0].transactions[0].transaction;
    status.transaction_outcome = chain_.blocks()[0].shards[0].transactions[0].outcome;
    std::vector<Receipt> bodies;
    std::vector<ExecutionBlock> executed_in;
    for (const auto& block : chain_.blocks())
        for (const auto& item : block.shards[0].executed) {
            status.receipts_outcome.push_back(item.outcome);
            bodies.push_back(item.receipt);
            executed_in.push_back({block.block.header.height, block.block.header.timestamp_nanosec, 0});
        }
    const auto interest = asked(kAnything);
    const auto tree =
        tree_rows(status, bodies, executed_in, block_ref(chain_.blocks()[0].block.header), interest);
    const auto blocks = rows(interest);
    EXPECT_EQ(ids_of(tree.batch.happened.chosen), ids_of(blocks.happened.chosen));
    EXPECT_EQ(*tree.batch.happened.chosen.back().receipt, *blocks.happened.chosen.back().receipt);
}

TEST_F(Happened, AReceiptWithoutATreeTellsWhatItDid) {
    const auto& item = chain_.blocks()[2].shards[0].executed[0];
    const ListedReceipt listed{"A", "bob.near", "relay.near", 12, 12};
    const auto batch =
        orphan_receipt_rows(listed, &item.receipt, &item.outcome, ExecutedAt{12, 12'000}, asked(kAnything));
    EXPECT_EQ(batch.happened.chosen.size(), 5u);
    EXPECT_EQ(batch.happened.chosen[0].receipt->tx_hash, "");
    EXPECT_TRUE(orphan_receipt_rows(listed, &item.receipt, nullptr, std::nullopt, asked(kAnything))
                    .happened.chosen.empty());
}

}  // namespace
}  // namespace receiptd::chain
