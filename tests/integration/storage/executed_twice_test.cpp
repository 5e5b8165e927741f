// One hash that was executed twice (13 transactions of mainnet were): each execution has its result and its
// findings, and they stay.
#include "doubled_chain.hpp"
#include "storage/pg_finding_store.hpp"
#include "storage/pg_outcome_store.hpp"
#include "storage/pg_watch_store.hpp"
#include "storage/stored_tree.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::test {
namespace {

struct Doubled {
    End first, second;
    std::size_t later;  // blocks
};
std::string name_of(const testing::TestParamInfo<Doubled>& info) {
    static const char* const kNames[] = {"Succeeded", "PromiseFailed", "InitialFailed", "Refused"};
    return std::string(kNames[static_cast<int>(info.param.first)]) + "Then" +
           kNames[static_cast<int>(info.param.second)] + std::to_string(info.param.later);
}

class Executions : public ExecutedTwice, public testing::WithParamInterface<Doubled> {
protected:
    void SetUp() override {
        ExecutedTwice::SetUp();
        if (!IsSkipped()) tell(GetParam().first, GetParam().second, GetParam().later);
    }
};

TEST_P(Executions, HaveEachItsResultAndItsFindings) {
    follow();
    judge_late();
    const std::string first = std::to_string(kFirstBlock);
    const auto second = std::to_string(kFirstBlock + GetParam().later);
    EXPECT_EQ(rows("SELECT block_height FROM transaction_results ORDER BY 1"), first + "\n" + second + "\n");
    const auto failures = [](End end) { return end == End::succeeded ? 0 : 1; };
    EXPECT_EQ(value("SELECT count(*) FROM findings"),
              std::to_string(failures(GetParam().first) + failures(GetParam().second)));
    EXPECT_EQ(value("SELECT count(*) FROM receipts WHERE role IS NULL"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "0");
}

// The lowest one has the hash for a name, wherever a row of the tree stands.
TEST_P(Executions, HaveEachATreeOfItsOwn) {
    follow();
    judge_late();
    const auto second = "T@" + std::to_string(kFirstBlock + GetParam().later);
    EXPECT_EQ(rows("SELECT tree_id FROM transactions ORDER BY block_height"), "T\n" + second + "\n");
    EXPECT_EQ(rows("SELECT tree_id FROM transaction_results ORDER BY block_height"), "T\n" + second + "\n");
    for (const std::string table : {"receipts", "data_receipts", "events"})
        EXPECT_EQ(value("SELECT count(*) FROM " + table +
                        " WHERE tx_hash <> 'T' OR tree_id <> "
                        "CASE WHEN receipt_id LIKE '%2' THEN '" +
                        second + "' ELSE 'T' END"),
                  "0")
            << table;
    EXPECT_EQ(value("SELECT count(*) FROM findings f WHERE NOT EXISTS (SELECT FROM transaction_results r "
                    "WHERE r.tree_id = f.tree_id AND r.tx_hash = f.tx_hash)"),
              "0");
}

TEST_P(Executions, AreTheSameWhenABlockIsRemovedAndStoredAgain) {
    follow();
    judge_late();
    const auto expected = all_rows();
    for (std::size_t at = 1; at + 1 < kChainLength; ++at) {
        store_again(at);
        ASSERT_EQ(all_rows(), expected) << "block " << at;
    }
}

TEST_P(Executions, StayAsTheyAreWhenTheyAreJudgedAgainByTheSameRules) {
    follow();
    judge_late();
    assert_that_rejudge_changes_nothing();
}

TEST_P(Executions, AreTheSameInWhateverOrderTheirBlocksCome) {
    follow();
    judge_late();
    const auto expected = all_rows();
    for (const std::size_t seam : {1u, 2u, 3u, 5u, 7u}) {
        clear();
        follow(seam, kChainLength);
        judge_late();
        follow(0, seam);
        close_seam(seam);
        EXPECT_EQ(all_rows(), expected) << "the blocks from " << seam << " on came first";
        clear();
        follow(0, seam);
        judge_late();
        follow(seam, kChainLength);
        close_seam(seam);
        EXPECT_EQ(all_rows(), expected) << "a new run begins at " << seam;
    }
    clear();
    follow(0, kChainLength, 0);
    judge_late();
    EXPECT_EQ(all_rows(), expected) << "memory has no room for trees";
}

INSTANTIATE_TEST_SUITE_P(OfOneHash, Executions,
                         testing::Values(Doubled{End::succeeded, End::succeeded, 1},
                                         Doubled{End::succeeded, End::promise_failed, 2},
                                         Doubled{End::promise_failed, End::promise_failed, 3},
                                         Doubled{End::promise_failed, End::succeeded, 4},
                                         Doubled{End::succeeded, End::initial_failed, 5},
                                         Doubled{End::initial_failed, End::succeeded, 2},
                                         Doubled{End::promise_failed, End::promise_failed, 10},
                                         Doubled{End::succeeded, End::refused, 2},
                                         Doubled{End::refused, End::promise_failed, 3},
                                         Doubled{End::refused, End::refused, 7}),
                         name_of);

TEST_F(ExecutedTwice, IsTheSameInEveryOrderOfFourPieces) {
    tell(End::promise_failed, End::promise_failed, 3);
    follow();
    judge_late();
    const auto expected = all_rows();
    std::vector<std::pair<std::size_t, std::size_t>> pieces{{0, 2}, {2, 4}, {4, 6}, {6, kChainLength}};
    do {
        clear();
        follow_in_pieces(pieces);
        ASSERT_EQ(all_rows(), expected) << pieces[0].first << pieces[1].first << pieces[2].first;
    } while (std::next_permutation(pieces.begin(), pieces.end()));
}

TEST_F(ExecutedTwice, IsTheSameInAnyOrderOfThreeExecutions) {
    tell_three();
    follow();
    judge_late();
    const auto expected = all_rows();
    EXPECT_EQ(rows("SELECT tree_id FROM transactions ORDER BY block_height"), "T\nT@12\nT@19\n");
    assert_that_rejudge_changes_nothing();
    for (unsigned seed = 1; seed <= 12; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::pair<std::size_t, std::size_t>> pieces;
        for (std::size_t from = 0; from < kChainLength; from = pieces.back().second)
            pieces.emplace_back(from, std::min<std::size_t>(kChainLength, from + 1 + random() % 4));
        std::shuffle(pieces.begin(), pieces.end(), random);
        clear();
        follow_in_pieces(pieces);
        ASSERT_EQ(all_rows(), expected) << "seed " << seed;
    }
}

// Ids of receipts depend on the block.
TEST_F(ExecutedTwice, IsNotWhatTwoBlocksTellWithTheSameReceipt) {
    tell_one();
    follow();
    judge_late();
    const auto expected = all_rows();
    for (const std::size_t later : {1u, 3u, 9u}) {
        tell_one();
        tell_again(later);
        clear();
        follow();
        judge_late();
        EXPECT_EQ(all_rows(), expected) << later;
        clear();
        follow_in_pieces({{later, kChainLength}, {0, later}});
        EXPECT_EQ(all_rows(), expected) << later << ", which came first";
        EXPECT_EQ(value("SELECT count(*) FROM unfinished_trees('-infinity')"), "0");
        assert_that_rejudge_changes_nothing();
    }
}

// The daemon of an earlier version gave both the hash.
TEST_F(ExecutedTwice, GetsItsNamesByRejudge) {
    tell(End::promise_failed, End::promise_failed, 7);
    follow();
    judge_late();
    const auto expected = all_rows();
    execute("SELECT name_executions('{T}', false); DELETE FROM executions");
    ASSERT_EQ(rows("SELECT DISTINCT tree_id FROM receipts"), "T\n");
    rejudge({kFirstBlock, kFirstBlock + kChainLength - 1});
    EXPECT_EQ(all_rows(), expected);
}

TEST_F(ExecutedTwice, HasAlertsThatLeaveWhenTheOutcomesOfBothWereCompared) {
    tell(End::promise_failed, End::promise_failed, 7);
    follow();
    judge_late();
    execute(
        "UPDATE alerts SET waits_for = 20, confirmed = NULL; "
        "UPDATE coverage SET compared = heights - '{[25,26)}'::int8multirange, unconfirmed = '{}'");
    storage::PgOutcomeStore outcomes(store().database);
    await(outcomes.compare_outcomes(kFirstBlock, kFirstBlock + kChainLength));
    EXPECT_EQ(rows("SELECT finding_of(a), confirmed FROM alerts a WHERE kind = 'failed_receipt' ORDER BY 1"),
              "failed_receipt:P|t\nfailed_receipt:P2|t\n");
}

TEST_F(ExecutedTwice, IsFoundByItsHashAndByItsNames) {
    tell(End::promise_failed, End::promise_failed, 7);
    follow();
    judge_late();
    const auto ids = [this](const std::string& asked) {
        return value("SELECT string_agg(id, ' ') FROM receipt_tree('" + asked + "')");
    };
    EXPECT_EQ(ids("T"), "T A P C F");
    EXPECT_EQ(ids("T@17"), "T A2 P2 C2 F2");
    EXPECT_EQ(ids("C2"), ids("T@17"));
    EXPECT_EQ(value("SELECT block_height FROM receipt_tree('T@17') WHERE depth = 0"), "17");
    storage::PgWatchStore watches(store().database, store().clock);
    for (const auto* const id : {"T", "T@17", "A", "C2"}) EXPECT_EQ(await(watches.tree_of(id)), "T") << id;
    storage::PgFindingStore findings(store().database);
    storage::FindingFilter filter;
    filter.tx_hash = "T";
    filter.limit = 10;
    EXPECT_EQ(await(findings.list_findings(filter)).size(), 2u);
}

TEST_F(ExecutedTwice, IsNamedByAView) {
    tell(End::succeeded, End::promise_failed, 7);
    follow();
    const auto executed_again = "SELECT kind, id, tx_hash, earlier_height, block_height FROM executed_again";
    EXPECT_EQ(rows(executed_again), "transaction|T|T|10|17\n");
    execute(
        "INSERT INTO receipts SELECT (jsonb_populate_record(r, jsonb_build_object("
        "  'block_height', 25, 'block_time', block_time + interval '1 minute'))).* "
        "FROM receipts r WHERE receipt_id = 'P'");
    EXPECT_EQ(rows(std::string(executed_again) + " WHERE kind = 'receipt'"), "receipt|P|T|12|25\n");
}

TEST_F(ExecutedTwice, IsPendingWhereBlocksLackAnOutcomeOfTheLaterExecution) {
    tell(End::promise_failed, End::promise_failed, 7);
    leave_out(9);  // the second promise
    follow();
    judge_late();
    const auto silent = await(store().trees.silent_trees({kFirstBlock, kFirstBlock + kChainLength}));
    ASSERT_EQ(silent.size(), 1u);
    EXPECT_EQ(silent[0].tx_hash, "T");
    EXPECT_EQ(silent[0].included_in.height, kFirstBlock + 7);
    EXPECT_TRUE(await(store().trees.place_silent_tree(silent[0], {}, "unknown to all hosts")));
    EXPECT_EQ(rows("SELECT tx_hash, block_height, reason FROM unfinished_trees('-infinity')"),
              "T|17|outcomes_missing: unknown to all hosts\n");
    EXPECT_TRUE(await(store().trees.silent_trees({kFirstBlock, kFirstBlock + kChainLength})).empty());
    execute("UPDATE pending_trees SET due_at = now()");
    EXPECT_EQ(await(store().trees.due_trees(10, base::kAllHeights)).size(), 1u)
        << "the first one is over, not this one";
}

TEST_F(ExecutedTwice, IsReadAsTwoTrees) {
    tell(End::succeeded, End::promise_failed, 2);
    follow();
    storage::PgWatchStore watches(store().database, store().clock);
    const auto stored = await(watches.stored_trees({"T"})).at("T");
    const auto executions = storage::executions_of("T", stored);
    ASSERT_EQ(executions.size(), 2u);
    const auto ids = [](const chain::Judgement& judgement) {
        std::string all;
        for (const auto& receipt : judgement.receipts) all += receipt.receipt_id + " ";
        return all;
    };
    EXPECT_EQ(ids(executions[0].judge()), "A P C F ");
    EXPECT_EQ(ids(executions[1].judge()), "A2 P2 C2 F2 ");
    EXPECT_EQ(storage::judge_execution("T", stored, "P2", 0).included_at->height, kFirstBlock + 2);
    EXPECT_EQ(storage::judge_execution("T", stored, "P", 0).included_at->height, kFirstBlock);
}

// The tree of the first execution is not whole any more.
TEST_F(ExecutedTwice, KeepsTheRowsOfBothWherePartOfOneIsNotStoredAnyMore) {
    tell(End::promise_failed, End::promise_failed, 10);
    follow();
    execute("DELETE FROM receipts WHERE receipt_id = 'P'");
    const auto before = all_rows();
    EXPECT_EQ(rejudge({kFirstBlock, kFirstBlock + kChainLength - 1}).left, 1u);
    EXPECT_EQ(all_rows(), before);
}

}  // namespace
}  // namespace receiptd::test
