#include "app/runtime.hpp"

#include "app/followed_accounts.hpp"
#include "app/lock_warning.hpp"
#include "app/process.hpp"
#include "app/version.hpp"
#include "base/chance.hpp"
#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "base/log.hpp"
#include "storage/inspect.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/post.hpp>

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

namespace receiptd::app {
namespace {

constexpr std::size_t kListed = 20;

std::vector<api::RangeView> first_of(const base::HeightSet& heights) {
    std::vector<api::RangeView> views;
    for (const auto& range : heights.ranges()) {
        if (views.size() == kListed) break;
        views.push_back({range.from, range.to});
    }
    return views;
}

constexpr chain::BlockHeight kNewBlocks = 100;
constexpr auto kDatabaseSilence = std::chrono::seconds(10);  // longer: it is away

std::optional<api::BlockView> view(const std::optional<chain::BlockRef>& block) {
    if (!block) return std::nullopt;
    return api::BlockView{block->height, block->hash, base::iso_time(block->timestamp_nanosec)};
}

api::UpstreamView view(const rpc::UpstreamState& upstream) {
    return {upstream.name,
            upstream.kind,
            upstream.origin,
            upstream.health,
            upstream.refused,
            upstream.network,
            upstream.network_detail,
            upstream.is_usable,
            upstream.is_unpaid,
            upstream.last_error,
            upstream.horizon,
            upstream.head,
            upstream.untracked_shards,
            upstream.missing_methods,
            upstream.budget_available,
            upstream.in_flight,
            upstream.budget_limit,
            upstream.requests,
            std::chrono::duration<double>(upstream.requests_since).count(),
            upstream.requests_a_day};
}

api::OverdueTreesView view(const storage::OverdueTrees& overdue) {
    return {overdue.count, overdue.oldest_tx_hash, overdue.oldest_fault,
            std::chrono::duration<double>(overdue.oldest_age).count()};
}

std::string keep_text(const std::optional<std::chrono::hours>& keep) {
    return keep ? std::to_string(keep->count()) + "h" : "forever";
}

api::RetentionView view(const storage::Keep& keep) {
    return {keep_text(keep.receipts), keep_text(keep.results)};
}

api::OtherDaemonView view(const storage::OtherDaemon& other) {
    return {other.settings.place, other.settings.source, view(other.settings.keep),
            std::chrono::duration<double>(other.seen_ago).count()};
}

std::size_t cpu_threads(const config::Follow& settings) {
    return settings.cpu_threads > 0 ? settings.cpu_threads
                                    : std::max(1u, std::thread::hardware_concurrency());
}

storage::Declaration declaration(const config::Settings& settings) {
    storage::Declaration declared;
    for (const auto& rule : settings.rules) declared.rules.push_back({rule.name, rule.json});
    for (const auto& list : settings.lists)
        declared.lists.push_back(
            {list.name, list.file.empty() ? std::nullopt : std::optional(list.accounts)});
    return declared;
}

alert::JudgedChain judged_chain(const follow::State& state, const follow::Leadership& leadership) {
    alert::JudgedChain chain;
    chain.epoch = [&leadership] { return leadership.epoch(); };
    chain.newest = [&state]() -> std::optional<base::WallTime> {
        if (!state.is_at_head(watch::kHostsLag)) return std::nullopt;
        return base::WallTime(base::Duration(state.heights.tip()->timestamp_nanosec));
    };
    return chain;
}

std::optional<api::TimedRulesView> view(const std::optional<storage::TimedReport>& report) {
    if (!report) return std::nullopt;
    api::TimedRulesView timed;
    if (report->until) timed.judged_until = base::iso_time(*report->until);
    for (const auto& [state, rules] : report->rules)
        timed.rules.emplace(storage::timed_state_name(state), rules);
    return timed;
}

telemetry::Exporter::MakeCollector collectors(boost::asio::any_io_executor executor,
                                              const base::Clock& clock) {
    return [executor = std::move(executor), &clock](const config::Traces& traces) {
        return std::make_unique<telemetry::HttpCollector>(executor, traces, clock);
    };
}

}  // namespace

const char* scope_name(config::ScopeName scope) {
    switch (scope) {
        case config::ScopeName::headers: return "headers";
        case config::ScopeName::accounts: return "accounts";
        case config::ScopeName::all: return "all";
    }
    return "all";
}

storage::DaemonSettings daemon_settings(const config::Settings& settings) {
    storage::DaemonSettings daemon;
    daemon.place = boost::asio::ip::host_name() + ":" + std::to_string(::getpid());
    daemon.source = config::to_string(settings.follow.source);
    daemon.keep = keep_of(settings.retention);
    if (settings.follow.scope == config::ScopeName::accounts) daemon.accounts = settings.follow.accounts;
    for (const auto& [name, contract, method, error_class] : settings.expected)
        daemon.expected.push_back({name, contract, method, error_class});
    daemon.tells_delegate_duplicates = settings.tells_delegate_duplicates;
    daemon.alerts = declaration(settings);
    return daemon;
}

storage::DatabaseOptions database_options(const config::Settings& settings) {
    storage::DatabaseOptions options;
    options.url = settings.database.url;
    options.statement_timeout = settings.database.statement_timeout;
    options.shares = storage::shares_of(settings.database.most_connections(settings.follow.writers),
                                        settings.follow.writers);
    return options;
}

alert::Site site_of(const config::Settings& settings) {
    return {settings.network, settings.http.public_url, settings.explorer_url};
}

watch::SubmitterOptions submitter_options(const config::Settings& settings) {
    watch::SubmitterOptions options;
    options.validity_blocks = settings.validity_blocks;
    options.give_up = settings.forwarding_failed_after;
    return options;
}

Runtime::Runtime(const config::Settings& configured)
    : settings(configured),
      rpc_series(registry),
      storage_series(registry),
      follow_series(registry),
      watch_series(registry),
      daemon_series(registry, RECEIPTD_VERSION, kCommit),
      cpu(cpu_threads(settings.follow)),
      database(database_options(settings), storage_series,
               [this] { boost::asio::post(context, [this] { dispatcher.wake(); }); }),
      blocks(database),
      trees(database),
      orphans(database),
      backfills(database),
      unplaced(database),
      accounts(database),
      reindex(database),
      outcomes(database),
      watches(database, clock, storage::WaitedFor::by_daemon, &watch_series),
      deliveries(database),
      findings(database),
      leases(database, daemon_settings(settings).place, process_name()),
      hold_ups(context.get_executor(), database, findings, clock),
      sources(rpc::make_sources(context.get_executor(), cpu, settings, &rpc_series, clock)),
      state(follow_series, clock),
      leadership(context.get_executor(), leases, is_gone, follow_series),
      follower(context.get_executor(), cpu, sources->blocks(), sources->witnesses(), &sources->trees(),
               {blocks, trees, orphans, backfills}, state, settings.follow),
      watching(context.get_executor(), cpu, watches, blocks, *sources, follower, state, watch_series, clock,
               settings),
      submitter(context.get_executor(), watches, sources->submissions(),
                std::make_shared<rpc::RealTimeAndChance>(clock), submitter_options(settings)),
      alert_series(registry),
      sender(context.get_executor(), settings.endpoints, clock),
      dispatcher(context.get_executor(), cpu, settings.endpoints, deliveries, sender, alert_series, clock,
                 base::chance, site_of(settings)),
      timed_rule_store(database),
      timed_rules(context.get_executor(), timed_rule_store, judged_chain(state, leadership), alert_series),
      trace_series(registry),
      traces(database),
      exporter(
          context.get_executor(), traces, database.traces, collectors(context.get_executor(), clock),
          trace_series, clock, base::chance, [this] { return !state.is_at_head(watch::kHostsLag); },
          settings.network, settings.traces) {
    state.interest = [this] { return database.rules.interest(); };
    follower.place_receipts(sources->receipts(), sources->trees(), unplaced);
    follower.fetch_again(accounts, reindex);
    follower.check_outcomes(outcomes, {sources->trees(), sources->rpc_blocks()});
    if (settings.follow.optimistic) follower.look_early(sources->early_blocks());
}

api::DaemonStatus Runtime::status() const {
    api::DaemonStatus view_of;
    view_of.version = RECEIPTD_VERSION;
    view_of.network = settings.network;
    view_of.source = config::to_string(settings.follow.source);
    view_of.scope = scope_name(settings.follow.scope);
    view_of.head = view(state.head.block());
    const auto head_age = std::chrono::duration<double>(clock.steady() - state.head.seen_at());
    if (state.head.block()) view_of.head_seen_seconds_ago = head_age.count();
    view_of.committed = view(state.heights.tip());
    view_of.clock_ahead_seconds = clock_ahead_seconds();
    const auto apart = clock.wall().time_since_epoch() - clock.steady().time_since_epoch();
    view_of.clock_jumped_seconds = std::chrono::duration<double>(apart - clocks_apart).count();
    for (const auto& [reason, count] : watch_series.withheld())
        view_of.findings_withheld[reason] = static_cast<std::uint64_t>(count);
    view_of.database_connected = clock.steady() - database_answered_at < kDatabaseSilence;
    view_of.newer_schema = newer_schema_;
    view_of.database_bad_setup = database.why_no_work();
    view_of.lock_room = lock_room_;
    view_of.held_up = hold_ups.in_words();
    view_of.covered_heights = state.heights.coverage().covered.size();
    const auto gaps = state.heights.gaps();
    view_of.gap_heights = gaps.size();
    view_of.gaps = first_of(gaps);
    auto skipped = state.heights.coverage().skipped_by_operator;
    skipped.subtract(state.heights.coverage().covered);
    view_of.skipped_by_operator = first_of(skipped);
    view_of.unavailable_heights = state.heights.unavailable().size();
    for (const auto& [height, record] : state.heights.unavailable()) {
        if (view_of.unavailable.size() == kListed) break;
        view_of.unavailable.push_back({height, record.reason, record.detail, record.attempts});
    }
    view_of.pending_trees = state.trees.pending;
    view_of.overdue_trees = view(state.trees.overdue);
    view_of.untracked_shards = sources->untracked_shards();
    view_of.disagreement = state.disagreement;
    view_of.agreed_height = state.heights.agreed();
    view_of.left_out = state.left_out.in_words(clock.steady());
    view_of.new_kinds = state.new_kinds.in_words(clock.steady());
    view_of.unconfirmed = state.unconfirmed();
    view_of.wrong_clock = state.wrong_clock;
    view_of.clock_off = own_clock.in_words();
    if (const auto& broken = state.heights.broken()) view_of.broken_chain = broken->why;
    view_of.set_aside = set_aside_;
    if (const auto& outbox = dispatcher.outbox()) {
        view_of.outbox = api::OutboxView{outbox->pending, outbox->dead,
                                         std::chrono::duration<double>(outbox->oldest_pending).count()};
        view_of.not_tried = outbox->not_tried;
    }
    view_of.timed_rules = view(timed_rules.report());
    if (const auto& lease = leadership.lease())
        view_of.leader = api::LeaderView{lease->mine, lease->place, lease->epoch};
    view_of.endpoints_off = dispatcher.switched_off();
    view_of.retention = view(keep_of(settings.retention));
    for (const auto& other : other_daemons) view_of.other_daemons.push_back(view(other));
    for (const auto& account : followed_accounts.accounts)
        view_of.accounts.push_back(view(account, state.heights.coverage().covered));
    for (const auto& upstream : sources->states()) view_of.upstreams.push_back(view(upstream));
    return view_of;
}

std::optional<double> Runtime::clock_ahead_seconds() const {
    if (!state.is_at_head(watch::kHostsLag)) return std::nullopt;
    const base::WallTime newest{base::Duration(state.heights.tip()->timestamp_nanosec)};
    return std::chrono::duration<double>(clock.wall() - newest).count();
}

base::Task<void> Runtime::join_database(bool serves_endpoints) {
    co_await database.check_identity(chain_identity(settings));
    lock_room_ = co_await lock_warning(database);
    auto own = daemon_settings(settings);
    if (serves_endpoints)
        tell(co_await storage::PgDatabaseIds(database).settle());
    else
        own.alerts = {};
    tell(co_await database.join(std::move(own)), Counts::ours);
    co_await read_accounts();
}

void Runtime::tell(const storage::DatabaseId& id) {
    if (id.is == storage::DatabaseId::Is::renewed)
        log::warn(
            "this database is a copy, or was restored: groups of alerts that begin now have names of its "
            "own. "
            "If it replaces the database that it was copied from, stop receiptd, run `receiptd database "
            "keep-id` on a fresh copy and start it",
            {{"database_id", id.id}, {"before", id.before}});
    else
        log::info("database", {{"database_id", id.id}});
}

// Each name once for each other daemon.
void Runtime::tell(const std::vector<storage::Contested>& contested, Counts counts) {
    for (const auto& [what, name, place] : contested) {
        if (!contested_.emplace(what, name, place).second) continue;
        log::warn(counts == Counts::ours
                      ? "another daemon has loaded this name with another content; ours is newer and counts"
                      : "another daemon has loaded this name with another content later; theirs counts",
                  {{what, name}, {"place", place}});
    }
}

base::Task<void> Runtime::take_rules() {
    try {
        tell(co_await database.declare(declaration(settings)), Counts::ours);
        co_await dispatcher.reload(settings.endpoints);
    } catch (const storage::StorageError& e) {
        log::error("the reloaded rules do not count: the database has not taken them",
                   {{"because", e.what()}});
    }
}

base::Task<void> Runtime::keep_alive() {
    auto [others, contested, newer_schema, set_aside, scope_serial] = co_await database.keep_alive();
    database_answered_at = clock.steady();
    own_clock.look(sources->states(), clock_ahead_seconds());
    daemon_series.clock_off.Set(own_clock.seconds());
    if (newer_schema != newer_schema_ && !newer_schema.empty())
        log::warn(
            "the database's schema is newer than this program: restart it with the version that changed it",
            {{"schema", newer_schema}, {"version", RECEIPTD_VERSION}});
    newer_schema_ = std::move(newer_schema);
    set_aside_ = std::move(set_aside);
    if (scope_serial != followed_accounts.serial || lacks_rows(followed_accounts)) co_await read_accounts();
    tell(contested, Counts::theirs);
    const auto place = [](const storage::OtherDaemon& other) { return other.settings.place; };
    std::set<std::string> known;
    std::transform(other_daemons.begin(), other_daemons.end(), std::inserter(known, known.end()), place);
    for (const auto& other : others) {
        if (known.contains(place(other))) continue;
        log::info("another daemon shares the database",
                  {{"place", place(other)}, {"source", other.settings.source}});
        const auto own = keep_of(settings.retention);
        if (other.settings.keep != own)
            log::warn("retention differs: the longer one holds until its daemon is gone for a day",
                      {{"receipts_here", keep_text(own.receipts)},
                       {"receipts_there", keep_text(other.settings.keep.receipts)},
                       {"results_here", keep_text(own.results)},
                       {"results_there", keep_text(other.settings.keep.results)}});
    }
    other_daemons = std::move(others);
}

// An invented block at the tip may be stored; farther below it would have been found out.
base::Task<std::optional<chain::BlockRef>> Runtime::stored_block() {
    const auto newest = co_await blocks.stored_block_below(std::numeric_limits<std::int64_t>::max());
    if (!newest) co_return std::nullopt;
    const auto below = newest->height > kNewBlocks ? newest->height - kNewBlocks : 0;
    auto older = co_await blocks.stored_block_below(below);
    if (!older) older = co_await blocks.stored_block_above(0);
    co_return older;
}

base::Task<void> Runtime::check_network() {
    rpc::OwnNetwork own;
    const auto& pinned = settings.genesis_hash;
    own.identity.chain_id = settings.network;
    own.identity.genesis_hash = co_await database.genesis_hash(pinned);
    if (!pinned.empty() && pinned != own.identity.genesis_hash)
        throw std::runtime_error("this database holds a chain whose genesis block is \"" +
                                 own.identity.genesis_hash + "\", but chain.genesis_hash is \"" + pinned +
                                 "\": correct it, or use another database for this chain");
    own.learn = [this](std::string told) { return database.genesis_hash(std::move(told)); };
    own.stored_block = [this] { return stored_block(); };
    co_await sources->network_check().begin(std::move(own));
    std::string others;
    for (const auto& upstream : sources->states()) {
        if (upstream.network != "other_network") co_return;
        others += (others.empty() ? "" : "; ") + upstream.name + " " + upstream.network_detail;
    }
    if (!others.empty())
        throw std::runtime_error("no upstream is of network \"" + settings.network +
                                 "\" (chain.network): " + others + ": nothing was stored");
}

}  // namespace receiptd::app
