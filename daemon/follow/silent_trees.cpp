#include "follow/silent_trees.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "chain/tree/facts.hpp"
#include "follow/tree_answer.hpp"
#include "storage/errors.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr base::Height kHeightsAtOnce = 100;
constexpr auto kLookForSilentEvery = 5s;

struct ToldOutcomes {
    bool complete = false;
    bool of_another_execution = false;
    std::vector<storage::ToldOutcome> outcomes;
};

base::Task<ToldOutcomes> outcomes_on(base::asio::thread_pool& cpu, SharedTree tree,
                                     chain::BlockRef included_in) {
    auto& of_tree = tree->cpu(cpu);
    return base::offload(of_tree, [tree = std::move(tree), included_in = std::move(included_in)] {
        ToldOutcomes told;
        told.of_another_execution = is_of_another_execution(*tree, included_in);
        if (told.of_another_execution) return told;
        told.complete = tree->complete;
        for (const auto& outcome : tree->status.value.receipts_outcome)
            told.outcomes.push_back({std::string(outcome.id), std::string(outcome.block_hash)});
        return told;
    });
}

}  // namespace

SilentTrees::SilentTrees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                         rpc::TreeSource& source, storage::TreeStore& store, State& state,
                         std::function<void()> wake_trees)
    : cpu_(cpu),
      source_(source),
      store_(store),
      state_(state),
      wake_trees_(std::move(wake_trees)),
      wakeup_(std::move(executor), {&state_.stop.signal}) {
    // An earlier life has looked at the rest.
    const auto known = this->known();
    const auto reach = 2 * kSilence.back();
    const auto last = known.last().value_or(0);
    if (last > reach)
        for (auto& looked_at : looked_at_) looked_at = known.within({0, last - reach});
}

base::Task<void> SilentTrees::run() {
    while (!state_.stop.requested()) {
        co_await look();
        co_await wakeup_.wait_for(kLookForSilentEvery);
    }
}

bool SilentTrees::done(base::HeightRange range) {
    if (in_vain_ || !next_due(range)) return true;
    wakeup_.notify();
    return false;
}

base::HeightSet SilentTrees::known() const {
    auto known = state_.heights.coverage().covered;
    known.add(state_.heights.given_up());
    return known;
}

// The last stage first: a height that it has looked at needs no other one.
std::optional<SilentTrees::Due> SilentTrees::next_due(base::HeightRange range) const {
    const auto ranges = known().ranges();
    for (auto stage = kSilence.size(); stage-- > 0;) {
        base::HeightSet due;
        for (const auto& [from, to] : ranges)
            if (to >= from + kSilence[stage]) due.add({from, to - kSilence[stage]});
        due.subtract(looked_at_[stage]);
        due.subtract(state_.heights.coverage().without_outcomes);  // these trees are pending
        due.subtract(left_alone_);
        if (const auto here = due.within(range); !here.empty()) return Due{stage, here.ranges().front()};
    }
    return std::nullopt;
}

base::Task<void> SilentTrees::look() {
    in_vain_ = false;
    co_await leave_what_is_replaced();
    while (!state_.stop.requested()) {
        const auto due = next_due(base::kAllHeights);
        if (!due) break;
        const auto [from, to] = due->heights;
        const base::HeightRange some{from, std::min(to, from + kHeightsAtOnce - 1)};
        lost_.subtract(base::kAllHeights);
        auto trees = co_await store_.silent_trees(some);
        for (auto& tree : trees)
            if (!state_.stop.requested()) co_await look_unless_refused(std::move(tree), due->stage);
        base::HeightSet looked_at(some);
        looked_at.subtract(lost_);
        for (std::size_t stage = 0; stage <= due->stage; ++stage) looked_at_[stage].add(looked_at);
    }
    state_.trees.changed.notify_all();
}

base::Task<void> SilentTrees::leave_what_is_replaced() {
    const auto replaced = co_await store_.heights_to_replace();
    left_alone_ = {};
    for (const auto& range : replaced.ranges()) left_alone_.add(chain::with_reach_below(range));
}

base::Task<void> SilentTrees::look_unless_refused(storage::PendingTree tree, std::size_t stage) {
    try {
        co_await look_at(std::move(tree), stage + 1 == kSilence.size());
    } catch (const storage::StorageRefused& e) {
        log::error("the database does not take why a tree is not over", {{"because", e.what()}});
    }
}

base::Task<void> SilentTrees::look_at(storage::PendingTree tree, bool last) {
    rpc::TreeSource::Query query;
    query.tx_hash = tree.tx_hash;
    query.sender_id = tree.sender_id;
    query.priority = rpc::Priority::gap;
    query.included_in = {tree.included_in.height, tree.shard_id};
    auto answer = co_await source_.tree(std::move(query));
    ToldOutcomes told;
    std::string untold;
    in_vain_ = std::holds_alternative<rpc::Unavailable>(answer);
    if (const auto* unknown = std::get_if<rpc::TreeSource::Unknown>(&answer)) {
        untold = "unknown to all hosts: " + unknown->evidence;
    } else if (const auto* fault = std::get_if<rpc::Unavailable>(&answer)) {
        if (!last) co_return;
        untold = fault->reason + ": " + fault->detail;
    } else {
        auto tree_told = std::get<rpc::TreeSource::Tree>(std::move(answer));
        told = co_await outcomes_on(cpu_, std::make_shared<const rpc::TreeSource::Tree>(std::move(tree_told)),
                                    tree.included_in);
        if (!told.complete && last) untold = "no host tells the rest of it either";
        if (told.of_another_execution && last) untold = kOfAnotherExecution;
        if (!told.complete && !last) co_return;
    }
    const auto tx_hash = tree.tx_hash;
    const bool placed = co_await store_.place_silent_tree(std::move(tree), std::move(told.outcomes), untold);
    if (!placed) co_return;
    log::info("no block has brought the rest of a tree",
              {{"tx_hash", tx_hash}, {"because", untold.empty() ? "a host has it" : untold}});
    wake_trees_();
}

void SilentTrees::forget(const base::HeightSet& lost) {
    lost_.add(lost);
    for (auto& looked_at : looked_at_) looked_at.subtract(lost);
}

}  // namespace receiptd::follow
