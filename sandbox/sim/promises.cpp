#include "sandbox/sim/promises.hpp"

#include "sandbox/sim/derive.hpp"
#include "sandbox/sim/host_costs.hpp"
#include "sandbox/sim/host_error.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

PromiseIndex Promises::push(Promise promise) {
    promises_.push_back(std::move(promise));
    if (promises_.size() > kMaxPromises)
        throw limit_exceeded(Limit::promises, promises_.size(), kMaxPromises);
    return promises_.size() - 1;
}

CryptoHash Promises::next_data_id() { return sim::data_id(action_hash_, height_, data_ids_++); }

PromiseIndex Promises::create(std::string receiver_id, const std::vector<ReceiptIndex>& after) {
    PromiseReceipt made;
    for (const ReceiptIndex index : after) {
        const CryptoHash data_id = next_data_id();
        receipts_[index].output_data_receivers.push_back({data_id, receiver_id});
        made.input_data_ids.push_back(data_id);
    }
    made.receiver_id = std::move(receiver_id);
    receipts_.push_back(std::move(made));
    return push({{receipts_.size() - 1}, false});
}

PromiseIndex Promises::join(const std::vector<PromiseIndex>& promises) {
    Promise joint{{}, true};
    for (const PromiseIndex promise : promises) {
        const std::vector<ReceiptIndex>& receipts = receipts_of(promise);
        joint.receipts.insert(joint.receipts.end(), receipts.begin(), receipts.end());
        if (joint.receipts.size() > kMaxInputDataDependencies) {
            throw limit_exceeded(Limit::input_data_dependencies, joint.receipts.size(),
                                 kMaxInputDataDependencies);
        }
    }
    return push(std::move(joint));
}

Host::Yield Promises::create_yield(std::string receiver_id) {
    PromiseReceipt made;
    made.receiver_id = std::move(receiver_id);
    made.input_data_ids.push_back(next_data_id());
    made.is_yield = true;
    receipts_.push_back(std::move(made));
    Host::Yield yield;
    yield.data_id = receipts_.back().input_data_ids.front();
    yield.promise = push({{receipts_.size() - 1}, false});
    return yield;
}

const std::vector<ReceiptIndex>& Promises::receipts_of(PromiseIndex promise) const {
    if (promise >= promises_.size()) throw invalid_promise_index(promise);
    return promises_[promise].receipts;
}

bool Promises::is_joint(PromiseIndex promise) const {
    if (promise >= promises_.size()) throw invalid_promise_index(promise);
    return promises_[promise].joint;
}

void Promises::append(ReceiptIndex receipt, wire::Action action, std::uint64_t gas_weight) {
    std::vector<wire::Action>& actions = receipts_[receipt].actions;
    if (gas_weight > 0 && std::holds_alternative<wire::FunctionCall>(action.value))
        weights_.push_back({receipt, actions.size(), gas_weight});
    actions.push_back(std::move(action));
}

bool Promises::has_yield(const CryptoHash& data_id) const {
    return std::any_of(receipts_.begin(), receipts_.end(), [&](const PromiseReceipt& made) {
        return made.is_yield && made.input_data_ids.front() == data_id;
    });
}

Gas Promises::distribute(Gas unused) {
    u128 sum = 0;
    for (const Weight& weight : weights_) sum += weight.weight;
    if (sum == 0 || unused == 0) return 0;
    Gas left = unused;
    for (const Weight& weight : weights_) {
        // As in nearcore the last one gets what rounding left over.
        const bool is_last = &weight == &weights_.back();
        const Gas share = is_last ? left : static_cast<Gas>(u128{unused} * weight.weight / sum);
        std::get<wire::FunctionCall>(receipts_[weight.receipt].actions[weight.action].value).gas += share;
        left -= share;
    }
    return unused;
}

}  // namespace receiptd::sandbox::sim
