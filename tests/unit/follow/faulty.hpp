// The stores and sources of a follower, with steps that fail.
#pragma once

#include "support/fault_steps.hpp"
#include "unit/follow/fakes.hpp"

#include <utility>

namespace receiptd::follow::testing {

class FaultyStore final : public storage::BlockStore,
                          public storage::TreeStore,
                          public storage::OrphanStore,
                          public storage::BackfillStore {
public:
    FaultyStore(Stores stores, test::Steps& steps) : stores_(stores), steps_(steps) {}
    operator Stores() { return {*this, *this, *this, *this}; }

    base::Task<storage::Coverage> load_coverage() override { return later(stores_.blocks.load_coverage()); }
    std::uint64_t reconnects() const override { return stores_.blocks.reconnects(); }
    base::Task<void> want(base::HeightRange range) override { return later(stores_.blocks.want(range)); }
    base::Task<void> follow_since(base::Height height) override {
        return later(stores_.blocks.follow_since(height));
    }
    base::Task<void> set_one_host_since(std::optional<base::Height> height) override {
        return later(stores_.blocks.set_one_host_since(height));
    }
    base::Task<base::HeightSet> skip(base::HeightRange range) override {
        return later(stores_.blocks.skip(range));
    }
    base::Task<storage::CommitOutcome> commit(chain::RowBatch batch) override {
        return later(stores_.blocks.commit(std::move(batch)));
    }
    base::Task<storage::DayWord> open_day(std::int64_t day, storage::DayLeave leave) override {
        return later(stores_.blocks.open_day(day, leave));
    }
    base::Task<void> record_unavailable(storage::UnavailableHeight height) override {
        return later(stores_.blocks.record_unavailable(std::move(height)));
    }
    base::Task<std::vector<storage::UnavailableHeight>> unavailable_heights(unsigned limit) override {
        return later(stores_.blocks.unavailable_heights(limit));
    }
    base::Task<base::HeightSet> remove_block(Height height) override {
        return later(stores_.blocks.remove_block(height));
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_above(Height height) override {
        return later(stores_.blocks.stored_block_above(height));
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_below(Height height) override {
        return later(stores_.blocks.stored_block_below(height));
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string hash) override {
        return later(stores_.blocks.stored_block_by_hash(std::move(hash)));
    }
    base::Task<std::vector<chain::BlockRef>> newest_blocks(unsigned limit) override {
        return later(stores_.blocks.newest_blocks(limit));
    }

    base::Task<storage::LeftOutOutcomes> commit_tree(chain::TreeRows tree) override {
        return later(stores_.trees.commit_tree(std::move(tree)));
    }
    base::Task<std::vector<storage::PendingTree>> due_trees(unsigned limit,
                                                            base::HeightRange included_in) override {
        return later(stores_.trees.due_trees(limit, included_in));
    }
    base::Task<std::uint64_t> pending_tree_count(base::HeightRange included_in) override {
        return later(stores_.trees.pending_tree_count(included_in));
    }
    base::Task<void> make_late_across(Height from, bool history) override {
        return later(stores_.trees.make_late_across(from, history));
    }
    base::Task<void> hurry_late_trees() override { return later(stores_.trees.hurry_late_trees()); }
    base::Task<storage::OverdueTrees> overdue_trees(std::chrono::seconds age) override {
        return later(stores_.trees.overdue_trees(age));
    }
    base::Task<chain::DecidedCounts> discard_tree(storage::PendingTree tree,
                                                  chain::NewsSince news_since) override {
        return later(stores_.trees.discard_tree(std::move(tree), news_since));
    }
    base::Task<void> postpone_tree(storage::PendingTree tree, std::chrono::milliseconds delay,
                                   std::string reason) override {
        return later(stores_.trees.postpone_tree(std::move(tree), delay, std::move(reason)));
    }
    base::Task<void> await_receipts(storage::PendingTree tree, std::chrono::milliseconds delay,
                                    std::vector<std::string> missing) override {
        return later(stores_.trees.await_receipts(std::move(tree), delay, std::move(missing)));
    }
    base::Task<std::uint64_t> take_over_trees(base::HeightRange ends) override {
        return later(stores_.trees.take_over_trees(ends));
    }
    base::Task<std::vector<storage::PendingTree>> silent_trees(base::HeightRange included_in) override {
        return later(stores_.trees.silent_trees(included_in));
    }
    base::Task<base::HeightSet> heights_to_replace() override {
        return later(stores_.trees.heights_to_replace());
    }
    base::Task<bool> place_silent_tree(storage::PendingTree tree, std::vector<storage::ToldOutcome> told,
                                       std::string untold) override {
        return later(stores_.trees.place_silent_tree(std::move(tree), std::move(told), std::move(untold)));
    }
    base::Task<chain::DecidedCounts> settle_trees(base::HeightRange around,
                                                  chain::NewsSince news_since) override {
        return later(stores_.trees.settle_trees(around, news_since));
    }

    base::Task<storage::LateTrees> judge_late_trees(bool history, chain::NewsSince news_since) override {
        return later(stores_.trees.judge_late_trees(history, news_since));
    }
    base::Task<std::uint64_t> find_late_trees() override { return later(stores_.trees.find_late_trees()); }

    base::Task<void> adopt_orphans(base::HeightRange around) override {
        return later(stores_.orphans.adopt_orphans(around));
    }
    base::Task<std::vector<std::string>> announced_below(Height height) override {
        return later(stores_.orphans.announced_below(height));
    }
    base::Task<std::vector<chain::Seam>> pending_seams(std::chrono::seconds untouched_for) override {
        return later(stores_.orphans.pending_seams(untouched_for));
    }
    base::Task<void> forget_seam(chain::Seam seam) override {
        return later(stores_.orphans.forget_seam(seam));
    }

    base::Task<storage::BackfillProgress> claim_backfill(base::HeightRange range) override {
        return later(stores_.backfills.claim_backfill(range));
    }
    base::Task<storage::BackfillProgress> claim_fill(base::HeightRange range,
                                                     std::vector<std::string> accounts) override {
        return later(stores_.backfills.claim_fill(range, std::move(accounts)));
    }
    base::Task<storage::BackfillProgress> claim_reindex(base::HeightRange range) override {
        return later(stores_.backfills.claim_reindex(range));
    }
    base::Task<std::vector<storage::BackfillProgress>> claim_abandoned_backfills() override {
        return later(stores_.backfills.claim_abandoned_backfills());
    }
    base::Task<void> renew_backfill(std::int64_t id) override {
        return later(stores_.backfills.renew_backfill(id));
    }
    base::Task<void> finish_backfill(std::int64_t id) override {
        return later(stores_.backfills.finish_backfill(id));
    }
    base::Task<void> release_backfill(std::int64_t id) override {
        return later(stores_.backfills.release_backfill(id));
    }

private:
    // A database never answers at once.
    template <class T>
    base::Task<T> later(base::Task<T> work) {
        const auto executor = co_await base::asio::this_coro::executor;
        co_await base::asio::post(executor, base::asio::use_awaitable);
        co_return co_await steps_.take(std::move(work));
    }

    Stores stores_;
    test::Steps& steps_;
};

inline const rpc::Unavailable kTimeout{"timeout", "a step fails"};

class FaultySource final : public rpc::BlockSource, public rpc::TreeSource {
public:
    FaultySource(rpc::BlockSource& blocks, rpc::TreeSource& trees, test::Steps& steps, ManualClock& clock)
        : blocks_(blocks), trees_(trees), steps_(steps), clock_(clock) {}

    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> head() override {
        auto told = co_await steps_.take(blocks_.head(), kTimeout);
        if (!told) clock_.passed += std::chrono::seconds(5);
        co_return std::move(told);
    }
    base::Task<rpc::FetchResult> fetch(Height height, rpc::Priority priority, bool with_chunks) override {
        return steps_.take(blocks_.fetch(height, priority, with_chunks), kTimeout);
    }
    bool waits_for_next() const override { return blocks_.waits_for_next(); }
    bool tells_outcomes() const override { return blocks_.tells_outcomes(); }

    base::Task<TreeResult> tree(Query query) override {
        return steps_.take(trees_.tree(std::move(query)), kTimeout);
    }
    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> final_block(std::string hash,
                                                                            Height final_height,
                                                                            rpc::Priority priority) override {
        return steps_.take(trees_.final_block(std::move(hash), final_height, priority), kTimeout);
    }
    void forget_blocks(const base::HeightSet& heights) override { trees_.forget_blocks(heights); }
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights, rpc::Priority priority) override {
        return trees_.holds_blocks(heights, priority);
    }
    base::Task<std::optional<chain::ShardLayout>> shard_layout(Height height,
                                                               std::optional<ShardWitness> witness,
                                                               rpc::Priority priority) override {
        return steps_.take(trees_.shard_layout(height, std::move(witness), priority), std::nullopt);
    }

private:
    rpc::BlockSource& blocks_;
    rpc::TreeSource& trees_;
    test::Steps& steps_;
    ManualClock& clock_;
};

}  // namespace receiptd::follow::testing
