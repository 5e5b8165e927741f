// Parts of a host's answer about a transaction, for tests of when trees are asked for.
#pragma once

#include "rpc/source.hpp"

#include <utility>
#include <vector>

namespace receiptd::follow {

inline chain::Receipt body(chain::Text id) {
    chain::Receipt receipt;
    receipt.receipt_id = id;
    receipt.kind = chain::ReceiptKind::action;
    receipt.predecessor_id = "alice";
    receipt.receiver_id = "bob";
    receipt.signer_id = "alice";
    return receipt;
}

inline chain::Outcome outcome(chain::Text id, chain::StatusKind status, chain::List<chain::Text> children) {
    chain::Outcome made;
    made.id = id;
    made.status.kind = status;
    made.receipt_ids = std::move(children);
    return made;
}

// tx → initial, which is executed and has spawned one more.
inline rpc::TreeSource::Tree tree_with(chain::Receipt spawned) {
    rpc::TreeSource::Tree tree;
    auto& status = tree.status.value;
    status.transaction.emplace();
    status.transaction->hash = "tx";
    status.transaction->signer_id = "alice";
    status.transaction->receiver_id = "bob";
    status.transaction_outcome = outcome("tx", chain::StatusKind::success_receipt_id, {"initial"});
    status.receipts_outcome.push_back(
        outcome("initial", chain::StatusKind::success_value, {spawned.receipt_id}));
    status.receipts.emplace();
    status.receipts->push_back(body("initial"));
    status.receipts->push_back(std::move(spawned));
    return tree;
}

}  // namespace receiptd::follow
