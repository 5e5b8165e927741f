// Everything a command of the daemon is composed of, in the order it is built and, backwards, ended.
#pragma once

#include "alert/dispatcher.hpp"
#include "alert/sender.hpp"
#include "alert/timed_rules.hpp"
#include "api/status.hpp"
#include "app/hold_ups.hpp"
#include "app/watching.hpp"
#include "base/clock.hpp"
#include "config/settings.hpp"
#include "follow/follower.hpp"
#include "follow/leadership.hpp"
#include "follow/state.hpp"
#include "metrics/alert_series.hpp"
#include "metrics/daemon_series.hpp"
#include "metrics/follow_series.hpp"
#include "metrics/registry.hpp"
#include "metrics/rpc_series.hpp"
#include "metrics/storage_series.hpp"
#include "metrics/trace_series.hpp"
#include "metrics/watch_series.hpp"
#include "rpc/own_clock.hpp"
#include "rpc/sources.hpp"
#include "storage/database.hpp"
#include "storage/database_id.hpp"
#include "storage/pg_account_store.hpp"
#include "storage/pg_backfill_store.hpp"
#include "storage/pg_block_store.hpp"
#include "storage/pg_delivery_store.hpp"
#include "storage/pg_finding_store.hpp"
#include "storage/pg_lease_store.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_outcome_store.hpp"
#include "storage/pg_reindex_store.hpp"
#include "storage/pg_timed_rule_store.hpp"
#include "storage/pg_trace_store.hpp"
#include "storage/pg_tree_store.hpp"
#include "storage/pg_unplaced_store.hpp"
#include "storage/pg_watch_store.hpp"
#include "telemetry/exporter.hpp"
#include "watch/submitter.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <vector>

namespace receiptd::app {

storage::DatabaseOptions database_options(const config::Settings& settings);

const char* scope_name(config::ScopeName scope);  // as the database keeps it
inline storage::ChainIdentity chain_identity(const config::Settings& settings) {
    return {settings.network, scope_name(settings.follow.scope)};
}
inline storage::Keep keep_of(const config::Retention& retention) {
    return {retention.receipts, retention.results};
}
storage::DaemonSettings daemon_settings(const config::Settings& settings);
alert::Site site_of(const config::Settings& settings);
watch::SubmitterOptions submitter_options(const config::Settings& settings);

struct Runtime {
    explicit Runtime(const config::Settings& settings);

    config::Settings settings;
    base::SystemClock clock;
    metrics::Registry registry;
    metrics::RpcSeries rpc_series;
    metrics::StorageSeries storage_series;
    metrics::FollowSeries follow_series;
    metrics::WatchSeries watch_series;
    metrics::DaemonSeries daemon_series;
    boost::asio::thread_pool cpu;
    boost::asio::io_context context{1};
    storage::Database database;
    storage::PgBlockStore blocks;
    storage::PgTreeStore trees;
    storage::PgOrphanStore orphans;
    storage::PgBackfillStore backfills;
    storage::PgUnplacedStore unplaced;
    storage::PgAccountStore accounts;
    storage::PgReindexStore reindex;
    storage::PgOutcomeStore outcomes;
    storage::PgWatchStore watches;
    storage::PgDeliveryStore deliveries;
    storage::PgFindingStore findings;
    storage::PgLeaseStore leases;
    HoldUps hold_ups;
    std::unique_ptr<rpc::Sources> sources;
    follow::State state;
    follow::Leadership leadership;  // of daemons that follow the head without an end
    follow::Follower follower;
    Watching watching;  // does nothing until it is told and run
    watch::Submitter submitter;
    metrics::AlertSeries alert_series;
    alert::EndpointSender sender;
    alert::Dispatcher dispatcher;  // does nothing until it is run
    storage::PgTimedRuleStore timed_rule_store;
    alert::TimedRules timed_rules;  // so do these
    metrics::TraceSeries trace_series;
    storage::PgTraceStore traces;
    telemetry::Exporter exporter;  // so does this

    rpc::OwnClock own_clock;
    base::SteadyTime database_answered_at{};  // the last time it did
    std::vector<storage::OtherDaemon> other_daemons;
    storage::FollowedAccounts followed_accounts;  // by the database; with scope accounts
    // Wall clock minus steady clock, when this process started.
    base::Duration clocks_apart = clock.wall().time_since_epoch() - clock.steady().time_since_epoch();

    api::DaemonStatus status() const;
    // The wall clock against the newest block; nullopt: not at the head.
    std::optional<double> clock_ahead_seconds() const;
    // What must agree with the database and with the daemons on it does.
    base::Task<void> join_database(bool serves_endpoints);
    // Renews this daemon's row, and says which others live.
    base::Task<void> keep_alive();
    // The alert rules and lists of the reloaded settings.
    base::Task<void> take_rules();
    // The accounts of the reloaded settings that the database does not follow yet.
    base::Task<void> take_accounts();
    // Throws where every upstream is of another network.
    base::Task<void> check_network();

private:
    enum class Counts { ours, theirs };
    void tell(const std::vector<storage::Contested>& contested, Counts counts);
    static void tell(const storage::DatabaseId& id);
    base::Task<std::optional<chain::BlockRef>> stored_block();
    base::Task<void> read_accounts();

    std::set<std::tuple<std::string, std::string, std::string>> contested_;  // that were told
    storage::AsideCounts set_aside_;
    std::string newer_schema_;  // storage::Joined
    std::string lock_room_;     // as of the start; empty: it is enough
};

}  // namespace receiptd::app
