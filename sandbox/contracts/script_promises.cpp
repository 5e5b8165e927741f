// The steps of a script that make promises.
#include "sandbox/contracts/script_actions.hpp"
#include "sandbox/contracts/script_run.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::contracts {

namespace {

constexpr std::size_t kMaxPayload = 1024;  // of nearcore

std::string yield_key(const std::string& id) { return "yield/" + id; }

Bytes read_payload(ScriptFields& fields) {
    const auto value = fields.optional("value");
    const auto text = fields.optional("text");
    const auto raw = fields.optional("base64");
    if (int{value.has_value()} + int{text.has_value()} + int{raw.has_value()} != 1) {
        fields.fail("wanted one of \"value\", \"text\" and \"base64\"");
    }
    Bytes payload = value ? json_bytes(value->json()) : text ? to_bytes(text->text()) : raw->base64();
    if (payload.size() > kMaxPayload) {
        fields.fail("the payload has " + std::to_string(payload.size()) + " bytes, " +
                    std::to_string(kMaxPayload) + " are the most");
    }
    return payload;
}

}  // namespace

sim::PromiseIndex ScriptRun::promise_named(const ScriptValue& name) const {
    const auto found = promises_.find(name.text());
    if (found == promises_.end()) name.fail("no promise has the name " + name.json().dump());
    return found->second;
}

void ScriptRun::name_promise(ScriptFields& fields, sim::PromiseIndex promise) {
    if (const auto name = fields.optional("as")) promises_[name->text()] = promise;
}

sim::PromiseIndex ScriptRun::new_promise(ScriptFields& fields, std::string account_id) {
    const auto after = fields.optional("after");
    if (after) return host_.promise_batch_then(promise_named(*after), std::move(account_id));
    return host_.promise_batch_create(std::move(account_id));
}

void ScriptRun::transfer(const ScriptValue& operand) {
    ScriptFields fields(operand);
    const u128 amount = fields.required("amount").amount();
    const auto promise = new_promise(fields, fields.required("to").account());
    host_.promise_add_action(promise, {sim::wire::Transfer{amount}});
    name_promise(fields, promise);
    fields.finish();
}

void ScriptRun::add_call(ScriptFields& fields, std::string account_id) {
    ScriptCall call = read_script_call(fields);
    if (const auto deposit = fields.optional("deposit")) call.action.deposit = deposit->amount();
    const auto promise = new_promise(fields, std::move(account_id));
    host_.promise_add_action(promise, {std::move(call.action)}, call.weight);
    name_promise(fields, promise);
    fields.finish();
}

void ScriptRun::call(const ScriptValue& operand) {
    ScriptFields fields(operand);
    add_call(fields, fields.required("account").account());
}

void ScriptRun::then(const ScriptValue& operand) {
    ScriptFields fields(operand);
    fields.required("after");
    const auto account = fields.optional("account");
    add_call(fields, account ? account->account() : host_.current_account_id());
}

void ScriptRun::batch(const ScriptValue& operand) {
    ScriptFields fields(operand);
    const auto promise = new_promise(fields, fields.required("account").account());
    std::size_t number = 0;
    for (const ScriptValue& element : fields.required("actions").list()) {
        const ScriptValue item(host_, operand.where() + " action " + std::to_string(++number),
                               element.json());
        ScriptAction action = read_script_action(item);
        host_.promise_add_action(promise, std::move(action.action), action.gas_weight);
    }
    name_promise(fields, promise);
    fields.finish();
}

void ScriptRun::join(const ScriptValue& operand) {
    ScriptFields fields(operand);
    std::vector<sim::PromiseIndex> promises;
    const ScriptValue names = fields.required("promises");
    for (const ScriptValue& name : names.list()) promises.push_back(promise_named(name));
    if (promises.empty()) names.fail("wanted at least one name");
    fields.required("as");
    name_promise(fields, host_.promise_and(std::move(promises)));
    fields.finish();
}

void ScriptRun::return_promise(const ScriptValue& operand) { host_.promise_return(promise_named(operand)); }

void ScriptRun::yield(const ScriptValue& operand) {
    ScriptFields fields(operand);
    const std::string id = fields.required("id").text();
    ScriptCall call = read_script_call(fields);
    const auto yield = host_.promise_yield_create(std::move(call.action.method_name),
                                                  std::move(call.action.args), call.action.gas, call.weight);
    host_.storage_write(yield_key(id), yield.data_id.to_string());
    name_promise(fields, yield.promise);
    fields.finish();
}

void ScriptRun::resume(const ScriptValue& operand) {
    ScriptFields fields(operand);
    const std::string id = fields.required("id").text();
    Bytes payload = read_payload(fields);
    fields.finish();
    const auto record = host_.storage_read(yield_key(id));
    const auto data_id = record ? sim::CryptoHash::parse(*record) : std::nullopt;
    if (!data_id) operand.fail("no yield has the id " + Json(id).dump());
    if (!host_.promise_yield_resume(*data_id, std::move(payload)))
        host_.log("the yield " + id + " waits no more");
    host_.storage_remove(yield_key(id));
}

}  // namespace receiptd::sandbox::contracts
