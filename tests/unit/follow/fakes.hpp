// A chain on paper and a database in memory, for tests of the follower.
#pragma once

#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "follow/follower.hpp"
#include "metrics/registry.hpp"
#include "rpc/source.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::follow::testing {

using base::Height;

inline std::string_view keep(std::string text) {
    static std::deque<std::string> kept;
    return kept.emplace_back(std::move(text));
}

inline std::string hash_of(Height height) { return "hash" + std::to_string(height); }

// Heights with blocks, chained in ascending order unless a parent's hash is given.
class PaperChain : public rpc::BlockSource {
public:
    explicit PaperChain(base::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    void add(Height height) {
        const auto parent = blocks_.empty() ? height - 1 : blocks_.rbegin()->first;
        blocks_[height] = {parent, hash_of(parent), hash_of(height)};
    }
    void add_range(Height from, Height to) {
        for (auto height = from; height <= to; ++height) add(height);
    }
    void forge(Height height, std::string parent_hash) {
        blocks_[height].parent_hash = std::move(parent_hash);
    }
    void forget(Height height) { blocks_.erase(height); }
    void fail(Height height, unsigned times, std::string reason = "UNKNOWN_CHUNK") {
        faults_[height] = {times, std::move(reason)};
    }

    base::Task<base::Result<chain::BlockRef, rpc::Unavailable>> head() override {
        const auto& [height, block] = *blocks_.rbegin();
        co_return chain::BlockRef{height, block.hash, block.parent_hash, block.parent,
                                  height * 1'000'000'000};
    }

    base::Task<rpc::FetchResult> fetch(Height height, rpc::Priority, bool) override {
        co_await base::asio::post(executor_, base::asio::use_awaitable);
        ++fetches[height];
        if (on_fetch) on_fetch(height);
        if (auto fault = faults_.find(height); fault != faults_.end() && fault->second.times > 0) {
            --fault->second.times;
            co_return rpc::Unavailable{fault->second.reason, "on paper"};
        }
        if (height > blocks_.rbegin()->first) co_return rpc::NotYet{};
        const auto found = blocks_.find(height);
        if (found == blocks_.end()) co_return rpc::NoSuchHeight{"on paper"};
        co_return contents(height, found->second);
    }

    bool waits_for_next() const override { return false; }

    std::map<Height, unsigned> fetches;
    std::function<void(Height)> on_fetch;

private:
    struct PaperBlock {
        Height parent = 0;
        std::string parent_hash;
        std::string hash;
    };
    struct Fault {
        unsigned times = 0;
        std::string reason;
    };

    static rpc::FetchResult contents(Height height, const PaperBlock& block) {
        chain::Decoded<chain::WholeBlock> whole;
        auto& header = whole.value.block.header;
        header.height = height;
        header.prev_height = block.parent;
        header.hash = keep(block.hash);
        header.prev_hash = keep(block.parent_hash);
        header.epoch_id = header.next_epoch_id = header.hash;
        header.timestamp_nanosec = height * 1'000'000'000;
        whole.value.block.author = "author";
        return rpc::BlockContents(std::move(whole));
    }

    base::asio::any_io_executor executor_;
    std::map<Height, PaperBlock> blocks_;
    std::map<Height, Fault> faults_;
};

class MemoryStore : public storage::BlockStore,
                    public storage::TreeStore,
                    public storage::OrphanStore,
                    public storage::BackfillStore {
public:
    base::Task<storage::Coverage> load_coverage() override { co_return coverage; }
    base::Task<void> want(base::HeightRange range) override {
        coverage.wanted.add(range);
        co_return;
    }
    base::Task<storage::CommitOutcome> commit(chain::RowBatch batch) override {
        if (before_commit) before_commit(batch);
        adopted_since_commit.clear();
        for (const auto& range : batch.covered.ranges())
            if (!coverage.covered.within(range).empty()) co_return storage::CommitOutcome::already_covered;
        coverage.covered.add(batch.covered);
        coverage.wanted.add(batch.covered);
        for (const auto& block : batch.blocks) blocks[block.height] = block;
        for (const auto& range : batch.covered.ranges())
            unavailable.erase(unavailable.lower_bound(range.from), unavailable.upper_bound(range.to));
        co_return storage::CommitOutcome::committed;
    }
    base::Task<void> commit_tree(chain::TreeRows) override { co_return; }
    base::Task<std::vector<storage::PendingTree>> due_trees(unsigned) override {
        co_return std::vector<storage::PendingTree>{};
    }
    base::Task<std::uint64_t> pending_tree_count(base::HeightRange) override { co_return 0; }
    base::Task<storage::OverdueTrees> overdue_trees(std::chrono::seconds) override {
        co_return storage::OverdueTrees();
    }
    base::Task<void> postpone_tree(std::string, std::chrono::milliseconds, std::string) override {
        co_return;
    }
    base::Task<void> adopt_orphans(base::HeightRange around) override {
        adopted_since_commit.push_back(around);
        co_return;
    }
    base::Task<chain::DecidedCounts> settle_trees(base::HeightRange, base::WallTime) override {
        co_return chain::DecidedCounts();
    }
    base::Task<std::vector<std::string>> announced_below(Height) override {
        co_return std::vector<std::string>{};
    }
    base::Task<void> record_unavailable(storage::UnavailableHeight height) override {
        coverage.wanted.add(height.height);
        unavailable[height.height] = height;
        if (on_unavailable) on_unavailable(height.height);
        co_return;
    }
    base::Task<std::vector<storage::UnavailableHeight>> unavailable_heights(unsigned) override {
        std::vector<storage::UnavailableHeight> all;
        for (const auto& [height, record] : unavailable) all.push_back(record);
        co_return all;
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_above(Height height) override {
        const auto found = blocks.upper_bound(height);
        co_return found == blocks.end() ? std::nullopt : std::optional(found->second);
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_below(Height height) override {
        const auto found = blocks.lower_bound(height);
        co_return found == blocks.begin() ? std::nullopt : std::optional(std::prev(found)->second);
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string) override {
        co_return std::nullopt;
    }
    base::Task<storage::BackfillProgress> claim_backfill(base::HeightRange range) override {
        storage::BackfillProgress progress{1, range, base::HeightSet(range), false};
        progress.missing.subtract(coverage.covered);
        co_return progress;
    }
    base::Task<std::vector<storage::BackfillProgress>> claim_abandoned_backfills() override {
        co_return std::vector<storage::BackfillProgress>{};
    }
    base::Task<void> renew_backfill(std::int64_t) override { co_return; }
    base::Task<void> finish_backfill(std::int64_t) override {
        backfill_finished = true;
        co_return;
    }
    base::Task<void> release_backfill(std::int64_t) override { co_return; }

    storage::Coverage coverage;
    std::map<Height, chain::BlockRef> blocks;
    std::map<Height, storage::UnavailableHeight> unavailable;
    bool backfill_finished = false;
    std::vector<base::HeightRange> adopted_since_commit;  // seams looked at since the latest commit
    std::function<void(const chain::RowBatch&)> before_commit;
    std::function<void(Height)> on_unavailable;
};

// One daemon's life over a paper chain and a memory store.
class Daemon {
public:
    Daemon(base::asio::io_context& io, PaperChain& paper, MemoryStore& memory, config::Start start)
        : context(io), cpu(1), series(registry), state(context.get_executor(), series, clock) {
        config::Follow settings;
        settings.source = config::Source::neardata;
        settings.start = start;
        settings.patience = config::Millis(0);
        settings.batch_blocks = 3;
        follower.emplace(context.get_executor(), cpu, paper, nullptr, Stores{memory, memory, memory, memory},
                         state, settings);
    }

    Follower::End follow(Height until) { return play(follower->follow(until)); }
    Follower::End backfill(base::HeightRange range) { return play(follower->backfill(range)); }

    base::asio::io_context& context;
    base::asio::thread_pool cpu;
    base::SystemClock clock;
    metrics::Registry registry;
    metrics::FollowSeries series;
    State state;
    std::optional<Follower> follower;

private:
    static base::Task<void> keep_end(base::Task<Follower::End> task, Follower::End& end) {
        end = co_await std::move(task);
    }
    Follower::End play(base::Task<Follower::End> task) {
        Follower::End end;
        base::TaskGroup group(context.get_executor());
        group.spawn(keep_end(std::move(task), end));
        context.restart();
        context.run();
        if (group.failed()) throw std::runtime_error("the follower failed");
        return end;
    }
};

}  // namespace receiptd::follow::testing
