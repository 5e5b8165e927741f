// Source rpc: rows of receipts that descend from no followed transaction.
#include "chain/rows/rows_write.hpp"

#include <utility>

namespace receiptd::chain {

void write_orphan(RowBatch& batch, const RowPlace& place, Text kind, Text id, Text tree_id) {
    auto& table = batch[Table::orphan_receipts];
    CopyWriter row(table.piece());
    row.text(kind);
    row.text(id);
    tree_id == id ? row.null() : row.text(tree_id);
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.end_row();
    ++table.rows;
}

RowBatch found_transaction_rows(const SignedTransaction& transaction, const BlockRef& included_in) {
    RowBatch batch;
    const RowPlace place{
        included_in.height, RowTime(included_in.timestamp_nanosec), std::nullopt, std::nullopt, {}};
    write_transaction(batch, place, transaction, nullptr);
    BlockHeader header;
    header.height = included_in.height;
    header.hash = included_in.hash;
    header.timestamp_nanosec = included_in.timestamp_nanosec;
    write_pending_tree(batch, header, transaction, std::nullopt);
    return batch;
}

RowBatch orphan_receipt_rows(const ListedReceipt& listed, const Receipt* body, const Outcome* outcome,
                             std::optional<ExecutedAt> executed_at,
                             std::shared_ptr<const Interest> interest) {
    RowBatch batch;
    batch.happened.interest = std::move(interest);
    Outcome unknown;
    unknown.id = listed.receipt_id;
    unknown.executor_id = listed.receiver_id;
    const auto time = executed_at ? executed_at->timestamp_nanosec : listed.timestamp_nanosec;
    RowPlace place{std::nullopt, RowTime(time), std::nullopt, std::nullopt, {}};
    if (executed_at) place.block_height = executed_at->height;
    write_receipt(batch, place, outcome ? *outcome : unknown, body, TreeRef{listed.receipt_id}, {},
                  body ? role_of(*body, std::nullopt) : std::nullopt);
    if (!executed_at) place.block_height = listed.height;
    write_orphan(batch, place, "receipt", listed.receipt_id, listed.receipt_id);
    return batch;
}

}  // namespace receiptd::chain
