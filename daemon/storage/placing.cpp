#include "storage/placing.hpp"

#include "storage/copy.hpp"

namespace receiptd::storage {

void Placing::add(const std::string& tx_hash, const chain::Judgement& judgement) {
    for (const auto& receipt : judgement.receipts) {
        if (!receipt.attached || !receipt.executed) continue;
        trees_.push_back(tx_hash);
        receipts_.push_back(receipt.receipt_id);
        parents_.push_back(receipt.parent_receipt_id);
        roles_.emplace_back(receipt.role ? chain::role_name(*receipt.role) : "");
    }
}

std::uint64_t Placing::write() {
    const auto placed =
        shim::query(tx_,
                    "UPDATE receipts r SET role = coalesce(nullif(told.role, ''), r.role), "
                    "  parent_receipt_id = coalesce(r.parent_receipt_id, nullif(told.parent, '')) "
                    "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) "
                    "  AS told (tree, receipt, parent, role) "
                    "WHERE r.tree_id = told.tree AND r.receipt_id = told.receipt "
                    "  AND (r.role IS DISTINCT FROM coalesce(nullif(told.role, ''), r.role) "
                    "    OR (r.parent_receipt_id IS NULL AND told.parent <> '')) "
                    "  AND r.block_time BETWEEN $5::timestamptz AND $6::timestamptz",
                    text_array(trees_), text_array(receipts_), text_array(parents_), text_array(roles_),
                    times_.since, times_.until);
    return static_cast<std::uint64_t>(placed.affected_rows());
}

}  // namespace receiptd::storage
