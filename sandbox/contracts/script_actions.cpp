#include "sandbox/contracts/script_actions.hpp"

#include "sandbox/contracts/builtin.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace receiptd::sandbox::contracts {

namespace wire = sim::wire;

namespace {

ScriptAction create_account(const ScriptValue&) { return {{wire::CreateAccount{}}}; }
ScriptAction transfer(const ScriptValue& operand) { return {{wire::Transfer{operand.amount()}}}; }
ScriptAction delete_key(const ScriptValue& operand) { return {{wire::DeleteKey{operand.public_key()}}}; }
ScriptAction delete_account(const ScriptValue& operand) { return {{wire::DeleteAccount{operand.account()}}}; }
ScriptAction deploy_base64(const ScriptValue& operand) { return {{wire::DeployContract{operand.base64()}}}; }

ScriptAction deploy(const ScriptValue& operand) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kContracts{
        {{"ft", kFtCode}, {"receiver", kReceiverCode}, {"yield", kYieldCode}, {"script", kScriptCode}}};
    const std::string name = operand.text();
    for (const auto& [known, code] : kContracts) {
        if (known == name) return {{wire::DeployContract{to_bytes(code)}}};
    }
    operand.fail("no built-in contract has that name: ft, receiver, yield, script");
}

ScriptAction add_key(const ScriptValue& operand) {
    ScriptFields fields(operand);
    wire::AddKey action;
    action.public_key = fields.required("public_key").public_key();
    const auto receiver = fields.optional("receiver");
    const auto methods = fields.optional("methods");
    const auto allowance = fields.optional("allowance");
    if (receiver) {
        wire::FunctionCallPermission permission;
        permission.receiver_id = receiver->text();
        if (allowance) permission.allowance = allowance->amount();
        if (methods) {
            for (const ScriptValue& method : methods->list())
                permission.method_names.push_back(method.text());
        }
        action.access_key.permission = std::move(permission);
    } else if (methods || allowance) {
        fields.fail("\"methods\" and \"allowance\" need a \"receiver\"");
    }
    fields.finish();
    return {{std::move(action)}};
}

ScriptAction function_call(const ScriptValue& operand) {
    ScriptFields fields(operand);
    ScriptCall call = read_script_call(fields);
    if (const auto deposit = fields.optional("deposit")) call.action.deposit = deposit->amount();
    fields.finish();
    return {{std::move(call.action)}, call.weight};
}

ScriptAction stake(const ScriptValue& operand) {
    ScriptFields fields(operand);
    wire::Stake action{fields.required("amount").amount(), fields.required("public_key").public_key()};
    fields.finish();
    return {{std::move(action)}};
}

struct Reader {
    std::string_view verb;
    ScriptAction (*read)(const ScriptValue&);
};
constexpr std::array<Reader, 9> kReaders{{
    {"create_account", create_account},
    {"transfer", transfer},
    {"deploy", deploy},
    {"deploy_base64", deploy_base64},
    {"add_key", add_key},
    {"delete_key", delete_key},
    {"delete_account", delete_account},
    {"function_call", function_call},
    {"stake", stake},
}};

}  // namespace

ScriptAction read_script_action(const ScriptValue& item) {
    const ScriptItem action = read_script_item(item, "action");
    for (const Reader& reader : kReaders) {
        if (reader.verb == action.verb) return reader.read(action.operand);
    }
    item.fail("no such action: " + Json(action.verb).dump());
}

}  // namespace receiptd::sandbox::contracts
