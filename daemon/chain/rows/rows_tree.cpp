// Source rpc: the rows of a complete tree.
#include "chain/json/id_maps.hpp"
#include "chain/proof/outcome_order.hpp"
#include "chain/rows/rows_write.hpp"
#include "chain/tree/receipt_tree.hpp"

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

class TreeWriter {
public:
    TreeWriter(TreeRows& rows, const TransactionStatus& status, const std::vector<Receipt>& others,
               const std::vector<ExecutionBlock>& executed_in)
        : rows_(rows),
          status_(status),
          others_(others),
          initial_(initial_receipt(status)),
          executed_in_(executed_in),
          tree_{rows.completion.tx_hash, true},
          data_ids_(rows.completion.data_ids) {
        const auto add = [this](const Receipt& body) { body_by_id_.emplace(body.receipt_id, &body); };
        for_each_receipt(status, others, add);
        if (initial_) add(*initial_);
        for (std::size_t i = 0; i < status.receipts_outcome.size(); ++i)
            outcome_by_id_.emplace(status.receipts_outcome[i].id, i);
    }

    void write(ExecutedAt included_at, bool in_vain) {
        const auto place = [&](const Outcome& outcome) {
            return std::optional(Execution{executed_at(outcome, included_at)});
        };
        const auto judgement = tree_of(status_, others_, place).judge();
        if (status_.transaction) {
            tree_.signer_id = status_.transaction->signer_id;
            tree_.user_id = judgement.user.id;
        }
        for (const auto& judged : judgement.receipts)
            if (judged.executed) receipt(judged);
        if (status_.transaction && status_.transaction_outcome)
            write_result(decided(transaction_facts(*status_.transaction), judgement, in_vain));
        rows_.completion.missing_receipts = judgement.missing_receipts;
        rows_.completion.undecided = judgement.undecided;
    }

private:
    void write_result(Decided&& decided) {
        for (const auto& result : decided.results) {
            rows_.completion.verdict = verdict_name(result.verdict);
            rows_.completion.deciding_class = result.failure.error_class;
        }
        write_decided(rows_.batch, std::move(decided));
    }

    std::optional<ExecutedAt> executed_at(const Outcome& outcome, ExecutedAt included_at) const {
        const auto& conversion = status_.transaction_outcome;
        if (conversion && &outcome == &*conversion) return included_at;
        const auto& block = executed_in_.at(outcome_by_id_.at(outcome.id));
        if (!block.height) return std::nullopt;
        return ExecutedAt{*block.height, block.timestamp_nanosec};
    }

    void receipt(const JudgedReceipt& judged) {
        const auto known = outcome_by_id_.find(judged.receipt_id);
        if (known == outcome_by_id_.end()) return;
        const auto index = known->second;
        const auto& outcome = status_.receipts_outcome[index];
        const auto& block = executed_in_.at(index);
        const auto found = body_by_id_.find(judged.receipt_id);
        const auto* body = found == body_by_id_.end() ? nullptr : found->second;
        const RowPlace place{block.height, RowTime(block.timestamp_nanosec), block.shard_id,
                             place_by_path(outcome.proof), outcome.block_hash};
        tree_.payer_id = payer_id(judged);
        write_receipt(rows_.batch, place, outcome, body, tree_, judged.parent_receipt_id, judged.role);
        rows_.completion.receipt_ids.emplace_back(outcome.id);
        if (!body) return;
        data_ids_.add(*body);
        // No answer tells how its yields ended: blocks list that.
        if (body->is_promise_yield) rows_.batch.facts.late_trees.insert(rows_.completion.tx_hash);
    }

    Text payer_id(const JudgedReceipt& judged) const {
        const auto parent = outcome_by_id_.find(judged.parent_receipt_id);
        const auto body = body_by_id_.find(judged.parent_receipt_id);
        if (parent == outcome_by_id_.end() || body == body_by_id_.end()) return {};
        return payer_of(*body->second, status_.receipts_outcome[parent->second].status);
    }

    TreeRows& rows_;
    const TransactionStatus& status_;
    const std::vector<Receipt>& others_;
    const std::optional<Receipt> initial_;
    const std::vector<ExecutionBlock>& executed_in_;
    TreeRef tree_;
    DataIds data_ids_;
    IdMap<const Receipt*> body_by_id_;
    IdMap<std::size_t> outcome_by_id_;
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

TreeRows tree_rows(const TransactionStatus& status, const std::vector<Receipt>& others,
                   const std::vector<ExecutionBlock>& executed_in, const BlockRef& included_in,
                   std::shared_ptr<const Interest> interest, bool in_vain) {
    TreeRows rows;
    rows.batch.happened.interest = std::move(interest);
    rows.completion.tx_hash = transaction_hash(status);
    rows.completion.block_timestamp_nanosec = included_in.timestamp_nanosec;
    if (status.transaction_outcome) complete(rows.completion, *status.transaction_outcome);
    TreeWriter writer(rows, status, others, executed_in);
    writer.write({included_in.height, included_in.timestamp_nanosec}, in_vain);
    return rows;
}

}  // namespace receiptd::chain
