#include "follow/trees.hpp"

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "base/task_group.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kTreesAtOnce = 16;
constexpr base::BackoffPolicy kRetry{800ms, 60s, 1.6, 0.2};
constexpr auto kIdlePause = 500ms;

base::Task<chain::TreeRows> make_tree_rows(base::asio::thread_pool& cpu, rpc::TreeSource::Tree tree,
                                           std::vector<chain::ExecutionBlock> executed_in,
                                           chain::BlockRef included_in) {
    auto work = [tree = std::move(tree), executed_in = std::move(executed_in),
                 included_in = std::move(included_in)] {
        return chain::tree_rows(tree.status.value, tree.bodies(), executed_in, included_in);
    };
    return base::offload(cpu, std::move(work));
}

}  // namespace

Trees::Trees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::TreeSource& source,
             storage::Store& store, State& state, base::Duration patience)
    : executor_(std::move(executor)),
      cpu_(cpu),
      source_(source),
      store_(store),
      state_(state),
      patience_(patience),
      progress_at_(state.clock.steady()) {}

base::Task<void> Trees::run() {
    base::asio::steady_timer timer(executor_);
    const base::HeightRange everywhere{0, std::numeric_limits<std::int64_t>::max() - 1};
    while (!state_.stopping) {
        auto due = co_await store_.due_trees(kTreesAtOnce);
        state_.pending_trees = co_await store_.pending_tree_count(everywhere);
        state_.series.pending_trees.Set(static_cast<double>(state_.pending_trees));
        if (state_.pending_trees == 0) {
            wanting_since_.clear();
            progress_at_ = state_.clock.steady();
        }
        state_.changed.notify_all();
        if (due.empty()) {
            co_await base::sleep_on(timer, kIdlePause);
            continue;
        }
        base::TaskGroup round(executor_);
        for (auto& pending : due) round.spawn(work(std::move(pending)));
        co_await round.join();
    }
}

bool Trees::stalled() const {
    return state_.pending_trees > 0 && state_.clock.steady() - progress_at_ > patience_ + 5s;
}

base::Task<void> Trees::work(storage::PendingTree pending) {
    auto result = co_await source_.tree(pending.tx_hash, pending.sender_id, rpc::Priority::head);
    if (const auto* unknown = std::get_if<rpc::TreeSource::Unknown>(&result)) {
        co_await postpone(pending, "unknown to all hosts: " + unknown->evidence);
    } else if (const auto* fault = std::get_if<rpc::Unavailable>(&result)) {
        co_await postpone(pending, fault->reason + ": " + fault->detail);
    } else {
        auto& tree = std::get<rpc::TreeSource::Tree>(result);
        if (tree.complete)
            co_await store(pending, std::move(tree));
        else
            co_await postpone(pending, "receipts still to execute");
    }
}

base::Task<void> Trees::store(const storage::PendingTree& pending, rpc::TreeSource::Tree tree) {
    auto executed_in = co_await execution_blocks(pending, tree.status.value);
    if (!executed_in) {
        co_await postpone(pending, "waiting for the blocks it executed in");
        co_return;
    }
    auto rows = co_await make_tree_rows(cpu_, std::move(tree), std::move(*executed_in), pending.included_in);
    // Blocks of the past are ordered in ranges that nobody remembers here: their age must do.
    const base::WallTime included_at{base::Duration(pending.included_in.timestamp_nanosec)};
    if (included_at < state_.news_since()) rows.batch.findings.clear();
    co_await store_.commit_tree(std::move(rows));
    wanting_since_.erase(pending.tx_hash);
    progress_at_ = state_.clock.steady();
    state_.series.trees_completed.Increment();
}

base::Task<std::optional<std::vector<chain::ExecutionBlock>>> Trees::execution_blocks(
    const storage::PendingTree& pending, const chain::TransactionStatus& status) {
    std::map<std::string, std::optional<chain::BlockRef>> known;
    known[pending.included_in.hash] = pending.included_in;
    for (const auto& outcome : status.receipts_outcome) {
        std::string hash(outcome.block_hash);
        if (known.count(hash) > 0) continue;
        auto block = co_await find_block(hash);
        const bool final = block && state_.head && block->height <= state_.head->height;
        if (block ? !final : !out_of_patience(pending)) co_return std::nullopt;
        known[hash] = std::move(block);
    }
    auto latest = pending.included_in.timestamp_nanosec;
    std::vector<chain::ExecutionBlock> executed_in;
    for (const auto& outcome : status.receipts_outcome) {
        const auto& block = known.at(std::string(outcome.block_hash));
        // Depth-first order: what was known last is an ancestor or an elder sibling.
        if (block) latest = block->timestamp_nanosec;
        chain::ExecutionBlock execution;
        if (block) execution.height = block->height;
        execution.timestamp_nanosec = latest;
        executed_in.push_back(execution);
    }
    co_return executed_in;
}

base::Task<std::optional<chain::BlockRef>> Trees::find_block(std::string hash) {
    auto stored = co_await store_.stored_block_by_hash(hash);
    if (stored) co_return stored;
    auto told = co_await source_.block_by_hash(hash, rpc::Priority::head);
    if (!told) co_return std::nullopt;
    co_return *told;
}

base::Task<void> Trees::postpone(const storage::PendingTree& pending, std::string reason) {
    const auto delay = base::backoff_delay(kRetry, pending.attempts + 1, 0.5);
    log::debug("tree postponed", {{"tx_hash", pending.tx_hash}, {"reason", reason}});
    co_await store_.postpone_tree(
        pending.tx_hash, std::chrono::duration_cast<std::chrono::milliseconds>(delay), std::move(reason));
}

bool Trees::out_of_patience(const storage::PendingTree& pending) {
    const auto now = state_.clock.steady();
    return now - wanting_since_.try_emplace(pending.tx_hash, now).first->second >= patience_;
}

}  // namespace receiptd::follow
