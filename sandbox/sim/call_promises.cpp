// The promise functions of the host: what they allow and what they cost.
#include "chain/wire/account_id.hpp"
#include "sandbox/sim/call_host.hpp"
#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/host_costs.hpp"
#include "sandbox/sim/host_error.hpp"

#include <array>

namespace receiptd::sandbox::sim {

namespace {

// By the index of the action's variant: the host function that adds it.
constexpr std::array<const char*, wire::kKnownActions + 1> kAddActionFunctions{
    "promise_batch_action_create_account",
    "promise_batch_action_deploy_contract",
    "promise_batch_action_function_call_weight",
    "promise_batch_action_transfer",
    "promise_batch_action_stake",
    "promise_batch_action_add_key",
    "promise_batch_action_delete_key",
    "promise_batch_action_delete_account",
    nullptr,  // no contract can sign a delegate action
    "promise_batch_action_deploy_global_contract",
    "promise_batch_action_use_global_contract",
    "promise_batch_action_state_init",
    "promise_batch_action_transfer_to_gas_key",
    "promise_batch_action_withdraw_from_gas_key",
    nullptr,
    nullptr,
    nullptr,
};

void require_account_id(std::string_view id) {
    if (!chain::is_valid_account_id(id)) throw invalid_account_id();
}

// nearcore makes these checks before it looks at the promise.
void check_action(const wire::Action& action) {
    if (const auto* call = std::get_if<wire::FunctionCall>(&action.value)) {
        if (call->method_name.empty()) throw empty_method_name();
    } else if (const auto* deploy = std::get_if<wire::DeployContract>(&action.value)) {
        if (deploy->code.size() > kMaxContractSize)
            throw limit_exceeded(Limit::contract_size, deploy->code.size(), kMaxContractSize);
    } else if (const auto* removal = std::get_if<wire::DeleteAccount>(&action.value)) {
        require_account_id(removal->beneficiary_id);
    }
}

}  // namespace

void CallHost::pay_for_new_receipt(std::string_view receiver_id, const std::vector<ReceiptIndex>& awaited) {
    Gas burnt = send_part(receipt_fee(), receiver_id);
    for (const ReceiptIndex index : awaited)
        burnt += data_receipt_base_fee(promises_.receipt(index).receiver_id == receiver_id);
    gas_.take(burnt, receipt_fee().exec);
}

void CallHost::pay_for_action(const wire::Action& action, std::string_view receiver_id) {
    const Fee fee = action_fee(*context_.protocol, action, receiver_id);
    gas_.take(send_part(fee, receiver_id), fee.exec);
    if (const auto* call = std::get_if<wire::FunctionCall>(&action.value)) gas_.take(0, call->gas);
    const std::optional<u128> deposit = total_deposit({&action, 1});
    if (!deposit || *deposit > balance_) throw balance_exceeded();
    balance_ -= *deposit;
}

PromiseIndex CallHost::promise_batch_create(std::string account_id) {
    require_not_view("promise_batch_create");
    require_account_id(account_id);
    pay_for_new_receipt(account_id, {});
    return promises_.create(std::move(account_id), {});
}

PromiseIndex CallHost::promise_batch_then(PromiseIndex after, std::string account_id) {
    require_not_view("promise_batch_then");
    require_account_id(account_id);
    const std::vector<ReceiptIndex> awaited = promises_.receipts_of(after);
    pay_for_new_receipt(account_id, awaited);
    return promises_.create(std::move(account_id), awaited);
}

PromiseIndex CallHost::promise_and(std::vector<PromiseIndex> promises) {
    require_not_view("promise_and");
    gas_.take(kPromiseAndBase + kPromiseAndPerPromise * promises.size(), 0);
    return promises_.join(promises);
}

void CallHost::promise_add_action(PromiseIndex promise, wire::Action action, std::uint64_t gas_weight) {
    const char* const function = kAddActionFunctions.at(action.value.index());
    if (function == nullptr) throw guest_panic("a contract cannot make this action");
    require_not_view(function);
    check_action(action);
    if (promises_.is_joint(promise)) throw cannot_append_to_joint_promise();
    const ReceiptIndex receipt = promises_.receipts_of(promise).front();
    const std::string& receiver_id = promises_.receipt(receipt).receiver_id;
    pay_for_action(action, receiver_id);
    promises_.append(receipt, std::move(action), gas_weight);
}

void CallHost::promise_return(PromiseIndex promise) {
    gas_.take(kPromiseReturn, 0);
    require_not_view("promise_return");
    if (promises_.is_joint(promise)) throw cannot_return_joint_promise();
    return_data_ = promises_.receipts_of(promise).front();
}

Host::Yield CallHost::promise_yield_create(std::string method_name, Bytes args, Gas gas,
                                           std::uint64_t gas_weight) {
    require_not_view("promise_yield_create");
    if (method_name.empty()) throw empty_method_name();
    gas_.take(kYieldCreateBase + kYieldCreateByte * (method_name.size() + args.size()), 0);
    gas_.take(data_receipt_base_fee(true), 0);  // of the resume
    pay_for_new_receipt(context_.current_account_id, {});
    const Yield yield = promises_.create_yield(context_.current_account_id);
    wire::Action callback{wire::FunctionCall{std::move(method_name), std::move(args), gas, 0}};
    pay_for_action(callback, context_.current_account_id);
    promises_.append(promises_.receipts_of(yield.promise).front(), std::move(callback), gas_weight);
    return yield;
}

bool CallHost::promise_yield_resume(const CryptoHash& data_id, Bytes payload) {
    require_not_view("promise_submit_data");
    gas_.take(kYieldResumeBase + kYieldResumeByte * payload.size(), 0);
    if (payload.size() > kMaxYieldPayload)
        throw limit_exceeded(Limit::yield_payload, payload.size(), kMaxYieldPayload);
    if (!promises_.has_yield(data_id) && !world_.has_yield(data_id)) return false;
    resumes_.push_back({data_id, std::move(payload)});
    return true;
}

}  // namespace receiptd::sandbox::sim
