#include "codec_vectors.hpp"

#include <map>

namespace receiptd::chain::vector_data {

namespace {

std::string text(const Json& json) { return json.get<std::string>(); }

wire::GlobalContractId contract_id(const Json& json) {
    if (json.contains("code_hash")) return hash(json.at("code_hash"));
    return text(json.at("account_id"));
}

wire::FunctionCallPermission function_call_permission(const Json& json) {
    wire::FunctionCallPermission permission;
    if (!json.at("allowance").is_null()) permission.allowance = u128(json.at("allowance"));
    permission.receiver_id = json.at("receiver_id");
    permission.method_names = json.at("method_names").get<std::vector<std::string>>();
    return permission;
}

wire::GasKeyInfo gas_key(const Json& json) {
    return {u128(json.at("balance")), json.at("num_nonces").get<std::uint16_t>()};
}

wire::Permission permission(const Json& json) {
    if (json.is_string()) return wire::FullAccess{};
    const auto& body = json.begin().value();
    if (json.begin().key() == "FunctionCall") return function_call_permission(body);
    if (json.begin().key() == "GasKeyFullAccess") return wire::GasKeyFullAccess{gas_key(body)};
    return wire::GasKeyFunctionCall{gas_key(body), function_call_permission(body)};
}

wire::AddKey add_key(const Json& json) {
    const auto& access = json.at("access_key");
    return {key(json.at("public_key")), {u64(access.at("nonce")), permission(access.at("permission"))}};
}

template <class Delegate>
void fill_delegate(Delegate& delegate, const Json& json) {
    delegate.sender_id = json.at("sender_id");
    delegate.receiver_id = json.at("receiver_id");
    delegate.actions = actions(json.at("actions"));
    delegate.max_block_height = u64(json.at("max_block_height"));
    delegate.public_key = key(json.at("public_key"));
}

using Maker = wire::ActionVariant (*)(const Json&);

const std::map<std::string, Maker>& makers() {
    static const std::map<std::string, Maker> table = {
        {"DeployContract",
         [](const Json& j) -> wire::ActionVariant { return wire::DeployContract{unhex(j.at("code_hex"))}; }},
        {"FunctionCall",
         [](const Json& j) -> wire::ActionVariant {
             return wire::FunctionCall{text(j.at("method_name")), unhex(j.at("args_hex")), u64(j.at("gas")),
                                       u128(j.at("deposit"))};
         }},
        {"Transfer",
         [](const Json& j) -> wire::ActionVariant { return wire::Transfer{u128(j.at("deposit"))}; }},
        {"Stake",
         [](const Json& j) -> wire::ActionVariant {
             return wire::Stake{u128(j.at("stake")), key(j.at("public_key"))};
         }},
        {"AddKey", [](const Json& j) -> wire::ActionVariant { return add_key(j); }},
        {"DeleteKey",
         [](const Json& j) -> wire::ActionVariant { return wire::DeleteKey{key(j.at("public_key"))}; }},
        {"DeleteAccount",
         [](const Json& j) -> wire::ActionVariant {
             return wire::DeleteAccount{text(j.at("beneficiary_id"))};
         }},
        {"Delegate",
         [](const Json& j) -> wire::ActionVariant {
             return wire::SignedDelegate{delegate_action(j.at("delegate_action")),
                                         signature(j.at("signature"))};
         }},
        {"DeployGlobalContract",
         [](const Json& j) -> wire::ActionVariant {
             return wire::DeployGlobalContract{unhex(j.at("code_hex")),
                                               j.at("deploy_mode") == "CodeHash"
                                                   ? wire::GlobalContractDeployMode::code_hash
                                                   : wire::GlobalContractDeployMode::account_id};
         }},
        {"UseGlobalContract",
         [](const Json& j) -> wire::ActionVariant {
             return wire::UseGlobalContract{contract_id(j.at("contract_identifier"))};
         }},
        {"DeterministicStateInit",
         [](const Json& j) -> wire::ActionVariant {
             return wire::DeterministicStateInit{state_init(j.at("state_init")), u128(j.at("deposit"))};
         }},
        {"TransferToGasKey",
         [](const Json& j) -> wire::ActionVariant {
             return wire::TransferToGasKey{key(j.at("public_key")), u128(j.at("deposit"))};
         }},
        {"WithdrawFromGasKey",
         [](const Json& j) -> wire::ActionVariant {
             return wire::WithdrawFromGasKey{key(j.at("public_key")), u128(j.at("amount"))};
         }},
        {"DelegateV2",
         [](const Json& j) -> wire::ActionVariant {
             return wire::SignedDelegateV2{delegate_action_v2(j.at("delegate_action")),
                                           signature(j.at("signature"))};
         }},
    };
    return table;
}

}  // namespace

wire::StateInit state_init(const Json& json) {
    wire::StateInit init;
    init.code = contract_id(json.at("code"));
    // nlohmann keeps object keys sorted, and hex sorts as its bytes do.
    for (const auto& [name, value] : json.at("data_hex").items())
        init.data.emplace_back(hex_decode(name).value(), unhex(value));
    return init;
}

wire::Action action(const Json& json) {
    if (json.is_string()) return {wire::CreateAccount{}};
    return {makers().at(json.begin().key())(json.begin().value())};
}

std::vector<wire::Action> actions(const Json& json) {
    std::vector<wire::Action> list;
    for (const auto& item : json) list.push_back(action(item));
    return list;
}

wire::TransactionNonce nonce(const Json& json) {
    if (json.is_string()) return {u64(json), std::nullopt};
    wire::TransactionNonce result{u64(json.at("nonce")), std::nullopt};
    if (json.contains("nonce_index") && !json.at("nonce_index").is_null())
        result.nonce_index = json.at("nonce_index").get<std::uint16_t>();
    return result;
}

wire::Transaction transaction(const Json& vector) {
    wire::Transaction result;
    result.version = vector.at("version") == 1 ? wire::TransactionVersion::v1 : wire::TransactionVersion::v0;
    result.signer_id = vector.at("signer_id");
    result.public_key = key(vector.at("public_key"));
    result.nonce = nonce(vector.at("nonce"));
    result.receiver_id = vector.at("receiver_id");
    result.block_hash = hash(vector.at("block_hash"));
    result.actions = actions(vector.at("actions"));
    if (vector.value("nonce_mode", "") == "strict") result.nonce_mode = wire::NonceMode::strict;
    return result;
}

wire::DelegateAction delegate_action(const Json& json) {
    wire::DelegateAction delegate;
    fill_delegate(delegate, json);
    delegate.nonce = u64(json.at("nonce"));
    return delegate;
}

wire::DelegateActionV2 delegate_action_v2(const Json& json) {
    wire::DelegateActionV2 delegate;
    fill_delegate(delegate, json);
    delegate.nonce = nonce(json.at("nonce"));
    return delegate;
}

}  // namespace receiptd::chain::vector_data
