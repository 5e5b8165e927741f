// One function a table: a chain object -> its row. The only place that knows the order of columns
// beside table_spec().
#pragma once

#include "chain/json/errors.hpp"
#include "chain/rows/copy_binary.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/roles.hpp"

#include <optional>

namespace receiptd::chain {

// The block (or chunk) a row belongs to.
struct RowPlace {
    std::optional<BlockHeight> block_height;
    RowTime block_time;
    std::optional<ShardId> shard_id;
    std::optional<std::uint64_t> index_in_chunk;
    Text executed_block_hash;  // only where block_height is unknown
};

struct TreeRef {
    Text tree_id;
    bool is_transaction = false;
    std::optional<Text> user_id = {};  // of the transaction (user.hpp); nullopt: not known here
    Text signer_id = {};               // of the transaction; empty: not known here
    Text payer_id = {};                // as ParentFacts has it
    Text tx_hash() const { return is_transaction ? tree_id : Text(); }
};

// The texts are empty if the status is not a failure.
FailureClass failure_of(const ExecutionStatus& status);

// status of a transaction's conversion: success_receipt_id, failure or unknown.
Text conversion_status(const ExecutionStatus& status);
Text initial_receipt_id(const Outcome& conversion);

// The block's own row and its place in `blocks` and `covered`. `known_prev_height` counts where the
// header does not tell it.
void begin_block(RowBatch& batch, const Block& block, std::optional<BlockHeight> known_prev_height);
void write_block(RowBatch& batch, const Block& block, std::optional<BlockHeight> prev_height);
struct ChunkRow {
    ShardId shard_id = 0;
    const ChunkHeader* header = nullptr;  // null: nothing is known of the shard's chunk
    bool missing = false;
    Text executed_root;    // of the outcomes that the block tells of this shard; empty: it tells none
    bool covered = false;  // by the block's hash
};
// Without the repeats that stand for children of a split shard.
std::vector<const ChunkHeader*> chunk_of_each_shard(const Block& block);
void write_chunk(RowBatch& batch, const RowPlace& place, const ChunkRow& chunk);
void write_transaction(RowBatch& batch, const RowPlace& place, const SignedTransaction& transaction,
                       const Outcome* conversion);
// body == nullptr: it could not be had. Also the receipt's events, and what it did as far as batch.happened's
// interest asks for it.
void write_receipt(RowBatch& batch, const RowPlace& place, const Outcome& outcome, const Receipt* body,
                   const TreeRef& tree, Text parent_receipt_id, std::optional<Role> role);
void write_data_receipt(RowBatch& batch, const RowPlace& place, const Receipt& receipt, const TreeRef& tree);
// A receipt that carries a global contract; one that cannot be understood gives no row and is left out.
void write_distribution(RowBatch& batch, const RowPlace& place, const Receipt& receipt);
void write_orphan(RowBatch& batch, const RowPlace& place, Text kind, Text id, Text tree_id);
// Whom the transaction names without proof: its row may say otherwise.
void note_user(RowBatch& batch, const TreeResult& result);
// The rows of all, and the findings as they are.
void write_decided(RowBatch& batch, Decided&& decided);
void write_pending_tree(RowBatch& batch, const BlockHeader& header, const SignedTransaction& transaction,
                        std::optional<ShardId> shard_id);

}  // namespace receiptd::chain
