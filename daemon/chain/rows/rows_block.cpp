// Source rpc: the rows of a block and its new chunks.
#include "chain/json/id_maps.hpp"
#include "chain/rows/rows_scope.hpp"
#include "chain/rows/rows_write.hpp"

namespace receiptd::chain {

namespace {

// A transaction or data receipt that the block names twice gives one row (block_trees.hpp).
class ChunkRows {
public:
    ChunkRows(RowBatch& batch, const BlockHeader& header, const Scope& scope, bool collect)
        : batch_(batch),
          header_(header),
          scope_(scope),
          collect_(collect),
          place_{header.height, RowTime(header.timestamp_nanosec), std::nullopt, std::nullopt, {}} {}

    void write(const Chunk& chunk) {
        place_.shard_id = chunk.header.shard_id;
        for (std::size_t i = 0; i < chunk.transactions.size(); ++i) {
            const auto& transaction = chunk.transactions[i];
            const bool in_scope = touches(scope_, transaction);
            if (!in_scope && !collect_) continue;
            if (!written_.insert(transaction.hash).second) continue;
            if (collect_) see(transaction, in_scope);
            if (!in_scope) continue;
            place_.index_in_chunk = chunk.lacks_elements ? std::nullopt : std::optional<std::uint64_t>(i);
            write_transaction(batch_, place_, transaction, nullptr);
            write_pending_tree(batch_, header_, transaction, place_.shard_id);
        }
        for (const auto& receipt : chunk.receipts) {
            if (receipt.kind == ReceiptKind::action) list(receipt);
            if (receipt.kind == ReceiptKind::global_contract_distribution) carried(receipt);
            if (receipt.kind != ReceiptKind::data) continue;
            if (collect_) batch_.facts.seen.data_ids.emplace_back(receipt.data_id);
            if (!touches(scope_, receipt) && !receipt.is_promise_resume) continue;
            if (written_.insert(receipt.receipt_id).second)
                write_data_receipt(batch_, place_, receipt, TreeRef{receipt.receipt_id, false});
        }
    }

private:
    // Its transaction may be anybody's. With scope `all` it is known to be followed.
    void list(const Receipt& receipt) {
        if (scope_.kind != ScopeKind::accounts || !touches(scope_, receipt)) return;
        if (!written_.insert(receipt.receipt_id).second) return;
        batch_.listed.push_back({std::string(receipt.receipt_id), std::string(receipt.receiver_id),
                                 std::string(receipt.signer_id), header_.height, header_.timestamp_nanosec});
    }

    // The scope does not matter: there are few, and anybody may use one.
    void carried(const Receipt& receipt) {
        if (written_.insert(receipt.receipt_id).second) write_distribution(batch_, place_, receipt);
    }

    void see(const SignedTransaction& transaction, bool in_scope) {
        const ExecutedAt at{header_.height, header_.timestamp_nanosec};
        batch_.facts.seen.transactions.push_back(seen_transaction(transaction, at, in_scope));
    }

    RowBatch& batch_;
    const BlockHeader& header_;
    const Scope& scope_;
    bool collect_;
    RowPlace place_;
    IdSet written_;
};

}  // namespace

RowBatch block_rows(const Block& block, const std::vector<const Chunk*>& chunks,
                    std::optional<BlockHeight> prev_height, const Scope& scope, bool collect) {
    const auto& header = block.header;
    RowBatch batch;
    batch.facts.seen.collected = collect;
    begin_block(batch, block, prev_height);
    const RowPlace place{header.height, RowTime(header.timestamp_nanosec), std::nullopt, std::nullopt, {}};
    for (const auto* chunk : chunk_of_each_shard(block))
        write_chunk(
            batch, place,
            {chunk->shard_id, chunk, chunk->height_included != header.height, {}, block.covers_chunks});
    if (scope.kind == ScopeKind::headers) return batch;
    ChunkRows contents(batch, header, scope, collect);
    for (const auto* chunk : chunks) contents.write(*chunk);
    return batch;
}

}  // namespace receiptd::chain
