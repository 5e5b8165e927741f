#include "follow/follower.hpp"

#include "base/log.hpp"
#include "follow/scope.hpp"
#include "follow/standstill.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kUnavailableLoaded = 100'000;
constexpr unsigned kNewestLoaded = 11;         // whose median time is judged by
constexpr base::Duration kSlowHeadPoll = 10s;  // where blocks are not learned by polling the head
constexpr base::BackoffPolicy kRetryBroken{2s, 60s, 2.0, 0.2};
constexpr base::Duration kConfirmAfter = 2s;  // of storing nothing
constexpr base::Duration kConfirmEvery = 10s;
// Added to the patience with hosts, before the end of a range is waited for in vain.
constexpr base::Duration kTreeComesWithin = 5s;
constexpr base::Duration kReceiptIsPlacedWithin = 30s;
constexpr const char* kBelowGenesis = "BLOCK_HEIGHT_TOO_LOW";

}  // namespace

Follower::Follower(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                   rpc::BlockSource& source, rpc::Witnesses& witnesses, rpc::TreeSource* trees, Stores stores,
                   State& state, const config::Follow& settings)
    : executor_(executor),
      source_(source),
      stores_(stores),
      state_(state),
      settings_(settings),
      writers_(executor, stores.blocks, state),
      agreement_(witnesses, stores.blocks, state),
      confirmation_(executor, agreement_, stores.blocks, state),
      seams_({stores.orphans, stores.trees, stores.blocks}, state,
             {source.tells_outcomes(), settings.scope == config::ScopeName::accounts}),
      engine_{executor,
              cpu,
              source,
              stores,
              writers_,
              state,
              scope_of(settings),
              agreement_,
              seams_,
              settings.fetch_ahead,
              settings.batch_blocks,
              settings.batch_bytes,
              settings.patience},
      tree_source_(trees),
      writing_(executor),
      loops_(executor),
      tree_loops_(executor),
      runs_(executor) {
    make_trees();
    state_.on_lost = [this](const base::HeightSet& heights) { forget(heights); };
    writers_.on_committed([this](const chain::CommitFacts& facts) { committed(facts); });
    seams_.on_taken_over([this] {
        if (trees_) trees_->wake();
    });
    writers_.on_refused([this](const std::string& host) { agreement_.doubt(host); });
}

void Follower::place_receipts(rpc::ReceiptSource& receipts, rpc::TreeSource& trees,
                              storage::UnplacedStore& waiting) {
    unplaced_sources_.emplace(UnplacedSources{receipts, trees, waiting});
    make_trees();
}

void Follower::check_outcomes(storage::OutcomeStore& outcomes, OutcomeCheck::Others others) {
    outcome_check_.emplace(executor_, outcomes, others, agreement_, state_, source_.tells_outcomes());
    outcomes_ = &outcomes;
    make_trees();
}

// New trees remember nothing: the database has all that are pending.
void Follower::make_trees() {
    if (!tree_source_) return;
    trees_.emplace(executor_, engine_.cpu, *tree_source_, stores_.trees, stores_.blocks, state_,
                   settings_.patience, trees_of_blocks());
    if (outcomes_ != nullptr) trees_->compare_outcomes(*outcomes_, agreement_);
    if (!unplaced_sources_ || settings_.scope != config::ScopeName::accounts) return;
    unplaced_receipts_.emplace(executor_, *unplaced_sources_, stores_.blocks, state_, engine_.scope);
}

bool Follower::stores_transactions() const { return settings_.scope != config::ScopeName::headers; }

Trees::OfBlocks Follower::trees_of_blocks() const {
    if (!stores_transactions()) return Trees::OfBlocks::none;
    return source_.tells_outcomes() ? Trees::OfBlocks::stored_with_block : Trees::OfBlocks::fetched;
}

// A followed block that is not stored yet brings it by itself.
bool Follower::block_brings(base::Height height) const {
    const auto& heights = state_.heights;
    if (!stores_transactions() || heights.stored(height)) return false;
    return heights.coverage().wanted.contains(height) || !heights.tip() || height > heights.tip()->height;
}

base::Task<void> Follower::keep(storage::FoundTransaction found) {
    if (!unplaced_sources_ || !trees_ || block_brings(found.height)) co_return;
    try {
        co_await unplaced_sources_->waiting.place(std::move(found));
    } catch (const storage::StorageRefused& e) {
        log::error("the database does not take a watched transaction as a host gave it",
                   {{"because", e.what()}});
    }
    trees_->wake();
}

void Follower::follow_accounts(std::set<std::string, std::less<>> accounts, std::int64_t serial) {
    engine_.scope.accounts = std::move(accounts);
    engine_.scope_serial = serial;
}

void Follower::stop() { state_.stop.request(); }

void Follower::committed(const chain::CommitFacts& facts) {
    state_.trees.late = state_.trees.late || !facts.late_trees.empty();
    state_.series.forgotten_in_flight.Increment(static_cast<double>(facts.given_up.in_flight));
    state_.series.forgotten_trees.Increment(static_cast<double>(facts.given_up.trees));
    if (trees_) trees_->committed(facts);
    if (state_.listener) state_.listener->committed(facts);
}

void Follower::forget(const base::HeightSet& lost) {
    if (tree_source_) tree_source_->forget_blocks(lost);
    if (trees_) trees_->forget(lost);
    if (silent_trees_) silent_trees_->forget(lost);
    if (state_.listener) state_.listener->lost(lost);
}

base::Task<void> Follower::guard(base::Task<void> task) {
    std::exception_ptr failure;
    try {
        co_await std::move(task);
    } catch (const boost::system::system_error& e) {
        if (e.code() == base::asio::error::operation_aborted) throw;
        failure = std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    if (!failure_) failure_ = failure;
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        log::error("cannot go on", {{"because", e.what()}});
    }
    state_.stop.request();
}

base::Task<void> Follower::prepare() {
    co_await read_coverage_anew();
    if (trees_ && trees_of_blocks() == Trees::OfBlocks::stored_with_block)
        silent_trees_.emplace(executor_, engine_.cpu, *tree_source_, stores_.trees, state_,
                              [this] { trees_->wake(); });
    co_await seams_.close_pending(0s);
    if (const auto last = state_.heights.coverage().covered.last()) co_await seams_.go_on_above(*last);
}

void Follower::start_loops(bool follow_closely) {
    for (unsigned writer = 0; writer < settings_.writers; ++writer) writing_.spawn(guard(writers_.run()));
    loops_.spawn(guard(poll_head(follow_closely && !source_.waits_for_next())));
    loops_.spawn(guard(find_lost_heights()));
    loops_.spawn(guard(source_.run()));
    if (trees_) tree_loops_.spawn(guard(trees_->run()));
    if (silent_trees_) tree_loops_.spawn(guard(silent_trees_->run()));
    if (unplaced_receipts_) tree_loops_.spawn(guard(unplaced_receipts_->run()));
}

base::Task<Follower::End> Follower::follow(std::optional<base::Height> until) {
    return to_its_end(follow_up_to(until), {0, until.value_or(base::kTopHeight)});
}

base::Task<void> Follower::read_coverage_anew() {
    auto coverage = co_await stores_.blocks.load_coverage();
    const auto unavailable = co_await stores_.blocks.unavailable_heights(kUnavailableLoaded);
    const auto newest = co_await stores_.blocks.newest_blocks(kNewestLoaded);
    for (const auto& block : newest) state_.times.stored(block);
    // An earlier life has stored it by the rules of this one.
    if (!newest.empty()) state_.times.agree_on(newest.back());
    state_.heights.load(std::move(coverage), unavailable, tip_of(newest));
}

std::optional<chain::BlockRef> Follower::tip_of(const std::vector<chain::BlockRef>& newest) {
    return newest.empty() ? std::nullopt : std::optional(newest.back());
}

base::Task<void> Follower::follow_up_to(std::optional<base::Height> until) {
    co_await prepare();
    const bool started = co_await start_following(until);
    if (started && until) {
        const base::HeightRange range{0, *until};
        co_await wait_until_dealt_with(range);
    }
    base::Wakeup stopping(executor_, {&state_.stop.signal});
    while (started && !until && !state_.stop.requested()) co_await stopping.wait();
}

// False: it was stopped before the first height was known.
base::Task<bool> Follower::start_following(std::optional<base::Height> until) {
    follows_ = true;
    if (outcome_check_) co_await outcome_check_->hold_alerts();
    start_loops(true);
    const auto first = co_await first_height(until);
    if (!first) co_return false;
    const auto from = first->height;
    co_await want_what_lies_below(from);
    if (until && from <= *until) {
        const base::HeightRange wanted{from, *until};
        co_await stores_.blocks.want(wanted);
        state_.heights.want(wanted);
    }
    log::info("following the chain", {{"from", from}, {"gaps", state_.heights.gaps().size()}});
    if (!until || from <= *until) runs_.spawn(guard(run_along_head(*first, until)));
    loops_.spawn(guard(confirmation_.run()));
    if (outcome_check_) loops_.spawn(guard(outcome_check_->run()));
    if (early_look_) loops_.spawn(guard(early_look_->run()));
    runs_.spawn(guard(repair_gaps()));
    runs_.spawn(guard(judge_late_trees()));
    runs_.spawn(guard(resume_backfills()));
    co_return true;
}

base::Task<Follower::End> Follower::backfill(base::HeightRange range) {
    return to_its_end(fill(range), range);
}

base::Task<void> Follower::fill(base::HeightRange range) {
    co_await prepare();
    start_loops(false);
    co_await know_head();
    if (state_.head.block() && range.to > state_.head.height())
        throw std::runtime_error("height " + std::to_string(range.to) + " is above the head, " +
                                 std::to_string(state_.head.height()));
    const auto lowest = co_await source_.fetch(range.from, rpc::Priority::backfill, false);
    if (const auto* fault = std::get_if<rpc::Unavailable>(&lowest); fault && fault->reason == kBelowGenesis)
        throw std::runtime_error("height " + std::to_string(range.from) +
                                 " is below the first block of the chain (" + fault->detail + ")");
    co_await know_time();
    auto claimed = co_await stores_.backfills.claim_backfill(range);
    if (claimed.leased) throw std::runtime_error("another process is working on this range right now");
    co_await stores_.blocks.want(range);
    state_.heights.want(range);
    if (trees_) trees_->prefer(range);
    if (outcomes_ != nullptr) loops_.spawn(guard(confirmation_.run()));
    runs_.spawn(guard(run_backfill(std::move(claimed))));
    co_await wait_until_dealt_with(range);
    while (co_await remove_refuted(range)) {
        auto again = co_await stores_.backfills.claim_backfill(range);
        if (again.leased) co_return;  // a daemon goes on
        runs_.spawn(guard(run_backfill(std::move(again))));
        co_await wait_until_dealt_with(range);
    }
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

base::Task<void> Follower::know_head() {
    base::Wakeup wakeup(executor_, {&state_.head.moved, &state_.stop.signal});
    while (!state_.head.block() && !state_.stop.requested()) co_await wakeup.wait();
}

// The days of history lie below a block that the hosts agree on.
base::Task<void> Follower::know_time() {
    const auto head = state_.head.block();
    if (head && agreement_.among_several())
        co_await agreement_.on(*head);
    else if (head)
        state_.times.agree_on(*head);
}

base::Task<void> Follower::poll_head(bool closely) {
    HeadRhythm rhythm;
    bool warned = false;
    while (!state_.stop.requested()) {
        const auto asked_at = state_.clock.steady();
        auto head = co_await source_.head();
        state_.series.head_polls.Increment();
        if (head) {
            state_.head.learn(*head);
            rhythm.saw(state_.head.height(), asked_at);
            warned = false;
        } else {
            rhythm.failed(asked_at);
            if (!warned)
                log::warn("the head could not be had; asking again",
                          {{"reason", head.error().reason}, {"detail", head.error().detail}});
            warned = true;
        }
        co_await confirm_head();
        const auto due = closely || !head ? rhythm.next_poll() : asked_at + kSlowHeadPoll;
        co_await state_.pause(due - state_.clock.steady());
    }
}

// Where nothing is stored up to the head, no block links it to the stored ones.
base::Task<void> Follower::confirm_head() {
    const auto head = state_.head.block();
    const auto final_height = state_.final_height();
    if (final_height != std::exchange(final_height_, final_height))
        confirm_at_ = state_.clock.steady() + kConfirmAfter;
    if (!head || head->height <= final_height || state_.clock.steady() < confirm_at_) co_return;
    confirm_at_ = state_.clock.steady() + kConfirmEvery;
    const auto told = co_await agreement_.on(*head);
    if (told == Told::no && state_.head.block() && state_.head.height() == head->height &&
        head->height > state_.final_height())
        agreement_.doubt_head();
}

base::Task<void> Follower::run_along_head(First first, std::optional<base::Height> until) {
    auto from = first.height;
    for (unsigned attempt = 1; !state_.stop.requested(); ++attempt) {
        RunSettings settings{from, until, rpc::Priority::head, engine_.patience, first.agreed_hash, true};
        Run run(engine_, settings);
        const auto end = co_await run.run();
        if (end.next > from || end.removed) attempt = 1;
        from = end.next;
        if (end.removed) continue;
        if (!end.broken) co_return;
        co_await state_.pause(state_.wait_before(kRetryBroken, attempt));
        co_await read_coverage_again();
        if (const auto last = state_.heights.coverage().covered.last()) from = std::min(from, *last + 1);
    }
}

base::Task<void> Follower::wait_until_dealt_with(base::HeightRange range) {
    PendingTreeCount pending(stores_.trees, range);
    Standstill trees_stand_still(engine_.patience + kTreeComesWithin);
    Standstill placing_stands_still(engine_.patience + kReceiptIsPlacedWithin);
    base::Wakeup wakeup(executor_, {&state_.heights.changed, &state_.trees.changed, &state_.stop.signal});
    const auto& heights = state_.heights;
    while (!state_.stop.requested()) {
        auto waiting = heights.gaps().within(range);
        waiting.subtract(heights.given_up());
        // Nothing above a block that does not fit is stored before it does.
        if (heights.broken()) waiting.subtract({heights.broken()->height, base::kTopHeight});
        const bool heights_done = waiting.empty() && heights.in_flight().within(range).empty() &&
                                  heights.unsettled().within(range).empty();
        const auto now = state_.clock.steady();
        const bool looked_at_silent = heights_done && (!silent_trees_ || silent_trees_->done(range));
        bool trees_done = heights_done;
        if (heights_done && trees_) {
            pending_trees_ = co_await pending.get(now);
            const bool stand_still = trees_stand_still.reached_with(pending_trees_, now);
            trees_done = (pending_trees_ == 0 && !trees_->writing()) || (stand_still && !trees_->comparing());
        }
        bool placed = trees_done;
        if (trees_done && unplaced_receipts_) {
            unplaced_ = co_await unplaced_receipts_->waiting_in(range);
            placed = unplaced_ == 0 || placing_stands_still.reached_with(unplaced_, now);
        }
        if (placed && looked_at_silent) break;
        if (!heights_done) trees_stand_still.begin_anew();
        if (!trees_done) placing_stands_still.begin_anew();
        co_await wakeup.wait_for(500ms);
    }
    if (!state_.stop.requested()) co_await seams_.judge_at_the_end();
}

base::Task<void> Follower::end_loops() {
    loops_.cancel();
    co_await loops_.join();
    // Tasks that they have begun may still refer to them, and a new turn makes new ones.
    if (state_.stop.for_good()) tree_loops_.cancel();
    co_await tree_loops_.join();
    co_await runs_.join();
    writing_.cancel();
    co_await writing_.join();
}

base::Task<Follower::End> Follower::wind_up(base::HeightRange range) {
    state_.stop.request();
    co_await end_loops();
    if (failure_) std::rethrow_exception(failure_);
    End end{state_.heights.gaps().within(range), pending_trees_ + unplaced_, fill_goes_on_};
    if (not_had_) end.missing = *not_had_;
    co_return end;
}

}  // namespace receiptd::follow
