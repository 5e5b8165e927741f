// A contract whose methods are C++ functions of the test, and short ways to write what they do.
#pragma once

#include "sandbox/sim/host.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace receiptd::sandbox::sim {

using Method = std::function<void(Host&)>;

class ScriptedContract final : public Contract {
public:
    explicit ScriptedContract(std::map<std::string, Method, std::less<>> methods)
        : methods_(std::move(methods)) {}

    bool call(std::string_view method_name, Host& host) const override {
        const auto found = methods_.find(method_name);
        if (found == methods_.end()) return false;
        found->second(host);
        return true;
    }

private:
    std::map<std::string, Method, std::less<>> methods_;
};

inline Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string text(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

inline wire::Action call_action(std::string method, Gas gas, u128 deposit = 0, std::string_view args = "") {
    return {wire::FunctionCall{std::move(method), bytes(args), gas, deposit}};
}
inline wire::Action transfer_action(u128 amount) { return {wire::Transfer{amount}}; }

inline PromiseIndex call(Host& host, std::string account, std::string method, Gas gas, u128 deposit = 0) {
    const PromiseIndex promise = host.promise_batch_create(std::move(account));
    host.promise_add_action(promise, call_action(std::move(method), gas, deposit));
    return promise;
}
inline PromiseIndex then(Host& host, PromiseIndex after, std::string account, std::string method, Gas gas) {
    const PromiseIndex promise = host.promise_batch_then(after, std::move(account));
    host.promise_add_action(promise, call_action(std::move(method), gas));
    return promise;
}

// A callback that returns how its promises ended: "[value]" of each, "<failed>" in place of a failure.
inline void return_results(Host& host) {
    std::string all;
    for (std::size_t i = 0; i < host.promise_results_count(); ++i) {
        const PromiseResult& result = host.promise_result(i);
        all += result ? "[" + text(*result) + "]" : "<failed>";
    }
    host.return_value(bytes(all));
}

}  // namespace receiptd::sandbox::sim
