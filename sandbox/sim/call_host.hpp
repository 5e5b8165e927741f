// The Host of one function call: context, gas, promises, storage (near-vm-logic).
#pragma once

#include "sandbox/sim/gas_counter.hpp"
#include "sandbox/sim/host.hpp"
#include "sandbox/sim/promises.hpp"
#include "sandbox/sim/protocol.hpp"

#include <span>

namespace receiptd::sandbox::sim {

// The interface of a running call to the chain.
class CallWorld {
public:
    virtual ~CallWorld() = default;
    virtual std::optional<std::string> read(std::string_view key) const = 0;
    virtual void write(std::string_view key, std::string value) = 0;
    virtual void remove(std::string_view key) = 0;
    // Whether a yield of this account, made by an earlier call, waits for that id.
    virtual bool has_yield(const CryptoHash& data_id) const = 0;
};

// The references must outlive the host.
struct CallContext {
    const std::string& current_account_id;
    const std::string& predecessor_id;
    const std::string& signer_id;
    const Bytes& input;
    std::span<const PromiseResult> promise_results;
    // Receivers of the result; the call pays for the bytes sent to them.
    std::span<const DataReceiver> output_data_receivers;
    u128 attached_deposit = 0;
    u128 account_balance = 0;  // the deposit included
    Height block_height = 0;
    std::uint64_t block_timestamp_nanosec = 0;
    Gas prepaid_gas = 0;
    bool is_view = false;
    CryptoHash action_hash{};
    const Protocol* protocol = &usual_protocol();
};

// None, a value, or the result of a receipt of this call.
using ReturnData = std::variant<std::monostate, Bytes, ReceiptIndex>;

struct ResumeData {
    CryptoHash data_id;
    Bytes payload;
};

class CallHost final : public Host {
public:
    CallHost(CallContext context, CallWorld& world);

    const std::string& current_account_id() const override { return context_.current_account_id; }
    const std::string& predecessor_id() const override;
    const std::string& signer_id() const override;
    const Bytes& input() const override { return context_.input; }
    u128 attached_deposit() const override;
    u128 account_balance() const override { return balance_; }
    Height block_height() const override { return context_.block_height; }
    std::uint64_t block_timestamp_nanosec() const override { return context_.block_timestamp_nanosec; }
    Gas prepaid_gas() const override;
    Gas used_gas() const override;
    bool is_view() const override { return context_.is_view; }

    void use_gas(Gas gas) override;
    void log(std::string message) override;
    void return_value(Bytes value) override;
    [[noreturn]] void panic(std::string message) override;
    std::optional<std::string> storage_read(std::string_view key) const override;
    void storage_write(std::string_view key, std::string value) override;
    void storage_remove(std::string_view key) override;

    PromiseIndex promise_batch_create(std::string account_id) override;
    PromiseIndex promise_batch_then(PromiseIndex after, std::string account_id) override;
    PromiseIndex promise_and(std::vector<PromiseIndex> promises) override;
    void promise_add_action(PromiseIndex promise, wire::Action action, std::uint64_t gas_weight) override;
    void promise_return(PromiseIndex promise) override;
    Yield promise_yield_create(std::string method_name, Bytes args, Gas gas,
                               std::uint64_t gas_weight) override;
    bool promise_yield_resume(const CryptoHash& data_id, Bytes payload) override;
    std::size_t promise_results_count() const override;
    const PromiseResult& promise_result(std::size_t index) const override;

    // --- After the call ---
    GasCounter& gas() { return gas_; }
    // The rest of the account's balance.
    u128 balance() const { return balance_; }
    std::vector<std::string> take_logs() { return std::move(logs_); }
    ReturnData take_return_data() { return std::move(return_data_); }
    Promises& promises() { return promises_; }
    std::vector<ResumeData> take_resumes() { return std::move(resumes_); }

private:
    void require_not_view(const char* function) const;
    void pay_for_new_receipt(std::string_view receiver_id, const std::vector<ReceiptIndex>& awaited);
    void pay_for_action(const wire::Action& action, std::string_view receiver_id);
    Gas send_part(const Fee& fee, std::string_view receiver_id) const {
        return is_self(receiver_id) ? fee.send_to_self : fee.send_to_other;
    }
    bool is_self(std::string_view account_id) const { return account_id == context_.current_account_id; }

    CallContext context_;
    CallWorld& world_;
    mutable GasCounter gas_;  // also what only reads costs gas
    u128 balance_;
    std::size_t log_length_ = 0;
    std::vector<std::string> logs_;
    ReturnData return_data_;
    Promises promises_;
    std::vector<ResumeData> resumes_;
};

}  // namespace receiptd::sandbox::sim
