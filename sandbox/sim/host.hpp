// Interface of native contracts, and the functions that they call while they run: those that nearcore gives
// to WebAssembly (near-vm-logic), as C++.
#pragma once

#include "sandbox/sim/model.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string_view>

namespace receiptd::sandbox::sim {

inline constexpr Gas kTera = 1'000'000'000'000;

using PromiseIndex = std::size_t;

// How an awaited promise ended: its value, or nullopt if it failed.
using PromiseResult = std::optional<Bytes>;

// A call may end early by an exception of the host's own; contracts do not catch what they did not throw.
class Host {
public:
    virtual ~Host() = default;

    // --- Context (a view knows only account, input, balance and block; to ask for more fails it) ---
    virtual const std::string& current_account_id() const = 0;
    virtual const std::string& predecessor_id() const = 0;
    virtual const std::string& signer_id() const = 0;
    virtual const Bytes& input() const = 0;
    virtual u128 attached_deposit() const = 0;
    virtual u128 account_balance() const = 0;  // the attached deposit included
    virtual Height block_height() const = 0;
    virtual std::uint64_t block_timestamp_nanosec() const = 0;
    virtual Gas prepaid_gas() const = 0;
    virtual Gas used_gas() const = 0;
    virtual bool is_view() const = 0;

    // --- Effects ---
    virtual void use_gas(Gas gas) = 0;  // "Exceeded the prepaid gas." where there is no more
    virtual void log(std::string message) = 0;
    virtual void return_value(Bytes value) = 0;
    // Fails the call: ExecutionError "Smart contract panicked: <message>".
    [[noreturn]] virtual void panic(std::string message) = 0;
    virtual std::optional<std::string> storage_read(std::string_view key) const = 0;
    virtual void storage_write(std::string_view key, std::string value) = 0;
    virtual void storage_remove(std::string_view key) = 0;

    // --- Promises ---
    // An action batch for an account, after nothing or after an earlier promise. Not allowed in views.
    virtual PromiseIndex promise_batch_create(std::string account_id) = 0;
    virtual PromiseIndex promise_batch_then(PromiseIndex after, std::string account_id) = 0;
    virtual PromiseIndex promise_and(std::vector<PromiseIndex> promises) = 0;
    // A FunctionCall's gas is taken from this call's; `weight` shares of what is left at the end are added.
    virtual void promise_add_action(PromiseIndex promise, wire::Action action,
                                    std::uint64_t gas_weight = 0) = 0;
    virtual void promise_return(PromiseIndex promise) = 0;
    // A callback on this account that waits for resume or for its timeout.
    struct Yield {
        PromiseIndex promise = 0;
        CryptoHash data_id;
    };
    virtual Yield promise_yield_create(std::string method_name, Bytes args, Gas gas,
                                       std::uint64_t gas_weight) = 0;
    // False if no yield of this account waits for that id.
    virtual bool promise_yield_resume(const CryptoHash& data_id, Bytes payload) = 0;

    virtual std::size_t promise_results_count() const = 0;
    virtual const PromiseResult& promise_result(std::size_t index) const = 0;
};

class Contract {
public:
    virtual ~Contract() = default;
    // False: no such method (MethodResolveError MethodNotFound).
    virtual bool call(std::string_view method_name, Host& host) const = 0;
};

// The native contracts by the code that stands for them: an account runs one if exactly these bytes
// are deployed on it. Other code cannot be run (CompilationError PrepareError Deserialization).
class Contracts {
public:
    void add(std::string_view code, std::unique_ptr<Contract> contract);
    // nullptr: not one of them.
    const Contract* find(const CryptoHash& code_hash) const;

private:
    std::map<CryptoHash, std::unique_ptr<Contract>> by_code_hash_;
};

}  // namespace receiptd::sandbox::sim
