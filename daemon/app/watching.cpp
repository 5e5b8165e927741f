#include "app/watching.hpp"

#include <utility>

namespace receiptd::app {
namespace {

watch::ChainView view_of(follow::Follower& follower, const follow::State& state, storage::BlockStore& blocks,
                         const config::Follow& settings) {
    watch::ChainView view;
    view.final_height = [&state]() -> std::optional<chain::BlockHeight> {
        if (!state.head.block()) return std::nullopt;
        return state.head.height();
    };
    view.agreed_height = [&state] { return state.heights.agreed(); };
    view.covered_up_to = [&state](chain::BlockHeight from) {
        return state.heights.covered_up_to(from, watch::kHostsLag);
    };
    view.missing_in = [&state](base::HeightRange range) { return state.heights.missing_in(range); };
    view.gaps_in = [&state](base::HeightRange range) { return state.heights.gaps().within(range); };
    view.untried_in = [&state](base::HeightRange range) { return state.heights.untried_in(range); };
    view.stored_block = [&blocks](std::string hash) { return blocks.stored_block_by_hash(std::move(hash)); };
    // Source rpc asks for each tree until it has all of it.
    view.follows_since = [&state, by_rpc = settings.source == config::Source::rpc](chain::BlockHeight from) {
        return by_rpc || state.heights.follows_since(from);
    };
    view.alerts_sent_since = [&state] { return state.news_since(false).sent_since; };
    view.is_at_head = [&state] { return state.is_at_head(watch::kHostsLag); };
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
                   storage::WatchStore& store, storage::BlockStore& blocks, rpc::Sources& sources,
                   follow::Follower& follower, const follow::State& state, metrics::WatchSeries& series,
                   const base::Clock& clock, const config::Settings& settings)
    : upstream_(cpu, sources.trees(), sources.final_keys()),
      tracker_(std::move(executor), cpu, store, upstream_, series, clock,
               view_of(follower, state, blocks, settings.follow), settings_of(settings)) {}

}  // namespace receiptd::app
