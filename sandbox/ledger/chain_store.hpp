// All blocks and chunks of the chain by height, ordinal and hash; beside it, by hash alone, those of forks
// that lost.
#pragma once

#include "sandbox/ledger/merkle_log.hpp"
#include "sandbox/ledger/records.hpp"

#include <deque>
#include <unordered_map>

namespace receiptd::sandbox {

class ChainStore {
public:
    void append(BlockRecord block);
    // The newest blocks are on the chain no more; the first of them must not be genesis.
    void lose(std::size_t blocks);

    const BlockRecord& newest() const { return blocks_.back(); }
    const BlockRecord& genesis() const { return blocks_.front(); }
    std::size_t size() const { return blocks_.size(); }
    const BlockRecord& at_ordinal(std::size_t ordinal) const { return blocks_[ordinal]; }
    // nullptr: no block.
    const BlockRecord* at_height(Height height) const;
    const BlockRecord* by_hash(const CryptoHash& hash) const;
    // The newest block that is not above the height, or genesis.
    const BlockRecord& at_or_below(Height height) const;
    // A block of a fork that lost; nullptr: unknown.
    const BlockRecord* lost(const CryptoHash& hash) const;
    // Also one of a lost block. nullptr: unknown.
    const ChunkRecord* chunk(const CryptoHash& hash) const;
    // The first block above `block` with a new chunk of that shard; nullptr: none yet.
    const BlockRecord* next_chunk_of(const BlockRecord& block, std::size_t shard) const;

    const MerkleLog& merkle() const { return merkle_; }

private:
    std::deque<BlockRecord> blocks_;  // by ordinal
    std::unordered_map<CryptoHash, std::size_t, HashOfHash> by_hash_;
    std::unordered_map<CryptoHash, BlockRecord, HashOfHash> lost_;
    std::unordered_map<CryptoHash, ChunkPtr, HashOfHash> chunks_;
    MerkleLog merkle_;
};

}  // namespace receiptd::sandbox
