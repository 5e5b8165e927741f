// Watches in memory, trees on paper and hosts that answer as they are told.
#pragma once

#include "base/coroutine.hpp"
#include "base/event.hpp"
#include "base/task_group.hpp"
#include "metrics/registry.hpp"
#include "metrics/watch_series.hpp"
#include "watch/tracker.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::watch::testing {

class FakeClock final : public base::Clock {
public:
    base::WallTime wall() const override {
        return base::WallTime(std::chrono::seconds(1'700'000'000)) + passed;
    }
    base::SteadyTime steady() const override { return std::chrono::steady_clock::now() + steady_passed; }
    base::Duration passed{};
    base::Duration steady_passed{};
};

class MemoryWatches final : public storage::WatchStore {
public:
    MemoryWatches(base::asio::any_io_executor executor, const FakeClock& clock)
        : executor_(executor), clock_(clock), added_(executor) {}

    storage::Watch& add(const std::string& tx_hash, const std::string& sender_id = "alice") {
        auto& watch = rows[tx_hash];
        watch.tx_hash = tx_hash;
        watch.transaction.tx_hash = tx_hash;
        watch.sender_id = sender_id;
        watch.created_at = watch.stage_since = watch.next_check_at = clock_.wall();
        added_.notify_all();
        return watch;
    }
    void wake() { added_.notify_all(); }  // whoever waits for watches
    // A tree of one receipt: listed, or included, or executed to its end.
    void include(const std::string& tx_hash, chain::BlockHeight height, bool executed) {
        auto& tree = trees[tx_hash];
        const chain::ExecutedAt at{height,
                                   static_cast<std::uint64_t>(clock_.wall().time_since_epoch().count())};
        tree.transaction = chain::TransactionFacts{tx_hash, "alice", "bob", 0, std::nullopt, "pay"};
        tree.listed_at = at;
        tree.outcomes.assign(
            1, {tx_hash, "alice", chain::StatusKind::success_receipt_id, {tx_hash + "-r"}, {}, 0, 0, at});
        if (!executed) return;
        chain::ReceiptFacts receipt;
        receipt.receipt_id = tx_hash + "-r";
        receipt.predecessor_id = receipt.signer_id = "alice";
        receipt.receiver_id = "bob";
        tree.receipts.push_back(receipt);
        tree.outcomes.push_back({receipt.receipt_id,
                                 "bob",
                                 chain::StatusKind::success_value,
                                 {},
                                 {},
                                 0,
                                 0,
                                 chain::ExecutedAt{height + 1, at.timestamp_nanosec + 1'000'000'000}});
    }

    // Listed in a block that found it invalid.
    void include_invalid(const std::string& tx_hash, chain::BlockHeight height) {
        include(tx_hash, height, false);
        auto& outcome = trees[tx_hash].outcomes.front();
        outcome.status = chain::StatusKind::failure;
        outcome.receipt_ids.clear();
        outcome.failure.error_class = "invalid_nonce";
    }

    base::Task<std::vector<std::string>> add_watches(std::vector<storage::NewWatch> watches) override {
        std::vector<std::string> fresh;
        for (const auto& watch : watches) {
            if (rows.contains(watch.tx_hash)) continue;
            add(watch.tx_hash, watch.sender_id).origin = watch.origin;
            fresh.push_back(watch.tx_hash);
        }
        co_return fresh;
    }
    base::Task<bool> remove_watch(std::string tx_hash) override { co_return rows.erase(tx_hash) > 0; }
    base::Task<bool> replace_ended(storage::NewWatch, chain::Stage) override { co_return false; }
    base::Task<std::optional<storage::Watch>> watch(std::string tx_hash) override {
        const auto found = rows.find(tx_hash);
        co_return found == rows.end() ? std::nullopt : std::optional(found->second);
    }
    base::Task<std::vector<storage::Watch>> watches(std::vector<std::string> tx_hashes) override {
        std::vector<storage::Watch> found;
        for (const auto& tx_hash : tx_hashes)
            if (const auto row = rows.find(tx_hash); row != rows.end()) found.push_back(row->second);
        co_return found;
    }
    base::Task<std::optional<storage::Watch>> watch_by_idempotency_key(std::string) override {
        co_return std::nullopt;
    }
    base::Task<std::vector<storage::Watch>> list_watches(storage::WatchFilter) override { co_return all(); }
    base::Task<std::vector<storage::Watch>> open_watches(std::string after, unsigned limit) override {
        std::vector<storage::Watch> page;
        for (auto row = rows.upper_bound(after); row != rows.end() && page.size() < limit; ++row)
            if (!chain::is_end(row->second.state.stage)) page.push_back(row->second);
        co_return page;
    }
    base::Task<std::vector<storage::Watch>> lost_watches(std::uint64_t, std::string after,
                                                         unsigned limit) override {
        std::vector<storage::Watch> page;
        for (auto row = rows.upper_bound(after); row != rows.end() && page.size() < limit; ++row)
            if (chain::is_end(row->second.state.stage) && row->second.state.stage != chain::Stage::final)
                page.push_back(row->second);
        co_return page;
    }
    // As the writer of blocks does it.
    void want(const std::vector<chain::WantedWatch>& watches) {
        wanted.insert(wanted.end(), watches.begin(), watches.end());
        added_.notify_all();
    }
    base::Task<void> make_wanted_watches() override {
        std::erase_if(wanted, [&](const auto& watch) {
            if (held.contains(watch.tx_hash)) return false;
            if (!rows.contains(watch.tx_hash))
                add(watch.tx_hash, watch.sender_id).origin = storage::WatchOrigin::rule;
            return true;
        });
        co_return;
    }
    base::Task<std::vector<storage::Watch>> new_watches(unsigned limit) override {
        std::vector<storage::Watch> page;
        for (const auto& [tx_hash, watch] : rows)
            if (watch.transaction.watched_since == 0 && page.size() < limit) page.push_back(watch);
        co_return page;
    }
    base::Task<bool> wait_for_watches(std::chrono::milliseconds timeout) override {
        co_await base::wait_for(added_, executor_, timeout);
        co_return true;
    }
    base::Task<std::vector<storage::Watch>> watches_since(base::WallTime, std::string,
                                                          unsigned limit) override {
        return open_watches("", limit);
    }
    base::Task<std::vector<storage::OpenSubmission>> open_submissions(base::WallTime, std::string,
                                                                      unsigned) override {
        co_return std::vector<storage::OpenSubmission>{};
    }
    base::Task<std::vector<std::string>> update_watches(std::vector<storage::WatchUpdate> updates) override {
        std::vector<std::string> refused;
        for (const auto& update : updates) {
            const auto row = rows.find(update.tx_hash);
            if (row == rows.end() || row->second.state.stage != update.from ||
                row->second.transaction.watched_since !=
                    update.judged_with.value_or(row->second.transaction.watched_since) ||
                storage::update_of(row->second).judged_early != update.judged_early ||
                stolen.erase(update.tx_hash) > 0) {
                refused.push_back(update.tx_hash);
                continue;
            }
            for (const auto& transition : update.transitions) {
                made[update.tx_hash].push_back(transition.to);
                if (!transition.inclusion_id.empty())
                    inclusions[update.tx_hash].push_back(transition.inclusion_id +
                                                         (transition.final == false ? " early"
                                                          : transition.confirms()   ? " confirmed"
                                                                                    : " retracted"));
            }
            if (!update.transitions.empty()) evidence[update.tx_hash] = update.transitions.back().evidence;
            apply(row->second, update, clock_.wall());
        }
        co_return refused;
    }
    base::Task<std::vector<storage::StoredTransition>> transitions(std::string) override {
        co_return std::vector<storage::StoredTransition>{};
    }
    base::Task<std::map<std::string, storage::StoredTree>> stored_trees(
        std::vector<std::string> tx_hashes) override {
        std::map<std::string, storage::StoredTree> found;
        for (const auto& tx_hash : tx_hashes)
            if (const auto tree = trees.find(tx_hash); tree != trees.end()) found.insert(*tree);
        if (after_trees) std::exchange(after_trees, {})();
        co_return found;
    }
    base::Task<std::optional<std::string>> tree_of(std::string id) override {
        if (!trees.contains(id)) co_return std::nullopt;
        co_return id;
    }

    std::map<std::string, storage::Watch> rows;
    std::map<std::string, storage::StoredTree> trees;
    std::function<void()> after_trees;  // happens when they have been read, once
    std::vector<chain::WantedWatch> wanted;
    std::set<std::string> held;    // by a session that does not end
    std::set<std::string> stolen;  // the next update of these finds that somebody was faster
    std::map<std::string, std::vector<chain::Stage>> made;
    std::map<std::string, std::vector<std::string>> inclusions;  // "TX:BLOCK early", "TX:BLOCK confirmed"
    std::map<std::string, std::string> evidence;                 // of the latest transition

private:
    std::vector<storage::Watch> all() const {
        std::vector<storage::Watch> list;
        for (const auto& [tx_hash, watch] : rows) list.push_back(watch);
        return list;
    }
    base::asio::any_io_executor executor_;
    const FakeClock& clock_;
    base::Event added_;
};

class FakeHosts final : public WatchUpstream {
public:
    base::Task<TreeAnswer> tree(std::string tx_hash, std::string, chain::BlockHeight) override {
        ++asked[tx_hash];
        if (silent) co_return NoAnswer{"500"};
        const auto found = known.find(tx_hash);
        if (found == known.end() && word == Word::in_a_chunk)
            co_return NotKnown{"a host says INCLUDED, and none tells its outcome", word};
        if (found == known.end() && word == Word::none) co_return NotKnown{"no host tracks its shard", word};
        if (found == known.end()) co_return NotKnown{"archival: UNKNOWN_TRANSACTION"};
        Known answer;
        answer.seen = found->second;
        answer.host = "archival";
        answer.found = found_at(tx_hash, *found->second.included_at);
        co_return answer;
    }
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights) override {
        held_asked = heights.from;
        if (!forgotten.within(heights).empty()) co_return false;
        co_return held;
    }
    base::Task<std::optional<Sender>> sender(SenderQuestion) override {
        ++sender_asked;
        co_return told;
    }

    static storage::FoundTransaction found_at(const std::string& tx_hash, const chain::ExecutedAt& at) {
        storage::FoundTransaction transaction;
        transaction.tx_hash = tx_hash;
        transaction.height = at.height;
        return transaction;
    }

    std::map<std::string, chain::TreeSeen> known;
    std::map<std::string, unsigned> asked;
    bool silent = false;
    Word word = Word::denied;  // of what is not known
    std::optional<bool> held = true;
    base::HeightSet forgotten;  // these are not held all the same
    chain::BlockHeight held_asked = 0;
    std::optional<Sender> told;
    unsigned sender_asked = 0;
};

// A tracker's life: it runs while a condition is waited for.
class Life {
public:
    explicit Life(std::vector<config::WatchRule> rules = {}, bool stores = true)
        : cpu(1), store(context.get_executor(), clock), series(registry) {
        TrackerSettings settings;
        settings.rules = std::move(rules);
        settings.lifecycle.validity_blocks = 50;
        settings.tick = std::chrono::milliseconds(1);
        ChainView view;
        view.final_height = [this] { return std::optional(final_height); };
        view.agreed_height = [this] { return agreed ? *agreed : final_height; };
        view.covered_up_to = [this](chain::BlockHeight) { return covered; };
        view.missing_in = [this](base::HeightRange range) {
            base::HeightSet missing(range);
            if (stored)
                missing.subtract(*stored);
            else if (covered)
                missing.subtract({0, *covered});
            return missing;
        };
        view.gaps_in = [this](base::HeightRange range) { return gaps.within(range); };
        view.untried_in = [this](base::HeightRange range) { return untried.within(range); };
        view.stored_block = [this](std::string hash) { return stored_block(std::move(hash)); };
        view.follows_since = [this](chain::BlockHeight from) { return from >= followed_since; };
        view.alerts_sent_since = [] { return base::WallTime(); };
        view.is_at_head = [this] { return at_head; };
        view.keep = [this](storage::FoundTransaction found) { return keep(std::move(found)); };
        view.stores = stores;
        tracker.emplace(context.get_executor(), cpu, store, hosts, series, clock, std::move(view), settings);
    }
    ~Life() {
        if (running) running->cancel();
        context.restart();
        while (running && running->running() > 0 && context.run_one() > 0) {
        }
    }

    void start() {
        running.emplace(context.get_executor());
        running->spawn(tracker->run());
    }
    // False: it did not come true for long.
    bool until(const std::function<bool()>& condition) {
        context.restart();
        while (!condition())
            if (context.run_one_for(std::chrono::seconds(20)) == 0) return false;
        return true;
    }
    base::Task<void> keep(storage::FoundTransaction found) {
        kept.insert(found.tx_hash);
        co_return;
    }
    base::Task<std::optional<chain::BlockRef>> stored_block(std::string hash) {
        if (!blocks.contains(hash)) co_return std::nullopt;
        co_return chain::BlockRef{blocks.at(hash), hash, {}, 0, 0};
    }
    chain::Stage stage(const std::string& tx_hash) { return store.rows.at(tx_hash).state.stage; }

    FakeClock clock;
    boost::asio::io_context context{1};
    boost::asio::thread_pool cpu;
    MemoryWatches store;
    FakeHosts hosts;
    metrics::Registry registry;
    metrics::WatchSeries series;
    chain::BlockHeight final_height = 100;
    std::optional<chain::BlockHeight> agreed;  // nullopt: up to the final height
    chain::BlockHeight followed_since = 0;
    std::optional<chain::BlockHeight> covered = 100;
    std::optional<base::HeightSet> stored;  // nullopt: all up to `covered`
    base::HeightSet gaps{{0, 1'000}};       // that are filled some day, if they are not stored
    base::HeightSet untried;                // of these
    bool at_head = true;
    std::map<std::string, chain::BlockHeight> blocks;  // stored, by hash
    std::set<std::string> kept;
    std::optional<Tracker> tracker;
    std::optional<base::TaskGroup> running;
};

inline chain::CommitFacts block_with(const std::string& tx_hash, bool stored = true) {
    chain::CommitFacts facts;
    facts.seen.collected = true;
    chain::SeenTransaction seen;
    seen.tx_hash = tx_hash;
    seen.signer_id = "alice";
    seen.receiver_id = "bob";
    seen.included_at = {101, 1'700'000'000'000'000'000};
    seen.stored = stored;
    facts.seen.transactions.push_back(seen);
    return facts;
}

// Handed in a while ago, with nonce 7, and that nonce is used at the height.
inline storage::Watch& submission_with_used_nonce(Life& life, chain::BlockHeight used_at) {
    auto& watch = life.store.add("tx");
    watch.origin = storage::WatchOrigin::submission;
    watch.transaction.nonce = 7;
    watch.transaction.watched_since = 90;
    watch.public_key = "ed25519:key";
    watch.created_at -= std::chrono::seconds(10);
    WatchUpstream::Sender sender;
    sender.nonce = 7;
    sender.height = used_at;
    sender.hosts = "regular";
    life.hosts.told = sender;
    return watch;
}

}  // namespace receiptd::watch::testing
