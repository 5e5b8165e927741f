#include "sandbox/ledger/chain_store.hpp"

#include <algorithm>

namespace receiptd::sandbox {

void ChainStore::append(BlockRecord block) {
    by_hash_.emplace(block.hash, block.ordinal);
    merkle_.append(block.hash);
    for (std::size_t i = 0; i < block.chunks.size(); ++i) {
        if (block.is_new(i)) chunks_.emplace(block.chunks[i]->hash, block.chunks[i]);
    }
    blocks_.push_back(std::move(block));
}

void ChainStore::lose(std::size_t blocks) {
    for (; blocks > 0; --blocks) {
        const CryptoHash hash = blocks_.back().hash;
        by_hash_.erase(hash);
        lost_.emplace(hash, std::move(blocks_.back()));
        blocks_.pop_back();
    }
    merkle_.cut_to(size());
}

void ChainStore::forget_below(Height height) {
    while (blocks_.size() > 1 && blocks_.front().height < height) {
        BlockRecord gone = std::move(blocks_.front());
        blocks_.pop_front();
        for (std::size_t i = 0; i < gone.chunks.size(); ++i) {
            const auto& stay = blocks_.front().chunks;
            if (std::find(stay.begin(), stay.end(), gone.chunks[i]) == stay.end())
                chunks_.erase(gone.chunks[i]->hash);
        }
        if (gone.ordinal == 0)
            genesis_ = std::move(gone);
        else
            by_hash_.erase(gone.hash);
    }
    merkle_.forget_below(oldest().ordinal);
}

const BlockRecord& ChainStore::at_or_below(Height height) const {
    const auto above =
        std::upper_bound(blocks_.begin(), blocks_.end(), height,
                         [](Height wanted, const BlockRecord& block) { return wanted < block.height; });
    return above == blocks_.begin() ? genesis() : *std::prev(above);
}

const BlockRecord* ChainStore::at_height(Height height) const {
    const BlockRecord& block = at_or_below(height);
    return block.height == height ? &block : nullptr;
}

const BlockRecord* ChainStore::by_hash(const CryptoHash& hash) const {
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? nullptr : &at_ordinal(found->second);
}

const BlockRecord* ChainStore::lost(const CryptoHash& hash) const {
    const auto found = lost_.find(hash);
    return found == lost_.end() ? nullptr : &found->second;
}

const ChunkRecord* ChainStore::chunk(const CryptoHash& hash) const {
    const auto found = chunks_.find(hash);
    return found == chunks_.end() ? nullptr : found->second.get();
}

std::optional<ChainStore::ChunkPlace> ChainStore::next_chunk_of(const BlockRecord& block,
                                                                std::uint64_t shard_id) const {
    for (std::size_t ordinal = block.ordinal + 1; ordinal < size(); ++ordinal) {
        const BlockRecord& next = at_ordinal(ordinal);
        for (const std::size_t shard : next.layout->indexes_from(shard_id)) {
            if (next.is_new(shard)) return ChunkPlace{&next, shard};
        }
    }
    return std::nullopt;
}

}  // namespace receiptd::sandbox
