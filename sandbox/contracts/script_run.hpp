// One run of a script's program (grammar: script.hpp).
#pragma once

#include "sandbox/contracts/script_fields.hpp"

#include <map>
#include <string>

namespace receiptd::sandbox::contracts {

class ScriptRun {
public:
    explicit ScriptRun(Host& host) : host_(host) {}

    // {"steps": […]} or […].
    void run_program(const Json& program);

private:
    using Step = void (ScriptRun::*)(const ScriptValue& operand);
    static Step find_step(std::string_view verb);

    // `prefix`: of the steps' numbers, "" or "2.".
    void run_steps(const ScriptValue& steps, const std::string& prefix);

    void log(const ScriptValue& operand);
    void panic(const ScriptValue& operand);
    void return_json(const ScriptValue& operand);
    void return_text(const ScriptValue& operand);
    void return_base64(const ScriptValue& operand);
    void use_gas(const ScriptValue& operand);
    void write(const ScriptValue& operand);
    void read(const ScriptValue& operand);
    void return_stored(const ScriptValue& operand);
    void remove(const ScriptValue& operand);

    void transfer(const ScriptValue& operand);
    void call(const ScriptValue& operand);
    void then(const ScriptValue& operand);
    void batch(const ScriptValue& operand);
    void join(const ScriptValue& operand);
    void return_promise(const ScriptValue& operand);
    void yield(const ScriptValue& operand);
    void resume(const ScriptValue& operand);

    void log_promise_results(const ScriptValue& operand);
    void return_promise_result(const ScriptValue& operand);
    void fail_if_promise_failed(const ScriptValue& operand);
    void if_promise_failed(const ScriptValue& operand);

    // Reads "after" and makes the promise for that account; its "as" is read by name_promise.
    sim::PromiseIndex new_promise(ScriptFields& fields, std::string account_id);
    void add_call(ScriptFields& fields, std::string account_id);
    void name_promise(ScriptFields& fields, sim::PromiseIndex promise);
    sim::PromiseIndex promise_named(const ScriptValue& name) const;
    // The number of the first that failed.
    std::optional<std::size_t> failed_promise_result() const;

    Host& host_;
    std::string step_number_;  // of the step that runs
    std::map<std::string, sim::PromiseIndex> promises_;
};

}  // namespace receiptd::sandbox::contracts
