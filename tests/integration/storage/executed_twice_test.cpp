// One hash that was executed twice (13 transactions of mainnet were): each execution has its result and its
// findings, and they stay.
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "storage/pg_watch_store.hpp"
#include "storage/rejudge.hpp"
#include "storage/stored_tree.hpp"
#include "store_test_support.hpp"
#include "unit/chain/chain_builder.hpp"

#include <string>

namespace receiptd::test {
namespace {

using chain::Lineage;
using chain::LiveTrees;
using chain::testing::action_receipt;
using chain::testing::ChainBuilder;
using chain::testing::data_receipt;
using chain::testing::executed;
using chain::testing::transaction;

constexpr base::Height kFirstBlock = 10;
constexpr std::size_t kChainLength = 16;
constexpr std::size_t kTreeLength = 4;
constexpr const char* kExecutions =
    "SELECT block_height, status, coalesce(initial_receipt_id, '-'), coalesce(user_id, '-') "
    "FROM transactions ORDER BY 1";
constexpr const char* kPlaces =
    "SELECT receipt_id, tree_id, block_height, parent_receipt_id, role FROM receipts ORDER BY 1";
constexpr const char* kEnds =
    "SELECT block_height, included_height, verdict, near_status, completed_height, settled_height, receipts, "
    "failed_receipts, gas_burnt, tokens_burnt, effect, root_cause, judged_by FROM transaction_results "
    "ORDER BY 1";
constexpr const char* kFound =
    "SELECT finding_id, block_height, receipt_id, role, handled, error_class, root_cause FROM findings "
    "ORDER BY 1, 2";

// The end of an execution.
enum class End { succeeded, promise_failed, initial_failed, refused };

// `T`: A (initial) -> P (promise), C (callback of P); C -> F (refund); each in a block of its own.
class ExecutedTwice : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    }
    void tell(End first, End second, std::size_t later) {
        chain_ = {};
        for (base::Height height = kFirstBlock; height < kFirstBlock + kChainLength; ++height)
            chain_.add_block(height, 1);
        execute_at(0, "", first);
        execute_at(later, "2", second);
    }

    // Follows the blocks [from, to).
    void follow(std::size_t from = 0, std::size_t to = kChainLength, std::size_t trees = LiveTrees::kMost) {
        Lineage lineage;
        LiveTrees live_trees(trees);
        for (auto i = from; i < to; ++i) {
            auto batch = chain::whole_block_rows(chain_.blocks()[i], std::nullopt, {}, lineage, &live_trees);
            batch.facts.wanted.add({kFirstBlock, kFirstBlock + kChainLength - 1});
            EXPECT_EQ(commit(std::move(batch)), CommitOutcome::committed);
        }
    }
    void judge_late() {
        for (bool more = true; more;) more = await(store().trees.judge_late_trees(false, {})).more;
    }
    void close_seam(std::size_t at) {
        const auto height = kFirstBlock + at;
        await(store().orphans.adopt_orphans({height, height}));
        judge_late();
        await(store().trees.settle_trees({height, height}, {}));
    }
    storage::Rejudged rejudge(base::HeightRange heights) {
        return await(storage::Rejudging(store().database).rejudge(heights));
    }
    std::string all_rows() { return rows(kExecutions) + rows(kPlaces) + rows(kEnds) + rows(kFound); }
    void clear() {
        execute(
            "DELETE FROM blocks; DELETE FROM chunks; DELETE FROM transactions; DELETE FROM receipts; "
            "DELETE FROM events; DELETE FROM data_receipts; DELETE FROM orphan_receipts; "
            "DELETE FROM pending_seams; DELETE FROM transaction_results; DELETE FROM findings; "
            "DELETE FROM late_trees; UPDATE coverage SET heights = '{}'");
    }
    std::string told() {
        return value("SELECT count(*) FROM alerts") + value("SELECT count(*) FROM deliveries") +
               value("SELECT count(*) FROM stream_events");
    }
    void assert_that_rejudge_changes_nothing() {
        const auto before = all_rows();
        const auto told_before = told();
        const auto last = kFirstBlock + kChainLength - 1;
        for (auto from = kFirstBlock; from <= last; ++from)
            for (const auto to : {from, last}) {
                const auto done = rejudge({from, to});
                EXPECT_EQ(done.roles + done.findings_added + done.findings_removed + done.left, 0u)
                    << from << " to " << to;
                EXPECT_TRUE(done.verdicts.empty()) << from << " to " << to;
                ASSERT_EQ(all_rows(), before) << from << " to " << to;
            }
        EXPECT_EQ(told(), told_before);
    }

private:
    chain::WholeBlockShard& shard(std::size_t at) { return chain_.blocks()[at].shards[0]; }
    chain::ExecutedReceipt& put(std::size_t at, const chain::Receipt& receipt,
                                chain::List<chain::Text> children) {
        return shard(at).executed.emplace_back(executed(receipt, std::move(children)));
    }

    void execute_at(std::size_t at, const std::string& name, End end) {
        const auto id = [&](const char* letter) { return chain_.own(letter + name); };
        auto& listed =
            shard(at).transactions.emplace_back(transaction("T", "alice.near", "dex.near", id("A")));
        if (end == End::refused) {
            listed.outcome->status = {};
            listed.outcome->status.kind = chain::StatusKind::failure;
            listed.outcome->status.failure_json = R"({"InvalidTxError":"Expired"})";
            listed.outcome->receipt_ids.clear();
            return;
        }
        const auto initial = action_receipt(id("A"), "alice.near", "dex.near", "alice.near");
        if (end == End::initial_failed) {
            auto& item = put(at + 1, initial, {});
            item.outcome = chain::testing::failed(item.outcome);
            return;
        }
        put(at + 1, initial, {id("P"), id("C")});
        auto promise = action_receipt(id("P"), "dex.near", "token.near", "alice.near");
        promise.output_data_receivers = {{id("d"), "dex.near"}};
        auto& promised = put(at + 2, promise, {});
        if (end == End::promise_failed) promised.outcome = chain::testing::failed(promised.outcome);
        auto callback = action_receipt(id("C"), "dex.near", "dex.near", "alice.near");
        callback.input_data_ids = {id("d")};
        shard(at + 3).listed_data.push_back(data_receipt(id("r"), id("d"), "token.near", "dex.near"));
        put(at + 3, callback, {id("F")});
        put(at + kTreeLength, action_receipt(id("F"), "system", "alice.near", "alice.near"), {});
    }

    ChainBuilder chain_;
};

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
