#include "sandbox/contracts/script_run.hpp"

#include "chain/wire/base64.hpp"
#include "sandbox/contracts/script.hpp"
#include "sandbox/sim/host_error.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace receiptd::sandbox {

using namespace contracts;

namespace contracts {

namespace {

constexpr Gas kRunGas = sim::kTera / 2;
constexpr Gas kStepGas = sim::kTera / 20;

std::string data_key(const std::string& key) { return "data/" + key; }

}  // namespace

ScriptRun::Step ScriptRun::find_step(std::string_view verb) {
    static constexpr std::array<std::pair<std::string_view, Step>, 22> kSteps{{
        {"log", &ScriptRun::log},
        {"panic", &ScriptRun::panic},
        {"return", &ScriptRun::return_json},
        {"return_text", &ScriptRun::return_text},
        {"return_base64", &ScriptRun::return_base64},
        {"use_gas", &ScriptRun::use_gas},
        {"transfer", &ScriptRun::transfer},
        {"call", &ScriptRun::call},
        {"then", &ScriptRun::then},
        {"batch", &ScriptRun::batch},
        {"and", &ScriptRun::join},
        {"return_promise", &ScriptRun::return_promise},
        {"yield", &ScriptRun::yield},
        {"resume", &ScriptRun::resume},
        {"write", &ScriptRun::write},
        {"read", &ScriptRun::read},
        {"return_stored", &ScriptRun::return_stored},
        {"remove", &ScriptRun::remove},
        {"log_promise_results", &ScriptRun::log_promise_results},
        {"return_promise_result", &ScriptRun::return_promise_result},
        {"fail_if_promise_failed", &ScriptRun::fail_if_promise_failed},
        {"if_promise_failed", &ScriptRun::if_promise_failed},
    }};
    for (const auto& [name, step] : kSteps) {
        if (name == verb) return step;
    }
    return nullptr;
}

void ScriptRun::run_program(const Json& program) {
    host_.use_gas(kRunGas);
    const ScriptValue whole(host_, "program", program);
    if (program.is_array()) return run_steps(whole, "");
    if (!program.is_object()) whole.fail("wanted {\"steps\": [...]} or a list of steps");
    ScriptFields fields(whole);
    const ScriptValue steps = fields.required("steps");
    fields.finish();
    run_steps(steps, "");
}

void ScriptRun::run_steps(const ScriptValue& steps, const std::string& prefix) {
    std::size_t number = 0;
    for (const ScriptValue& element : steps.list()) {
        host_.use_gas(kStepGas);
        step_number_ = prefix + std::to_string(++number);
        const ScriptValue item(host_, "step " + step_number_, element.json());
        const ScriptItem step = read_script_item(item, "step");
        const Step run = find_step(step.verb);
        if (run == nullptr) item.fail("no such step: " + Json(step.verb).dump());
        (this->*run)(step.operand);
    }
}

void ScriptRun::log(const ScriptValue& operand) { host_.log(operand.text()); }
void ScriptRun::panic(const ScriptValue& operand) { host_.panic(operand.text()); }
void ScriptRun::return_json(const ScriptValue& operand) { host_.return_value(json_bytes(operand.json())); }
void ScriptRun::return_text(const ScriptValue& operand) { host_.return_value(to_bytes(operand.text())); }
void ScriptRun::return_base64(const ScriptValue& operand) { host_.return_value(operand.base64()); }
void ScriptRun::use_gas(const ScriptValue& operand) { host_.use_gas(operand.gas()); }

void ScriptRun::write(const ScriptValue& operand) {
    ScriptFields fields(operand);
    const std::string key = fields.required("key").text();
    std::string value = fields.required("value").text();
    fields.finish();
    host_.storage_write(data_key(key), std::move(value));
}

void ScriptRun::read(const ScriptValue& operand) {
    const std::string key = operand.text();
    const auto value = host_.storage_read(data_key(key));
    host_.log(value ? key + " = " + *value : key + " is not set");
}

void ScriptRun::return_stored(const ScriptValue& operand) {
    const auto value = host_.storage_read(data_key(operand.text()));
    if (!value) operand.fail("nothing is stored under " + operand.json().dump());
    host_.return_value(to_bytes(*value));
}

void ScriptRun::remove(const ScriptValue& operand) { host_.storage_remove(data_key(operand.text())); }

void ScriptRun::log_promise_results(const ScriptValue&) {
    for (std::size_t i = 0; i < host_.promise_results_count(); ++i) {
        const std::string name = "promise result " + std::to_string(i);
        const sim::PromiseResult& result = host_.promise_result(i);
        if (!result) {
            host_.log(name + ": failed");
        } else if (std::string text(result->begin(), result->end()); sim::is_utf8(text)) {
            host_.log(name + ": " + text);
        } else {
            host_.log(name + " (base64): " + chain::base64_encode(*result));
        }
    }
}

void ScriptRun::return_promise_result(const ScriptValue& operand) {
    const std::uint64_t index = operand.count();
    if (index >= host_.promise_results_count()) {
        operand.fail("there are " + std::to_string(host_.promise_results_count()) + " promise results");
    }
    const sim::PromiseResult& result = host_.promise_result(index);
    if (!result) operand.fail("promise result " + std::to_string(index) + " failed");
    host_.return_value(*result);
}

std::optional<std::size_t> ScriptRun::failed_promise_result() const {
    for (std::size_t i = 0; i < host_.promise_results_count(); ++i) {
        if (!host_.promise_result(i)) return i;
    }
    return std::nullopt;
}

void ScriptRun::fail_if_promise_failed(const ScriptValue&) {
    if (const auto failed = failed_promise_result()) {
        host_.panic("promise result " + std::to_string(*failed) + " failed");
    }
}

void ScriptRun::if_promise_failed(const ScriptValue& operand) {
    ScriptFields fields(operand);
    const auto on_failure = fields.optional("then");
    const auto otherwise = fields.optional("else");
    fields.finish();
    const auto& branch = failed_promise_result() ? on_failure : otherwise;
    const std::string prefix = step_number_ + ".";
    if (branch) run_steps(*branch, prefix);
}

}  // namespace contracts

bool ScriptContract::call(std::string_view method_name, sim::Host& host) const {
    if (method_name != "run" && method_name != "ft_on_transfer") return false;
    std::string text(chain::text_of(host.input()));
    if (method_name == "ft_on_transfer") text = Args(host).text("msg");
    const auto program = parse_json(text);
    if (!program) host.panic("program: not JSON, or nested deeper than " + std::to_string(kMaxJsonDepth));
    ScriptRun(host).run_program(*program);
    return true;
}

}  // namespace receiptd::sandbox
