#include "sandbox/ledger/action_json.hpp"

#include "chain/wire/base64.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace wire = sim::wire;
using chain::base64_encode;

Json contract_id_json(const wire::GlobalContractId& id) {
    if (const auto* hash = std::get_if<CryptoHash>(&id)) return {{"hash", hash->to_string()}};
    return {{"account_id", std::get<std::string>(id)}};
}

namespace {

// Views tell the hash of code; the raw form has the code itself.
enum class Form : std::uint8_t { view, raw };

Json action_json(const wire::Action& action, Form form);

Json list_json(const std::vector<wire::Action>& actions, Form form) {
    Json list = Json::array();
    for (const wire::Action& action : actions) list.push_back(action_json(action, form));
    return list;
}

std::string code_text(const chain::Bytes& code, Form form) {
    return form == Form::raw ? base64_encode(code) : base64_encode(chain::sha256(code).view());
}

Json call_permission_json(const wire::FunctionCallPermission& permission) {
    return {{"allowance", permission.allowance ? Json(base::to_string(*permission.allowance)) : Json()},
            {"receiver_id", permission.receiver_id},
            {"method_names", permission.method_names}};
}

Json gas_key_json(const wire::GasKeyInfo& gas_key) {
    return {{"balance", base::to_string(gas_key.balance)}, {"num_nonces", gas_key.num_nonces}};
}

struct PermissionWriter {
    Form form;
    Json operator()(const wire::FunctionCallPermission& permission) const {
        return {{"FunctionCall", call_permission_json(permission)}};
    }
    Json operator()(const wire::FullAccess&) const { return "FullAccess"; }
    Json operator()(const wire::GasKeyFunctionCall& permission) const {
        Json gas_key = gas_key_json(permission.gas_key);
        Json call = call_permission_json(permission.function_call);
        if (form == Form::raw) return {{"GasKeyFunctionCall", Json::array({gas_key, call})}};
        gas_key.update(call);
        return {{"GasKeyFunctionCall", std::move(gas_key)}};
    }
    Json operator()(const wire::GasKeyFullAccess& permission) const {
        return {{"GasKeyFullAccess", gas_key_json(permission.gas_key)}};
    }
};

Json nonce_json(std::uint64_t nonce) { return nonce; }
Json nonce_json(const wire::TransactionNonce& nonce) {
    if (!nonce.nonce_index) return {{"Nonce", {{"nonce", nonce.nonce}}}};
    return {{"GasKeyNonce", {{"nonce", nonce.nonce}, {"nonce_index", *nonce.nonce_index}}}};
}

template <class NonceType>
Json delegate_json(const wire::BasicDelegateAction<NonceType>& delegate) {
    return {{"sender_id", delegate.sender_id},
            {"receiver_id", delegate.receiver_id},
            {"actions", list_json(delegate.actions, Form::raw)},
            {"nonce", nonce_json(delegate.nonce)},
            {"max_block_height", delegate.max_block_height},
            {"public_key", delegate.public_key.to_string()}};
}

struct ActionWriter {
    Form form;

    Json operator()(const wire::CreateAccount&) const {
        if (form == Form::raw) return {{"CreateAccount", Json::object()}};
        return "CreateAccount";
    }
    Json operator()(const wire::DeployContract& action) const {
        return {{"DeployContract", {{"code", code_text(action.code, form)}}}};
    }
    Json operator()(const wire::FunctionCall& action) const {
        return {{"FunctionCall",
                 {{"method_name", action.method_name},
                  {"args", base64_encode(action.args)},
                  {"gas", action.gas},
                  {"deposit", base::to_string(action.deposit)}}}};
    }
    Json operator()(const wire::Transfer& action) const {
        return {{"Transfer", {{"deposit", base::to_string(action.deposit)}}}};
    }
    Json operator()(const wire::Stake& action) const {
        return {{"Stake",
                 {{"stake", base::to_string(action.stake)}, {"public_key", action.public_key.to_string()}}}};
    }
    Json operator()(const wire::AddKey& action) const {
        const Json permission = std::visit(PermissionWriter{form}, action.access_key.permission);
        return {{"AddKey",
                 {{"public_key", action.public_key.to_string()},
                  {"access_key", {{"nonce", action.access_key.nonce}, {"permission", permission}}}}}};
    }
    Json operator()(const wire::DeleteKey& action) const {
        return {{"DeleteKey", {{"public_key", action.public_key.to_string()}}}};
    }
    Json operator()(const wire::DeleteAccount& action) const {
        return {{"DeleteAccount", {{"beneficiary_id", action.beneficiary_id}}}};
    }
    Json operator()(const wire::SignedDelegate& action) const {
        return {{"Delegate",
                 {{"delegate_action", delegate_json(action.delegate_action)},
                  {"signature", action.signature.to_string()}}}};
    }
    Json operator()(const wire::SignedDelegateV2& action) const {
        return {{"DelegateV2",
                 {{"delegate_action", {{"V2", delegate_json(action.delegate_action)}}},
                  {"signature", action.signature.to_string()}}}};
    }
    Json operator()(const wire::DeployGlobalContract& action) const {
        const bool by_hash = action.deploy_mode == wire::GlobalContractDeployMode::code_hash;
        Json body = {{"code", code_text(action.code, form)}};
        if (form == Form::view) {
            return {{by_hash ? "DeployGlobalContract" : "DeployGlobalContractByAccountId", std::move(body)}};
        }
        body["deploy_mode"] = by_hash ? "CodeHash" : "AccountId";
        return {{"DeployGlobalContract", std::move(body)}};
    }
    Json operator()(const wire::UseGlobalContract& action) const {
        if (form == Form::raw) {
            return {{"UseGlobalContract", {{"contract_identifier", contract_id_json(action.contract)}}}};
        }
        if (const auto* hash = std::get_if<CryptoHash>(&action.contract)) {
            return {{"UseGlobalContract", {{"code_hash", hash->to_string()}}}};
        }
        return {{"UseGlobalContractByAccountId", {{"account_id", std::get<std::string>(action.contract)}}}};
    }
    Json operator()(const wire::DeterministicStateInit& action) const {
        Json data = Json::object();
        for (const auto& [key, value] : action.state_init.data)
            data[base64_encode(key)] = base64_encode(value);
        const Json state = {{"code", contract_id_json(action.state_init.code)}, {"data", std::move(data)}};
        const std::string deposit = base::to_string(action.deposit);
        if (form == Form::raw) {
            return {{"DeterministicStateInit", {{"state_init", {{"V1", state}}}, {"deposit", deposit}}}};
        }
        return {{"DeterministicStateInit",
                 {{"code", state["code"]}, {"data", state["data"]}, {"deposit", deposit}}}};
    }
    Json operator()(const wire::TransferToGasKey& action) const {
        return {
            {"TransferToGasKey",
             {{"public_key", action.public_key.to_string()}, {"deposit", base::to_string(action.deposit)}}}};
    }
    Json operator()(const wire::WithdrawFromGasKey& action) const {
        return {
            {"WithdrawFromGasKey",
             {{"public_key", action.public_key.to_string()}, {"amount", base::to_string(action.amount)}}}};
    }
    Json operator()(const wire::UniversalStateInit& action) const {
        return {{"UniversalStateInit",
                 {{"state_init", base64_encode(action.state_init)},
                  {"deposit", base::to_string(action.deposit)}}}};
    }
    // Decoded with UnknownPolicy::refuse, so there are none.
    Json operator()(const wire::UnknownActions&) const { return nullptr; }
};

Json action_json(const wire::Action& action, Form form) {
    return std::visit(ActionWriter{form}, action.value);
}

}  // namespace

Json actions_json(const std::vector<wire::Action>& actions) { return list_json(actions, Form::view); }

Json permission_json(const wire::Permission& permission) {
    return std::visit(PermissionWriter{Form::view}, permission);
}

Json access_key_json(const wire::AccessKey& access_key) {
    return {{"nonce", access_key.nonce}, {"permission", permission_json(access_key.permission)}};
}

}  // namespace receiptd::sandbox
