// All blocks and chunks of the chain by height, ordinal and hash; beside it, by hash alone, those of forks
// that lost.
#pragma once

#include "sandbox/ledger/merkle_log.hpp"
#include "sandbox/ledger/records.hpp"

#include <deque>
#include <optional>
#include <unordered_map>

namespace receiptd::sandbox {

class ChainStore {
public:
    void append(BlockRecord block);
    // The newest blocks are on the chain no more; the first of them must not be genesis.
    void lose(std::size_t blocks);
    // Blocks below that height are gone, but for genesis.
    void forget_below(Height height);

    const BlockRecord& newest() const { return blocks_.back(); }
    const BlockRecord& genesis() const { return genesis_ ? *genesis_ : blocks_.front(); }
    // The oldest block of those that were not forgotten.
    const BlockRecord& oldest() const { return blocks_.front(); }
    // With those that were forgotten.
    std::size_t size() const { return oldest().ordinal + blocks_.size(); }
    // 0, or that of a block that was not forgotten.
    const BlockRecord& at_ordinal(std::size_t ordinal) const {
        return ordinal == 0 ? genesis() : blocks_[ordinal - oldest().ordinal];
    }
    // nullptr: no block.
    const BlockRecord* at_height(Height height) const;
    const BlockRecord* by_hash(const CryptoHash& hash) const;
    // The newest block that is not above the height, or genesis.
    const BlockRecord& at_or_below(Height height) const;
    // A block of a fork that lost; nullptr: unknown.
    const BlockRecord* lost(const CryptoHash& hash) const;
    // Also one of a lost block. nullptr: unknown.
    const ChunkRecord* chunk(const CryptoHash& hash) const;
    // The place of a new chunk.
    struct ChunkPlace {
        const BlockRecord* block = nullptr;
        std::size_t shard = 0;  // index
        const ChunkRecord& chunk() const { return *block->chunks[shard]; }
    };
    // The first new chunk above `block` of that shard or, once it is split, of a shard that came from it.
    // nullopt: none yet.
    std::optional<ChunkPlace> next_chunk_of(const BlockRecord& block, std::uint64_t shard_id) const;

    const MerkleLog& merkle() const { return merkle_; }

private:
    std::optional<BlockRecord> genesis_;  // nullopt: it is the first of blocks_
    std::deque<BlockRecord> blocks_;      // by ordinal
    std::unordered_map<CryptoHash, std::size_t, HashOfHash> by_hash_;
    std::unordered_map<CryptoHash, BlockRecord, HashOfHash> lost_;
    std::unordered_map<CryptoHash, ChunkPtr, HashOfHash> chunks_;
    MerkleLog merkle_;
};

}  // namespace receiptd::sandbox
