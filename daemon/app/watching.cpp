#include "app/watching.hpp"

#include <utility>

namespace receiptd::app {
namespace {

constexpr auto kHeadIsFresh = std::chrono::seconds(30);

watch::ChainView view_of(follow::Follower& follower, const follow::State& state,
                         const config::Follow& settings) {
    watch::ChainView view;
    view.final_height = [&state]() -> std::optional<chain::BlockHeight> {
        if (!state.head) return std::nullopt;
        return state.head->height;
    };
    view.covered_up_to = [&state](chain::BlockHeight from) -> std::optional<chain::BlockHeight> {
        // The newest blocks may be on their way.
        const auto& covered = state.coverage.covered;
        auto known = from;
        while (!covered.contains(known) && known > 0 && from - known < watch::kHostsLag) --known;
        if (!covered.contains(known)) return std::nullopt;
        return covered.first_missing(known) - 1;
    };
    // Source rpc asks for each tree until it has all of it.
    view.follows_since = [&state, by_rpc = settings.source == config::Source::rpc](chain::BlockHeight from) {
        if (by_rpc) return true;
        const bool all_wanted =
            !state.committed || state.coverage.wanted.first_missing(from) > state.committed->height;
        return all_wanted && state.unavailable.lower_bound(from) == state.unavailable.end();
    };
    view.is_at_head = [&state] {
        return state.head && state.committed &&
               state.committed->height + watch::kHostsLag >= state.head->height &&
               state.clock.steady() - state.head_seen_at < kHeadIsFresh;
    };
    view.stores = settings.scope != config::ScopeName::headers;
    view.keep = [&follower](storage::FoundTransaction found) { return follower.keep(std::move(found)); };
    return view;
}

watch::TrackerSettings settings_of(const config::Settings& settings) {
    watch::TrackerSettings tracker;
    tracker.rules = settings.watch_rules;
    tracker.lifecycle.validity_blocks = settings.validity_blocks;
    const auto& stuck = settings.stuck_after;
    tracker.stuck = {stuck.pending, stuck.included, stuck.executing, stuck.completed};
    return tracker;
}

}  // namespace

Watching::Watching(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                   storage::WatchStore& store, rpc::Sources& sources, follow::Follower& follower,
                   const follow::State& state, metrics::WatchSeries& series, const base::Clock& clock,
                   const config::Settings& settings)
    : upstream_(sources.trees(), sources.final_accounts()),
      tracker_(std::move(executor), cpu, store, upstream_, series, clock,
               view_of(follower, state, settings.follow), settings_of(settings)) {}

}  // namespace receiptd::app
