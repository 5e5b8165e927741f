#include "sandbox/sim/call_host.hpp"

#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/host_costs.hpp"
#include "sandbox/sim/host_error.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

namespace {

void check_key(std::string_view key) {
    if (key.size() > kMaxStorageKey) throw limit_exceeded(Limit::storage_key, key.size(), kMaxStorageKey);
}

}  // namespace

CallHost::CallHost(CallContext context, CallWorld& world)
    : context_(context),
      world_(world),
      gas_(context.prepaid_gas, context.is_view ? kMaxGasBurntInView : kMaxGasBurnt),
      balance_(context.account_balance),
      promises_(context.action_hash, context.block_height) {}

void CallHost::require_not_view(const char* function) const {
    if (context_.is_view) throw prohibited_in_view(function);
}

const std::string& CallHost::predecessor_id() const {
    require_not_view("predecessor_account_id");
    return context_.predecessor_id;
}

const std::string& CallHost::signer_id() const {
    require_not_view("signer_account_id");
    return context_.signer_id;
}

u128 CallHost::attached_deposit() const {
    require_not_view("attached_deposit");
    return context_.attached_deposit;
}

Gas CallHost::prepaid_gas() const {
    require_not_view("prepaid_gas");
    return gas_.prepaid();
}

Gas CallHost::used_gas() const {
    require_not_view("used_gas");
    return gas_.used();
}

void CallHost::use_gas(Gas gas) {
    // More than any call may burn is just too much, not an overflow.
    gas_.take(std::min(gas, kMaxGasBurnt + 1), 0);
}

void CallHost::log(std::string message) {
    if (logs_.size() >= kMaxLogs) throw number_of_logs_exceeded(kMaxLogs);
    if (message.size() > kMaxTotalLogLength - log_length_) {
        throw limit_exceeded(Limit::total_log_length, log_length_ + message.size(), kMaxTotalLogLength);
    }
    gas_.take(kLogBase + kLogByte * message.size(), 0);
    if (!is_utf8(message)) throw bad_utf8();
    log_length_ += message.size();
    logs_.push_back(std::move(message));
}

void CallHost::return_value(Bytes value) {
    if (value.size() > kMaxReturnedValue)
        throw limit_exceeded(Limit::returned_value, value.size(), kMaxReturnedValue);
    // The producer of a result pays for its way to each callback, and for receiving it there.
    Gas per_byte = 0;
    for (const DataReceiver& receiver : context_.output_data_receivers) {
        per_byte += data_receipt_byte_fee(is_self(receiver.receiver_id));
    }
    gas_.take(per_byte * value.size(), 0);
    return_data_ = std::move(value);
}

void CallHost::panic(std::string message) {
    gas_.take(kLogBase + kLogByte * message.size(), 0);
    if (!is_utf8(message)) throw bad_utf8();
    throw guest_panic(message);
}

std::optional<std::string> CallHost::storage_read(std::string_view key) const {
    check_key(key);
    gas_.take(kStorageReadBase + kStorageReadKeyByte * key.size(), 0);
    std::optional<std::string> value = world_.read(key);
    if (value) gas_.take(kStorageReadValueByte * value->size(), 0);
    return value;
}

void CallHost::storage_write(std::string_view key, std::string value) {
    require_not_view("storage_write");
    check_key(key);
    if (value.size() > kMaxStorageValue)
        throw limit_exceeded(Limit::storage_value, value.size(), kMaxStorageValue);
    gas_.take(kStorageWriteBase + kStorageWriteKeyByte * key.size() + kStorageWriteValueByte * value.size(),
              0);
    world_.write(key, std::move(value));
}

void CallHost::storage_remove(std::string_view key) {
    require_not_view("storage_remove");
    check_key(key);
    gas_.take(kStorageRemoveBase + kStorageRemoveKeyByte * key.size(), 0);
    world_.remove(key);
}

std::size_t CallHost::promise_results_count() const {
    require_not_view("promise_results_count");
    return context_.promise_results.size();
}

const PromiseResult& CallHost::promise_result(std::size_t index) const {
    require_not_view("promise_result");
    if (index >= context_.promise_results.size()) throw invalid_promise_result_index(index);
    return context_.promise_results[index];
}

}  // namespace receiptd::sandbox::sim
