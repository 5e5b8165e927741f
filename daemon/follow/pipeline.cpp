#include "follow/pipeline.hpp"

#include "base/log.hpp"
#include "base/offload.hpp"
#include "follow/commit_listener.hpp"
#include "metrics/registry.hpp"
#include "rpc/header_check.hpp"

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
// Heights in a row that may be skipped or lost before the hosts are asked whether their head is true.
constexpr base::Height kReach = 64;

constexpr const char* kNotProven = "no host has this height and no block above proves it skipped";

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
                                      rpc::BlockContents::RowsSettings settings,
                                      std::optional<rpc::BlockContents::Amendment> answers) {
    auto work = [contents = std::move(contents), settings, answers = std::move(answers)]() mutable {
        if (answers) contents->amend(std::move(*answers));
        return contents->rows(settings);
    };
    return base::offload(cpu, std::move(work));
}

}  // namespace

Run::Run(Engine& engine, RunSettings settings)
    : engine_(engine),
      settings_(settings),
      next_(settings.from),
      claims_(engine.state.heights, settings.from, settings.to),
      window_(engine.executor, engine.source, engine.state, fetch_settings(engine, settings)),
      wakeup_(engine.executor,
              {&engine.state.head.moved, &engine.state.heights.changed, &engine.state.stop.signal}),
      seams_(engine.seams, engine.state, lineage_, {settings.from, settings.to.has_value(), is_history()}),
      reach_(kReach) {}

base::Task<RunEnd> Run::run() {
    std::exception_ptr failure;
    try {
        co_await follow_through();
    } catch (...) {
        failure = std::current_exception();
    }
    claims_.release();
    co_await window_.close();
    if (failure) std::rethrow_exception(failure);
    co_return RunEnd{next_, broken_, removed_};
}

base::Task<void> Run::follow_through() {
    // A block is proven against its neighbours, so they must be stored first, not in flight.
    while (claims_.has_neighbour_in_flight() && !engine_.state.stop.requested()) co_await wakeup_.wait();
    claims_.claim_range();
    auto below = co_await engine_.stores.blocks.stored_block_below(settings_.from);
    auto above = co_await engine_.stores.blocks.stored_block_above(settings_.to.value_or(settings_.from));
    begin_between(std::move(below), std::move(above));
    co_await seams_.begin_at(next_);
    while (co_await advance()) {
    }
    co_await finish();
}

base::Task<bool> Run::advance() {
    auto& state = engine_.state;
    if (state.stop.requested() || broken_ || removed_) co_return false;
    if (settings_.removes_refuted && state.heights.refuted()) co_await remove_refuted();
    if (settings_.removes_refuted && !removed_ && state.heights.has_false_outcomes())
        co_await remove_false_outcomes();
    if (removed_) co_return false;
    if (state.heights.stored(next_)) co_await leap();
    if (settings_.to && next_ > *settings_.to) co_return false;
    if (!claims_.mine(next_)) {  // another loop fetches it: the blocks above are proven against it
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
    if (full || stands_alone() || !window_.ready(next_)) co_await flush();
    auto result = co_await window_.take(next_);
    if (!result) co_return false;
    next_ = co_await handle(std::move(*result));
    if (seams_.due(next_)) co_await close_seams();
    co_return true;
}

// A run commits before it looks beyond the seam for the last time. So does a run that stores the other side
// at the same time: one of the two sees both sides. For a run over a range the last time is its end, so its
// writers go on meanwhile.
base::Task<void> Run::close_seams() {
    if (!settings_.to) {
        co_await flush();
        co_await engine_.writers.drain();
    }
    co_await seams_.close_when_due(next_);
    if (seams_.done()) co_await seams_.forget();
}

// Whether the next block must not be in one batch with those before it.
bool Run::stands_alone() const {
    const auto& heights = engine_.state.heights;
    const auto& blocks = batch_.facts.blocks;
    return heights.alone(next_) || (!blocks.empty() && heights.alone(blocks.back().height));
}

base::Task<void> Run::leap() {
    co_await flush();
    co_await engine_.writers.drain();
    co_await seams_.leave_at(next_);
    auto stored_next = co_await engine_.stores.blocks.stored_block_above(next_ - 1);
    continuity_.set_above(std::move(stored_next));
    const auto step = continuity_.finish();
    batch_.facts.covered.add(claims_.still_missing(step.skipped));
    co_await fill(step.holes, continuity_.above(), kNotProven);
    next_ = engine_.state.heights.coverage().covered.first_missing(next_);
    window_.forget_below(next_);
    auto below = co_await engine_.stores.blocks.stored_block_below(next_);
    auto above = co_await engine_.stores.blocks.stored_block_above(settings_.to.value_or(next_));
    begin_between(std::move(below), std::move(above));
    co_await seams_.begin_at(next_);
}

void Run::begin_between(std::optional<chain::BlockRef> below, std::optional<chain::BlockRef> above) {
    is_rooted_ = below.has_value();
    continuity_ = Continuity(std::move(below), std::move(above));
}

base::Task<base::Height> Run::handle(rpc::FetchResult result) {
    if (auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&result))
        co_return co_await store_block(std::move(*contents));
    if (auto* fault = std::get_if<rpc::Unavailable>(&result)) {
        if (!follows_head() && engine_.source.tells_outcomes()) {
            faults_[next_] = std::move(*fault);  // other hosts may have it
            co_return co_await deny();
        }
        if (!follows_head()) {
            co_await give_up(next_, std::move(fault->reason), std::move(fault->detail));
            co_return next_ + 1;
        }
        co_return co_await go_without(std::move(*fault));
    }
    co_return co_await deny();
}

// Contents that cannot be had leave a gap; the header, where it can be had, links the blocks above.
base::Task<base::Height> Run::go_without(rpc::Unavailable fault) {
    const auto result = co_await engine_.source.fetch(next_, settings_.priority, false);
    const auto* header = std::get_if<std::unique_ptr<rpc::BlockContents>>(&result);
    if (!header) {
        if (rpc::is_about_header(fault)) engine_.state.disagreement = fault.detail;
        faults_[next_] = std::move(fault);
        co_return co_await deny();
    }
    const auto ref = chain::block_ref((*header)->block().header);
    const auto elsewhere = co_await turned_away(ref, (*header)->host);
    if (elsewhere) co_return *elsewhere;
    const auto step = continuity_.block(ref);
    co_await fill(step.holes, ref, no_host_has(ref));
    batch_.facts.covered.add(claims_.still_missing(step.skipped));
    co_await give_up(next_, std::move(fault.reason), std::move(fault.detail));
    co_return next_ + 1;
}

base::Task<base::Height> Run::store_block(std::unique_ptr<rpc::BlockContents> contents) {
    const auto ref = chain::block_ref(contents->block().header);
    auto elsewhere = co_await turned_away(ref, contents->host);
    if (!elsewhere) elsewhere = co_await wrong_time(*contents);
    if (!elsewhere) elsewhere = co_await no_day(*contents);
    if (elsewhere) co_return *elsewhere;
    const auto step = continuity_.block(ref);
    setbacks_ = 0;
    reach_ = kReach;
    if (follows_head()) engine_.state.disagreement.clear();
    co_await fill(step.holes, ref, no_host_has(ref));
    engine_.state.head.learn(ref);
    const auto skipped = claims_.still_missing(step.skipped);
    const auto started_at = engine_.state.clock.steady();
    const auto* listener = engine_.state.listener;
    const auto scope = scope_for(*contents);
    const auto scope_serial = engine_.scope_serial;
    auto host = contents->host;
    const rpc::BlockContents::RowsSettings rows_settings{step.prev_height, scope, lineage_, live_trees_,
                                                         listener && listener->listening()};
    auto answers = engine_.state.heights.take_answers(ref.height);
    if (engine_.source.tells_outcomes() && !contents->tells_outcomes()) {
        co_await flush();
        co_await store_filled(std::move(contents));
        co_return next_ + 1;
    }
    if (answers) {
        log::error("a host told other outcomes than those of the chain: others take their place",
                   {{"height", ref.height}, {"host", host}, {"trees", answers->statuses.size()}});
        engine_.agreement.doubt(host);
    }
    auto rows = co_await make_rows(engine_.cpu, std::move(contents), rows_settings, std::move(answers));
    engine_.state.series.rows_seconds.Observe(
        static_cast<double>((engine_.state.clock.steady() - started_at).count()) / 1e9);
    if (engine_.source.tells_outcomes()) outcomes_left_out(rows, host);
    rows.facts.covered.add(skipped);
    rows.facts.scope_serial = scope_serial;
    rows.facts.hosts.insert(std::move(host));
    rows.facts.seen.history = is_history();
    rows.withhold_before(engine_.state.news_from(ref, is_history()));
    batch_.append(std::move(rows));
    co_return next_ + 1;
}

// Watched transactions are in scope, whoever signs them. Nobody is told what receipts of history did.
chain::Scope Run::scope_for(const rpc::BlockContents& contents) const {
    auto scope = engine_.scope;
    if (!is_history()) scope.interest = engine_.state.interest();
    const auto* listener = engine_.state.listener;
    if (scope.kind != chain::ScopeKind::accounts || !listener || !listener->listening()) return scope;
    contents.for_each_transaction([&](const chain::SignedTransaction& transaction) {
        if (listener->watches(transaction)) scope.transactions.emplace(transaction.hash);
    });
    return scope;
}

base::Task<void> Run::finish() {
    auto& state = engine_.state;
    if (!broken_ && !removed_ && !state.stop.requested() && settings_.to) {
        co_await look_above();
        const auto step = continuity_.finish();
        auto skipped = claims_.still_missing(step.skipped);
        skipped = skipped.within({settings_.from, *settings_.to});
        batch_.facts.covered.add(skipped);
        co_await fill(step.holes, continuity_.above(), kNotProven);
    }
    co_await flush();
    co_await engine_.writers.drain();
    claims_.written();
    if (state.stop.requested()) co_return;
    co_await seams_.close_all(next_);
    co_await seams_.forget();
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
    for (auto height = *settings_.to + 1; height <= last && !state.stop.requested();) {
        auto result = co_await engine_.source.fetch(height, settings_.priority, false);
        if (const auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&result))
            co_return chain::block_ref((*contents)->block().header);
        const bool comes = waits && std::holds_alternative<rpc::NotYet>(result);
        if (comes && state.clock.steady() >= give_up_at) co_return std::nullopt;
        if (comes)
            co_await engine_.state.pause(kNextBlockRetry);
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
    batch.facts.tell_outcomes = engine_.source.tells_outcomes();
    batch.facts.seam = seams_.seam_up_to(*batch.facts.covered.last());
    // Backfills are claimed for themselves.
    if (!is_history()) batch.facts.epoch = engine_.epoch;
    co_await engine_.writers.submit(std::move(batch));
}

bool Run::follows_head() const { return settings_.priority == rpc::Priority::head; }

// The range of a backfill is history, whatever its age. Blocks that come late because of a fault are not:
// nobody was told of them yet.
bool Run::is_history() const { return settings_.priority == rpc::Priority::backfill; }

void Run::fill_window() {
    const auto last = limit();
    for (auto height = next_; height <= last && window_.size() < engine_.fetch_ahead; ++height) {
        if (!claims_.mine(height) || window_.started(height)) continue;
        claims_.claim(height);
        window_.start(height);
    }
}

base::Height Run::limit() const {
    auto last = engine_.state.head.height();
    if (engine_.source.waits_for_next()) last = std::max(last, next_);
    return settings_.to ? std::min(last, *settings_.to) : last;
}

}  // namespace receiptd::follow
