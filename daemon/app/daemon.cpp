// `receiptd run` and `receiptd backfill`: the runtime with signals, pages and progress around it.
#include "api/api.hpp"
#include "app/check_draft.hpp"
#include "app/clients.hpp"
#include "app/commands.hpp"
#include "app/end_report.hpp"
#include "app/endpoint_test.hpp"
#include "app/life_signs.hpp"
#include "app/maintenance.hpp"
#include "app/own_signals.hpp"
#include "app/progress.hpp"
#include "app/rehearse.hpp"
#include "app/reload.hpp"
#include "app/runtime.hpp"
#include "app/watched_parts.hpp"
#include "base/file_watch.hpp"
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "config/load.hpp"
#include "metrics/api_series.hpp"
#include "metrics/registry.hpp"
#include "net/http_server.hpp"
#include "page/page.hpp"
#include "storage/pg_alert_rule_store.hpp"
#include "storage/pg_delivery_access.hpp"
#include "storage/pg_endpoint_store.hpp"
#include "storage/pg_history_store.hpp"
#include "storage/pg_page_store.hpp"
#include "storage/pg_silence_store.hpp"
#include "watch/open_trees.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kAlertGrace = 1500ms;  // for attempts under way; slower ones are repeated after the next start
constexpr base::Duration kTrackToTheEnd = 60s;  // of a run with an end
constexpr base::Duration kTrackGrace = 1500ms;  // later ones are judged after the next start
constexpr auto kStopGrace = 4s;                 // uncommitted blocks are fetched again after the next start
constexpr auto kUnwind = 500ms;
constexpr auto kProgressEvery = 200ms;
constexpr auto kKeepAliveEvery = 3s;
constexpr auto kLookAtFilesEvery = 2s;

class Daemon {
public:
    Daemon(const config::Settings& settings, std::string config_file)
        : runtime_(settings),
          config_file_(std::move(config_file)),
          helpers_(runtime_.context.get_executor(), failed()),
          alerting_(runtime_.context.get_executor(), failed()),
          work_(runtime_.context.get_executor()) {}

    // Runs `work` to its end. `daemon`: serve pages and send alerts meanwhile.
    follow::Follower::End run(base::Task<follow::Follower::End> work, bool daemon) {
        if (daemon) serve();
        helpers_.spawn(handle_signals());
        if (daemon) helpers_.spawn(reload_on_hangup());
        if (daemon) helpers_.spawn(reload_on_change());
        if (takes_turns_) helpers_.spawn(watched_parts_.run());
        work_.spawn(whole_life(std::move(work), daemon));
        runtime_.context.run();
        // Cancelled coroutines unwind here, while all objects that they refer to still exist.
        runtime_.context.restart();
        runtime_.context.run_for(kUnwind);
        if (failure_) std::rethrow_exception(failure_);
        return end_;
    }

    // A bar for the heights that are left, on a terminal.
    void show_progress(std::function<base::Height()> left) { helpers_.spawn(draw_progress(std::move(left))); }
    void show_progress(base::HeightRange range) {
        show_progress([this, range] { return runtime_.state.heights.gaps().within(range).size(); });
    }

    // One of the daemons on a database leads, and follows the head. Call before run().
    void take_turns() { takes_turns_ = true; }

    Runtime& runtime() { return runtime_; }

private:
    base::Task<void> whole_life(base::Task<follow::Follower::End> work, bool daemon) {
        try {
            co_await runtime_.join_database(daemon);
            helpers_.spawn(life_signs_.run());
            helpers_.spawn(keep_up("signs of life", [this] { return watch_database(); }));
            helpers_.spawn(keep_up("locks", [this] { return runtime_.hold_ups.watch_locks(); }));
            co_await runtime_.check_network();
            helpers_.spawn(runtime_.sources->network_check().run());
            // Maintenance ends alerts of endpoints that nobody serves: ours start before it.
            if (daemon) co_await start_alerts();
            if (takes_turns_) co_await runtime_.leadership.look();
            if (takes_turns_)
                helpers_.spawn(keep_up("leadership", [this] { return runtime_.leadership.run(); }));
            if (daemon) helpers_.spawn(drive_while_leading());
            if (daemon) helpers_.spawn(runtime_.submitter.run());
            if (daemon) helpers_.spawn(api_->feed_stream());
            if (daemon)
                helpers_.spawn(keep_up("stream", [this] { return runtime_.hold_ups.watch_stream(); }));
            end_ = co_await std::move(work);
            if (daemon) co_await finish_tracking();
            co_await runtime_.leadership.resign();
            co_await finish_alerts();
            co_await runtime_.database.leave();
        } catch (const storage::StorageStopped&) {
            log::warn("stopped while waiting for the database");
        } catch (...) {
            if (!failure_) failure_ = std::current_exception();
        }
        finished_ = true;
        alerting_.cancel();
        helpers_.cancel();
        if (server_) co_await server_->stop(200ms);
        if (api_) api_->stop();
        runtime_.database.request_stop();  // ends all waits for the database
        runtime_.context.stop();
    }

    // Endpoints are known before the first finding is committed.
    base::Task<void> start_alerts() {
        co_await runtime_.findings.prepare();
        co_await runtime_.dispatcher.begin_serving();
        serves_alerts_ = true;
        if (reloaded_before_alerts_) co_await runtime_.take_rules();
        alerting_.spawn(runtime_.dispatcher.run());
        helpers_.spawn(runtime_.dispatcher.report());
        helpers_.spawn(runtime_.exporter.run());
    }

    // A loop without a state of its own begins again when the database refuses what it does.
    base::Task<void> keep_up(const char* part, std::function<base::Task<void>()> loop) {
        base::asio::steady_timer timer(runtime_.context);
        while (true) {
            try {
                co_return co_await loop();
            } catch (const storage::StorageError& e) {
                log::error("the database refuses work of a part of the daemon, which begins again",
                           {{"part", part}, {"because", e.what()}});
            }
            co_await base::sleep_on(timer, kKeepAliveEvery);
        }
    }

    // The daemon ends, and says why, if one of its loops fails.
    std::function<void(const std::exception_ptr&)> failed() {
        return [this](const std::exception_ptr& error) {
            try {
                std::rethrow_exception(error);
            } catch (const storage::StorageStopped&) {
                return;
            } catch (const std::exception& e) {
                log::error("cannot go on", {{"because", e.what()}});
            } catch (...) {
                log::error("cannot go on");
            }
            if (!failure_) failure_ = error;
            runtime_.follower.stop();
        };
    }

    // Waits until the tracker has applied the last blocks to the watched transactions.
    base::Task<void> finish_tracking() {
        base::asio::steady_timer timer(runtime_.context);
        const auto started = runtime_.clock.steady();
        const auto& tracker = runtime_.watching.tracker();
        const auto is_over = [&] {
            return runtime_.clock.steady() >=
                   started + (signalled_ || failure_ ? kTrackGrace : kTrackToTheEnd);
        };
        while (tracker.running() && !tracker.idle() && !is_over()) co_await base::sleep_on(timer, 10ms);
    }

    base::Task<void> finish_alerts() {
        runtime_.dispatcher.stop();
        base::asio::steady_timer timer(runtime_.context);
        const auto until = runtime_.clock.steady() + kAlertGrace;
        while (alerting_.running() > 0 && runtime_.clock.steady() < until)
            co_await base::sleep_on(timer, 10ms);
    }

    void serve() {
        api::Services services{[this] { return runtime_.status(); },
                               [this] { return metrics_text(); },
                               [this] { return guard_of(runtime_.settings.http); },
                               api_watches_,
                               runtime_.findings,
                               history_,
                               api_deliveries_,
                               api_rules_,
                               api_endpoints_,
                               [this](std::string name) {
                                   return test_endpoint(runtime_.sender, runtime_.settings.network,
                                                        runtime_.clock, std::move(name));
                               },
                               check_draft,
                               [this](std::string rule, base::HeightRange heights) {
                                   return rehearse(runtime_.settings, api_rules_, rehearsal_, std::move(rule),
                                                   heights);
                               },
                               api_silences_,
                               runtime_.submitter,
                               [this](std::string tx_hash, std::string sender_id) {
                                   return open_trees_.tree(std::move(tx_hash), std::move(sender_id));
                               },
                               api_cpu_,
                               runtime_.clock,
                               api_series_};
        api::ApiOptions limits;
        // One connection stays free for everybody else.
        limits.database.of_client = std::max(1U, database_options(runtime_.settings).shares.people - 1);
        api_.emplace(runtime_.context.get_executor(), std::move(services), limits, page::routes(page_store_));
        auto options = api_->server_options();
        set_up(options, runtime_.settings);
        server_.emplace(runtime_.context.get_executor(), options, api_->handler());
        server_->start();
        log::info("serving", {{"listen", server_->address()}});
    }

    std::string metrics_text() {
        runtime_.sources->states();  // refreshes the gauges of the upstreams
        runtime_.follow_series.clock_ahead.Set(runtime_.clock_ahead_seconds().value_or(0));
        return runtime_.registry.serialize(leads());
    }

    base::Task<void> handle_signals() {
        base::asio::signal_set signals(runtime_.context, SIGTERM, SIGINT);
        while (true) {
            co_await signals.async_wait(base::asio::use_awaitable);
            if (runtime_.state.stop.requested())
                std::_Exit(kOk);  // second signal: uncommitted work rolls back
            signalled_ = true;
            life_signs_.stop();
            log::info("stopping: the batch being written is finished first");
            runtime_.follower.stop();
            runtime_.dispatcher.stop();
            helpers_.spawn(end_after_grace());
        }
    }

    base::Task<void> end_after_grace() {
        base::asio::steady_timer timer(runtime_.context);
        co_await base::sleep_on(timer, kStopGrace);
        if (finished_) co_return;
        log::warn("not everything ended in time; uncommitted blocks are fetched again after the next start");
        std::_Exit(kOk);
    }

    base::Task<void> reload_on_hangup() {
        HangupReader hangups(runtime_.context.get_executor());
        while (true) {
            co_await hangups.next();
            reload(config::load_file(config_file_));
        }
    }

    base::Task<void> reload_on_change() {
        base::asio::steady_timer timer(runtime_.context);
        base::FileWatch files(config_file_);
        while (true) {
            if (runtime_.settings.watches_files && files.look()) {
                const auto loaded = config::load_file(config_file_);
                files.add(loaded.files);
                reload(loaded);
            }
            co_await base::sleep_on(timer, kLookAtFilesEvery);
        }
    }

    void reload(const config::Loaded& loaded) {
        if (!take_reloaded(runtime_, watched_parts_, loaded)) return;
        helpers_.spawn(runtime_.take_accounts());
        if (serves_alerts_)
            helpers_.spawn(runtime_.take_rules());
        else
            reloaded_before_alerts_ = true;  // the database is not checked yet
    }

    bool leads() const { return !takes_turns_ || runtime_.leadership.epoch(); }

    // The leader does this for all daemons on the database, beside following the head.
    base::Task<void> drive_while_leading() {
        base::Wakeup wakeup(runtime_.context.get_executor(), {&runtime_.leadership.changed});
        while (true) {
            while (!leads()) co_await wakeup.wait();
            base::TaskGroup tracking(runtime_.context.get_executor(), failed());
            base::TaskGroup maintaining(runtime_.context.get_executor(), failed());
            tracking.spawn(runtime_.watching.tracker().run());
            maintaining.spawn(maintain(runtime_));
            maintaining.spawn(runtime_.timed_rules.run());
            while (leads()) co_await wakeup.wait();
            runtime_.watching.tracker().end();
            maintaining.cancel();
            co_await tracking.join();
            co_await maintaining.join();
            runtime_.timed_rules.rest();
        }
    }

    // An idle connection does not notice that its server is gone.
    base::Task<void> watch_database() {
        base::asio::steady_timer timer(runtime_.context);
        while (true) {
            co_await runtime_.keep_alive();
            co_await base::sleep_on(timer, kKeepAliveEvery);
        }
    }

    base::Task<void> draw_progress(std::function<base::Height()> left) {
        base::asio::steady_timer timer(runtime_.context);
        while (left() == 0) co_await base::sleep_on(timer, kProgressEvery);
        const auto total = left();
        Progress progress(total, runtime_.clock);
        if (!progress.visible()) co_return;
        log::configure(std::max(runtime_.settings.log_level, log::Level::warn), runtime_.settings.log_format);
        while (true) {
            progress.show(total - std::min(total, left()), runtime_.state.heights.unavailable().size());
            co_await base::sleep_on(timer, kProgressEvery);
        }
    }

    Runtime runtime_;
    std::string config_file_;
    base::asio::thread_pool api_cpu_{1};  // large answers take no thread of ingest
    watch::OpenTrees open_trees_{runtime_.context.get_executor(), api_cpu_, runtime_.sources->trees(),
                                 runtime_.clock, [this]() -> std::optional<chain::BlockHeight> {
                                     if (!runtime_.state.head.block()) return std::nullopt;
                                     return runtime_.state.head.height();
                                 }};
    metrics::ApiSeries api_series_{runtime_.registry};
    // The API has its own connections: its callers do not wait for the tracker's questions.
    storage::PgWatchStore api_watches_{runtime_.database, runtime_.clock, storage::WaitedFor::by_people,
                                       &runtime_.watch_series};
    storage::PgDeliveryAccess api_deliveries_{runtime_.database};
    storage::PgAlertRuleStore api_rules_{runtime_.database};
    storage::PgEndpointStore api_endpoints_{runtime_.database};
    storage::Rehearsal rehearsal_{served_rehearsal(database_options(runtime_.settings)),
                                  runtime_.storage_series, kServedRehearsal};
    storage::PgSilenceStore api_silences_{runtime_.database};
    storage::PgPageStore page_store_{runtime_.database};
    storage::PgHistoryStore history_{runtime_.database};
    std::optional<api::Api> api_;
    std::optional<net::HttpServer> server_;
    WatchedParts watched_parts_{runtime_, [this] { return leads(); }};
    LifeSigns life_signs_{runtime_, [this] { return watched_parts_.hangs(); }};
    base::TaskGroup helpers_;
    base::TaskGroup alerting_;
    base::TaskGroup work_;
    follow::Follower::End end_;
    std::exception_ptr failure_;
    bool finished_ = false;
    bool signalled_ = false;
    bool takes_turns_ = false;
    bool serves_alerts_ = false;
    bool reloaded_before_alerts_ = false;
};

void migrate_first(const config::Settings& settings, const std::string& config_file,
                   std::optional<std::chrono::milliseconds> patience = std::nullopt) {
    exit_when_stopped();  // a migration rolls back
    update_schema(settings, config_file, patience);
}

}  // namespace

int run(const config::Settings& settings, const RunCommand& command) {
    migrate_first(settings, command.config_file, storage::kUntilItIsThere);
    Daemon daemon(settings, command.config_file);
    auto& runtime = daemon.runtime();
    runtime.follower.tell(runtime.watching);
    if (command.until) {
        daemon.show_progress({0, *command.until});
        return report(daemon.run(runtime.follower.follow(command.until), true));
    }
    daemon.take_turns();
    daemon.run(runtime.follower.follow_in_turns(runtime.leadership), true);
    return kOk;
}

int backfill(const config::Settings& settings, const BackfillCommand& command) {
    migrate_first(settings, command.config_file);
    Daemon daemon(settings, "");
    auto& follower = daemon.runtime().follower;
    if (command.replaces || !command.accounts.empty()) {
        daemon.show_progress([&] { return follower.left_to_refetch(); });
        auto work = command.replaces ? follower.reindex(*command.range)
                                     : follower.fill(command.accounts, command.range);
        return report_refetched(daemon.run(std::move(work), false), settings, command);
    }
    const auto range = command.range.value();
    daemon.show_progress(range);
    return report_backfilled(daemon.run(follower.backfill(range), false), settings, range);
}

}  // namespace receiptd::app
