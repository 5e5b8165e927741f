// Connects the tracker of watches to the follower, which reports commits, and to the hosts.
#pragma once

#include "base/clock.hpp"
#include "config/settings.hpp"
#include "follow/commit_listener.hpp"
#include "follow/follower.hpp"
#include "follow/state.hpp"
#include "metrics/watch_series.hpp"
#include "rpc/sources.hpp"
#include "storage/watch_store.hpp"
#include "watch/rpc_watch_upstream.hpp"
#include "watch/tracker.hpp"

#include <string>

namespace receiptd::app {

class Watching final : public follow::CommitListener {
public:
    // All of them outlive it.
    Watching(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, storage::WatchStore& store,
             storage::BlockStore& blocks, rpc::Sources& sources, follow::Follower& follower,
             const follow::State& state, metrics::WatchSeries& series, const base::Clock& clock,
             const config::Settings& settings);

    watch::Tracker& tracker() { return tracker_; }

    bool listening() const override { return tracker_.listening(); }
    bool watches(const chain::SignedTransaction& transaction) const override {
        return tracker_.watches(transaction);
    }
    std::vector<chain::WantedWatch> wanted(const chain::Sightings& seen) const override {
        return tracker_.wanted(seen);
    }
    bool awaits_inclusion() const override { return tracker_.running() && tracker_.awaits_inclusion(); }
    void seen_early(const std::string& tx_hash, const chain::SeenEarly& seen) override {
        tracker_.seen_early(tx_hash, seen);
    }
    void committed(const chain::CommitFacts& facts) override { tracker_.committed(facts); }
    void lost(const base::HeightSet& heights) override { tracker_.lost(heights); }
    void settled(const chain::DecidedCounts& decided) override { tracker_.settled(decided); }
    bool wants(const std::string& tx_hash) const override { return tracker_.wants(tx_hash); }
    void progressed(const std::string& tx_hash, const chain::TreeSeen& seen) override {
        tracker_.progressed(tx_hash, seen);
    }
    void tree_committed(const std::string& tx_hash, const chain::DecidedCounts& decided) override {
        tracker_.tree_committed(tx_hash, decided);
    }

private:
    watch::RpcWatchUpstream upstream_;
    watch::Tracker tracker_;
};

}  // namespace receiptd::app
