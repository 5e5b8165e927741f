#include "sandbox/sim/validate_actions.hpp"

#include "chain/wire/account_id.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/state_changes.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

namespace {

using Invalid = std::optional<Json>;

Invalid limited(const char* error, const char* name, std::uint64_t value, std::uint64_t limit) {
    if (value <= limit) return std::nullopt;
    return variant(error, payload({{name, value}, {"limit", limit}}));
}

Invalid check_account_id(std::string_view id) {
    if (chain::is_valid_account_id(id)) return std::nullopt;
    // As long as twice an account id, cut between characters.
    std::size_t size = std::min(id.size(), 2 * chain::kMaxAccountIdSize);
    while (size > 0 && size < id.size() && (static_cast<unsigned char>(id[size]) & 0xc0U) == 0x80U) --size;
    return account_error("InvalidAccountId", id.substr(0, size));
}

Invalid check_contract(const wire::GlobalContractId& contract) {
    const auto* account = std::get_if<std::string>(&contract);
    return account ? check_account_id(*account) : std::nullopt;
}

Invalid check_code(const Bytes& code) {
    return limited("ContractSizeExceeded", "size", code.size(), kMaxContractBytes);
}

// nearcore also refuses bytes that are no point of the curve; stakes are only records here.
bool is_staking_key(const PublicKey& key) { return key.type() == chain::KeyType::ed25519; }

Invalid check_method_names(const wire::FunctionCallPermission& permission) {
    if (auto invalid = check_account_id(permission.receiver_id)) return invalid;
    std::uint64_t total = 0;
    for (const std::string& name : permission.method_names) {
        if (auto invalid =
                limited("AddKeyMethodNameLengthExceeded", "length", name.size(), kMaxMethodNameBytes))
            return invalid;
        total += name.size() + 1;
    }
    return limited("AddKeyMethodNamesNumberOfBytesExceeded", "total_number_of_bytes", total,
                   kMaxMethodNamesBytes);
}

Invalid check_gas_key(const wire::AccessKey& key) {
    const wire::GasKeyInfo* gas_key = gas_key_info(key);
    if (!gas_key) return std::nullopt;
    const auto* call = std::get_if<wire::GasKeyFunctionCall>(&key.permission);
    if (call && call->function_call.allowance) return "GasKeyFunctionCallAllowanceNotAllowed";
    if (gas_key->num_nonces == 0 || gas_key->num_nonces > kMaxNoncesOfGasKey)
        return variant("GasKeyInvalidNumNonces",
                       payload({{"requested_nonces", gas_key->num_nonces}, {"limit", kMaxNoncesOfGasKey}}));
    if (gas_key->balance != 0)
        return variant("AddGasKeyWithNonZeroBalance", payload({{"balance", balance_json(gas_key->balance)}}));
    return std::nullopt;
}

Invalid unsupported(const Protocol& protocol, const std::string& feature) {
    return variant("UnsupportedProtocolFeature",
                   payload({{"protocol_feature", feature}, {"version", protocol.version}}));
}

struct CheckAction {
    const Protocol& protocol;
    std::string_view receiver_id;

    Invalid operator()(const wire::DeployContract& a) const { return check_code(a.code); }
    Invalid operator()(const wire::DeployGlobalContract& a) const { return check_code(a.code); }
    Invalid operator()(const wire::UseGlobalContract& a) const { return check_contract(a.contract); }
    Invalid operator()(const wire::FunctionCall& a) const {
        if (a.gas == 0) return "FunctionCallZeroAttachedGas";
        if (auto invalid = limited("FunctionCallMethodNameLengthExceeded", "length", a.method_name.size(),
                                   kMaxMethodNameBytes))
            return invalid;
        return limited("FunctionCallArgumentsLengthExceeded", "length", a.args.size(), kMaxArgumentsBytes);
    }
    Invalid operator()(const wire::Stake& a) const {
        if (is_staking_key(a.public_key)) return std::nullopt;
        return variant("UnsuitableStakingKey", payload({{"public_key", a.public_key.to_string()}}));
    }
    Invalid operator()(const wire::AddKey& a) const {
        const auto* call = std::get_if<wire::FunctionCallPermission>(&a.access_key.permission);
        if (const auto* gas_key = std::get_if<wire::GasKeyFunctionCall>(&a.access_key.permission))
            call = &gas_key->function_call;
        if (call)
            if (auto invalid = check_method_names(*call)) return invalid;
        if (gas_key_info(a.access_key))
            if (auto invalid = needs_gas_keys()) return invalid;
        return check_gas_key(a.access_key);
    }
    Invalid operator()(const wire::DeleteAccount& a) const { return check_account_id(a.beneficiary_id); }
    Invalid operator()(const wire::SignedDelegate& a) const {
        return check_actions(protocol, a.delegate_action.actions, a.delegate_action.receiver_id);
    }
    Invalid operator()(const wire::SignedDelegateV2& a) const {
        if (!protocol.has_gas_keys) return unsupported(protocol, "DelegateV2");
        if (!protocol.has_delegate_v2)
            return variant("RemovedProtocolFeature",
                           payload({{"protocol_feature", "DelegateV2"}, {"version", protocol.version}}));
        return check_actions(protocol, a.delegate_action.actions, a.delegate_action.receiver_id);
    }
    Invalid operator()(const wire::TransferToGasKey&) const { return needs_gas_keys(); }
    Invalid operator()(const wire::WithdrawFromGasKey&) const { return needs_gas_keys(); }
    Invalid operator()(const wire::DeterministicStateInit& a) const {
        if (auto invalid = check_contract(a.state_init.code)) return invalid;
        const std::string derived = wire::deterministic_account(a.state_init);
        if (derived != receiver_id)
            return variant("InvalidDeterministicStateInitReceiver",
                           payload({{"receiver_id", receiver_id}, {"derived_id", derived}}));
        return check_state_records(a.state_init);
    }
    Invalid operator()(const wire::UniversalStateInit&) const {
        return unsupported(protocol, "UniversalAccounts");
    }
    Invalid operator()(const wire::UnknownActions& a) const {
        return unsupported(protocol, "Action" + std::to_string(a.index));
    }
    template <class Other>
    Invalid operator()(const Other&) const {
        return std::nullopt;
    }

    Invalid needs_gas_keys() const {
        return protocol.has_gas_keys ? std::nullopt : unsupported(protocol, "GasKeys");
    }
};

bool is_deploy(const wire::Action& action) {
    return std::holds_alternative<wire::DeployContract>(action.value) ||
           std::holds_alternative<wire::DeployGlobalContract>(action.value);
}

bool is_delegate(const wire::Action& action) {
    return std::holds_alternative<wire::SignedDelegate>(action.value) ||
           std::holds_alternative<wire::SignedDelegateV2>(action.value);
}

}  // namespace

std::optional<Json> check_state_records(const wire::StateInit& state_init) {
    for (const auto& [key, value] : state_init.data) {
        if (auto invalid =
                limited("DeterministicStateInitKeyLengthExceeded", "length", key.size(), kMaxStorageKeyBytes))
            return invalid;
        if (auto invalid = limited("DeterministicStateInitValueLengthExceeded", "length", value.size(),
                                   kMaxStorageValueBytes))
            return invalid;
    }
    return std::nullopt;
}

std::optional<Json> check_actions(const Protocol& protocol, std::span<const wire::Action> actions,
                                  std::string_view receiver_id) {
    if (auto invalid = limited("TotalNumberOfActionsExceeded", "total_number_of_actions", actions.size(),
                               kMaxActionsPerReceipt))
        return invalid;
    const auto deploys = static_cast<std::uint64_t>(std::count_if(actions.begin(), actions.end(), is_deploy));
    if (auto invalid = limited("TotalNumberOfDeployActionsExceeded", "number_of_deploy_actions", deploys,
                               kMaxDeployActionsPerReceipt))
        return invalid;
    bool found_delegate = false;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (std::holds_alternative<wire::DeleteAccount>(actions[i].value) && i + 1 < actions.size())
            return "DeleteActionMustBeFinal";
        if (is_delegate(actions[i]) && std::exchange(found_delegate, true))
            return "DelegateActionMustBeOnlyOne";
        if (auto invalid = std::visit(CheckAction{protocol, receiver_id}, actions[i].value)) return invalid;
    }
    const auto gas = prepaid_gas(actions);
    if (!gas) return "IntegerOverflow";
    return limited("TotalPrepaidGasExceeded", "total_prepaid_gas", *gas, kMaxTotalPrepaidGas);
}

}  // namespace receiptd::sandbox::sim
