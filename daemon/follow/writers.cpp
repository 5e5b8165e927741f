#include "follow/writers.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "follow/commit_listener.hpp"
#include "metrics/registry.hpp"
#include "storage/errors.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace receiptd::follow {
namespace {

constexpr const char* kRefusedByDatabase = "refused_by_database";

}  // namespace

Writers::Writers(base::asio::any_io_executor executor, storage::BlockStore& store, State& state)
    : store_(store), state_(state), moved_(std::move(executor)) {}

base::Task<void> Writers::run() {
    while (true) {
        while (!waiting_) co_await moved_.wait();
        auto batch = std::move(*waiting_);
        waiting_.reset();
        ++busy_;
        moved_.notify_all();
        std::exception_ptr failure;
        try {
            co_await write(std::move(batch));
        } catch (...) {
            failure = std::current_exception();
        }
        --busy_;
        failed_ = failed_ || failure;
        moved_.notify_all();
        if (failure) std::rethrow_exception(failure);
    }
}

bool Writers::was_refused(const chain::CommitFacts& facts) const {
    if (facts.blocks.size() != 1) return false;
    const auto& unavailable = state_.heights.unavailable();
    const auto known = unavailable.find(facts.blocks.front().height);
    return known != unavailable.end() && known->second.reason == kRefusedByDatabase;
}

base::Task<void> Writers::write(chain::RowBatch batch) {
    batch.facts.refused_before = was_refused(batch.facts);
    auto facts = batch.facts;  // needed after the batch has gone to the database thread
    const auto rows = batch.rows();
    const auto started = state_.clock.steady();
    std::optional<std::string> refused;
    auto outcome = storage::CommitOutcome::committed;
    try {
        if (state_.listener) batch.watches = state_.listener->wanted(facts.seen);
        outcome = co_await store_.commit(std::move(batch));
    } catch (const storage::StorageRefused& e) {
        refused = e.what();
    }
    state_.heights.written(facts.covered);
    if (refused) {
        co_await refuse(facts, std::move(*refused));
        co_return;
    }
    if (outcome == storage::CommitOutcome::not_leader) {
        log::warn("another daemon leads since: these heights are left to it",
                  {{"heights", facts.covered.to_multirange()}});
        co_return;
    }
    if (outcome == storage::CommitOutcome::already_covered) {
        log::warn("these heights were stored already", {{"heights", facts.covered.to_multirange()}});
        auto coverage = co_await store_.load_coverage();
        state_.heights.learn_stored_by_others(std::move(coverage), facts);
        // The daemon that stored them has counted them; the watches here must be updated all the same.
        facts.decided = {};
        if (told_) told_(facts);
        co_return;
    }
    const auto seconds = static_cast<double>((state_.clock.steady() - started).count()) / 1e9;
    state_.series.commit_seconds.Observe(seconds);
    for (const auto& block : facts.blocks) state_.times.stored(block);
    state_.heights.learn_committed(facts);
    observe_lag(facts);
    state_.new_kinds.saw(facts.new_kinds, state_.clock.steady());
    if (told_) told_(facts);
    log::debug("committed",
               {{"heights", facts.covered.to_multirange()}, {"rows", rows}, {"seconds", seconds}});
}

// Contents that PostgreSQL does not take are a gap as any other: another host may have better ones. When they
// come again and are refused again, the height is stored without what is refused.
base::Task<void> Writers::refuse(const chain::CommitFacts& facts, std::string why) {
    if (facts.blocks.size() > 1) {
        log::warn("the database refused a batch: its heights are fetched again and written one by one",
                  {{"heights", facts.covered.to_multirange()}, {"reason", why}});
        state_.heights.write_alone(facts.covered);
        co_return;
    }
    const auto height = facts.blocks.empty() ? *facts.covered.last() : facts.blocks.front().height;
    std::string givers;
    for (const auto& host : facts.hosts) {
        givers += (givers.empty() ? "" : ", ") + host;
        if (blame_) blame_(host);
    }
    const auto record = state_.heights.in_vain(height, kRefusedByDatabase, givers + ": " + why);
    log::error(
        "the database does not take what a host gave for this height: recorded as a gap, to be retried",
        {{"height", height}, {"host", givers}, {"reason", why}, {"attempts", record.attempts}});
    co_await store_.record_unavailable(record);
    state_.heights.learn_unavailable(record);
}

void Writers::observe_lag(const chain::CommitFacts& facts) {
    if (facts.seen.history) return;
    const auto now = state_.clock.steady();
    for (const auto& block : facts.blocks)
        if (const auto seen_at = state_.head.seen_at(block.height))
            state_.series.lag_seconds.Observe(std::chrono::duration<double>(now - *seen_at).count());
}

base::Task<void> Writers::submit(chain::RowBatch batch) {
    while (waiting_ && !failed_) co_await moved_.wait();
    waiting_ = std::move(batch);
    moved_.notify_all();
}

base::Task<void> Writers::drain() {
    while ((waiting_ || busy_ > 0) && !failed_) co_await moved_.wait();
}

}  // namespace receiptd::follow
