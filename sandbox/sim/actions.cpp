#include "sandbox/sim/actions.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/hex.hpp"
#include "sandbox/sim/access_rules.hpp"
#include "sandbox/sim/action_steps.hpp"
#include "sandbox/sim/checked.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/storage_usage.hpp"

#include <stdexcept>

namespace receiptd::sandbox::sim {

namespace {

ActionError create_account(ActionFrame& frame) {
    const std::string& id = frame.receipt.receiver_id;
    const std::string& predecessor = frame.receipt.predecessor_id;
    const bool top_level = id != kSystemAccount && id.find('.') == std::string::npos;
    if (top_level && id.size() < kMinTopLevelAccountBytes && predecessor != kRegistrar)
        return variant("CreateAccountOnlyByRegistrar", payload({{"account_id", id},
                                                                {"registrar_account_id", kRegistrar},
                                                                {"predecessor_id", predecessor}}));
    if (!top_level && !chain::is_sub_account_of(id, predecessor))
        return variant("CreateAccountNotAllowed",
                       payload({{"account_id", id}, {"predecessor_id", predecessor}}));
    frame.actor_id = id;
    frame.makes_account = true;
    frame.state.set_account(id, Account{});
    return std::nullopt;
}

void create_implicit_account(ActionFrame& frame, u128 deposit) {
    const std::string& id = frame.receipt.receiver_id;
    frame.actor_id = id;
    frame.makes_account = true;
    Account account;
    account.amount = deposit;
    frame.state.set_account(id, account);
    const chain::AccountKind kind = chain::account_kind(id);
    if (kind == chain::AccountKind::eth_implicit)
        frame.state.use_global_contract(id, chain::sha256(chain::bytes_of(kEthWalletCode)));
    if (kind != chain::AccountKind::near_implicit) return;
    const auto raw = chain::hex_decode(id);
    add_key(frame, PublicKey::from_raw(chain::KeyType::ed25519, raw.value()).value(), AccessKey{});
}

// A gas refund goes to the gas key that paid, if it is there still, and else to the account.
bool refund_gas_key(ActionFrame& frame, u128 amount) {
    const std::string& id = frame.receipt.receiver_id;
    auto key = frame.state.access_key(id, frame.body.signer_public_key);
    wire::GasKeyInfo* gas_key = key ? gas_key_info(*key) : nullptr;
    if (!gas_key) return false;
    gas_key->balance += amount;
    frame.state.set_access_key(id, frame.body.signer_public_key, *key);
    return true;
}

// It also gives back what the gas had taken from the key's allowance.
void restore_allowance(ActionFrame& frame, u128 amount) {
    const std::string& id = frame.receipt.receiver_id;
    auto key = frame.state.access_key(id, frame.body.signer_public_key);
    auto* permission = key ? function_call_permission(*key) : nullptr;
    if (!permission || !permission->allowance) return;
    permission->allowance = checked_add(*permission->allowance, amount).value_or(~u128{0});
    frame.state.set_access_key(id, frame.body.signer_public_key, *key);
}

ActionError transfer(ActionFrame& frame, const wire::Transfer& action) {
    const std::string& id = frame.receipt.receiver_id;
    auto account = frame.state.account(id);
    if (!account) {
        create_implicit_account(frame, action.deposit);
        return std::nullopt;
    }
    const bool is_gas_refund = frame.is_refund && frame.body.signer_id == id;
    if (is_gas_refund && refund_gas_key(frame, action.deposit)) return std::nullopt;
    account->amount += action.deposit;
    frame.state.set_account(id, *account);
    if (is_gas_refund) restore_allowance(frame, action.deposit);
    return std::nullopt;
}

// The stake is locked at once. There are no validators whose epochs it would have to wait for, so lowering it
// gives the rest back at once too.
ActionError stake(ActionFrame& frame, const wire::Stake& action) {
    const std::string& id = frame.receipt.receiver_id;
    Account account = frame.state.account(id).value();
    if (action.stake > account.locked && action.stake - account.locked > account.amount)
        return variant("TriesToStake", payload({{"account_id", id},
                                                {"stake", balance_json(action.stake)},
                                                {"locked", balance_json(account.locked)},
                                                {"balance", balance_json(account.amount)}}));
    if (account.locked == 0 && action.stake == 0) return account_error("TriesToUnstake", id);
    if (action.stake > 0 && action.stake < kMinimumStake)
        return variant("InsufficientStake", payload({{"account_id", id},
                                                     {"stake", balance_json(action.stake)},
                                                     {"minimum_stake", balance_json(kMinimumStake)}}));
    account.amount = account.amount + account.locked - action.stake;
    account.locked = action.stake;
    frame.state.set_account(id, account);
    return std::nullopt;
}

std::uint64_t contract_storage(const StateUpdate& state, std::string_view id, const Account& account) {
    if (account.global_contract) return contract_id_storage(*account.global_contract);
    const auto code = state.code(id);
    return code ? code->size() : 0;
}

ActionError delete_account(ActionFrame& frame, const wire::DeleteAccount& action) {
    const std::string& id = frame.receipt.receiver_id;
    const Account account = frame.state.account(id).value();
    if (account.storage_usage - contract_storage(frame.state, id, account) > kMaxDeletableStorageBytes)
        return account_error("DeleteAccountWithLargeState", id);
    const u128 gas_keys = gas_key_balances(frame.state, id);
    if (gas_keys > kMaxBurntGasKeyBalance)
        return variant(
            "GasKeyBalanceTooHigh",
            payload({{"account_id", id}, {"public_key", Json()}, {"balance", balance_json(gas_keys)}}));
    if (account.amount > 0)
        frame.new_receipts.push_back(balance_refund(action.beneficiary_id, account.amount));
    frame.state.remove_account(id);
    frame.keys_burnt += gas_keys;
    frame.actor_id = frame.receipt.predecessor_id;
    return std::nullopt;
}

struct ApplyAction {
    ActionFrame& frame;

    ActionError operator()(const wire::CreateAccount&) const { return create_account(frame); }
    ActionError operator()(const wire::DeployContract& a) const { return apply_deploy(frame, a); }
    ActionError operator()(const wire::Transfer& a) const { return transfer(frame, a); }
    ActionError operator()(const wire::Stake& a) const { return stake(frame, a); }
    ActionError operator()(const wire::AddKey& a) const { return apply_add_key(frame, a); }
    ActionError operator()(const wire::DeleteKey& a) const { return apply_delete_key(frame, a); }
    ActionError operator()(const wire::DeleteAccount& a) const { return delete_account(frame, a); }
    ActionError operator()(const wire::SignedDelegate& a) const { return apply_delegate(frame, a); }
    ActionError operator()(const wire::SignedDelegateV2& a) const { return apply_delegate(frame, a); }
    ActionError operator()(const wire::DeployGlobalContract& a) const {
        return apply_deploy_global(frame, a);
    }
    ActionError operator()(const wire::UseGlobalContract& a) const {
        return apply_use_global(frame, a.contract);
    }
    ActionError operator()(const wire::DeterministicStateInit& a) const { return apply_state_init(frame, a); }
    ActionError operator()(const wire::TransferToGasKey& a) const {
        return apply_transfer_to_gas_key(frame, a);
    }
    ActionError operator()(const wire::WithdrawFromGasKey& a) const {
        return apply_withdraw_from_gas_key(frame, a);
    }
    ActionError operator()(const wire::FunctionCall&) const {
        throw std::logic_error("apply_action() was given a function call");
    }
    ActionError operator()(const wire::UniversalStateInit&) const {
        throw std::logic_error("a universal state init was not refused before");
    }
    ActionError operator()(const wire::UnknownActions&) const {
        throw std::logic_error("an unknown action was not refused before");
    }
};

// Whether the action needs the account to act on itself.
struct NeedsOwner {
    bool operator()(const wire::DeployContract&) const { return true; }
    bool operator()(const wire::Stake&) const { return true; }
    bool operator()(const wire::AddKey&) const { return true; }
    bool operator()(const wire::DeleteKey&) const { return true; }
    bool operator()(const wire::DeleteAccount&) const { return true; }
    bool operator()(const wire::DeployGlobalContract&) const { return true; }
    bool operator()(const wire::UseGlobalContract&) const { return true; }
    bool operator()(const wire::WithdrawFromGasKey&) const { return true; }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

ActionError check_existence(const ActionFrame& frame, const wire::Action& action, bool exists,
                            bool is_only_action) {
    const std::string& id = frame.receipt.receiver_id;
    const bool implicit = chain::account_kind(id) != chain::AccountKind::named;
    if (std::holds_alternative<wire::CreateAccount>(action.value)) {
        if (exists) return account_error("AccountAlreadyExists", id);
        // A creator may give keys to the account: nobody may do that to an implicit one.
        if (implicit) return account_error("OnlyImplicitAccountCreationAllowed", id);
        return std::nullopt;
    }
    if (exists || std::holds_alternative<wire::DeterministicStateInit>(action.value)) return std::nullopt;
    const bool creates = std::holds_alternative<wire::Transfer>(action.value) && implicit && is_only_action &&
                         !frame.is_refund;
    if (creates) return std::nullopt;
    return account_error("AccountDoesNotExist", id);
}

}  // namespace

Receipt balance_refund(std::string receiver_id, u128 amount) {
    ActionReceipt body;
    body.signer_id = kSystemAccount;
    body.actions.push_back(wire::Action{wire::Transfer{amount}});
    return {{}, kSystemAccount, std::move(receiver_id), std::move(body)};
}

std::optional<Json> apply_action(ActionFrame& frame, const wire::Action& action) {
    return std::visit(ApplyAction{frame}, action.value);
}

std::optional<Json> check_action_allowed(const ActionFrame& frame, const wire::Action& action,
                                         bool is_only_action) {
    const std::string& id = frame.receipt.receiver_id;
    const auto account = frame.state.account(id);
    if (auto error = check_existence(frame, action, account.has_value(), is_only_action)) return error;
    if (!std::visit(NeedsOwner{}, action.value)) return std::nullopt;
    if (frame.actor_id != id)
        return variant("ActorNoPermission", payload({{"account_id", id}, {"actor_id", frame.actor_id}}));
    if (std::holds_alternative<wire::DeleteAccount>(action.value) && account->locked > 0)
        return account_error("DeleteAccountStaking", id);
    return std::nullopt;
}

std::optional<Json> check_storage_stake(std::string_view account_id, const Account& account) {
    const auto missing = storage_shortfall(account);
    if (!missing) return std::nullopt;
    return variant("LackBalanceForState",
                   payload({{"account_id", account_id}, {"amount", balance_json(*missing)}}));
}

}  // namespace receiptd::sandbox::sim
