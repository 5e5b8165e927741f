// The end of a tree: its rows, or that it was discarded.
#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "follow/commit_listener.hpp"
#include "follow/tree_part.hpp"
#include "follow/trees.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace receiptd::follow {

// All that the rows of a tree are made of.
struct Trees::Whole {
    SharedTree tree;
    chain::BlockRef included_in;
    std::optional<chain::ShardId> included_on;
    rpc::FinalBlocks blocks;
    BlockLayouts layouts;
    std::shared_ptr<const chain::Interest> interest;
    bool in_vain = false;  // the missing receipts were asked for long enough

    chain::TreeRows rows() const {
        auto rows = chain::tree_rows(tree->status.value, tree->others(), executed_in(), included_in, interest,
                                     in_vain);
        rows.batch.facts.new_kinds.add(tree->status.unreadable);
        return rows;
    }

private:
    std::vector<chain::ExecutionBlock> executed_in() const {
        auto places = rpc::execution_blocks(*tree, included_in, blocks);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto& outcome = tree->status.value.receipts_outcome[i];
            // A receipt to another shard is executed a block later, at least.
            if (outcome.block_hash == included_in.hash)
                places[i].shard_id = included_on;
            else if (const auto layout = layouts.find(outcome.block_hash); layout != layouts.end())
                places[i].shard_id = layout->second->shard_of(outcome.executor_id);
        }
        return places;
    }
};

base::Task<chain::TreeRows> Trees::rows_on(base::asio::thread_pool& cpu, Whole whole) {
    auto& of_tree = whole.tree->cpu(cpu);
    return base::offload(of_tree, [whole = std::move(whole)] { return whole.rows(); });
}

base::Task<void> Trees::store(OpenTree open, rpc::FinalBlocks blocks, bool confirmed) {
    const auto pending = open->pending;
    Whole whole{open->answer->tree,
                pending.included_in,
                pending.shard_id,
                std::move(blocks),
                {},
                pending.ordered ? nullptr : state_.interest(),
                missing_for(pending) >= kUndecidedAfter};
    whole.layouts = co_await layouts_of(*open, whole.blocks);
    auto tree = whole.tree;
    const auto room = tree->room;  // also of its rows
    const auto final_ones = whole.blocks;
    auto rows = co_await rows_on(cpu_, std::move(whole));
    open->answer.reset();
    if (open->outdated) co_return;
    auto& done = rows.completion;
    done.replaces_whole = pending.stored_whole;
    done.replaces_part =
        pending.stored_whole || pending.stored_part != chain::StoredPart::none || pending.has_result;
    if (!done.missing_receipts.empty()) {
        done.part = part_to_store(pending, done);
        done.again_after = ask_again_after(missing_for(pending));
        if (done.part == chain::StoredPart::none) {
            if (is_wanted(*open)) co_await tell_progress(open, tree, final_ones);
            co_await store_.await_receipts(pending, done.again_after, done.missing_receipts);
            close(*open);
            co_return;
        }
    }
    rows.batch.withhold_before(state_.news_from(pending.included_in, pending.ordered));
    rows.batch.facts.seen.history = pending.ordered;
    done.confirmed = confirmed;
    done.outcomes_missing = pending.outcomes_missing;
    const auto decided = rows.batch.facts.decided;
    const bool late = !rows.batch.facts.late_trees.empty();
    state_.new_kinds.saw(rows.batch.facts.new_kinds, state_.clock.steady());
    open->writing = true;
    tree.reset();
    const auto left_out = co_await store_.commit_tree(std::move(rows));
    if (left_out.count > 0) tell_left_out(pending.tx_hash, left_out);
    state_.trees.late = state_.trees.late || late;
    completed(*open, decided);
}

void Trees::tell_left_out(const std::string& tx_hash, const storage::LeftOutOutcomes& left_out) {
    state_.left_out.outcomes(left_out.count, left_out.last, state_.clock.steady());
    state_.series.left_out_outcomes.Increment(static_cast<double>(left_out.count));
    log::warn("whole blocks lack outcomes of a tree: it comes from another host",
              {{"tx_hash", tx_hash}, {"outcomes", left_out.count}, {"last_height", left_out.last}});
}

void Trees::completed(const Open& open, const chain::DecidedCounts& decided) {
    const auto tx_hash = open.pending.tx_hash;
    close(open);
    state_.series.trees_completed.Increment();
    if (state_.listener) state_.listener->tree_committed(tx_hash, decided);
}

// Its block is stored, hence final, and hosts have had time to execute it.
bool Trees::is_discarded(const Open& open, const rpc::TreeSource::Unknown& unknown) const {
    const auto& pending = open.pending;
    return pending.may_be_discarded && !pending.outcomes_missing && unknown.by_two && is_history(open);
}

base::Task<void> Trees::discard(OpenTree open) {
    const auto pending = open->pending;
    open->writing = true;
    const auto decided =
        co_await store_.discard_tree(pending, state_.news_from(pending.included_in, pending.ordered));
    completed(*open, decided);
}

// Blocks bring receipts, too: they are committed first, otherwise the receipts would be written twice.
bool Trees::is_passed(const rpc::FinalBlocks& blocks) const {
    if (of_blocks_ != OfBlocks::stored_with_block) return true;
    return std::all_of(blocks.begin(), blocks.end(),
                       [&](const auto& block) { return block.second.height <= stored_up_to(); });
}

}  // namespace receiptd::follow
