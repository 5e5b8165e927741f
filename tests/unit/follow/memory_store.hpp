// A database in memory, on a clock of its own: what unit tests use of the stores of blocks, trees and
// backfills, as store_conformance.hpp has it. Adoption, settling and rows found early are PostgreSQL's alone.
#pragma once

#include "base/clock.hpp"
#include "base/coroutine.hpp"
#include "storage/block_store.hpp"
#include "storage/orphan_store.hpp"
#include "storage/tree_store.hpp"
#include "unit/chain/copy_reader.hpp"
#include "unit/follow/backfills_in_memory.hpp"
#include "unit/follow/pending_in_memory.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::follow::testing {

using base::Height;

class MemoryStore : public storage::BlockStore,
                    public storage::TreeStore,
                    public storage::OrphanStore,
                    public BackfillsInMemory {
public:
    // --- Blocks and coverage ---
    base::Task<storage::Coverage> load_coverage() override { co_return coverage; }
    std::uint64_t reconnects() const override { return reconnected; }
    base::Task<void> want(base::HeightRange range) override {
        coverage.wanted.add(range);
        coverage.skipped_by_operator.subtract(range);
        co_return;
    }
    base::Task<void> follow_since(Height height) override {
        coverage.followed_since = height;
        co_return;
    }
    base::Task<void> set_one_host_since(std::optional<Height> height) override {
        coverage.one_host_since = height;
        co_return;
    }
    base::Task<base::HeightSet> skip(base::HeightRange range) override {
        const auto stored = coverage.covered.last();
        if (!stored) co_return base::HeightSet{};
        auto skipped = coverage.wanted;
        const auto since = coverage.followed_since.value_or(*stored + 1);
        if (since <= range.to) skipped.add({since, range.to});
        skipped.subtract(coverage.covered);
        skipped.subtract(coverage.skipped_by_operator);
        skipped = skipped.within(range);
        coverage.wanted.subtract(skipped);
        coverage.skipped_by_operator.add(skipped);
        for (const auto& each : skipped.ranges())
            unavailable.erase(unavailable.lower_bound(each.from), unavailable.upper_bound(each.to));
        co_return skipped;
    }
    base::Task<storage::CommitOutcome> commit(chain::RowBatch batch) override {
        if (before_commit) before_commit(batch);
        adopted_since_commit.clear();
        for (const auto& range : batch.facts.covered.ranges())
            if (!coverage.covered.within(range).empty()) co_return storage::CommitOutcome::already_covered;
        if (batch.facts.epoch && *batch.facts.epoch != leader.epoch)
            co_return storage::CommitOutcome::not_leader;
        keep_rows(batch);
        coverage.covered.add(batch.facts.covered);
        if (batch.facts.tell_outcomes)
            coverage.without_outcomes.subtract(batch.facts.covered);
        else
            coverage.without_outcomes.add(batch.facts.covered);
        coverage.wanted.add(batch.facts.covered);
        coverage.wanted.add(batch.facts.wanted);
        for (const auto& block : batch.facts.blocks) blocks[block.height] = block;
        if (const auto& seam = batch.facts.seam) {
            auto& known = seams.emplace(seam->from, *seam).first->second;
            known.to = std::max(known.to, seam->to);
        }
        for (const auto& range : batch.facts.covered.ranges())
            unavailable.erase(unavailable.lower_bound(range.from), unavailable.upper_bound(range.to));
        co_return storage::CommitOutcome::committed;
    }
    base::Task<storage::DayWord> open_day(std::int64_t day, storage::DayLeave leave) override {
        if (days.contains(day)) co_return storage::DayWord::ready;
        if (leave == storage::DayLeave::if_there) co_return storage::DayWord::absent;
        if (leave == storage::DayLeave::counted) {
            std::erase_if(counted_at,
                          [&](auto at) { return clock.steady() - at >= std::chrono::minutes(1); });
            if (counted_at.size() >= 10) co_return storage::DayWord::too_many;
            counted_at.push_back(clock.steady());
        }
        days.insert(day);
        co_return storage::DayWord::ready;
    }
    base::Task<void> record_unavailable(storage::UnavailableHeight height) override {
        if (coverage.skipped_by_operator.contains(height.height)) co_return;
        coverage.wanted.add(height.height);
        auto& known = unavailable[height.height];
        height.attempts = std::max(height.attempts, known.attempts);
        known = height;
        if (on_unavailable) on_unavailable(height.height);
        co_return;
    }
    base::Task<std::vector<storage::UnavailableHeight>> unavailable_heights(unsigned limit) override {
        std::vector<storage::UnavailableHeight> some;
        for (const auto& [height, record] : unavailable)
            if (some.size() < limit) some.push_back(record);
        co_return some;
    }
    base::Task<base::HeightSet> remove_block(Height height) override {
        const auto block = blocks.find(height);
        if (block == blocks.end()) co_return base::HeightSet{};
        const base::HeightSet missing({block->second.prev_height.value_or(height - 1) + 1, height});
        blocks.erase(block);
        coverage.covered.subtract(missing);
        co_return missing;
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_above(Height height) override {
        const auto found = blocks.upper_bound(height);
        co_return found == blocks.end() ? std::nullopt : std::optional(found->second);
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_below(Height height) override {
        const auto found = blocks.lower_bound(height);
        co_return found == blocks.begin() ? std::nullopt : std::optional(std::prev(found)->second);
    }
    base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string hash) override {
        const auto found = std::find_if(blocks.begin(), blocks.end(),
                                        [&](const auto& block) { return block.second.hash == hash; });
        co_return found == blocks.end() ? std::nullopt : std::optional(found->second);
    }

    base::Task<std::vector<chain::BlockRef>> newest_blocks(unsigned limit) override {
        std::vector<chain::BlockRef> newest;
        for (auto block = blocks.rbegin(); block != blocks.rend() && newest.size() < limit; ++block)
            newest.insert(newest.begin(), block->second);
        co_return newest;
    }

    // --- Trees ---
    base::Task<storage::LeftOutOutcomes> commit_tree(chain::TreeRows tree) override {
        const auto& done = tree.completion;
        const auto& tx_hash = done.tx_hash;
        const bool is_part = done.part != chain::StoredPart::none;
        storage::LeftOutOutcomes left_out;
        const Listing listing(tx_hash, done.block_timestamp_nanosec);
        if (is_part && !pending.contains(listing)) co_return left_out;
        if (!is_part && pending.erase(listing) == 0 && complete.contains(tx_hash)) co_return left_out;
        if (done.outcomes_missing) left_out.count = 1;
        const auto of_tree = [&](const auto& row) { return row.second == tx_hash; };
        std::erase_if(receipts, of_tree);
        std::erase_if(findings, of_tree);
        keep_rows(tree.batch);
        if (is_part) {
            auto& part_of = pending[listing].tree;
            part_of.stored_part = done.part;
            part_of.has_result = !done.verdict.empty();
            co_await await_receipts(part_of, done.again_after, done.missing_receipts);
            co_return left_out;
        }
        complete.insert(tx_hash);
        if (done.confirmed) confirmed.insert(tx_hash);
        if (after_tree_commit) co_await after_tree_commit();
        co_return left_out;
    }
    base::Task<std::vector<storage::PendingTree>> due_trees(unsigned limit,
                                                            base::HeightRange included_in) override {
        std::vector<Pending*> due;
        for (auto& [listing, each] : pending)
            if (each.due_at <= clock.wall() && included_in.contains(each.tree.included_in.height))
                due.push_back(&each);
        std::sort(due.begin(), due.end(), [](const Pending* a, const Pending* b) {
            return std::pair(a->due_at, a->tree.included_in.height) <
                   std::pair(b->due_at, b->tree.included_in.height);
        });
        due.resize(std::min<std::size_t>(due.size(), limit));
        std::vector<storage::PendingTree> leased;
        for (auto* each : due) {
            each->due_at = clock.wall() + std::chrono::seconds(3);
            leased.push_back(each->tree);
            leased.back().ordered = is_ordered(each->tree.included_in.height);
            leased.back().may_be_discarded = blocks_may_discard;
            if (each->missing_since)
                leased.back().receipts_missing_for = std::chrono::duration_cast<std::chrono::milliseconds>(
                    clock.wall() - *each->missing_since);
        }
        co_return leased;
    }
    base::Task<std::uint64_t> pending_tree_count(base::HeightRange included_in) override {
        co_return static_cast<std::uint64_t>(
            std::count_if(pending.begin(), pending.end(), [&](const auto& each) {
                const auto& tree = each.second.tree;
                return tree.stored_part == chain::StoredPart::none &&
                       !(tree.outcomes_missing && tree.attempts > 0) &&
                       included_in.contains(tree.included_in.height);
            }));
    }
    base::Task<storage::OverdueTrees> overdue_trees(std::chrono::seconds) override {
        co_return storage::OverdueTrees();
    }
    base::Task<chain::DecidedCounts> discard_tree(storage::PendingTree tree, chain::NewsSince) override {
        if (pending.erase(listing_of(tree)) > 0) discarded.insert(tree.tx_hash);
        co_return chain::DecidedCounts();
    }
    base::Task<void> await_receipts(storage::PendingTree tree, std::chrono::milliseconds delay,
                                    std::vector<std::string>) override {
        if (const auto found = pending.find(listing_of(tree)); found != pending.end())
            found->second.missing_since = found->second.missing_since.value_or(clock.wall());
        co_await postpone_tree(std::move(tree), delay, "receipts_missing");
    }
    base::Task<void> postpone_tree(storage::PendingTree tree, std::chrono::milliseconds delay,
                                   std::string reason) override {
        const auto found = pending.find(listing_of(tree));
        if (found == pending.end()) co_return;
        ++found->second.tree.attempts;
        found->second.due_at = clock.wall() + delay;
        found->second.reason = std::move(reason);
    }

    // --- What PostgreSQL alone can do ---
    base::Task<void> adopt_orphans(base::HeightRange around) override {
        if (before_adoption) before_adoption(around);
        adopted_since_commit.push_back(around);
        co_return;
    }
    base::Task<std::vector<chain::Seam>> pending_seams(std::chrono::seconds) override {
        std::vector<chain::Seam> pending_ones;
        for (const auto& [from, seam] : seams) pending_ones.push_back(seam);
        co_return pending_ones;
    }
    base::Task<void> forget_seam(chain::Seam seam) override {
        const auto found = seams.find(seam.from);
        if (found != seams.end() && found->second.to == seam.to) seams.erase(found);
        co_return;
    }
    base::Task<std::uint64_t> take_over_trees(base::HeightRange ends) override {
        taken_over.push_back(ends);
        co_return 0;
    }
    base::Task<std::vector<storage::PendingTree>> silent_trees(base::HeightRange included_in) override {
        looked_at_for_silent.push_back(included_in);
        std::vector<storage::PendingTree> found;
        for (const auto& tree : silent)
            if (included_in.contains(tree.included_in.height)) found.push_back(tree);
        co_return found;
    }
    base::Task<base::HeightSet> heights_to_replace() override { co_return to_replace; }
    base::Task<bool> place_silent_tree(storage::PendingTree, std::vector<storage::ToldOutcome> outcomes,
                                       std::string untold) override {
        placed_silent.emplace_back(outcomes.size(), std::move(untold));
        co_return true;
    }
    base::Task<storage::LateTrees> judge_late_trees(bool, chain::NewsSince) override {
        complete.merge(late);
        co_return storage::LateTrees();
    }
    base::Task<void> hurry_late_trees() override {
        late.merge(late_for_a_resume);
        co_return;
    }
    base::Task<void> make_late_across(Height from, bool) override {
        co_return void(late_across.insert(from));
    }
    base::Task<std::uint64_t> find_late_trees() override { co_return 0; }
    base::Task<chain::DecidedCounts> settle_trees(base::HeightRange, chain::NewsSince) override {
        co_return chain::DecidedCounts();
    }
    base::Task<std::vector<std::string>> announced_below(Height) override {
        co_return std::vector<std::string>{};
    }

    struct Leader {
        std::int64_t epoch = 0;  // 0: there never was one
        std::string holder;
        base::WallTime until{};
    };

    std::uint64_t reconnected = 0;
    std::map<Height, chain::Seam> seams;
    std::function<void(base::HeightRange)> before_adoption;
    Leader leader;
    std::set<std::int64_t> days;  // with partitions
    std::vector<base::SteadyTime> counted_at;
    storage::Coverage coverage;
    std::map<Height, chain::BlockRef> blocks;
    std::map<Height, storage::UnavailableHeight> unavailable;
    std::map<std::string, std::string> receipts, findings;  // the tree of each
    std::map<std::string, unsigned> told;                   // findings, how often
    PendingInMemory pending;
    std::set<std::string> complete, confirmed, discarded;  // trees that were fetched, and others
    std::set<std::string> late, late_for_a_resume;         // trees that are due, and that will be
    bool blocks_may_discard = false;                       // they are of such a protocol
    std::set<Height> late_across;
    std::vector<base::HeightRange> looked_at_for_silent;
    std::vector<base::HeightRange> taken_over;  // trees of blocks at whose heights outcomes end
    std::vector<storage::PendingTree> silent;
    base::HeightSet to_replace;
    std::vector<std::pair<std::size_t, std::string>> placed_silent;  // outcomes told, and why it is untold
    std::vector<base::HeightRange> adopted_since_commit;  // seams looked at since the latest commit
    std::function<void(const chain::RowBatch&)> before_commit;
    std::function<base::Task<void>()>
        after_tree_commit;  // all see its rows, and its writer does not know yet
    std::function<void(Height)> on_unavailable;

private:
    // A row that is there already is a mistake, as its key is in PostgreSQL.
    static void keep_once(std::map<std::string, std::string>& rows, const std::string& id, std::string tree) {
        if (!rows.emplace(id, std::move(tree)).second) throw std::logic_error(id + " is stored already");
    }
    void keep_rows(const chain::RowBatch& batch) {
        for (const auto& row : chain::testing::read_rows(batch, chain::Table::receipts))
            keep_once(receipts, *row["receipt_id"], *row["tree_id"]);
        for (const auto& row : chain::testing::read_rows(batch, chain::Table::findings))
            keep_once(findings, *row["finding_id"], *row["tree_id"]);
        for (const auto& finding : batch.findings) ++told[finding.finding_id];
        for (const auto& row : chain::testing::read_rows(batch, chain::Table::pending_trees)) {
            Pending placed;
            auto& tree = placed.tree;
            tree.tx_hash = *row["tx_hash"];
            tree.sender_id = *row["sender_id"];
            tree.included_in.height = std::stoull(*row["block_height"]);
            tree.included_in.hash = *row["block_hash"];
            tree.included_in.timestamp_nanosec = std::stoull(*row["timestamp_nanosec"]);
            if (row["shard_id"]) tree.shard_id = std::stoull(*row["shard_id"]);
            placed.due_at = clock.wall();
            pending.place(std::move(placed));
        }
    }
    bool is_ordered(Height height) const {
        return std::any_of(backfills.begin(), backfills.end(),
                           [&](const auto& each) { return each.second.range.contains(height); });
    }
    base::HeightSet missing_of(base::HeightRange range) const override {
        base::HeightSet missing(range);
        missing.subtract(coverage.covered);
        return missing;
    }
};

}  // namespace receiptd::follow::testing
