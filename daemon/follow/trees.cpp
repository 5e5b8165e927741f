#include "follow/trees.hpp"

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "follow/commit_listener.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 16;      // that ask a host, and as many others
constexpr std::size_t kLargeAtOnce = 2;  // that ask after a large answer: the next one waits in memory
constexpr unsigned kClaimedAtOnce = 128;
constexpr std::size_t kMostOpen = 2'000;
constexpr std::size_t kBacklog = 64;  // of those that could be asked for the first time now
constexpr base::BackoffPolicy kRetry{800ms, 60s, 1.6, 0.2};
constexpr auto kIdlePause = 500ms;
constexpr auto kLookForOthers = 10s;
constexpr auto kCountOverdueAgain = 30s;
constexpr unsigned kAsksOfOneHost = 6;  // that told nothing new; then another one goes first
// Blocks near the head come by themselves; others are asked for.
constexpr base::Height kHistory = 50;
// When the chain stands still (or ends, replayed) time has to do.
constexpr base::Duration kChainMoves = 3s;
constexpr base::Duration kParkedFor = 30s;
constexpr auto kLookAgain = 500ms;

base::Task<TreeAnswer> read_on(base::asio::thread_pool& cpu, SharedTree tree) {
    auto& of_tree = tree->cpu(cpu);
    return base::offload(of_tree, [tree = std::move(tree)] { return read_answer(tree); });
}

}  // namespace

Trees::Trees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::TreeSource& source,
             storage::TreeStore& store, storage::BlockStore& blocks, State& state, base::Duration patience,
             OfBlocks of_blocks)
    : executor_(executor),
      cpu_(cpu),
      source_(source),
      store_(store),
      blocks_(blocks),
      state_(state),
      patience_(patience),
      of_blocks_(of_blocks),
      wakeup_(std::move(executor), {&state.head.moved, &state.heights.changed, &state.stop.signal}),
      pending_(store, base::kAllHeights),
      layouts_(executor_, source, state.clock) {}

base::Task<void> Trees::run() {
    base::TaskGroup workers(executor_);
    while (!state_.stop.requested() && !workers.failed()) {
        if (may_be_pending()) {
            co_await claim();
            co_await count();
            co_await look_for_blocks_of_others();
        }
        start_ready(workers);
        co_await wakeup_.wait_for(kIdlePause);
    }
    co_await workers.join();
}

void Trees::wake() {
    woken_ = true;
    wakeup_.notify();
}

// Other daemons may place some, too.
bool Trees::may_be_pending() const {
    const auto pause = state_.trees.pending > 0 ? base::Duration(kIdlePause) : base::Duration(kLookForOthers);
    return woken_ || state_.clock.steady() >= claimed_at_ + pause;
}

base::Task<void> Trees::claim() {
    woken_ = false;
    claimed_at_ = state_.clock.steady();
    if (preferred_) co_await claim(*preferred_);
    co_await claim(base::kAllHeights);
}

base::Task<void> Trees::claim(base::HeightRange included_in) {
    bool more = true;
    while (more && has_room_for(included_in)) {
        auto due = co_await store_.due_trees(kClaimedAtOnce, included_in);
        more = due.size() == kClaimedAtOnce;
        for (auto& pending : due) {
            if (open_.contains(pending.tx_hash)) continue;  // its lease goes on
            auto open = std::make_shared<Open>();
            open->pending = std::move(pending);
            open->turn = next_turn_++;
            open->next = first_ask(open->pending.included_in.height, is_wanted(*open));
            open->ask_by = state_.clock.steady() + kChainMoves;
            open_[open->pending.tx_hash] = std::move(open);
        }
    }
}

base::Task<void> Trees::count() {
    const auto now = state_.clock.steady();
    const auto before = state_.trees.pending;
    state_.trees.pending = co_await pending_.get(now);
    state_.series.pending_trees.Set(static_cast<double>(state_.trees.pending));
    if (state_.trees.pending != before) state_.trees.changed.notify_all();
    if (now < counted_overdue_at_ + kCountOverdueAgain) co_return;
    counted_overdue_at_ = now;
    state_.trees.overdue = {};
    state_.trees.overdue = co_await store_.overdue_trees(kTreesOverdue);
    state_.series.overdue_trees.Set(static_cast<double>(state_.trees.overdue.count));
}

// Trees of a range reach into the blocks of the daemon that leads.
base::Task<void> Trees::look_for_blocks_of_others() {
    const auto is_complete = [](const auto& each) {
        return each.second->answer && each.second->answer->complete;
    };
    if (of_blocks_ != OfBlocks::stored_with_block || std::none_of(open_.begin(), open_.end(), is_complete))
        co_return;
    const auto stored = co_await blocks_.load_coverage();
    stored_by_others_ = stored.covered.last().value_or(0);
}

bool Trees::has_room_for(base::HeightRange included_in) const {
    std::size_t open = 0;
    std::size_t backlog = 0;
    for (const auto& [hash, each] : open_) {
        if (!included_in.contains(each->pending.included_in.height)) continue;
        ++open;
        if (!each->busy && each->asks == 0 && ready(*each)) ++backlog;
    }
    return open < kMostOpen && backlog < kBacklog;
}

// A tree that asks may wait for room, which another one holds that is whole and waits for its turn here.
void Trees::start_ready(base::TaskGroup& workers) {
    struct Kind {
        std::size_t most;
        std::vector<OpenTree> ready{};
        std::size_t busy = 0;
    };
    Kind asks{kAtOnce}, asks_for_large{kLargeAtOnce}, looks{kAtOnce};
    for (auto& [hash, open] : open_) {
        open->told_all = open->told_all && is_wanted(*open);
        const bool asking = open->busy ? open->asking : may_ask(*open);
        auto& kind = !asking ? looks : open->answer && open->answer->is_large ? asks_for_large : asks;
        if (open->busy)
            ++kind.busy;
        else if (ready(*open))
            kind.ready.push_back(open);
    }
    for (auto* kind : {&asks, &asks_for_large, &looks})
        start(workers, std::move(kind->ready), kind->most - std::min(kind->most, kind->busy));
}

// Each waits for its turn, and for a new one after each answer: otherwise some would wait for ever under
// load.
void Trees::start(base::TaskGroup& workers, std::vector<OpenTree> waiting, std::size_t most) {
    const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(waiting.size(), most));
    const auto order = [this](const OpenTree& open) {
        return std::pair(!preferred_ || !preferred_->contains(open->pending.included_in.height), open->turn);
    };
    std::partial_sort(waiting.begin(), last, waiting.end(),
                      [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (auto open = waiting.begin(); open != last; ++open) {
        (*open)->busy = true;
        (*open)->asking = may_ask(**open);
        workers.spawn(work(*open));
    }
}

base::Height Trees::final_height() const { return state_.final_height(); }

bool Trees::is_history(const Open& open) const {
    return open.pending.included_in.height + kHistory < final_height();
}

base::Height Trees::stored_up_to() const {
    const auto& tip = state_.heights.tip();
    return std::max(tip ? tip->height : 0, stored_by_others_);
}

bool Trees::may_ask(const Open& open) const {
    if (open.answer && open.answer->complete) return false;
    return final_height() >= open.next.at || state_.clock.steady() >= open.ask_by;
}

bool Trees::ready(const Open& open) const {
    if (may_ask(open)) return true;
    if (!open.answer || !open.answer->tree) return false;
    const bool moved = stored_up_to() > open.looked_at;
    if (open.answer->complete) return moved || state_.clock.steady() >= open.look_by;
    return moved && !open.told_all && is_wanted(open);
}

bool Trees::is_wanted(const Open& open) const {
    return state_.listener && state_.listener->wants(open.pending.tx_hash);
}

rpc::Priority Trees::priority_of(const Open& open) const {
    return open.pending.ordered && !is_wanted(open) ? rpc::Priority::backfill : rpc::Priority::watch;
}

bool Trees::writing() const {
    return std::any_of(open_.begin(), open_.end(), [](const auto& open) { return open.second->writing; });
}

base::Task<void> Trees::work(OpenTree open) {
    std::optional<std::string> refused;
    try {
        bool goes_on = true;
        if (open->asking) goes_on = co_await ask(open);
        if (goes_on) co_await look(open);
    } catch (const storage::StorageRefused& e) {
        refused = e.what();
    }
    if (refused) co_await postpone(open, "refused_by_database: " + *refused);
    if (std::exchange(open->outdated, false)) ask_anew(*open);
    if (open->answer && open->answer->tree && !open->answer->complete && open->answer->tree->room)
        open->answer->tree.reset();
    open->busy = open->writing = false;
    open->turn = next_turn_++;
    wakeup_.notify();
}

void Trees::ask_anew(Open& open) {
    unpark(open);
    open.answer.reset();
    open.wanting_since.reset();
    open.next = {};
    open.looked_at = 0;
    open.told_all = open.in_a_fork = false;
}

base::Task<bool> Trees::ask(OpenTree open) {
    const auto& pending = open->pending;
    rpc::TreeSource::Query query;
    query.tx_hash = pending.tx_hash;
    query.sender_id = pending.sender_id;
    query.priority = priority_of(*open);
    query.included_in = {pending.included_in.height, pending.shard_id};
    if (open->answer && open->answers_alike >= kAsksOfOneHost) query.elsewhere_than = open->answer->host;
    if (!open->refuted.empty()) query.elsewhere_than = open->refuted;
    auto result = co_await source_.tree(std::move(query));
    if (const auto* unknown = std::get_if<rpc::TreeSource::Unknown>(&result)) {
        if (is_discarded(*open, *unknown))
            co_await discard(open);
        else
            co_await postpone(open, "unknown to all hosts: " + unknown->evidence);
        co_return false;
    }
    if (const auto* fault = std::get_if<rpc::Unavailable>(&result)) {
        co_await postpone(open, fault->reason + ": " + fault->detail);
        co_return false;
    }
    auto tree =
        std::make_shared<const rpc::TreeSource::Tree>(std::get<rpc::TreeSource::Tree>(std::move(result)));
    auto answer = co_await read_on(cpu_, std::move(tree));
    take(*open, std::move(answer));
    co_return true;
}

void Trees::take(Open& open, TreeAnswer answer) {
    const bool grew = !open.answer || answer.outcomes > open.most_outcomes;
    open.answers_alike = grew ? 1 : open.answers_alike + 1;
    open.most_outcomes = std::max(open.most_outcomes, answer.outcomes);
    open.answer = std::move(answer);
    open.looked_at = 0;
    open.told_all = false;
    ++open.asks;
    if (open.answer->complete) return;
    plan_next(open);
    if (!is_wanted(open)) open.answer->tree.reset();  // nobody asks for the stages that it proves
}

void Trees::unpark(const Open& open) {
    for (const auto& data_id : open.next.waits_for_data) parked_.erase(data_id);
}

void Trees::close(const Open& open) {
    unpark(open);
    open_.erase(open.pending.tx_hash);
}

void Trees::plan_next(Open& open) {
    unpark(open);
    auto waits = std::exchange(open.answer->waits, {});
    open.next = next_ask(std::move(waits), {open.answers_alike, is_wanted(open)}, final_height());
    const bool parked = !open.next.waits_for_data.empty();
    for (const auto& data_id : open.next.waits_for_data) parked_[data_id] = open.pending.tx_hash;
    const auto pause = state_.wait_before(kRetry, open.asks + 1);
    open.ask_by = state_.clock.steady() + std::max<base::Duration>(pause, parked ? kParkedFor : kChainMoves);
}

chain::ExecutedAt Trees::included_at(const Open& open) {
    return {open.pending.included_in.height, open.pending.included_in.timestamp_nanosec};
}

// Hosts know one execution of a hash, which a block may list again.
base::Task<void> Trees::look(OpenTree open) {
    open->looked_at = stored_up_to();
    open->look_by = state_.clock.steady() + kLookAgain;
    auto blocks = co_await final_blocks(*open);
    if (open->outdated) co_return;
    if (open->in_a_fork) {
        co_await postpone(open, "it was told as executed in a block of a fork");
        co_return;
    }
    if (open->answer->tree && is_of_another_execution(*open->answer->tree, open->pending.included_in)) {
        co_await postpone(open, kOfAnotherExecution);
        co_return;
    }
    const bool complete = open->answer->complete;
    const bool final = all_final(*open->answer, blocks);
    if (complete && out_of_patience(*open) && !open->awaited_block.empty()) {
        co_await postpone(open, "a block that it was executed in could not be had: " + open->awaited_block);
        co_return;
    }
    if (complete && (final || out_of_patience(*open)) && is_passed(blocks)) {
        const auto confirmed = co_await look_at_outcomes(open, blocks);
        if (confirmed) co_await store(open, std::move(blocks), *confirmed);
        if (confirmed || !open->answer || open->outdated) co_return;
    }
    if (complete && !open->wanting_since) open->wanting_since = state_.clock.steady();
    if (!is_wanted(*open) || !open->answer->tree) co_return;
    co_await tell_progress(open, open->answer->tree, std::move(blocks));
    open->told_all = final;
}

base::Task<void> Trees::tell_progress(OpenTree open, SharedTree tree, rpc::FinalBlocks blocks) {
    auto seen = co_await see_on(cpu_, std::move(tree), std::move(blocks), included_at(*open));
    if (open->outdated || !is_wanted(*open)) co_return;
    if (outcomes_ != nullptr) seen.settled_at.reset();  // its end is told when it is stored
    if (open->pending.outcomes_missing && !seen.verdict) seen.reason = chain::kOutcomesMissing;
    state_.listener->progressed(open->pending.tx_hash, seen);
}

base::Task<chain::TreeSeen> Trees::see_on(base::asio::thread_pool& cpu, SharedTree tree,
                                          rpc::FinalBlocks blocks, chain::ExecutedAt included_at) {
    auto& of_tree = tree->cpu(cpu);
    return base::offload(of_tree, [tree = std::move(tree), blocks = std::move(blocks), included_at] {
        return chain::tree_seen_so_far(rpc::judge_final(*tree, blocks, included_at));
    });
}

void Trees::committed(const chain::CommitFacts& facts) {
    woken_ = woken_ || of_blocks_ == OfBlocks::fetched || !facts.tell_outcomes;
    for (const auto& block : facts.blocks) known_.put(block);
    for (const auto& data_id : facts.seen.data_ids) {
        const auto parked = parked_.find(data_id);
        if (parked == parked_.end()) continue;
        if (const auto open = open_.find(parked->second); open != open_.end()) open->second->next.at = 0;
        parked_.erase(parked);
    }
}

void Trees::forget(const base::HeightSet& lost) {
    const auto hashes = known_.forget(lost);
    std::erase_if(open_, [&](const auto& item) {
        auto& open = *item.second;
        open.outdated = open.busy;
        if (!open.busy && open.answer && rests_on(*open.answer, hashes)) ask_anew(open);
        return lost.contains(open.pending.included_in.height);
    });
    std::erase_if(parked_, [&](const auto& parked) { return !open_.contains(parked.second); });
    wake();
}

base::Task<void> Trees::postpone(OpenTree open, std::string reason) {
    const auto& pending = open->pending;
    const auto delay = state_.wait_before(kRetry, pending.attempts + 1);
    log::debug("tree postponed", {{"tx_hash", pending.tx_hash}, {"reason", reason}});
    if (pending.outcomes_missing && is_wanted(*open)) {
        chain::TreeSeen seen;
        seen.included_at = included_at(*open);
        seen.reason = chain::kOutcomesMissing;
        state_.listener->progressed(pending.tx_hash, seen);
    }
    co_await store_.postpone_tree(pending, std::chrono::duration_cast<std::chrono::milliseconds>(delay),
                                  std::move(reason));
    close(*open);
}

bool Trees::out_of_patience(const Open& open) const {
    return open.wanting_since && state_.clock.steady() - *open.wanting_since >= patience_;
}

}  // namespace receiptd::follow
