// Source rpc: the rows of a block and its new chunks.
#include "chain/rows_scope.hpp"
#include "chain/rows_write.hpp"

namespace receiptd::chain {

namespace {

void chunk_contents(RowBatch& batch, const BlockHeader& header, const Chunk& chunk, const Scope& scope) {
    RowPlace place{header.height, TimestampText(header.timestamp_nanosec), chunk.header.shard_id, 0, {}};
    for (std::size_t i = 0; i < chunk.transactions.size(); ++i) {
        const auto& transaction = chunk.transactions[i];
        if (!touches(scope, transaction)) continue;
        place.index_in_chunk = i;
        write_transaction(batch, place, transaction, nullptr);
        write_pending_tree(batch, header, transaction);
    }
    for (const auto& receipt : chunk.receipts)
        if (receipt.kind == ReceiptKind::data && touches(scope, receipt))
            write_data_receipt(batch, place, receipt, TreeRef{receipt.receipt_id, false});
}

}  // namespace

RowBatch block_rows(const Block& block, const std::vector<const Chunk*>& chunks,
                    std::optional<BlockHeight> prev_height, const Scope& scope) {
    const auto& header = block.header;
    RowBatch batch;
    begin_block(batch, block, prev_height);
    const RowPlace place{
        header.height, TimestampText(header.timestamp_nanosec), std::nullopt, std::nullopt, {}};
    for (const auto& chunk : block.chunks)
        write_chunk(batch, place, chunk.shard_id, &chunk, chunk.height_included != header.height);
    if (scope.kind == ScopeKind::headers) return batch;
    for (const auto* chunk : chunks) chunk_contents(batch, header, *chunk, scope);
    return batch;
}

}  // namespace receiptd::chain
