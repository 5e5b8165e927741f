#include "sandbox/sim/apply.hpp"

#include "sandbox/sim/apply_receipt.hpp"
#include "sandbox/sim/derive.hpp"
#include "sandbox/sim/global_contracts.hpp"
#include "sandbox/sim/receipt_tokens.hpp"
#include "sandbox/sim/validate.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {

namespace {

class ChunkApplication {
public:
    ChunkApplication(State& state, ShardQueues& queues, const BlockContext& block, ShardInput input,
                     const Contracts& contracts)
        : input_(std::move(input)), chunk_{state, queues, block, contracts, result_} {}

    // The order of chain-model.md §1.2.
    ShardResult run() {
        for (const wire::SignedTransaction& transaction : input_.transactions) convert(transaction);
        for (const Receipt& receipt : result_.local) process_or_delay(receipt, true);
        while (has_gas()) {
            std::optional<Receipt> receipt = chunk_.queues.next_delayed();
            if (!receipt) break;
            process(std::move(*receipt), false);
        }
        for (Receipt& receipt : input_.incoming) process_or_delay(std::move(receipt), false);
        if (has_gas()) time_out_yields();
        return std::move(result_);
    }

private:
    bool has_gas() const { return result_.gas_used < input_.gas_limit; }

    void convert(const wire::SignedTransaction& signed_transaction) {
        const wire::Transaction& transaction = signed_transaction.transaction;
        Outcome outcome;
        outcome.id = wire::transaction_hash(transaction);
        outcome.executor_id = transaction.signer_id;
        const StateCharge charge = this->charge(signed_transaction);
        if (const auto* error = std::get_if<Json>(&charge)) {
            outcome.status = Failure{Json{{"InvalidTxError", *error}}};
        } else {
            const auto* unpaid = std::get_if<UnpaidDeposit>(&charge);
            outcome.gas_burnt = unpaid ? unpaid->burnt : std::get<TransactionCost>(charge).burnt;
            outcome.tokens_burnt = outcome.gas_burnt * chunk_.block.gas_price;
            result_.gas_used += outcome.gas_burnt;
            result_.tokens_burnt += outcome.tokens_burnt;
            if (unpaid)
                outcome.status = Failure{Json{{"InvalidTxError", unpaid->error}}};
            else
                make_receipt(transaction, outcome);
        }
        result_.transaction_outcomes.push_back(std::move(outcome));
    }

    void make_receipt(const wire::Transaction& transaction, Outcome& outcome) {
        Receipt receipt = initial_receipt(transaction, outcome.id);
        outcome.status = SuccessReceiptId{receipt.receipt_id};
        outcome.receipt_ids.push_back(receipt.receipt_id);
        const bool is_local = transaction.signer_id == transaction.receiver_id;
        (is_local ? result_.local : result_.outgoing).push_back(std::move(receipt));
    }

    StateCharge charge(const wire::SignedTransaction& transaction) {
        const ValidationContext context{*chunk_.block.protocol, chunk_.block.gas_price, chunk_.block.height};
        if (std::optional<Json> error = check_actions_size_signature(transaction, context))
            return std::move(*error);
        StateUpdate update(chunk_.state);
        StateCharge charge = charge_transaction(update, transaction, context);
        if (!std::holds_alternative<Json>(charge)) update.commit(chunk_.block.height);
        return charge;
    }

    Receipt initial_receipt(const wire::Transaction& transaction, const CryptoHash& hash) const {
        ActionReceipt body;
        body.signer_id = transaction.signer_id;
        body.signer_public_key = transaction.public_key;
        body.gas_price = chunk_.block.protocol->purchase_price(chunk_.block.gas_price);
        body.actions = transaction.actions;
        return {sim::initial_receipt_id(hash, chunk_.block.height), transaction.signer_id,
                transaction.receiver_id, std::move(body)};
    }

    void process_or_delay(Receipt receipt, bool is_local) {
        if (has_gas()) return process(std::move(receipt), is_local);
        result_.delayed.push_back(receipt.receipt_id);
        const Gas gas = gas_in(*chunk_.block.protocol, receipt);
        chunk_.queues.delay(std::move(receipt), gas);
    }

    void process(Receipt receipt, bool is_local) {
        if (std::holds_alternative<GlobalContractReceipt>(receipt.body))
            return take_global_contract(chunk_, receipt);
        std::optional<Receipt> ready;
        if (const auto* data = std::get_if<DataReceipt>(&receipt.body)) {
            ready = data->is_promise_resume ? chunk_.queues.resume(receipt.receiver_id, *data)
                                            : chunk_.queues.deliver(*data);
            if (ready && data->is_promise_resume && !data->data)
                result_.timed_out.push_back(ready->receipt_id);
        } else {
            const CryptoHash id = receipt.receipt_id;
            ready = chunk_.queues.admit(std::move(receipt));
            if (!ready) result_.postponed.push_back(id);
        }
        if (ready)
            apply_action_receipt(chunk_, std::move(*ready),
                                 is_local ? ReceiptOrigin::local : ReceiptOrigin::listed);
    }

    // The yield itself stays until the resume made here arrives: one that was made by a contract in
    // this chunk comes first and wins.
    void time_out_yields() {
        std::uint64_t salt = chunk_.block.first_receipt_salt;
        for (const ShardQueues::ExpiredYield& expired : chunk_.queues.expired_yields(chunk_.block.height)) {
            result_.outgoing.push_back({sim::derive_id(expired.data_id, chunk_.block.height, salt++),
                                        expired.account_id, expired.account_id,
                                        DataReceipt{expired.data_id, std::nullopt, true}});
        }
    }

    ShardInput input_;
    ShardResult result_;
    ChunkFrame chunk_;
};

}  // namespace

ShardResult apply_shard(State& state, ShardQueues& queues, const BlockContext& block, ShardInput input,
                        const Contracts& contracts) {
    return ChunkApplication(state, queues, block, std::move(input), contracts).run();
}

}  // namespace receiptd::sandbox::sim
