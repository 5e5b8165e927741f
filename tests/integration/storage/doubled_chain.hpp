// A chain with a hash that is executed several times, stored in any order.
#pragma once

#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "storage/rejudge.hpp"
#include "store_test_support.hpp"
#include "unit/chain/chain_builder.hpp"

#include <string>
#include <utility>
#include <vector>

namespace receiptd::test {

using chain::Lineage;
using chain::LiveTrees;
using chain::testing::action_receipt;
using chain::testing::ChainBuilder;
using chain::testing::data_receipt;
using chain::testing::executed;
using chain::testing::transaction;

inline constexpr base::Height kFirstBlock = 10;
inline constexpr std::size_t kChainLength = 16;
inline constexpr std::size_t kTreeLength = 4;
inline constexpr const char* kExecutions =
    "SELECT tree_id, block_height, status, coalesce(initial_receipt_id, '-'), coalesce(user_id, '-') "
    "FROM transactions ORDER BY 2";
inline constexpr const char* kPlaces =
    "SELECT receipt_id, tree_id, block_height, parent_receipt_id, role FROM receipts ORDER BY 1";
inline constexpr const char* kEnds =
    "SELECT tree_id, included_height, verdict, near_status, completed_height, settled_height, receipts, "
    "failed_receipts, gas_burnt, tokens_burnt, effect, root_cause, judged_by FROM transaction_results "
    "ORDER BY included_height";
inline constexpr const char* kFound =
    "SELECT finding_id, tree_id, block_height, receipt_id, role, handled, error_class, root_cause FROM "
    "findings "
    "ORDER BY 1, 2, 3";
inline constexpr const char* kBeside =
    "SELECT 'data', receipt_id, tree_id, tx_hash, block_height FROM data_receipts "
    "UNION ALL SELECT 'event', receipt_id, tree_id, tx_hash, block_height FROM events ORDER BY 1, 2, 5";
inline constexpr const char* kNamedExecutions = "SELECT * FROM executions ORDER BY 1, 2";

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
        begin();
        execute_at(0, "", first);
        execute_at(later, "2", second);
    }
    void tell_one() {
        begin();
        execute_at(0, "", End::promise_failed);
    }
    // A service tells the first outcome in another block, too.
    void tell_again(std::size_t later) { shard(later).transactions = shard(0).transactions; }
    // It tells what ran at this place again, so many heights later.
    void tell_receipts_again(std::size_t at, std::size_t later) {
        const auto told = shard(at).executed;
        auto& again = shard(at + later).executed;
        again.insert(again.end(), told.begin(), told.end());
    }
    // It leaves out what ran at this place.
    void leave_out(std::size_t at) { shard(at).executed.clear(); }
    // It names the transaction of each receipt, as services of mainnet do.
    void name_transactions() {
        for (auto& block : chain_.blocks())
            for (auto& item : block.shards[0].executed) item.tx_hash = "T";
    }
    // One more block, far above: its place.
    std::size_t add_block(base::Height height) {
        chain_.add_block(height, 1);
        return chain_.blocks().size() - 1;
    }
    void tell_three() {
        begin();
        execute_at(0, "", End::promise_failed);
        execute_at(2, "2", End::succeeded);
        execute_at(9, "3", End::promise_failed);
    }

    // The batches of one run over the blocks [from, to).
    std::vector<chain::RowBatch> batches_of_run(std::size_t from = 0, std::size_t to = kChainLength,
                                                std::size_t trees = LiveTrees::kMost) {
        Lineage lineage;
        LiveTrees live_trees(trees);
        std::vector<chain::RowBatch> batches;
        for (auto i = from; i < to; ++i) {
            batches.push_back(
                chain::whole_block_rows(chain_.blocks()[i], std::nullopt, {}, lineage, &live_trees));
            batches.back().facts.wanted.add({kFirstBlock, kFirstBlock + kChainLength - 1});
        }
        return batches;
    }
    void follow(std::size_t from = 0, std::size_t to = kChainLength, std::size_t trees = LiveTrees::kMost) {
        for (auto& batch : batches_of_run(from, to, trees))
            EXPECT_EQ(commit(std::move(batch)), CommitOutcome::committed);
    }
    void judge_late() {
        for (bool more = true; more;) more = await(store().trees.judge_late_trees(false, {})).more;
    }
    // Stores stretches of blocks in this order, each by a run that knows nothing of the others.
    void follow_in_pieces(const std::vector<std::pair<std::size_t, std::size_t>>& pieces) {
        for (const auto& [from, to] : pieces) {
            follow(from, to);
            judge_late();
        }
        for (const auto& [from, to] : pieces)
            if (from > 0) close_seam(from);
        judge_late();
    }
    void store_again(std::size_t at) {
        await(store().blocks.remove_block(kFirstBlock + at));
        follow(at, at + 1);
        judge_late();
        close_seam(at);
        close_seam(at + 1);
        judge_late();
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
    std::string all_rows() {
        return rows(kExecutions) + rows(kPlaces) + rows(kEnds) + rows(kFound) + rows(kBeside) +
               rows(kNamedExecutions);
    }
    void clear() {
        execute(
            "DELETE FROM blocks; DELETE FROM chunks; DELETE FROM transactions; DELETE FROM receipts; "
            "DELETE FROM events; DELETE FROM data_receipts; DELETE FROM orphan_receipts; "
            "DELETE FROM pending_seams; DELETE FROM transaction_results; DELETE FROM findings; "
            "DELETE FROM late_trees; DELETE FROM executions; UPDATE coverage SET heights = '{}'");
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
    void begin() {
        chain_ = {};
        for (base::Height height = kFirstBlock; height < kFirstBlock + kChainLength; ++height)
            chain_.add_block(height, 1);
    }
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
        promised.outcome.logs = {R"(EVENT_JSON:{"standard":"s","version":"1","event":"e"})"};
        if (end == End::promise_failed) promised.outcome = chain::testing::failed(promised.outcome);
        auto callback = action_receipt(id("C"), "dex.near", "dex.near", "alice.near");
        callback.input_data_ids = {id("d")};
        shard(at + 3).listed_data.push_back(data_receipt(id("r"), id("d"), "token.near", "dex.near"));
        put(at + 3, callback, {id("F")});
        put(at + kTreeLength, action_receipt(id("F"), "system", "alice.near", "alice.near"), {});
    }

    ChainBuilder chain_;
};

}  // namespace receiptd::test
