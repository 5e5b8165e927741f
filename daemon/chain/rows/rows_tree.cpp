// Source rpc: the rows of a complete tree.
#include "chain/json/id_maps.hpp"
#include "chain/rows/rows_write.hpp"
#include "chain/tree/receipt_graph.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {

namespace {

// Keeps the order in which the ids come.
class DataIds {
public:
    explicit DataIds(std::vector<std::string>& out) : out_(out) {}
    void add(const Receipt& receipt) {
        for (const auto& receiver : receipt.output_data_receivers) add(receiver.data_id);
        for (const auto data_id : receipt.input_data_ids) add(data_id);
    }

private:
    void add(Text data_id) {
        if (seen_.insert(data_id).second) out_.emplace_back(data_id);
    }
    std::vector<std::string>& out_;
    IdSet seen_;
};

// A transaction's initial receipt repeats it: the signer asks the receiver for the same actions,
// with no data in or out (chain-model.md §1.1, §2).
Receipt initial_receipt(const SignedTransaction& transaction, Text receipt_id) {
    Receipt receipt;
    receipt.receipt_id = receipt_id;
    receipt.predecessor_id = transaction.signer_id;
    receipt.receiver_id = transaction.receiver_id;
    receipt.kind = ReceiptKind::action;
    receipt.signer_id = transaction.signer_id;
    receipt.signer_public_key = transaction.public_key;
    receipt.actions = transaction.actions;
    receipt.actions_json = transaction.actions_json;
    return receipt;
}

class TreeWriter {
public:
    TreeWriter(TreeRows& rows, const TransactionStatus& status,
               const std::vector<ExecutionBlock>& executed_in)
        : rows_(rows),
          status_(status),
          executed_in_(executed_in),
          data_ids_(rows.completion.data_ids),
          graph_(rows.completion.tx_hash) {
        for (std::size_t i = 0; i < status.receipts_outcome.size(); ++i)
            outcome_by_id_.emplace(status.receipts_outcome[i].id, i);
    }

    void know_body(const Receipt& receipt) { bodies_.emplace(receipt.receipt_id, &receipt); }

    // Depth first along the spawn edges; a child comes right after its parent's earlier children.
    void write() {
        if (status_.transaction_outcome) push_children(*status_.transaction_outcome, {true, false}, {});
        drain();
        for (const auto& outcome : status_.receipts_outcome) {  // that nothing in the answer spawned
            pending_.push_back({outcome.id, std::nullopt, {}});
            drain();
        }
    }

    void judge(ExecutedAt included_at) {
        if (!status_.transaction || !status_.transaction_outcome) return;
        const auto transaction = transaction_facts(*status_.transaction);
        graph_.add(transaction);
        graph_.add(outcome_facts(*status_.transaction_outcome, included_at));
        write_decided(rows_.batch, decided(transaction, graph_.judge()));
    }

private:
    struct Pending {
        Text receipt_id;
        std::optional<ParentFacts> parent;
        Text parent_receipt_id;
    };

    void push_children(const Outcome& outcome, ParentFacts facts, Text parent_receipt_id) {
        for (auto child = outcome.receipt_ids.rbegin(); child != outcome.receipt_ids.rend(); ++child)
            pending_.push_back({*child, facts, parent_receipt_id});
    }

    void drain() {
        while (!pending_.empty()) {
            const auto next = pending_.back();
            pending_.pop_back();
            const auto found = outcome_by_id_.find(next.receipt_id);
            if (found == outcome_by_id_.end() || !written_.insert(next.receipt_id).second) continue;
            receipt(next, found->second);
        }
    }

    void receipt(const Pending& item, std::size_t index) {
        const auto& outcome = status_.receipts_outcome[index];
        const auto& block = executed_in_.at(index);
        const auto* body = body_of(item);
        const RowPlace place{block.height, RowTime(block.timestamp_nanosec), block.shard_id, std::nullopt,
                             outcome.block_hash};
        std::optional<Role> role;
        if (body)
            role = role_of(*body, item.parent);
        else if (item.parent && item.parent->is_transaction)
            role = Role::initial;
        write_receipt(rows_.batch, place, outcome, body, TreeRef{rows_.completion.tx_hash, true},
                      item.parent_receipt_id, role);
        const bool deletes = body && deletes_account(*body, outcome.status);
        rows_.completion.receipt_ids.emplace_back(outcome.id);
        if (body) data_ids_.add(*body);
        if (body) graph_.add(receipt_facts(*body));
        std::optional<ExecutedAt> at;
        if (block.height) at = ExecutedAt{*block.height, block.timestamp_nanosec};
        graph_.add(outcome_facts(outcome, at));
        push_children(outcome, {false, deletes}, outcome.id);
    }

    const Receipt* body_of(const Pending& item) {
        if (const auto found = bodies_.find(item.receipt_id); found != bodies_.end()) return found->second;
        if (!item.parent || !item.parent->is_transaction || !status_.transaction) return nullptr;
        reconstructed_ = initial_receipt(*status_.transaction, item.receipt_id);
        return &reconstructed_;
    }

    TreeRows& rows_;
    const TransactionStatus& status_;
    const std::vector<ExecutionBlock>& executed_in_;
    DataIds data_ids_;
    IdMap<const Receipt*> bodies_;
    IdMap<std::size_t> outcome_by_id_;
    IdSet written_;
    std::vector<Pending> pending_;  // a stack
    Receipt reconstructed_;
    ReceiptGraph graph_;
};

Text transaction_hash(const TransactionStatus& status) {
    if (status.transaction) return status.transaction->hash;
    return status.transaction_outcome ? status.transaction_outcome->id : Text();
}

void complete(TreeCompletion& completion, const Outcome& conversion) {
    auto failure = failure_of(conversion.status);
    completion.status = conversion_status(conversion.status);
    completion.initial_receipt_id = initial_receipt_id(conversion);
    completion.error_class = std::move(failure.error_class);
    completion.error_text = std::move(failure.error_text);
    completion.gas_burnt = conversion.gas_burnt;
    completion.tokens_burnt = base::to_string(conversion.tokens_burnt);
}

}  // namespace

TreeRows tree_rows(const TransactionStatus& status, const std::vector<Receipt>& receipts,
                   const std::vector<ExecutionBlock>& executed_in, const BlockRef& included_in) {
    TreeRows rows;
    rows.completion.tx_hash = transaction_hash(status);
    rows.completion.block_timestamp_nanosec = included_in.timestamp_nanosec;
    if (status.transaction_outcome) complete(rows.completion, *status.transaction_outcome);
    TreeWriter writer(rows, status, executed_in);
    for (const auto& receipt : receipts) writer.know_body(receipt);
    if (status.receipts)
        for (const auto& receipt : *status.receipts) writer.know_body(receipt);
    writer.write();
    writer.judge({included_in.height, included_in.timestamp_nanosec});
    return rows;
}

}  // namespace receiptd::chain
