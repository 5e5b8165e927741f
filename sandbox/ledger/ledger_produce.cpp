// Making blocks (ledger.hpp tells the order).
#include "sandbox/ledger/chain_hashes.hpp"
#include "sandbox/ledger/chance.hpp"
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::sandbox {

void Ledger::produce_block(std::optional<base::WallTime> now) {
    if (fork_ && fork_->blocks_to_come == 0) lose_fork();
    if (!fork_ && blocks_to_lose_ > 0) begin_fork();
    BlockRecord block = start_block(next_height());
    const BlockRecord& parent = store_.newest();
    const bool is_split = block.layout != parent.layout;
    if (is_split) split_shard(block.layout);
    for (Shard& shard : shards_) {
        if (is_chunk_missing(shard, block.height)) {
            ++shard.missed_chunks;
            block.chunks.push_back(
                parent.chunks[is_split ? block.layout->index_before(shard.index) : shard.index]);
        } else {
            block.chunks.push_back(make_chunk(shard, block));
        }
    }
    finish_block(block);
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        if (block.is_new(i)) deliver(*block.chunks[i]);
    }
    apply(block);
    if (now) served_[block.height] = *now;
    store_.append(std::move(block));
    if (fork_) --fork_->blocks_to_come;
    forget();
}

Height Ledger::next_height() {
    Height height = tip() + 1 + std::exchange(skips_, 0);
    while (happens(options_.skipped_height_probability, options_.seed, ChanceOf::skipped_height, height))
        ++height;
    return height;
}

bool Ledger::is_chunk_missing(Shard& shard, Height height) {
    if (shard.withhold > 0) {
        --shard.withhold;
        return true;
    }
    return happens(options_.missing_chunk_probability, options_.seed, ChanceOf::missing_chunk, height,
                   shard.index);
}

BlockRecord Ledger::start_block(Height height) const {
    const BlockRecord& parent = store_.newest();
    BlockRecord block;
    block.height = height;
    block.ordinal = parent.ordinal + 1;
    block.prev_height = parent.height;
    block.light.prev_block_hash = parent.hash;
    const bool consecutive = height == parent.height + 1;
    block.last_ds_final_block = consecutive ? parent.hash : parent.last_ds_final_block;
    block.last_ds_final_height = consecutive ? parent.height : parent.last_ds_final_height;
    const bool makes_final = consecutive && parent.last_ds_final_block == parent.prev_hash();
    block.last_final_block = makes_final ? parent.prev_hash() : parent.last_final_block;
    block.last_final_height =
        makes_final && parent.ordinal > 0 ? parent.prev_height : parent.last_final_height;
    block.final_height = std::max({block.last_final_height, parent.final_height, told_final_});
    block.approvals = validators_.approve(parent.height, parent.hash, height);
    start_epoch(block, parent);
    block.protocol = &options_.protocol_in(block.epoch_index);
    block.layout = layout_in(block.epoch_index);
    block.shard_split = told_split(block);
    return block;
}

// The id of an epoch is the hash of the last block of the epoch before the previous one; the first
// one's is zero, the second one's the genesis block's.
void Ledger::start_epoch(BlockRecord& block, const BlockRecord& parent) const {
    chain::InnerLite& lite = block.light.inner_lite;
    const chain::InnerLite& parent_lite = parent.light.inner_lite;
    block.epoch_start = parent.epoch_start;
    block.epoch_index = parent.epoch_index;
    lite.epoch_id = parent_lite.epoch_id;
    lite.next_epoch_id = parent.ordinal == 0 ? parent.hash : parent_lite.next_epoch_id;
    if (block.height < parent.epoch_start + options_.epoch_blocks) return;
    block.epoch_start = block.height;
    ++block.epoch_index;
    lite.epoch_id = lite.next_epoch_id;
    lite.next_epoch_id = parent.hash;
    block.epoch_sync_data_hash = chain::sha256_pair(validators_.hash(), lite.epoch_id);
}

ChunkPtr Ledger::make_chunk(Shard& shard, const BlockRecord& block) {
    auto chunk = std::make_shared<ChunkRecord>();
    const Validator& producer = validators_.chunk_producer(block.height, shard.index);
    chunk->protocol = block.protocol;
    chunk->layout = block.layout;
    chunk->shard = shard.index;
    chunk->height = block.height;
    chunk->author = producer.account_id;
    chunk->prev_block_hash = block.prev_hash();
    chunk->previous = shard.applied;
    chunk->missed_chunks = shard.missed_chunks;
    chunk->gas_limit = options_.gas_limit;
    chunk->receipts = shard.applied->outgoing;
    chunk->transactions = take_transactions(shard, block.height);
    list_again(shard, *chunk);
    seal_chunk(*chunk);
    chunk->signature = producer.key.sign(chunk->hash.view());
    return chunk;
}

void Ledger::finish_block(BlockRecord& block) const {
    const Validator& producer = validators_.block_producer(block.height);
    block.author = producer.account_id;
    block.random_value = chance_hash(options_.seed, ChanceOf::random_value, block.height);
    if (block.ordinal > 0) {
        block.gas_price = next_gas_price(block);
        block.total_supply = store_.newest().total_supply;
        for (std::size_t i = 0; i < block.chunks.size(); ++i) {
            if (block.is_new(i)) block.total_supply -= block.chunks[i]->previous->tokens_burnt;
        }
    }
    chain::InnerLite& lite = block.light.inner_lite;
    lite.height = block.height;
    lite.timestamp_nanosec = options_.genesis_time_nanosec +
                             (block.height - options_.genesis_height) * options_.block_time_nanosec;
    lite.next_bp_hash = validators_.hash();
    lite.block_merkle_root = store_.merkle().root();
    seal_block(block);
    block.signature = producer.key.sign(block.hash.view());
}

// nearcore's rule: by at most a hundredth, up above half full and down below it.
u128 Ledger::next_gas_price(const BlockRecord& block) const {
    const u128 price = store_.newest().gas_price;
    u128 used = 0;
    u128 limit = 0;
    for (std::size_t i = 0; i < block.chunks.size(); ++i) {
        if (!block.is_new(i)) continue;
        used += block.chunks[i]->previous->gas_used;
        limit += block.chunks[i]->gas_limit;
    }
    if (limit == 0) return price;
    used = std::min(used, limit);
    const u128 whole = 200 * limit;
    const u128 next = price * (whole - limit + 2 * used) / whole;
    return std::clamp(next, options_.min_gas_price, options_.max_gas_price);
}

void Ledger::deliver(const ChunkRecord& chunk) {
    for (const ReceiptPtr& receipt : chunk.receipts) {
        shards_[chunk.layout->index_of(*receipt)].inbox.push_back(receipt);
    }
}

sim::BlockContext Ledger::context_of(const BlockRecord& block, u128 gas_price) const {
    sim::BlockContext context;
    context.height = block.height;
    context.timestamp_nanosec = block.light.inner_lite.timestamp_nanosec;
    context.random_value = block.random_value;
    context.gas_price = gas_price;
    context.yield_timeout_blocks = options_.yield_timeout_blocks;
    context.shard_ids = block.layout->shard_ids();
    context.protocol = block.protocol;
    return context;
}

void Ledger::apply(BlockRecord& block) {
    sim::BlockContext context = context_of(block, store_.newest().gas_price);
    for (Shard& shard : shards_) {
        if (!block.is_new(shard.index)) continue;
        ChunkRecord& chunk = *block.chunks[shard.index];
        context.shard_id = chunk.shard_id();
        apply_chunk(shard, chunk, context, options_, contracts_);
        burnt_ += chunk.application->tokens_burnt;
        forest_.absorb(chunk.application, chunk.transactions);
        for (const TransactionPtr& transaction : chunk.transactions) {
            if (!transaction->again)
                end(*submissions_.find(transaction->hash), Fate::included, block.height, "", nullptr);
        }
    }
}

bool Ledger::withhold_chunk(std::uint64_t shard_id, std::uint64_t chunks) {
    const auto index = layout_->index_of_shard(shard_id);
    if (index) shards_[*index].withhold += chunks;
    return index.has_value();
}

bool Ledger::congest(std::uint64_t shard_id, std::uint64_t blocks, double level) {
    const auto index = layout_->index_of_shard(shard_id);
    if (!index) return false;
    shards_[*index].congested_blocks = blocks;
    shards_[*index].pretended_congestion = level;
    return true;
}

}  // namespace receiptd::sandbox
