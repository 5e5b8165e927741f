#include "sandbox/sim/access_rules.hpp"
#include "sandbox/sim/action_steps.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/limits.hpp"

namespace receiptd::sandbox::sim {

namespace {

Json gas_key_missing(const ActionFrame& frame, const PublicKey& key) {
    return key_error("GasKeyDoesNotExist", frame.receipt.receiver_id, key);
}

}  // namespace

void add_key(ActionFrame& frame, const PublicKey& key, AccessKey access_key) {
    // Above every nonce that a deleted key of the same name can have signed with.
    const std::uint64_t nonce = first_nonce(frame.block.height);
    const wire::GasKeyInfo* gas_key = gas_key_info(access_key);
    access_key.nonce = gas_key ? 0 : nonce;
    if (gas_key) access_key.nonces.assign(gas_key->num_nonces, nonce);
    frame.state.set_access_key(frame.receipt.receiver_id, key, access_key);
}

ActionError apply_add_key(ActionFrame& frame, const wire::AddKey& action) {
    const std::string& id = frame.receipt.receiver_id;
    if (frame.state.access_key(id, action.public_key))
        return key_error("AddKeyAlreadyExists", id, action.public_key);
    add_key(frame, action.public_key, action.access_key);
    return std::nullopt;
}

ActionError apply_delete_key(ActionFrame& frame, const wire::DeleteKey& action) {
    const std::string& id = frame.receipt.receiver_id;
    const auto key = frame.state.access_key(id, action.public_key);
    if (!key) return key_error("DeleteKeyDoesNotExist", id, action.public_key);
    const u128 balance = gas_key_balance(*key);
    if (balance > kMaxBurntGasKeyBalance)
        return variant("GasKeyBalanceTooHigh", payload({{"account_id", id},
                                                        {"public_key", action.public_key.to_string()},
                                                        {"balance", balance_json(balance)}}));
    frame.keys_burnt += balance;
    frame.state.remove_access_key(id, action.public_key);
    return std::nullopt;
}

ActionError apply_transfer_to_gas_key(ActionFrame& frame, const wire::TransferToGasKey& action) {
    const std::string& id = frame.receipt.receiver_id;
    auto key = frame.state.access_key(id, action.public_key);
    wire::GasKeyInfo* gas_key = key ? gas_key_info(*key) : nullptr;
    if (!gas_key) return gas_key_missing(frame, action.public_key);
    gas_key->balance += action.deposit;
    frame.state.set_access_key(id, action.public_key, *key);
    return std::nullopt;
}

ActionError apply_withdraw_from_gas_key(ActionFrame& frame, const wire::WithdrawFromGasKey& action) {
    const std::string& id = frame.receipt.receiver_id;
    auto key = frame.state.access_key(id, action.public_key);
    wire::GasKeyInfo* gas_key = key ? gas_key_info(*key) : nullptr;
    if (!gas_key) return gas_key_missing(frame, action.public_key);
    if (gas_key->balance < action.amount)
        return variant("InsufficientGasKeyBalance", payload({{"account_id", id},
                                                             {"public_key", action.public_key.to_string()},
                                                             {"balance", balance_json(gas_key->balance)},
                                                             {"required", balance_json(action.amount)}}));
    gas_key->balance -= action.amount;
    frame.state.set_access_key(id, action.public_key, *key);
    Account account = frame.state.account(id).value();
    account.amount += action.amount;
    frame.state.set_account(id, account);
    return std::nullopt;
}

u128 gas_key_balances(const StateUpdate& state, std::string_view account_id) {
    u128 sum = 0;
    for (const auto& [key, access_key] : state.access_keys(account_id)) sum += gas_key_balance(access_key);
    return sum;
}

}  // namespace receiptd::sandbox::sim
