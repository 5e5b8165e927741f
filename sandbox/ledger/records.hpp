// The ledger's facts of each block; JSON is made from them when somebody asks.
#pragma once

#include "chain/proof/light_client.hpp"
#include "sandbox/ledger/merkle_log.hpp"
#include "sandbox/ledger/shard_layout.hpp"
#include "sandbox/sim/model.hpp"
#include "sandbox/sim/protocol.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::sandbox {

using chain::CryptoHash;
using sim::Gas;
using sim::Height;
using sim::Json;
using sim::u128;

// For lookups only; nothing iterates over a map that is keyed by it.
struct HashOfHash {
    std::size_t operator()(const CryptoHash& hash) const {
        std::size_t value = 0;
        std::memcpy(&value, hash.bytes.data(), sizeof value);
        return value;
    }
};

struct TransactionRecord {
    CryptoHash hash;
    sim::wire::SignedTransaction signed_transaction;
    bool again = false;  // the chain executes it once more, on request
    const sim::wire::Transaction& body() const { return signed_transaction.transaction; }
};
using TransactionPtr = std::shared_ptr<const TransactionRecord>;
using ReceiptPtr = std::shared_ptr<const sim::Receipt>;

// NEP-539, as a chunk header tells it.
struct CongestionInfo {
    u128 delayed_receipts_gas = 0;
    u128 buffered_receipts_gas = 0;
    std::uint64_t receipt_bytes = 0;
    std::uint16_t allowed_shard = 0;
};

// One leaf of the outcome tree of a chunk's application.
struct Execution {
    sim::Outcome outcome;
    ReceiptPtr receipt;  // null: the outcome of a transaction
};

// The results of applying one chunk. The chunk's own header does not tell them; the next one of its shard
// does.
struct Application {
    Height height = 0;
    std::uint64_t shard_id = 0;
    std::vector<Execution> executions;  // transactions first, then receipts in order of execution
    std::size_t transactions = 0;
    MerkleLog tree;  // over the executions
    CryptoHash outcome_root;
    CryptoHash state_root;
    Gas gas_used = 0;
    u128 tokens_burnt = 0;
    CongestionInfo congestion;
    std::vector<ReceiptPtr> locals;     // of this chunk's transactions, executed or delayed
    std::vector<ReceiptPtr> instant;    // promise yields made here, and lone deletions
    std::vector<ReceiptPtr> outgoing;   // listed by the next chunk of the shard
    std::vector<CryptoHash> timed_out;  // yields that ran here without having been resumed
};

struct ChunkRecord {
    const sim::Protocol* protocol = &sim::usual_protocol();
    LayoutPtr layout;  // of its epoch
    CryptoHash hash;
    std::size_t shard = 0;  // index in the layout
    Height height = 0;      // created and included
    std::string author;
    chain::Signature signature;
    CryptoHash prev_block_hash;
    std::shared_ptr<const Application> previous;  // of the shard's chunk before
    std::uint64_t missed_chunks = 0;              // of the shard, between that chunk and this one
    std::vector<TransactionPtr> transactions;
    std::vector<ReceiptPtr> receipts;
    CryptoHash tx_root;
    CryptoHash outgoing_receipts_root;
    CryptoHash encoded_merkle_root;
    std::uint64_t encoded_length = 0;
    Gas gas_limit = 0;
    std::shared_ptr<Application> application;  // of this very chunk

    std::uint64_t shard_id() const { return layout->shard_id(shard); }
};
using ChunkPtr = std::shared_ptr<ChunkRecord>;

struct BlockRecord {
    const sim::Protocol* protocol = &sim::usual_protocol();
    LayoutPtr layout;  // of its epoch
    Height height = 0;
    std::size_t ordinal = 0;  // blocks below it
    CryptoHash hash;
    Height prev_height = 0;
    chain::LightHeader light;
    std::string author;
    chain::Signature signature;
    CryptoHash body_hash;
    CryptoHash chunk_receipts_root;
    CryptoHash chunk_headers_root;
    CryptoHash chunk_tx_root;
    CryptoHash random_value;
    u128 gas_price = 0;  // of the next block
    u128 total_supply = 0;
    CryptoHash last_final_block;
    CryptoHash last_ds_final_block;
    // The same as heights; the genesis height while the hash is zero.
    Height last_final_height = 0;
    Height last_ds_final_height = 0;
    Height final_height = 0;  // to a node whose head it is: a fork that lost may have told more than it does
    std::optional<CryptoHash> epoch_sync_data_hash;
    Height epoch_start = 0;
    std::uint64_t epoch_index = 0;
    std::vector<chain::Signature> approvals;
    std::optional<ShardSplit> shard_split;  // told by the last block of an epoch, in force two epochs later
    // One per shard of the layout, new or repeated: of a child that has none so far, its parent's last one.
    std::vector<ChunkPtr> chunks;

    bool is_new(std::size_t shard) const { return chunks[shard]->height == height; }
    const CryptoHash& prev_hash() const { return light.prev_block_hash; }
};

}  // namespace receiptd::sandbox
