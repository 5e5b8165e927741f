#include "chain/tree/receipt_tree.hpp"

#include <utility>

namespace receiptd::chain {

void ReceiptTree::add(TransactionFacts transaction) {
    if (transaction.tx_hash == tx_hash_ && !transaction_) transaction_ = std::move(transaction);
}

void ReceiptTree::add(ReceiptFacts receipt) {
    auto& body = receipt.receipt_id == tx_hash_ ? root_ : nodes_[receipt.receipt_id].body;
    if (!body) body = std::move(receipt);
}

// A place may be learned after the outcome. A transaction that failed in one block without a receipt may be
// executed in another one: then that counts (chain-model.md §2).
void ReceiptTree::add(OutcomeFacts outcome) {
    const bool of_transaction = outcome.id == tx_hash_;
    auto& known = of_transaction ? conversion_ : nodes_[outcome.id].outcome;
    const bool is_better =
        of_transaction && known && known->receipt_ids.empty() && !outcome.receipt_ids.empty();
    if (!known || is_better) {
        known = std::move(outcome);
    } else if (!known->at) {
        known->at = outcome.at;
        known->shard_id = outcome.shard_id;
    }
}

void ReceiptTree::add(DataFacts data) { data_.emplace(data.data_id, std::move(data)); }

std::optional<Receipt> initial_receipt(const TransactionStatus& answer) {
    const auto& conversion = answer.transaction_outcome;
    if (!answer.transaction || !conversion || conversion->receipt_ids.size() != 1) return std::nullopt;
    const auto& transaction = *answer.transaction;
    Receipt receipt;
    receipt.receipt_id = conversion->receipt_ids.front();
    receipt.predecessor_id = transaction.signer_id;
    receipt.receiver_id = transaction.receiver_id;
    receipt.kind = ReceiptKind::action;
    receipt.signer_id = transaction.signer_id;
    receipt.signer_public_key = transaction.public_key;
    receipt.actions = transaction.actions;
    receipt.actions_json = transaction.actions_json;
    return receipt;
}

ReceiptTree tree_of(const TransactionStatus& answer, const std::vector<Receipt>& others,
                    const ExecutionOf& execution_of) {
    const auto& transaction = answer.transaction;
    const auto& conversion = answer.transaction_outcome;
    ReceiptTree tree(transaction  ? std::string(transaction->hash)
                     : conversion ? std::string(conversion->id)
                                  : std::string());
    const auto add = [&](const Outcome& outcome) {
        const auto execution = execution_of(outcome);
        if (!execution) return;
        auto facts = outcome_facts(outcome, execution->at);
        facts.shard_id = execution->shard_id;
        tree.add(std::move(facts));
    };
    for_each_receipt(answer, others, [&](const Receipt& body) {
        if (body.kind != ReceiptKind::data) tree.add(receipt_facts(body));
    });
    if (const auto initial = initial_receipt(answer)) tree.add(receipt_facts(*initial));
    if (transaction) tree.add(transaction_facts(*transaction));
    if (conversion) add(*conversion);
    for (const auto& outcome : answer.receipts_outcome) add(outcome);
    return tree;
}

}  // namespace receiptd::chain
