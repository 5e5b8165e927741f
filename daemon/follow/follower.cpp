#include "follow/follower.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kUnavailableLoaded = 100'000;
constexpr base::Duration kSlowHeadPoll = 10s;  // where blocks are not learned by polling the head
constexpr base::BackoffPolicy kRetryUnavailable{5s, 600s, 2.0, 0.2};
constexpr base::BackoffPolicy kRetryBroken{2s, 60s, 2.0, 0.2};
constexpr base::Height kTop = std::numeric_limits<std::int64_t>::max() - 1;  // bigint's, for SQL
constexpr base::Height kRepairAtOnce = 256;

chain::Scope scope_of(const config::Follow& settings) {
    chain::Scope scope;
    switch (settings.scope) {
        case config::ScopeName::headers: scope.kind = chain::ScopeKind::headers; break;
        case config::ScopeName::accounts: scope.kind = chain::ScopeKind::accounts; break;
        case config::ScopeName::all: scope.kind = chain::ScopeKind::all; break;
    }
    scope.accounts.insert(settings.accounts.begin(), settings.accounts.end());
    return scope;
}

}  // namespace

Follower::Follower(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                   rpc::BlockSource& source, rpc::TreeSource* trees, Stores stores, State& state,
                   const config::Follow& settings)
    : executor_(executor),
      source_(source),
      stores_(stores),
      state_(state),
      settings_(settings),
      writers_(executor, stores.blocks, state, settings.writers),
      engine_{executor,
              cpu,
              source,
              stores,
              writers_,
              state,
              scope_of(settings),
              settings.source == config::Source::neardata,
              settings.fetch_ahead,
              settings.batch_blocks,
              settings.batch_bytes,
              settings.patience},
      writing_(executor),
      loops_(executor),
      runs_(executor) {
    const bool come_with_blocks = !engine_.source_has_outcomes && stores_transactions();
    if (trees)
        trees_.emplace(executor, cpu, *trees, stores.trees, stores.blocks, state, settings.patience,
                       come_with_blocks);
    state_.places_receipts = engine_.source_has_outcomes && stores_transactions();
    writers_.on_committed([this](const chain::RowBatch& facts) { committed(facts); });
}

void Follower::place_receipts(rpc::ReceiptSource& receipts, rpc::TreeSource& trees,
                              storage::UnplacedStore& waiting) {
    found_ = &waiting;
    if (engine_.source_has_outcomes || settings_.scope != config::ScopeName::accounts) return;
    state_.places_receipts = true;
    unplaced_receipts_.emplace(executor_, UnplacedSources{receipts, trees, waiting}, stores_.blocks, state_,
                               engine_.scope, settings_.patience);
}

bool Follower::stores_transactions() const { return settings_.scope != config::ScopeName::headers; }

// A followed block that is not stored yet brings it by itself.
bool Follower::block_brings(base::Height height) const {
    const auto& coverage = state_.coverage;
    if (!stores_transactions() || coverage.covered.contains(height)) return false;
    return coverage.wanted.contains(height) || !state_.committed || height > state_.committed->height;
}

base::Task<void> Follower::keep(storage::FoundTransaction found) {
    if (!found_ || !trees_ || block_brings(found.height)) co_return;
    co_await found_->place(std::move(found));
    trees_->wake();
}

void Follower::stop() { state_.stop(); }

void Follower::committed(const chain::RowBatch& facts) {
    if (trees_) trees_->committed(facts);
    if (state_.listener) state_.listener->committed(facts);
}

base::Task<void> Follower::guard(base::Task<void> task) {
    try {
        co_await std::move(task);
    } catch (const boost::system::system_error& e) {
        if (e.code() == base::asio::error::operation_aborted) throw;
        failure_ = std::current_exception();
    } catch (...) {
        failure_ = std::current_exception();
    }
    if (!failure_) co_return;
    try {
        std::rethrow_exception(failure_);
    } catch (const std::exception& e) {
        log::error("cannot go on", {{"because", e.what()}});
    }
    state_.stop();
}

base::Task<void> Follower::prepare() {
    state_.coverage = co_await stores_.blocks.load_coverage();
    const auto unavailable = co_await stores_.blocks.unavailable_heights(kUnavailableLoaded);
    for (const auto& height : unavailable) state_.unavailable[height.height] = height;
    if (const auto last = state_.coverage.covered.last()) {
        state_.committed = co_await stores_.blocks.stored_block_below(*last + 1);
        const base::HeightRange seam{*last, *last};
        if (engine_.source_has_outcomes) {
            co_await stores_.orphans.adopt_orphans(seam);
            const auto settled = co_await stores_.trees.settle_trees(seam, state_.news_since());
            if (state_.listener) state_.listener->settled(settled);
        }
    }
    state_.publish_gaps();
}

void Follower::start_loops(bool follow_closely) {
    for (unsigned writer = 0; writer < settings_.writers; ++writer) writing_.spawn(guard(writers_.run()));
    loops_.spawn(guard(poll_head(follow_closely && !source_.waits_for_next())));
    if (trees_) loops_.spawn(guard(trees_->run()));
    if (unplaced_receipts_) loops_.spawn(guard(unplaced_receipts_->run()));
}

base::Task<Follower::End> Follower::follow(std::optional<base::Height> until) {
    return to_its_end(follow_up_to(until), {0, until.value_or(kTop)});
}

base::Task<void> Follower::follow_up_to(std::optional<base::Height> until) {
    co_await prepare();
    start_loops(true);
    const auto first = co_await first_height();
    if (!first) co_return;
    const auto from = *first;
    if (until && from <= *until) {
        const base::HeightRange wanted{from, *until};
        co_await stores_.blocks.want(wanted);
        state_.coverage.wanted.add(wanted);
    }
    log::info("following the chain", {{"from", from}, {"gaps", state_.coverage.gaps().size()}});
    if (!until || from <= *until) runs_.spawn(guard(run_along_head(from, until)));
    runs_.spawn(guard(repair_gaps()));
    runs_.spawn(guard(resume_backfills()));
    if (until) {
        const base::HeightRange range{0, *until};
        co_await wait_until_dealt_with(range);
    } else {
        while (!state_.stopping) co_await state_.changed.wait();
    }
}

base::Task<Follower::End> Follower::backfill(base::HeightRange range) {
    return to_its_end(fill(range), range);
}

base::Task<void> Follower::fill(base::HeightRange range) {
    co_await prepare();
    start_loops(false);
    while (!state_.head && !state_.stopping) co_await state_.changed.wait();
    if (state_.head && range.to > state_.head->height)
        throw std::runtime_error("height " + std::to_string(range.to) + " is above the head, " +
                                 std::to_string(state_.head->height));
    auto claimed = co_await stores_.backfills.claim_backfill(range);
    if (claimed.leased) throw std::runtime_error("another process is working on this range right now");
    co_await stores_.blocks.want(range);
    state_.coverage.wanted.add(range);
    runs_.spawn(guard(run_backfill(std::move(claimed))));
    co_await wait_until_dealt_with(range);
}

// However it ends, its loops end with it, and what is being written is written.
base::Task<Follower::End> Follower::to_its_end(base::Task<void> work, base::HeightRange range) {
    try {
        co_await std::move(work);
    } catch (...) {
        failure_ = std::current_exception();
    }
    co_return co_await wind_up(range);
}

base::Task<std::optional<base::Height>> Follower::first_height() {
    if (const auto* height = std::get_if<std::uint64_t>(&settings_.start)) {
        auto handled = state_.coverage.covered;
        for (const auto& [known, record] : state_.unavailable) handled.add(known);
        co_return handled.first_missing(*height);
    }
    const auto last = state_.coverage.covered.last();
    if (last && std::holds_alternative<config::StartAtResume>(settings_.start)) co_return *last + 1;
    while (!state_.head && !state_.stopping) co_await state_.changed.wait();
    if (!state_.head || state_.stopping) co_return std::nullopt;
    co_return state_.head->height;
}

base::Task<void> Follower::poll_head(bool closely) {
    HeadRhythm rhythm;
    base::asio::steady_timer timer(executor_);
    bool warned = false;
    while (!state_.stopping) {
        const auto asked_at = state_.clock.steady();
        auto head = co_await source_.head();
        state_.series.head_polls.Increment();
        if (head) {
            state_.learn_head(*head);
            rhythm.saw(head->height, asked_at);
            warned = false;
        } else {
            rhythm.failed(asked_at);
            if (!warned)
                log::warn("the head could not be had; asking again",
                          {{"reason", head.error().reason}, {"detail", head.error().detail}});
            warned = true;
        }
        const auto due = closely || !head ? rhythm.next_poll() : asked_at + kSlowHeadPoll;
        co_await base::sleep_on(timer, std::max(due - state_.clock.steady(), base::Duration(0)));
    }
}

base::Task<void> Follower::run_along_head(base::Height from, std::optional<base::Height> until) {
    for (unsigned attempt = 1; !state_.stopping; ++attempt) {
        RunSettings settings{from, until, rpc::Priority::head, engine_.patience};
        Run run(engine_, settings);
        const auto end = co_await run.run();
        if (!end.broken) co_return;
        if (end.next > from) attempt = 1;
        from = end.next;
        const auto again_at = state_.clock.steady() + base::backoff_delay(kRetryBroken, attempt, 0.5);
        while (!state_.stopping && state_.clock.steady() < again_at)
            co_await base::wait_for(state_.changed, executor_, again_at - state_.clock.steady());
    }
}

std::optional<base::HeightRange> Follower::due_gap() const {
    auto gaps = state_.coverage.gaps();
    if (gaps.empty()) return std::nullopt;
    gaps.subtract(state_.in_flight);
    if (state_.head) gaps.subtract({state_.head->height + 1, kTop});
    const auto now = state_.clock.steady();
    for (const auto& [height, at] : retry_at_)
        if (at > now) gaps.subtract({height, height});
    if (state_.broken) {  // blocks above may belong to the fork
        const auto fitting = state_.coverage.covered.ranges();
        const auto next = std::find_if(fitting.begin(), fitting.end(),
                                       [&](const auto& range) { return range.from > state_.broken->height; });
        const auto end = next == fitting.end() ? kTop : next->from;
        gaps.subtract({state_.broken->height + 1, end});
    }
    const auto& busy = state_.in_flight;
    for (const auto& [from, to] : gaps.ranges()) {
        const bool waits = busy.contains(to + 1) || (from > 0 && busy.contains(from - 1));
        if (!waits) return base::HeightRange{from, std::min(to, from + kRepairAtOnce - 1)};
    }
    return std::nullopt;  // every gap waits for a neighbour in flight
}

base::Task<void> Follower::repair_gaps() {
    // Heights given up in this life wait their turn; those of an earlier one are tried at once.
    while (!state_.stopping) {
        for (const auto& [height, record] : state_.unavailable)
            if (retry_at_.count(height) == 0 && state_.given_up.contains(height))
                retry_at_[height] =
                    state_.clock.steady() + base::backoff_delay(kRetryUnavailable, record.attempts, 0.5);
        const auto gap = state_.head || source_.waits_for_next() ? due_gap() : std::nullopt;
        if (gap)
            co_await repair(*gap);
        else
            co_await base::wait_for(state_.changed, executor_, 1s);
    }
}

base::Task<void> Follower::repair(base::HeightRange range) {
    const bool tried_before = state_.unavailable.count(range.from) > 0;
    RunSettings settings{range.from, range.to, rpc::Priority::gap,
                         tried_before ? base::Duration(0) : engine_.patience};
    Run run(engine_, settings);
    co_await run.run();
    for (auto height = range.from; height <= range.to; ++height) {
        const auto record = state_.unavailable.find(height);
        if (record == state_.unavailable.end())
            retry_at_.erase(height);
        else
            retry_at_[height] =
                state_.clock.steady() + base::backoff_delay(kRetryUnavailable, record->second.attempts, 0.5);
    }
}

base::Task<void> Follower::wait_until_dealt_with(base::HeightRange range) {
    PendingTreeCount pending(stores_.trees, range);
    while (!state_.stopping) {
        auto waiting = state_.coverage.gaps().within(range);
        waiting.subtract(state_.given_up);
        // Nothing above a block that does not fit is stored before it does.
        if (state_.broken) waiting.subtract({state_.broken->height, kTop});
        const bool heights_done = waiting.empty() && state_.in_flight.within(range).empty() &&
                                  state_.unsettled.within(range).empty();
        if (heights_done && trees_) pending_trees_ = co_await pending.get(state_.clock.steady());
        const bool trees_done = !trees_ || pending_trees_ == 0 || trees_->stalled();
        bool placed = true;
        if (heights_done && trees_done && unplaced_receipts_) {
            unplaced_ = co_await unplaced_receipts_->waiting_in(range);
            placed = unplaced_ == 0 || unplaced_receipts_->stalled();
        }
        if (heights_done && trees_done && placed) co_return;
        co_await base::wait_for(state_.changed, executor_, 500ms);
    }
}

base::Task<Follower::End> Follower::wind_up(base::HeightRange range) {
    state_.stop();
    loops_.cancel();
    co_await loops_.join();
    co_await runs_.join();
    writing_.cancel();
    co_await writing_.join();
    if (failure_) std::rethrow_exception(failure_);
    co_return End{state_.coverage.gaps().within(range), pending_trees_ + unplaced_};
}

}  // namespace receiptd::follow
