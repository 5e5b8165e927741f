// The split of a shard at the edge of an epoch (proofs.md §7).
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace receiptd::sandbox {

// The last block of an epoch tells what is split two epochs later, since protocol 85.
std::optional<ShardSplit> Ledger::told_split(const BlockRecord& block) const {
    const bool is_last = block.height + 1 == block.epoch_start + options_.epoch_blocks;
    if (!is_last || block.protocol->block_header_version < 6) return std::nullopt;
    const std::uint64_t epoch = block.epoch_index + 2;
    return options_.splits.contains(epoch) ? layout_in(epoch)->split() : std::nullopt;
}

void Ledger::split_shard(const LayoutPtr& layout) {
    const std::size_t left = layout_->index_of_shard(layout->split()->shard_id).value();
    Shard parent = std::move(shards_[left]);
    shards_[left] = child_of(parent, *layout, left, options_);
    shards_.insert(shards_.begin() + static_cast<std::ptrdiff_t>(left) + 1,
                   child_of(parent, *layout, left + 1, options_));
    if (fork_) fork_->parents.push_back(std::move(parent));
    live_by(layout);
}

// The parent takes over what was asked for of its children.
void Ledger::take_back_split(Shard parent) {
    const std::size_t left = parent.index;
    parent.withhold = shards_[left].withhold;
    parent.congested_blocks = shards_[left].congested_blocks;
    shards_[left] = std::move(parent);
    shards_.erase(shards_.begin() + static_cast<std::ptrdiff_t>(left) + 1);
}

void Ledger::live_by(const LayoutPtr& layout) {
    layout_ = layout;
    for (std::size_t i = 0; i < shards_.size(); ++i) shards_[i].index = i;
    mempool_.spread(layout->size(),
                    [&](const std::string& signer_id) { return layout->index_of(signer_id); });
}

}  // namespace receiptd::sandbox
