// Yields that nobody resumed in time: the same rows whichever source tells them, in whatever order.
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "storage/rejudge.hpp"
#include "store_test_support.hpp"
#include "unit/chain/chain_builder.hpp"

#include <algorithm>

namespace receiptd::test {
namespace {

using chain::Lineage;
using chain::LiveTrees;
using chain::testing::action_receipt;
using chain::testing::ChainBuilder;
using chain::testing::data_receipt;
using chain::testing::executed;
using chain::testing::transaction;

constexpr base::Height kGenesis = 10;
constexpr std::size_t kBlocks = 5;
constexpr const char* kFoundTimeouts =
    "SELECT finding_id, tx_hash, role, handled, contract_id, signer_id, error_class, block_height "
    "FROM findings ORDER BY 1";
constexpr const char* kTimedOut = "yield_timed_out:Y|T|callback|t|app.near|alice.near|yield_timed_out|13\n";

// T: A (initial) -> Y (yields) -> F (refund); executed in blocks 1, 3 and 4.
class Yields : public StoreTest {
protected:
    void tell(std::size_t resume_listed_in, bool timed_out = true) {
        chain_ = {};
        for (base::Height height = kGenesis; height < kGenesis + kBlocks; ++height)
            chain_.add_block(height, 1);
        shard(0).transactions.push_back(transaction("T", "alice.near", "app.near", "A"));
        put(1, action_receipt("A", "alice.near", "app.near", "alice.near"), {"Y"});
        auto yield = action_receipt("Y", "app.near", "app.near", "alice.near");
        yield.input_data_ids = {"y"};
        yield.is_promise_yield = true;
        put(3, yield, {"F"});
        put(4, action_receipt("F", "system", "alice.near", "alice.near"), {});
        resume(resume_listed_in, "r1", timed_out);
    }
    void resume(std::size_t listed_in, const char* receipt_id, bool timed_out) {
        auto data = data_receipt(receipt_id, "y", "app.near", "app.near");
        data.is_promise_resume = true;
        if (timed_out) data.data.reset();
        shard(listed_in).listed_data.push_back(data);
    }
    chain::WholeBlockShard& shard(std::size_t at) { return chain_.blocks()[at].shards[0]; }
    void put(std::size_t at, const chain::Receipt& receipt, chain::List<chain::Text> children) {
        auto item = executed(receipt);
        item.tx_hash = "T";
        item.outcome.receipt_ids = std::move(children);
        shard(at).executed.push_back(std::move(item));
    }

    // The rows of each block, of one run.
    std::vector<RowBatch> whole_blocks(std::size_t in_flight = Lineage::kMost,
                                       std::size_t trees = LiveTrees::kMost) {
        Lineage lineage(in_flight);
        LiveTrees live_trees(trees);
        std::vector<RowBatch> batches;
        for (const auto& block : chain_.blocks())
            batches.push_back(chain::whole_block_rows(block, std::nullopt, {}, lineage, &live_trees));
        return batches;
    }
    void follow(std::vector<RowBatch> batches) {
        for (auto& batch : batches) EXPECT_EQ(commit(std::move(batch)), CommitOutcome::committed);
    }

    // --- Source rpc ---
    void commit_block(std::size_t at, const chain::Scope& scope = {}) {
        chain::Chunk chunk;
        const auto& block = chain_.blocks()[at].block;
        chunk.header = block.chunks[0];
        for (const auto& item : shard(at).transactions) chunk.transactions.push_back(item.transaction);
        chunk.receipts = shard(at).listed_data;
        commit(chain::block_rows(block, {&chunk}, block.header.height - 1, scope));
    }
    void commit_tree() {
        chain::TransactionStatus answer;
        std::vector<chain::Receipt> bodies;
        std::vector<chain::ExecutionBlock> executed_in;
        answer.transaction = shard(0).transactions[0].transaction;
        answer.transaction_outcome = shard(0).transactions[0].outcome;
        for (const auto& block : chain_.blocks())
            for (const auto& item : block.shards[0].executed) {
                answer.receipts_outcome.push_back(item.outcome);
                bodies.push_back(item.receipt);
                const auto& header = block.block.header;
                executed_in.push_back({header.height, header.timestamp_nanosec, 0});
            }
        await(store().trees.commit_tree(
            chain::tree_rows(answer, bodies, executed_in, block_ref(chain_.blocks()[0].block.header))));
    }

    void judge_late() {
        for (bool more = true; more;)
            more = await(store().trees.judge_late_trees(false, {base::WallTime::max()})).more;
    }
    std::string placed() {
        return rows("SELECT data_id, tree_id, tx_hash FROM data_receipts ORDER BY receipt_id") +
               value("SELECT count(*) FROM orphan_receipts WHERE adopted_at IS NULL") + " orphans, " +
               value("SELECT count(*) FROM late_trees") + " late";
    }
    void expect_found(const std::string& how) {
        EXPECT_EQ(rows(kFoundTimeouts), kTimedOut) << how;
        EXPECT_EQ(rows("SELECT verdict FROM transaction_results"), "succeeded\n") << how;
        EXPECT_EQ(placed(), "y|T|T\n0 orphans, 0 late") << how;
    }
    void clear() {
        execute(
            "DELETE FROM blocks; DELETE FROM chunks; DELETE FROM transactions; DELETE FROM receipts; "
            "DELETE FROM events; DELETE FROM data_receipts; DELETE FROM orphan_receipts; "
            "DELETE FROM transaction_results; DELETE FROM findings; DELETE FROM late_trees; "
            "DELETE FROM pending_trees; UPDATE coverage SET heights = '{}'");
    }

    ChainBuilder chain_;
};

TEST_F(Yields, ThatTimedOutAreFoundWhileBlocksGoBy) {
    for (const std::size_t listed_in : {2, 3}) {
        clear();
        tell(listed_in);
        follow(whole_blocks());
        judge_late();
        expect_found("listed in " + std::to_string(listed_in));
    }
}

TEST_F(Yields, ThatTimedOutAreFoundInTheTables) {
    for (const std::size_t listed_in : {2, 3})
        for (const std::size_t in_flight : {std::size_t{0}, Lineage::kMost}) {
            clear();
            tell(listed_in);
            follow(whole_blocks(in_flight, 0));
            judge_late();
            expect_found(std::to_string(listed_in) + " " + std::to_string(in_flight));
        }
}

TEST_F(Yields, AreLookedAtAgainWhereTheBlockOfTheirResumeIsStoredLast) {
    tell(2);
    auto batches = whole_blocks();
    std::swap(batches[2], batches[4]);
    auto last = std::move(batches.back());
    batches.pop_back();
    follow(std::move(batches));
    judge_late();
    EXPECT_EQ(rows("SELECT tx_hash, looks, due_at < now() + interval '1 minute' FROM late_trees"), "T|1|t\n");
    commit(std::move(last));
    judge_late();
    EXPECT_EQ(value("SELECT count(*) FROM late_trees"), "1") << "it is not due yet";
    await(store().trees.hurry_late_trees());
    judge_late();
    expect_found("at the next look");
}

TEST_F(Yields, AreLookedForEverywhereWhenNoBlockNearbyHasTheirResume) {
    tell(2);
    auto batches = whole_blocks();
    batches.erase(batches.begin() + 2);
    follow(std::move(batches));
    for (int look = 0; look < 10; ++look) {
        EXPECT_EQ(rows("SELECT looks, isfinite(since) FROM late_trees"), std::to_string(look) + "|t\n");
        await(store().trees.hurry_late_trees());
        EXPECT_EQ(value("SELECT due_at <= now() FROM late_trees"), look <= 4 ? "t" : "f");
        execute("UPDATE late_trees SET due_at = now()");
        judge_late();
    }
    execute("UPDATE late_trees SET due_at = now()");
    judge_late();
    EXPECT_EQ(rows("SELECT since, due_at > now() + interval '50 minutes' FROM late_trees"), "-infinity|t\n");
}

TEST_F(Yields, AreJudgedAgainWhenAGapIsFilledThatHasTheirResume) {
    tell(3);
    auto resumes = std::exchange(shard(3).listed_data, {});
    auto batches = whole_blocks();
    shard(2).listed_data = resumes;
    batches.erase(batches.begin() + 2);
    follow(std::move(batches));
    execute("DELETE FROM late_trees");
    Lineage lineage;
    commit(chain::whole_block_rows(chain_.blocks()[2], std::nullopt, {}, lineage));
    await(store().orphans.adopt_orphans({kGenesis + 2, kGenesis + 2}));
    judge_late();
    expect_found("in a gap");
}

TEST_F(Yields, ThatTimedOutAreFoundBySourceRpcInAnyOrder) {
    for (const bool tree_first : {false, true}) {
        clear();
        tell(3);
        commit_block(0);
        if (tree_first) commit_tree();
        judge_late();
        for (std::size_t at = 1; at < kBlocks; ++at) commit_block(at);
        if (!tree_first) commit_tree();
        judge_late();
        expect_found(tree_first ? "tree first" : "blocks first");
    }
}

TEST_F(Yields, ThatWholeBlocksToldOfAreFoundWhenTheRestOfTheirTreeComesBySourceRpc) {
    tell(3);
    Lineage lineage;
    LiveTrees live_trees;
    for (std::size_t at = 3; at < kBlocks; ++at)
        commit(chain::whole_block_rows(chain_.blocks()[at], std::nullopt, {}, lineage, &live_trees));
    execute("UPDATE late_trees SET looks = 10");
    judge_late();
    EXPECT_EQ(rows("SELECT tx_hash, since FROM late_trees"), "T|-infinity\n") << "it began below";
    for (std::size_t at = 0; at < 3; ++at) commit_block(at);
    commit_tree();
    judge_late();
    expect_found("at a seam of two sources");
}

TEST_F(Yields, ThatWereResumedAreNoFindings) {
    for (const std::size_t listed_in : {2, 3}) {
        clear();
        tell(listed_in, false);
        resume(3, "r0", true);  // made at the same time as the contract's: too late
        follow(whole_blocks());
        judge_late();
        EXPECT_EQ(value("SELECT count(*) FROM findings"), "0");
        EXPECT_EQ(await(storage::Rejudging(store().database).rejudge({kGenesis, kGenesis})).findings_added,
                  0u);
    }
}

// alice.near is followed, not app.near, which resumes.
TEST_F(Yields, ThatWereResumedByAnAccountOutOfScopeAreNoFindings) {
    const chain::Scope alice{chain::ScopeKind::accounts, {"alice.near"}, {}};
    tell(2, false);
    resume(3, "r0", true);
    for (std::size_t at = 0; at < kBlocks; ++at) commit_block(at, alice);
    commit_tree();
    judge_late();
    EXPECT_EQ(rows("SELECT verdict FROM transaction_results"), "succeeded\n");
    EXPECT_EQ(value("SELECT count(*) FROM findings"), "0");
}

TEST_F(Yields, ThatTimedOutAreFoundWhenTheBlockOfTheirResumeComesDaysLater) {
    tell(2);
    commit_block(0);
    commit_tree();
    judge_late();
    execute(
        "UPDATE coverage SET wanted = '{[10,15)}'; DELETE FROM late_trees; "
        "UPDATE orphan_receipts SET adopted_at = now() - interval '2 days'");
    await(store().maintain());
    for (std::size_t at = 1; at < kBlocks; ++at) commit_block(at);
    judge_late();
    expect_found("after two days");
    execute("UPDATE orphan_receipts SET adopted_at = now() - interval '2 days'");
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM orphan_receipts"), "0") << "nothing is missing any more";
}

TEST_F(Yields, AreJudgedAnewAsTheyWere) {
    tell(2);
    follow(whole_blocks());  // nobody has placed the resume yet
    const auto before = rows(kFoundTimeouts);
    const auto again = await(storage::Rejudging(store().database).rejudge({kGenesis, kGenesis}));
    EXPECT_EQ(again.trees, 1u);
    EXPECT_EQ(again.findings_added + again.findings_removed, 0u);
    EXPECT_EQ(rows(kFoundTimeouts), before);
    execute("DELETE FROM findings");
    EXPECT_EQ(await(storage::Rejudging(store().database).rejudge({kGenesis, kGenesis})).findings_added, 1u);
    EXPECT_EQ(rows(kFoundTimeouts), kTimedOut);
}

TEST_F(Yields, ThatTimedOutAreToldOnce) {
    execute("INSERT INTO endpoints (name) VALUES ('ops'); " + kAllTakeTheDefaultRule);
    tell(3);
    follow(whole_blocks());
    judge_late();
    EXPECT_EQ(rows("SELECT alert_id, kind FROM alerts"), "yield_timed_out:Y|yield_timed_out\n");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), "1");
}

}  // namespace
}  // namespace receiptd::test
