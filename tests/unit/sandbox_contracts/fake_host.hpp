// A host for one call of a contract: what it reads is set beforehand, what it does is kept for the test.
// Charges no fees.
#pragma once

#include "sandbox/contracts/json_args.hpp"
#include "sandbox/sim/host.hpp"

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::sandbox {

struct Panic : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class FakeHost : public sim::Host {
public:
    struct Promise {
        std::string account_id;
        std::vector<sim::PromiseIndex> after;  // of `then` and `and`
        bool is_joint = false;
        std::vector<sim::wire::Action> actions;
        std::vector<std::uint64_t> weights;
    };
    struct Yielded {
        std::string method_name;
        std::string args;
        sim::Gas gas = 0;
        std::uint64_t weight = 0;
    };

    // --- Set by the test ---
    std::string current = "contract.sandbox";
    std::string predecessor = "alice.sandbox";
    std::string signer = "alice.sandbox";
    sim::u128 deposit = 0;
    sim::Gas prepaid = 100 * sim::kTera;
    std::vector<sim::PromiseResult> results;
    std::map<std::string, std::string, std::less<>> storage;
    std::set<sim::CryptoHash> waiting;

    void set_input(std::string_view text) { input_ = contracts::to_bytes(text); }

    // --- Left for the test ---
    std::vector<std::string> logs;
    std::string value;
    std::vector<Promise> promises;
    std::optional<sim::PromiseIndex> returned_promise;
    std::vector<Yielded> yields;
    std::vector<std::pair<sim::CryptoHash, std::string>> resumed;
    sim::Gas used = 0;

    const std::string& current_account_id() const override { return current; }
    const std::string& predecessor_id() const override { return predecessor; }
    const std::string& signer_id() const override { return signer; }
    const sim::Bytes& input() const override { return input_; }
    sim::u128 attached_deposit() const override { return deposit; }
    sim::u128 account_balance() const override { return deposit; }
    sim::Height block_height() const override { return 1; }
    std::uint64_t block_timestamp_nanosec() const override { return 0; }
    sim::Gas prepaid_gas() const override { return prepaid; }
    sim::Gas used_gas() const override { return used; }
    bool is_view() const override { return false; }

    void use_gas(sim::Gas gas) override {
        if (gas > prepaid - used) throw Panic("Exceeded the prepaid gas.");
        used += gas;
    }
    void log(std::string message) override { logs.push_back(std::move(message)); }
    void return_value(sim::Bytes bytes) override { value.assign(bytes.begin(), bytes.end()); }
    [[noreturn]] void panic(std::string message) override { throw Panic(message); }
    std::optional<std::string> storage_read(std::string_view key) const override {
        const auto found = storage.find(key);
        return found == storage.end() ? std::nullopt : std::optional(found->second);
    }
    void storage_write(std::string_view key, std::string text) override {
        storage[std::string(key)] = std::move(text);
    }
    void storage_remove(std::string_view key) override { storage.erase(std::string(key)); }

    sim::PromiseIndex promise_batch_create(std::string account_id) override {
        promises.push_back({.account_id = std::move(account_id), .after = {}, .actions = {}, .weights = {}});
        return promises.size() - 1;
    }
    sim::PromiseIndex promise_batch_then(sim::PromiseIndex after, std::string account_id) override {
        promises.push_back(
            {.account_id = std::move(account_id), .after = {after}, .actions = {}, .weights = {}});
        return promises.size() - 1;
    }
    sim::PromiseIndex promise_and(std::vector<sim::PromiseIndex> joined) override {
        promises.push_back(
            {.account_id = {}, .after = std::move(joined), .is_joint = true, .actions = {}, .weights = {}});
        return promises.size() - 1;
    }
    void promise_add_action(sim::PromiseIndex promise, sim::wire::Action action,
                            std::uint64_t gas_weight) override {
        promises.at(promise).actions.push_back(std::move(action));
        promises.at(promise).weights.push_back(gas_weight);
    }
    void promise_return(sim::PromiseIndex promise) override { returned_promise = promise; }
    Yield promise_yield_create(std::string method_name, sim::Bytes args, sim::Gas gas,
                               std::uint64_t weight) override {
        yields.push_back({std::move(method_name), {args.begin(), args.end()}, gas, weight});
        Yield yield;
        yield.promise = promise_batch_create(current);
        yield.data_id.bytes[0] = static_cast<std::uint8_t>(yields.size());
        waiting.insert(yield.data_id);
        return yield;
    }
    bool promise_yield_resume(const sim::CryptoHash& data_id, sim::Bytes payload) override {
        resumed.emplace_back(data_id, std::string(payload.begin(), payload.end()));
        return waiting.erase(data_id) == 1;
    }
    std::size_t promise_results_count() const override { return results.size(); }
    const sim::PromiseResult& promise_result(std::size_t index) const override { return results.at(index); }

private:
    sim::Bytes input_;
};

// The end of one call.
struct Called {
    std::string panic;  // empty: it succeeded
    std::string value;
    std::vector<std::string> logs;
};

// As a real host does, a call that panics leaves the storage as it was.
inline Called call(const sim::Contract& contract, FakeHost& host, std::string_view method,
                   std::string_view input) {
    host.set_input(input);
    host.logs.clear();
    host.value.clear();
    host.promises.clear();
    host.returned_promise.reset();
    host.used = 0;
    const auto before = host.storage;
    try {
        if (!contract.call(method, host)) return {"MethodNotFound", {}, {}};
    } catch (const Panic& panic) {
        host.storage = before;
        return {panic.what(), {}, host.logs};
    }
    return {{}, host.value, host.logs};
}

inline const sim::wire::FunctionCall& function_call(const FakeHost::Promise& promise, std::size_t index = 0) {
    return std::get<sim::wire::FunctionCall>(promise.actions.at(index).value);
}
inline std::string text(const sim::Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace receiptd::sandbox
