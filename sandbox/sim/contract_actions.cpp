#include "sandbox/sim/action_steps.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/global_contracts.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/storage_usage.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

namespace {

Json contract_json(const wire::GlobalContractId& contract) {
    if (const auto* hash = std::get_if<CryptoHash>(&contract)) return payload({{"hash", hash->to_string()}});
    return payload({{"account_id", std::get<std::string>(contract)}});
}

bool is_initialised(const Account& account) {
    return account.global_contract.has_value() || account.code_hash != CryptoHash{};
}

// Uses the deposit to cover the account's storage shortfall; the rest is returned.
void use_deposit_for_storage(ActionFrame& frame, u128 deposit) {
    const std::string& id = frame.receipt.receiver_id;
    Account account = frame.state.account(id).value();
    const u128 used = std::min(storage_shortfall(account).value_or(0), deposit);
    if (used > 0) {
        account.amount += used;
        frame.state.set_account(id, account);
    }
    if (deposit > used)
        frame.new_receipts.push_back(balance_refund(frame.receipt.predecessor_id, deposit - used));
}

}  // namespace

ActionError apply_deploy(ActionFrame& frame, const wire::DeployContract& action) {
    frame.state.set_code(frame.receipt.receiver_id, action.code);
    return std::nullopt;
}

ActionError apply_deploy_global(ActionFrame& frame, const wire::DeployGlobalContract& action) {
    const std::string& id = frame.receipt.receiver_id;
    Account account = frame.state.account(id).value();
    const u128 price = kGlobalContractPricePerByte * action.code.size();
    if (account.amount < price)
        return variant("LackBalanceForState", payload({{"account_id", id}, {"amount", balance_json(price)}}));
    account.amount -= price;
    frame.tokens_burnt += price;
    frame.state.set_account(id, account);
    const bool by_hash = action.deploy_mode == wire::GlobalContractDeployMode::code_hash;
    const wire::GlobalContractId contract =
        by_hash ? wire::GlobalContractId(chain::sha256(action.code)) : wire::GlobalContractId(id);
    frame.new_receipts.push_back(deployed_global_contract(frame, contract, action.code));
    return std::nullopt;
}

ActionError apply_use_global(ActionFrame& frame, const wire::GlobalContractId& contract) {
    if (!frame.state.global_contract(contract))
        return variant("GlobalContractDoesNotExist", payload({{"identifier", contract_json(contract)}}));
    frame.state.use_global_contract(frame.receipt.receiver_id, contract);
    return std::nullopt;
}

ActionError apply_state_init(ActionFrame& frame, const wire::DeterministicStateInit& action) {
    const std::string& id = frame.receipt.receiver_id;
    // The actor stays who it is: nobody may give the new account keys.
    if (!frame.state.account(id)) {
        frame.makes_account = true;
        frame.state.set_account(id, Account{});
    }
    if (!is_initialised(frame.state.account(id).value())) {
        if (auto error = apply_use_global(frame, action.state_init.code)) return error;
        for (const auto& [key, value] : action.state_init.data)
            frame.state.set_data(id, chain::text_of(key), std::string(chain::text_of(value)));
    }
    use_deposit_for_storage(frame, action.deposit);
    return std::nullopt;
}

}  // namespace receiptd::sandbox::sim
