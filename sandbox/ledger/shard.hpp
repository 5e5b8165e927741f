// One shard as it stands after its newest chunk.
#pragma once

#include "sandbox/ledger/options.hpp"
#include "sandbox/ledger/records.hpp"
#include "sandbox/sim/apply.hpp"

namespace receiptd::sandbox {

struct Shard {
    // Gas of a chunk of a congested shard: one receipt is executed, or none if the chunk has a transaction.
    static constexpr Gas kCongestedGas = 1;

    explicit Shard(std::size_t shard_index) : index(shard_index) {}

    // As it stood after the chain's newest block. What was asked for from outside goes on whatever fork wins.
    struct Mark {
        sim::State::Mark state;
        sim::ShardQueues queues;
        std::shared_ptr<const Application> applied;
        std::vector<ReceiptPtr> inbox;
        std::uint64_t missed_chunks = 0;
    };
    Mark mark(Height newest) const { return {state.mark(newest), queues, applied, inbox, missed_chunks}; }
    void take_back(Mark mark);

    std::size_t index = 0;
    sim::State state;
    sim::ShardQueues queues;
    std::shared_ptr<const Application> applied;  // of its newest chunk
    std::vector<ReceiptPtr> inbox;               // listed in blocks since that chunk, for this shard
    std::uint64_t missed_chunks = 0;             // since that chunk

    // Asked for from outside, of the next chunks.
    std::uint64_t withhold = 0;
    std::uint64_t congested_blocks = 0;
    double pretended_congestion = 0;  // while congested; 0: the level follows from the queues
};

// The accounts that belong there, as changes of the genesis block.
void add_genesis_account(Shard& shard, const GenesisAccount& account, Height genesis_height);

// The wallet contract of "0x…" accounts, which every shard has from the beginning.
void add_genesis_wallet(Shard& shard, Height genesis_height);

// The child of a split shard as it begins: its accounts and what waits for them, and the parent's last
// results. `index`: the child's in the layout that begins with the split.
Shard child_of(const Shard& parent, const ShardLayout& layout, std::size_t index,
               const LedgerOptions& options);

// Applies the shard's chunk of that block, and takes its inbox. `chunk` gets its application.
void apply_chunk(Shard& shard, ChunkRecord& chunk, const sim::BlockContext& block,
                 const LedgerOptions& options, const sim::Contracts& contracts);

// NEP-539: the larger of delayed gas and missed chunks, each as a share of its limit; 0..1.
double congestion_level(const CongestionInfo& info, std::uint64_t missed_chunks, Gas congestion_gas);

}  // namespace receiptd::sandbox
