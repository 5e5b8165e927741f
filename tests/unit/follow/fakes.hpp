// One daemon's life over a chain on paper and a database in memory.
#pragma once

#include "base/task_group.hpp"
#include "follow/commit_listener.hpp"
#include "follow/follower.hpp"
#include "metrics/registry.hpp"
#include "unit/follow/memory_store.hpp"
#include "unit/follow/paper_chain.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace receiptd::follow::testing {

inline Stores stores_of(MemoryStore& memory) { return {memory, memory, memory, memory}; }

inline config::Follow follow_settings(config::Source source, config::Start start) {
    config::Follow settings;
    settings.source = source;
    settings.start = start;
    settings.patience = config::Millis(0);
    settings.batch_blocks = 3;
    return settings;
}

class Listener : public CommitListener {
public:
    bool listening() const override { return true; }
    bool watches(const chain::SignedTransaction&) const override { return false; }
    std::vector<chain::WantedWatch> wanted(const chain::Sightings&) const override { return {}; }
    void committed(const chain::CommitFacts& facts) override {
        for (const auto& block : facts.blocks) told.insert(block.height);
    }
    void lost(const base::HeightSet& heights) override {
        for (const auto& range : heights.ranges())
            told.erase(told.lower_bound(range.from), told.upper_bound(range.to));
    }
    bool awaits_inclusion() const override { return false; }
    void seen_early(const std::string&, const chain::SeenEarly&) override {}
    bool wants(const std::string&) const override { return false; }
    void progressed(const std::string&, const chain::TreeSeen&) override {}
    void settled(const chain::DecidedCounts&) override {}
    void tree_committed(const std::string& tx_hash, const chain::DecidedCounts&) override {
        trees.insert(tx_hash);
    }

    std::set<base::Height> told;
    std::set<std::string> trees;
};

class Daemon {
public:
    Daemon(base::asio::io_context& io, PaperChain& paper, MemoryStore& memory, config::Start start)
        : Daemon(io, memory.clock, paper, paper, nullptr, stores_of(memory),
                 follow_settings(config::Source::neardata, start)) {}
    Daemon(base::asio::io_context& io, ManualClock& manual_clock, rpc::BlockSource& blocks,
           rpc::Witnesses& witnesses, rpc::TreeSource* trees, Stores stores, const config::Follow& settings)
        : context(io), cpu(1), clock(manual_clock), series(registry), state(series, clock) {
        state.chance = [] { return 0.5; };
        follower.emplace(io.get_executor(), cpu, blocks, witnesses, trees, stores, state, settings);
    }

    Follower::End follow(Height until) { return play(follower->follow(until)); }
    // Without an end, as long as it is to go on.
    void follow_while(const std::function<bool()>& going) {
        stop_ = [this, going] {
            if (!going()) follower->stop();
        };
        play(follower->follow(std::nullopt));
    }
    Follower::End backfill(base::HeightRange range) { return play(follower->backfill(range)); }
    Follower::End fill(storage::AccountStore& accounts, storage::ReindexStore& reindex,
                       std::vector<std::string> names, std::optional<base::HeightRange> range) {
        follower->fetch_again(accounts, reindex);
        return play(follower->fill(std::move(names), range));
    }
    Follower::End reindex(storage::AccountStore& accounts, storage::ReindexStore& store,
                          base::HeightRange range) {
        follower->fetch_again(accounts, store);
        return play(follower->reindex(range));
    }

    // Does what can be done now; the only thread of the pool has done what it was handed over before.
    std::size_t settle() {
        const auto before = run_what_is_ready();
        if (waited_for_ == have_run_) return 0;
        std::promise<void> done;
        base::asio::post(cpu, [&] { done.set_value(); });
        done.get_future().wait();
        waited_for_ = have_run_;
        return before + run_what_is_ready();
    }

    base::asio::io_context& context;
    base::asio::thread_pool cpu;
    ManualClock& clock;
    metrics::Registry registry;
    metrics::FollowSeries series;
    State state;
    std::optional<Follower> follower;

private:
    std::function<void()> stop_;
    // Handlers that have run, of all daemons: they may share a context, and nothing else hands work to a
    // pool.
    static inline std::size_t have_run_ = 0;
    std::size_t waited_for_ = 0;

    std::size_t run_what_is_ready() {
        context.restart();
        const auto run = context.poll();
        have_run_ += run;
        return run;
    }

    static base::Task<void> keep_end(base::Task<Follower::End> task, Follower::End& end) {
        end = co_await std::move(task);
    }
    // Time passes when there is nothing else to do.
    Follower::End play(base::Task<Follower::End> task) {
        Follower::End end;
        base::TaskGroup group(context.get_executor());
        group.spawn(keep_end(std::move(task), end));
        const auto give_up_at = clock.passed + std::chrono::hours(1);
        while (group.running() > 0) {
            if (settle() > 0) continue;
            if (clock.passed > give_up_at) throw std::logic_error("the follower waits for ever");
            clock.passed += std::chrono::milliseconds(100);
            if (stop_) stop_();
            state.stop.signal.notify_all();
        }
        settle();
        if (group.failed()) throw std::runtime_error("the follower failed");
        return end;
    }
};

}  // namespace receiptd::follow::testing
