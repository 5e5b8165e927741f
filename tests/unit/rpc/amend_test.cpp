// Blocks that were told with false outcomes, and what other hosts prove.
#include "rpc/amend.hpp"

#include "chain/proof/outcomes_root.hpp"
#include "chain/wire/hash.hpp"

#include "unit/chain/chain_builder.hpp"

#include <gtest/gtest.h>

namespace receiptd::rpc {
namespace {

using namespace chain::testing;

// One shard that converts two transactions and executes three receipts.
class Amended : public ::testing::Test {
protected:
    Amended() {
        auto& shard = chain_.add_block(10).shards[0];
        for (const char* name : {"first", "second"})
            shard.transactions.push_back(
                transaction(id(name), "alice.near", "dex.near", id(std::string("of ") + name)));
        for (const char* name : {"A", "B", "C"})
            shard.executed.push_back(
                executed(action_receipt(id(name), "dex.near", "token.near", "alice.near")));
        for (auto& each : shard.transactions) true_.push_back(&*each.outcome);
        for (auto& each : shard.executed) true_.push_back(&each.outcome);
        prove();
        told_ = chain_.blocks()[0];
    }

    chain::Text id(const std::string& name) {
        return chain_.own(chain::sha256(chain::bytes_of(name)).to_string());
    }

    void prove() {
        std::vector<chain::CryptoHash> leaves;
        for (const auto* outcome : true_) leaves.push_back(chain::outcome_leaf(*chain::commitment(*outcome)));
        const auto tree = chain::make_merkle_tree(leaves);
        for (std::size_t i = 0; i < true_.size(); ++i) {
            auto& outcome = *true_[i];
            for (const auto& step : tree.paths[i]) {
                outcome.proof.push_back({chain_.own(step.hash.to_string()), step.left});
                outcome.sides.left |= std::uint64_t{step.left} << outcome.sides.steps++;
            }
            outcome.root = tree.root.to_string();
        }
        answers_.roots[0] = {tree.root.to_string()};
    }

    // A host tells of the transaction's conversion, or of receipts with their bodies.
    void answer(std::optional<std::size_t> transaction, const std::vector<std::size_t>& receipts) {
        chain::Decoded<chain::TransactionStatus> status;
        const auto& shard = chain_.blocks()[0].shards[0];
        if (transaction) {
            status.value.transaction = shard.transactions[*transaction].transaction;
            status.value.transaction_outcome = shard.transactions[*transaction].outcome;
        }
        status.value.receipts.emplace();
        for (const auto at : receipts) {
            status.value.receipts_outcome.push_back(shard.executed[at].outcome);
            status.value.receipts->push_back(shard.executed[at].receipt);
        }
        answers_.statuses.push_back(std::move(status));
    }
    void all_answer() {
        answer(0, {0, 1});
        answer(1, {2});
    }

    chain::WholeBlockShard& told() { return told_.shards[0]; }
    std::string amended() {
        amend(told_, answers_);
        std::string names;
        for (const auto& each : told().transactions) names += std::string(each.transaction.hash) + "\n";
        for (const auto& each : told().executed) names += std::string(each.receipt.receipt_id) + "\n";
        return names;
    }
    bool leads_to_the_root() { return told().outcomes_root == answers_.roots[0][0]; }
    std::string truth() {
        std::string names;
        for (const auto* outcome : true_) names += std::string(outcome->id) + "\n";
        return names;
    }

    ChainBuilder chain_;
    std::vector<chain::Outcome*> true_;
    chain::WholeBlock told_;
    BlockContents::Amendment answers_;
};

TEST_F(Amended, AFalseOutcomeIsReplaced) {
    told().executed[1].outcome = failed(told().executed[1].outcome);
    all_answer();
    EXPECT_EQ(amended(), truth());
    EXPECT_TRUE(leads_to_the_root());
    EXPECT_EQ(told().executed[1].outcome.status.kind, chain::StatusKind::success_value);
}

TEST_F(Amended, WhatWasLeftOutIsAdded) {
    told().transactions.erase(told().transactions.begin());
    told().executed.pop_back();
    all_answer();
    EXPECT_EQ(amended(), truth()) << "the transaction stands where its path says";
    EXPECT_TRUE(leads_to_the_root());
}

TEST_F(Amended, AnOutcomeThatWasLeftOutBesideItsTransactionIsAdded) {
    told().transactions[1].outcome.reset();
    all_answer();
    EXPECT_EQ(amended(), truth());
    EXPECT_TRUE(leads_to_the_root());
}

TEST_F(Amended, WhatWasInventedIsRemoved) {
    told().executed.insert(told().executed.begin(),
                           executed(action_receipt(id("X"), "dex.near", "token.near", "alice.near")));
    told().transactions.push_back(transaction(id("Y"), "alice.near", "dex.near", id("of Y")));
    all_answer();
    EXPECT_EQ(amended(), truth());
    EXPECT_TRUE(leads_to_the_root());
}

TEST_F(Amended, WhatNobodyWasAskedForStaysWhileTheInventedOneGoes) {
    const auto invented = id("X");
    told().executed.push_back(executed(action_receipt(invented, "dex.near", "token.near", "alice.near")));
    answers_.stored = {std::string(invented)};
    answer(0, {0, 1});  // the second transaction and its receipt are out of scope
    EXPECT_EQ(amended(), truth());
    EXPECT_TRUE(leads_to_the_root());
}

TEST_F(Amended, NothingIsRemovedWhereTheRestLeadsToNoRoot) {
    const auto before = told().executed.size();
    told().executed.push_back(executed(action_receipt(id("X"), "dex.near", "token.near", "alice.near")));
    answer(0, {0});
    amend(told_, answers_);
    EXPECT_EQ(told().executed.size(), before + 1);
    EXPECT_FALSE(leads_to_the_root());
}

TEST_F(Amended, AnOutcomeThatLeadsToNoRootProvesNothing) {
    all_answer();
    for (auto& status : answers_.statuses)
        for (auto& outcome : status.value.receipts_outcome) outcome.root = "another";
    told().executed[0].outcome = failed(told().executed[0].outcome);
    amend(told_, answers_);
    EXPECT_EQ(told().executed[0].outcome.status.kind, chain::StatusKind::failure);
    EXPECT_TRUE(proves_some(answers_.statuses[0].value, answers_)) << "by its conversion";
    answers_.statuses[0].value.transaction_outcome->root = "another";
    EXPECT_FALSE(proves_some(answers_.statuses[0].value, answers_));
}

}  // namespace
}  // namespace receiptd::rpc
