// Trees that memory has no room for are judged from the tables: the rows are the same.
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "storage/rejudge.hpp"
#include "store_test_support.hpp"
#include "unit/chain/chain_builder.hpp"

namespace receiptd::test {
namespace {

using chain::Lineage;
using chain::LiveTrees;
using chain::testing::action_receipt;
using chain::testing::ChainBuilder;
using chain::testing::data_receipt;
using chain::testing::executed;
using chain::testing::transaction;

constexpr base::Height kFirst = 10;
constexpr const char* kPlacedReceipts =
    "SELECT receipt_id, tree_id, tx_hash, parent_receipt_id, role FROM receipts ORDER BY 1";
constexpr const char* kPlacedData = "SELECT data_id, tree_id, tx_hash FROM data_receipts ORDER BY 1";
constexpr const char* kLateResults =
    "SELECT tx_hash, verdict, near_status, completed_height, settled_height, receipts, gas_burnt "
    "FROM transaction_results ORDER BY 1";
constexpr const char* kLateFindings =
    "SELECT finding_id, tx_hash, role, handled, block_height FROM findings ORDER BY 1";

// T: A (initial) -> P (promise, fails), C (callback of P); C -> F (refund); one block each. U: B, alone.
class Late : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        for (base::Height height = kFirst; height < kFirst + 5; ++height) chain_.add_block(height, 1);
        shard(0).transactions.push_back(transaction("T", "alice.near", "dex.near", "A"));
        shard(2).transactions.push_back(transaction("U", "bob.near", "dex.near", "B"));
        put(1, action_receipt("A", "alice.near", "dex.near", "alice.near"), "T", {"P", "C"});
        auto promise = action_receipt("P", "dex.near", "token.near", "alice.near");
        promise.output_data_receivers = {{"d", "dex.near"}};
        auto& failed = put(2, promise, "T", {});
        failed.outcome.status.kind = chain::StatusKind::failure;
        failed.outcome.status.failure_json = R"({"ActionError":{"index":0,"kind":"DelegateActionExpired"}})";
        auto callback = action_receipt("C", "dex.near", "dex.near", "alice.near");
        callback.input_data_ids = {"d"};
        shard(3).listed_data.push_back(data_receipt("dr", "d", "token.near", "dex.near"));
        put(3, callback, "T", {"F"});
        put(3, action_receipt("B", "bob.near", "dex.near", "bob.near"), "U", {});
        put(4, action_receipt("F", "system", "alice.near", "alice.near"), "T", {});
    }

    chain::WholeBlockShard& shard(std::size_t at) { return chain_.blocks()[at].shards[0]; }
    chain::ExecutedReceipt& put(std::size_t at, const chain::Receipt& receipt, chain::Text tx_hash,
                                chain::List<chain::Text> children) {
        auto item = executed(receipt);
        item.tx_hash = tx_hash;
        item.outcome.receipt_ids = std::move(children);
        return shard(at).executed.emplace_back(std::move(item));
    }

    // Follows the blocks [from, to).
    void follow(std::size_t in_flight, std::size_t trees, std::size_t from = 0, std::size_t to = 5,
                const chain::Scope& scope = {}) {
        Lineage lineage(in_flight);
        LiveTrees live_trees(trees);
        for (auto i = from; i < to; ++i) {
            auto batch =
                chain::whole_block_rows(chain_.blocks()[i], std::nullopt, scope, lineage, &live_trees);
            if (i == 0) batch.facts.wanted.add({kFirst, kFirst + 4});
            EXPECT_EQ(commit(std::move(batch)), CommitOutcome::committed);
        }
    }
    chain::DecidedCounts judge_late(bool history = false) {
        chain::DecidedCounts decided;
        for (bool more = true; more;) {
            const auto late = await(store().trees.judge_late_trees(history, {base::WallTime::max()}));
            decided.add(late.decided);
            more = late.more;
        }
        return decided;
    }
    std::string everything() {
        return rows(kPlacedReceipts) + rows(kPlacedData) + rows(kLateResults) + rows(kLateFindings) +
               value("SELECT count(*) FROM orphan_receipts WHERE adopted_at IS NULL") + " orphans, " +
               value("SELECT count(*) FROM late_trees") + " late";
    }
    void clear() {
        execute(
            "DELETE FROM blocks; DELETE FROM chunks; DELETE FROM transactions; DELETE FROM receipts; "
            "DELETE FROM events; DELETE FROM data_receipts; DELETE FROM orphan_receipts; "
            "DELETE FROM transaction_results; DELETE FROM findings; DELETE FROM late_trees; "
            "UPDATE coverage SET heights = '{}'");
    }

    ChainBuilder chain_;
};

TEST_F(Late, WhatMemoryHasNoRoomForIsJudgedFromTheTables) {
    follow(Lineage::kMost, LiveTrees::kMost);
    const auto expected = everything();
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "2");
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0");
    for (const std::size_t in_flight : {std::size_t{0}, std::size_t{1}, Lineage::kMost})
        for (const std::size_t trees : {std::size_t{0}, std::size_t{1}, LiveTrees::kMost}) {
            if (in_flight == Lineage::kMost && trees == LiveTrees::kMost) continue;
            clear();
            follow(in_flight, trees);
            EXPECT_NE(value("SELECT count(*) FROM late_trees"), "0") << in_flight << ", " << trees;
            judge_late();
            EXPECT_EQ(everything(), expected) << in_flight << ", " << trees;
        }
}

TEST_F(Late, IsJudgedAgainWithEachPartThatComes) {
    follow(0, 0, 0, 3);
    EXPECT_TRUE(judge_late().verdicts.empty()) << "not over";
    EXPECT_EQ(value("SELECT parent_receipt_id FROM receipts WHERE receipt_id = 'P'"), "A");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0");
    follow(0, 0, 3, 5);
    EXPECT_EQ(judge_late().verdicts.size(), 2u);
    EXPECT_EQ(judge_late().verdicts.size(), 0u);
}

TEST_F(Late, WithoutAnyRowIsLookedAtAgain) {
    execute("INSERT INTO late_trees (tx_hash, since, history) VALUES ('gone', now(), false)");
    EXPECT_TRUE(judge_late().verdicts.empty());
    EXPECT_EQ(value("SELECT looks FROM late_trees WHERE due_at > now()"), "1");
}

TEST_F(Late, OfABackfillNobodyIsTold) {
    execute("INSERT INTO late_trees (tx_hash, since, history) VALUES ('T', '-infinity', true)");
    follow(Lineage::kMost, 0, 0, 5);
    EXPECT_EQ(value("SELECT history FROM late_trees WHERE tx_hash = 'T'"), "f") << "a part of it is news";
    EXPECT_TRUE(judge_late(true).verdicts.empty());
    EXPECT_EQ(judge_late(false).findings.size(), 1u);
}

TEST_F(Late, IsLookedForInAllPartitionsAnHourLaterWhereItBeganLongBefore) {
    follow(0, 0);
    execute("UPDATE late_trees SET since = since + interval '20 days', looks = 10");
    judge_late();
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "0");
    EXPECT_EQ(rows("SELECT DISTINCT since, due_at > now() + interval '50 minutes' FROM late_trees"),
              "-infinity|t\n");
    execute("UPDATE late_trees SET due_at = now()");
    judge_late();
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "2");
}

TEST_F(Late, IsLookedAtAgainSoonWhereItsTransactionIsNotStoredYet) {
    follow(0, 0, 1, 5);
    judge_late();
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results"), "U\n");
    EXPECT_EQ(rows("SELECT tx_hash, looks, due_at < now() + interval '1 minute' FROM late_trees"), "T|1|t\n");
    follow(Lineage::kMost, LiveTrees::kMost, 0, 1);  // which does not see that all of the tree is stored
    execute("UPDATE late_trees SET due_at = now()");
    judge_late();
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results ORDER BY 1"), "T\nU\n");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0");
}

TEST_F(Late, OrphansAreFoundWhenTheirTransactionIsStoredAtLast) {
    follow(0, 0, 1, 5);
    execute("UPDATE late_trees SET looks = 10");
    judge_late();
    execute("UPDATE late_trees SET due_at = now()");
    judge_late();
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results"), "U\n");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0") << "T is not stored in any partition";
    EXPECT_EQ(await(store().trees.find_late_trees()), 0u);
    follow(0, 0, 0, 1);
    EXPECT_EQ(await(store().trees.find_late_trees()), 1u);
    judge_late();
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results ORDER BY 1"), "T\nU\n");
}

TEST_F(Late, OneThatTookLongerThanAWeekIsJudgedAgainWhereAllOfItIsStored) {
    const auto rejudge = [this] {
        execute("UPDATE transaction_results SET judged_by = 1");
        return await(storage::Rejudging(store().database).rejudge({kFirst, kFirst}));
    };
    const auto judged_by_earlier_rules = [this] {
        return rows("SELECT tx_hash FROM transaction_results WHERE judged_by = 1 ORDER BY 1");
    };
    follow(Lineage::kMost, LiveTrees::kMost);
    execute(
        "SELECT make_partitions(max(block_time), max(block_time) + interval '8 days') FROM blocks; "
        "UPDATE receipts SET block_time = block_time + interval '8 days' WHERE receipt_id = 'F'");
    EXPECT_EQ(rejudge().left, 0u);
    EXPECT_EQ(judged_by_earlier_rules(), "U\n");
    execute("DELETE FROM receipts WHERE receipt_id = 'F'");
    EXPECT_EQ(rejudge().left, 1u);
    EXPECT_EQ(judged_by_earlier_rules(), "T\nU\n");
}

TEST_F(Late, OneWhoseRowsAreRefusedKeepsNoOtherOne) {
    follow(0, 0);
    execute("ALTER TABLE findings ADD CONSTRAINT hostile CHECK (tx_hash <> 'T')");
    EXPECT_EQ(judge_late().verdicts.size(), 1u);
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results"), "U\n");
    EXPECT_EQ(rows("SELECT tx_hash, due_at > now() + interval '50 minutes' FROM late_trees"), "T|t\n");
    execute("ALTER TABLE findings DROP CONSTRAINT hostile; UPDATE late_trees SET due_at = now()");
    EXPECT_EQ(judge_late().verdicts.size(), 1u);
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results ORDER BY 1"), "T\nU\n");
}

// token.near is followed: of T only P is stored.
class LateInPart : public Late {
protected:
    void SetUp() override {
        Late::SetUp();
        if (!IsSkipped()) execute("UPDATE chain_identity SET scope = 'accounts'");
    }
    void follow_token(std::size_t trees) { follow(Lineage::kMost, trees, 0, 5, kToken); }
    void an_hour_later() {
        execute("UPDATE late_trees SET due_at = now()");
        judge_late();
    }
    chain::ExecutedReceipt& promise() { return shard(2).executed.front(); }

    const chain::Scope kToken{chain::ScopeKind::accounts, {"token.near"}, {}};
};

TEST_F(LateInPart, AFailureThatReceiptsOutOfScopeAwaitIsToldThoughNobodyKnowsWhetherItWasHandled) {
    follow_token(LiveTrees::kMost);
    judge_late();
    EXPECT_EQ(rows(kLateFindings), "failed_receipt:P|T|promise|t|12\n") << "all of the tree went by";
    clear();
    follow_token(0);
    judge_late();
    EXPECT_EQ(rows(kLateFindings), "") << "who awaits it may be stored yet";
    an_hour_later();
    EXPECT_EQ(rows(kLateFindings), "failed_receipt:P|T|promise|-|12\n");
    EXPECT_EQ(rows("SELECT signer_id, error_class FROM findings"), "alice.near|delegate_expired\n");
    EXPECT_EQ(value("SELECT count(*) FROM transaction_results"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0");
}

TEST_F(LateInPart, AFailureThatNobodyAwaitsIsToldAtOnce) {
    promise().receipt.output_data_receivers.clear();
    follow(Lineage::kMost, LiveTrees::kMost, 2, 5, kToken);  // a run that begins with it
    judge_late();
    EXPECT_EQ(rows("SELECT finding_id, handled FROM findings"), "failed_receipt:P|f\n");
}

TEST_F(LateInPart, IsLookedAtWithEachPartThatComes) {
    auto& failed = put(4, action_receipt("Q", "dex.near", "token.near", "alice.near"), "T", {});
    failed.outcome.status.kind = chain::StatusKind::failure;
    follow(Lineage::kMost, LiveTrees::kMost, 2, 3, kToken);
    judge_late();
    EXPECT_EQ(rows(kLateFindings), "");
    follow(Lineage::kMost, LiveTrees::kMost, 3, 5, kToken);
    judge_late();
    EXPECT_EQ(rows("SELECT finding_id, handled FROM findings"), "failed_receipt:Q|f\n");
    an_hour_later();
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "2");
}

TEST_F(LateInPart, IsWrittenAnewWhenTheWholeTreeIsStored) {
    follow_token(0);
    judge_late();
    an_hour_later();
    execute("UPDATE coverage SET heights = '{}'");
    for (const char* table : {"blocks", "chunks", "receipts", "events", "data_receipts", "orphan_receipts"})
        execute(std::string("DELETE FROM ") + table);
    follow(Lineage::kMost, 0);
    judge_late();
    EXPECT_EQ(rows(kLateFindings), "failed_receipt:P|T|promise|t|12\n");
    EXPECT_EQ(rows("SELECT tx_hash FROM transaction_results ORDER BY 1"), "T\nU\n");
}

}  // namespace
}  // namespace receiptd::test
