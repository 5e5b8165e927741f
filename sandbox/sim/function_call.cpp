#include "sandbox/sim/function_call.hpp"

#include "sandbox/sim/host_costs.hpp"

#include <exception>

namespace receiptd::sandbox::sim {

namespace {

class AccountWorld final : public CallWorld {
public:
    explicit AccountWorld(const FunctionCallFrame& frame)
        : account_id_(frame.receipt.receiver_id), state_(frame.state), queues_(frame.queues) {}

    std::optional<std::string> read(std::string_view key) const override {
        return state_.data(account_id_, key);
    }
    void write(std::string_view key, std::string value) override {
        state_.set_data(account_id_, key, std::move(value));
    }
    void remove(std::string_view key) override { state_.remove_data(account_id_, key); }
    bool has_yield(const CryptoHash& data_id) const override {
        return queues_.has_yield(account_id_, data_id);
    }

private:
    const std::string& account_id_;
    StateUpdate& state_;
    const ShardQueues& queues_;
};

CallContext context_of(const FunctionCallFrame& frame, u128 balance) {
    CallContext context{frame.receipt.receiver_id, frame.receipt.predecessor_id, frame.body.signer_id,
                        frame.call.args,           frame.promise_results,        {}};
    // The result of a call that is not the last action goes nowhere.
    if (frame.is_last_action) context.output_data_receivers = frame.body.output_data_receivers;
    context.attached_deposit = frame.call.deposit;
    context.account_balance = balance + frame.call.deposit;
    context.block_height = frame.block.height;
    context.block_timestamp_nanosec = frame.block.timestamp_nanosec;
    context.prepaid_gas = frame.call.gas;
    context.action_hash = frame.action_hash;
    context.protocol = frame.block.protocol;
    return context;
}

// Signer, key and gas price of the transaction go on through the whole tree.
Receipt action_receipt_of(PromiseReceipt made, const FunctionCallFrame& frame) {
    ActionReceipt body;
    body.signer_id = frame.body.signer_id;
    body.signer_public_key = frame.body.signer_public_key;
    body.gas_price = frame.body.gas_price;
    body.output_data_receivers = std::move(made.output_data_receivers);
    body.input_data_ids = std::move(made.input_data_ids);
    body.actions = std::move(made.actions);
    body.is_promise_yield = made.is_yield;
    body.is_of_contract = true;
    Receipt receipt;
    receipt.predecessor_id = frame.receipt.receiver_id;
    receipt.receiver_id = std::move(made.receiver_id);
    receipt.body = std::move(body);
    return receipt;
}

Receipt resume_receipt_of(ResumeData resume, const std::string& account_id) {
    Receipt receipt;
    receipt.predecessor_id = account_id;
    receipt.receiver_id = account_id;
    receipt.body = DataReceipt{resume.data_id, std::move(resume.payload), true};
    return receipt;
}

void keep_effects(const FunctionCallFrame& frame, CallHost& host, FunctionCallResult& result) {
    const Gas unused = host.gas().prepaid() - host.gas().used();
    host.gas().take(0, host.promises().distribute(unused));
    for (PromiseReceipt& made : host.promises().take())
        result.new_receipts.push_back(action_receipt_of(std::move(made), frame));
    for (ResumeData& resume : host.take_resumes())
        result.new_receipts.push_back(resume_receipt_of(std::move(resume), frame.receipt.receiver_id));
    result.return_data = host.take_return_data();
    Account account = *frame.state.account(frame.receipt.receiver_id);
    account.amount = host.balance();
    frame.state.set_account(frame.receipt.receiver_id, account);
}

}  // namespace

std::optional<CallError> run_contract(const Contracts& contracts, const std::optional<CryptoHash>& code_hash,
                                      const std::string& method_name, CallHost& host) {
    if (!code_hash) return code_does_not_exist(host.current_account_id());
    try {
        if (method_name.empty()) return method_empty_name();
        host.use_gas(kContractLoading);
        const Contract* contract = contracts.find(*code_hash);
        if (contract == nullptr) return code_not_runnable();
        if (!contract->call(method_name, host)) return method_not_found();
    } catch (const HostError& error) {
        return call_error(error);
    } catch (const std::exception& error) {
        // The contract itself did not expect this exception; in Rust it would be a panic as well.
        return call_error(guest_panic(is_utf8(error.what()) ? error.what() : "exception"));
    }
    return std::nullopt;
}

FunctionCallResult call_function(const FunctionCallFrame& frame) {
    const std::string& account_id = frame.receipt.receiver_id;
    AccountWorld world(frame);
    CallHost host(context_of(frame, frame.state.account(account_id)->amount), world);
    FunctionCallResult result;
    result.error =
        run_contract(frame.contracts, frame.state.contract_hash(account_id), frame.call.method_name, host);
    if (!result.error) keep_effects(frame, host, result);
    result.gas_burnt = host.gas().burnt();
    result.gas_used = host.gas().used();
    result.logs = host.take_logs();
    return result;
}

}  // namespace receiptd::sandbox::sim
