#include "follow/pipeline.hpp"

#include "base/log.hpp"
#include "base/offload.hpp"
#include "base/sleep.hpp"
#include "follow/commit_listener.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

namespace receiptd::follow {
namespace {

// How far above a range a child is looked for, to prove that its last heights were skipped.
constexpr base::Height kLookAbove = 64;
constexpr auto kNextBlockRetry = std::chrono::milliseconds(100);
constexpr base::Height kFirstAdoption = 4;  // heights after the start of a run
constexpr base::Height kAdoptionAlongHead = 64;
constexpr base::Height kNever = std::numeric_limits<base::Height>::max();

FetchSettings fetch_settings(const Engine& engine, const RunSettings& settings) {
    FetchSettings fetch;
    fetch.priority = settings.priority;
    fetch.with_chunks = engine.scope.kind != chain::ScopeKind::headers;
    fetch.patience = settings.patience;
    return fetch;
}

// Rows are made one height at a time, in order: lineage and live trees are never touched by two at once.
base::Task<chain::RowBatch> make_rows(base::asio::thread_pool& cpu,
                                      std::unique_ptr<rpc::BlockContents> contents,
                                      rpc::BlockContents::RowsSettings settings) {
    return base::offload(cpu,
                         [contents = std::move(contents), settings] { return contents->rows(settings); });
}

}  // namespace

Run::Run(Engine& engine, RunSettings settings)
    : engine_(engine),
      settings_(settings),
      next_(settings.from),
      window_(engine.executor, engine.source, engine.state, fetch_settings(engine, settings)),
      wakeup_(engine.executor,
              {&engine.state.head.moved, &engine.state.heights.changed, &engine.state.stop.signal}),
      last_seam_(settings.from),
      adopt_at_(engine.seams ? settings.from + kFirstAdoption : kNever) {}

base::Task<RunEnd> Run::run() {
    std::exception_ptr failure;
    try {
        co_await follow_through();
    } catch (...) {
        failure = std::current_exception();
    }
    engine_.state.heights.release(claimed_);
    co_await window_.close();
    if (failure) std::rethrow_exception(failure);
    co_return RunEnd{next_, broken_};
}

base::Task<void> Run::follow_through() {
    // A block is proven against its neighbours, so they must be stored first, not in flight.
    while (has_neighbour_in_flight() && !engine_.state.stop.requested()) co_await wakeup_.wait();
    if (settings_.to) claim(still_missing(base::HeightSet({settings_.from, *settings_.to})));
    auto below = co_await engine_.stores.blocks.stored_block_below(settings_.from);
    auto above = co_await engine_.stores.blocks.stored_block_above(settings_.to.value_or(settings_.from));
    continuity_ = Continuity(std::move(below), std::move(above));
    co_await hold_scope();
    while (co_await advance()) {
    }
    co_await finish();
}

base::Task<bool> Run::advance() {
    auto& state = engine_.state;
    if (state.stop.requested() || broken_) co_return false;
    if (state.heights.stored(next_)) co_await leap();
    if (settings_.to && next_ > *settings_.to) co_return false;
    if (!mine(next_)) {  // another loop fetches it: the blocks above are proven against it
        co_await flush();
        co_await wakeup_.wait();
        co_return true;
    }
    fill_window();
    if (!window_.started(next_)) {  // the head is not there yet
        co_await flush();
        co_await wakeup_.wait();
        co_return true;
    }
    const bool full =
        batch_.facts.blocks.size() >= engine_.batch_blocks || batch_.bytes() >= engine_.batch_bytes;
    if (full || !window_.ready(next_)) co_await flush();
    auto result = co_await window_.take(next_);
    if (!result) co_return false;
    co_await handle(std::move(*result));
    if (!broken_) ++next_;
    co_await adopt_when_due();
    co_return true;
}

base::Task<void> Run::leap() {
    co_await flush();
    co_await engine_.writers.drain();
    auto stored_next = co_await engine_.stores.blocks.stored_block_above(next_ - 1);
    continuity_.set_above(std::move(stored_next));
    const auto step = continuity_.finish();
    batch_.facts.covered.add(still_missing(step.skipped));
    co_await give_up(step.holes, "no host has this height and no block above proves it skipped");
    next_ = engine_.state.heights.coverage().covered.first_missing(next_);
    window_.forget_below(next_);
    last_seam_ = next_;
    if (engine_.seams) adopt_at_ = next_ + kFirstAdoption;
    auto below = co_await engine_.stores.blocks.stored_block_below(next_);
    auto above = co_await engine_.stores.blocks.stored_block_above(settings_.to.value_or(next_));
    continuity_ = Continuity(std::move(below), std::move(above));
    co_await hold_scope();
}

base::Task<void> Run::hold_scope() {
    if (engine_.seams && engine_.scope.kind == chain::ScopeKind::accounts)
        co_await engine_.seams->hold_scope(lineage_, next_);
}

base::Task<void> Run::handle(rpc::FetchResult result) {
    if (auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&result)) {
        co_await store_block(std::move(*contents));
    } else if (std::holds_alternative<rpc::NoSuchHeight>(result)) {
        continuity_.denied(next_);
    } else if (auto* fault = std::get_if<rpc::Unavailable>(&result)) {
        co_await give_up(next_, std::move(fault->reason), std::move(fault->detail));
    }
}

base::Task<void> Run::store_block(std::unique_ptr<rpc::BlockContents> contents) {
    const auto ref = chain::block_ref(contents->block().header);
    auto step = continuity_.block(ref);
    if (step.broken) {
        broken_ = *step.broken;
        log::error("the chain does not fit what is stored: this range stops here and stores nothing of it",
                   {{"height", next_}, {"why", *broken_}});
        engine_.state.heights.set_broken(next_, *broken_);
        co_await give_up(next_, "broken_chain", *broken_);
        co_return;
    }
    co_await give_up(step.holes, "block " + std::to_string(ref.height) +
                                     " shows that it is not skipped, but no host has it");
    engine_.state.head.learn(ref);
    const auto skipped = still_missing(step.skipped);
    const auto started_at = engine_.state.clock.steady();
    const auto* listener = engine_.state.listener;
    const auto scope = scope_for(*contents);
    const rpc::BlockContents::RowsSettings rows_settings{step.prev_height, scope, lineage_, live_trees_,
                                                         listener && listener->listening()};
    auto rows = co_await make_rows(engine_.cpu, std::move(contents), rows_settings);
    engine_.state.series.rows_seconds.Observe(
        static_cast<double>((engine_.state.clock.steady() - started_at).count()) / 1e9);
    rows.facts.covered.add(skipped);
    rows.facts.seen.history = is_history();
    if (!is_news(ref)) rows.findings.clear();
    batch_.append(std::move(rows));
}

// Watched transactions are in scope, whoever signs them.
chain::Scope Run::scope_for(const rpc::BlockContents& contents) const {
    auto scope = engine_.scope;
    const auto* listener = engine_.state.listener;
    if (scope.kind != chain::ScopeKind::accounts || !listener || !listener->listening()) return scope;
    contents.for_each_transaction([&](const chain::SignedTransaction& transaction) {
        if (listener->watches(transaction)) scope.transactions.emplace(transaction.hash);
    });
    return scope;
}

base::Task<void> Run::give_up(base::Height height, std::string reason, std::string detail) {
    auto& heights = engine_.state.heights;
    storage::UnavailableHeight record{height, std::move(reason), std::move(detail), 1};
    if (const auto known = heights.unavailable().find(height); known != heights.unavailable().end())
        record.attempts = known->second.attempts + 1;
    // Said once; that it is still so is in status, readyz and the metrics.
    const auto level = record.attempts == 1 ? log::Level::warn : log::Level::debug;
    log::write(level, "height unavailable: recorded as a gap, to be retried",
               {{"height", height},
                {"reason", record.reason},
                {"detail", record.detail},
                {"attempts", record.attempts}});
    heights.release(base::HeightSet({height, height}));
    claimed_.subtract({height, height});
    co_await engine_.stores.blocks.record_unavailable(record);
    heights.learn_unavailable(record);
}

base::Task<void> Run::give_up(const base::HeightSet& holes, std::string detail) {
    const auto ours = still_missing(holes);
    for (const auto& range : ours.ranges())
        for (auto height = range.from; height <= range.to; ++height)
            co_await give_up(height, "UNKNOWN_BLOCK", detail);
}

base::Task<void> Run::finish() {
    auto& state = engine_.state;
    if (!broken_ && !state.stop.requested() && settings_.to) {
        co_await look_above();
        const auto step = continuity_.finish();
        auto skipped = still_missing(step.skipped);
        skipped = skipped.within({settings_.from, *settings_.to});
        batch_.facts.covered.add(skipped);
        co_await give_up(step.holes, "no host has this height and no block above proves it skipped");
    }
    co_await flush();
    co_await engine_.writers.drain();
    state.heights.written(claimed_);
    if (state.stop.requested()) co_return;
    co_await adopt_around(settings_.from);
    if (next_ > settings_.from) co_await adopt_around(next_);
}

base::Task<void> Run::look_above() {
    auto above = co_await engine_.stores.blocks.stored_block_above(*settings_.to);
    if (!above && continuity_.undecided()) above = co_await fetch_above();
    continuity_.set_above(std::move(above));
}

// Only a block above proves that the last heights are skipped. A source that waits for its next block does
// not poll the head: the known head may be old, so the source is asked for the block itself.
base::Task<std::optional<chain::BlockRef>> Run::fetch_above() {
    const auto& state = engine_.state;
    const bool waits = engine_.source.waits_for_next();
    const auto give_up_at = state.clock.steady() + settings_.patience;
    auto last = *settings_.to + kLookAbove;
    if (!waits) last = std::min(state.head.height(), last);
    base::asio::steady_timer timer(engine_.executor);
    for (auto height = *settings_.to + 1; height <= last && !state.stop.requested();) {
        auto result = co_await engine_.source.fetch(height, settings_.priority, false);
        if (const auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&result))
            co_return chain::block_ref((*contents)->block().header);
        const bool comes = waits && std::holds_alternative<rpc::NotYet>(result);
        if (comes && state.clock.steady() >= give_up_at) co_return std::nullopt;
        if (comes)
            co_await base::sleep_on(timer, kNextBlockRetry);
        else
            ++height;
    }
    co_return std::nullopt;
}

base::Task<void> Run::flush() {
    if (batch_.facts.covered.empty()) co_return;
    auto batch = std::exchange(batch_, {});
    // Along the head nobody has ordered a range: batches may overtake each other, and die.
    if (!settings_.to) batch.facts.wanted.add({settings_.from, *batch.facts.covered.last()});
    co_await engine_.writers.submit(std::move(batch));
}

base::Task<void> Run::adopt_when_due() {
    if (next_ < adopt_at_) co_return;
    const auto done = adopt_at_ - last_seam_;
    adopt_at_ = done >= lineage_.window() ? kNever : adopt_at_ + std::min(done * 3, longest_wait());
    co_await adopt_around(settings_.from);
}

// Along the head somebody waits for what crosses the seam to be judged.
base::Height Run::longest_wait() const { return settings_.to ? lineage_.window() * 4 : kAdoptionAlongHead; }

// Inside a run the lineage knows every parent. A seam without neighbours has nothing to look for.
base::Task<void> Run::adopt_around(base::Height seam) {
    const auto window = lineage_.window();
    base::HeightRange beyond{seam, seam + window};
    if (seam == settings_.from) beyond = {seam > window ? seam - window : 0, seam > 0 ? seam - 1 : 0};
    const auto neighbours = engine_.state.heights.coverage().covered.within(beyond);
    const bool leapt = last_seam_ > settings_.from;
    if (!engine_.seams || (neighbours.empty() && !leapt)) co_return;
    const auto news_since = is_history() ? base::WallTime::max() : engine_.state.news_since();
    const base::HeightRange around{seam, std::max(seam, last_seam_)};
    co_await engine_.seams->close(around, news_since);
}

// The range of a backfill is history, whatever its age. Blocks that come late because of a fault are not:
// nobody was told of them yet.
bool Run::is_history() const { return settings_.priority == rpc::Priority::backfill; }

bool Run::is_news(const chain::BlockRef& block) const {
    const base::WallTime at{base::Duration(block.timestamp_nanosec)};
    return !is_history() && at >= engine_.state.news_since();
}

bool Run::has_neighbour_in_flight() const {
    const auto from = settings_.from > 0 ? settings_.from - 1 : 0;
    return !engine_.state.heights.in_flight().within({from, settings_.to.value_or(from) + 1}).empty();
}

void Run::claim(const base::HeightSet& heights) {
    claimed_.add(heights);
    engine_.state.heights.claim(heights, settings_.to.has_value());
}

void Run::fill_window() {
    const auto last = limit();
    for (auto height = next_; height <= last && window_.size() < engine_.fetch_ahead; ++height) {
        if (!mine(height) || window_.started(height)) continue;
        if (!settings_.to) claim(base::HeightSet({height, height}));
        window_.start(height);
    }
}

base::Height Run::limit() const {
    auto last = engine_.state.head.height();
    if (engine_.source.waits_for_next()) last = std::max(last, next_);
    return settings_.to ? std::min(last, *settings_.to) : last;
}

// A bounded run claims its heights at once, a run along the head one by one.
bool Run::mine(base::Height height) const {
    const auto& heights = engine_.state.heights;
    if (settings_.to || claimed_.contains(height)) return claimed_.contains(height);
    return !heights.stored(height) && !heights.in_flight().contains(height);
}

base::HeightSet Run::still_missing(const base::HeightSet& heights) const {
    auto missing = heights;
    missing.subtract(engine_.state.heights.coverage().covered);
    auto others = engine_.state.heights.in_flight();
    others.subtract(claimed_);
    missing.subtract(others);
    if (settings_.from > 0) missing.subtract({0, settings_.from - 1});
    return missing;
}

}  // namespace receiptd::follow
