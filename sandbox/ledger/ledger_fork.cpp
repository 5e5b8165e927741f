// Blocks that lose against a later one (chain-model.md §2.3).
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace receiptd::sandbox {

void Ledger::fork(std::uint64_t blocks) {
    // The receipts of a fork are taken back by reading the whole chain again.
    if (options_.history_blocks > 0)
        throw std::logic_error("a chain that forgets its history makes no forks");
    blocks_to_lose_ = blocks;
}

void Ledger::begin_fork() {
    const BlockRecord& base = store_.newest();
    fork_.emplace(Fork{std::exchange(blocks_to_lose_, 0), base.ordinal, {}, {}, burnt_});
    for (const Shard& shard : shards_) fork_->shards.push_back(shard.mark(base.height));
}

void Ledger::lose_fork() {
    Fork lost = *std::exchange(fork_, std::nullopt);
    const BlockRecord& base = store_.at_ordinal(lost.base);
    told_final_ = store_.newest().final_height;
    skips_ += store_.newest().height - base.height;
    served_.erase(served_.upper_bound(base.height), served_.end());
    whole_blocks_.erase(whole_blocks_.upper_bound(base.height), whole_blocks_.end());
    store_.lose(store_.size() - 1 - lost.base);
    for (; !lost.parents.empty(); lost.parents.pop_back()) take_back_split(std::move(lost.parents.back()));
    live_by(base.layout);
    for (Shard& shard : shards_) shard.take_back(std::move(lost.shards[shard.index]));
    burnt_ = lost.burnt;
    forest_ = Forest(options_.protocol_in(0));
    for (std::size_t ordinal = 1; ordinal < store_.size(); ++ordinal) {
        const BlockRecord& block = store_.at_ordinal(ordinal);
        for (std::size_t shard = 0; shard < block.chunks.size(); ++shard)
            if (block.is_new(shard))
                forest_.absorb(block.chunks[shard]->application, block.chunks[shard]->transactions);
    }
    for (Submission& submission : submissions_.all())
        if (submission.fate_height > base.height) return_to_mempool(submission);
}

// A chunk that is taken back gives its transactions back to the pool; what was dropped because of one is
// judged again.
void Ledger::return_to_mempool(Submission& submission) {
    if (submission.fate != Fate::included && submission.fate != Fate::dropped) return;
    submission.evidence = nullptr;
    end(submission, Fate::pending, submission.accepted_height, "", nullptr);
    const std::size_t shard = layout_->index_of(submission.transaction->body().signer_id);
    mempool_.add(shard, {submission.transaction, submission.accepted_height});
}

}  // namespace receiptd::sandbox
