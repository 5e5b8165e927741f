// The actions one by one, as apply_action() calls them: each changes the frame, or says what is wrong
// as ActionErrorKind and leaves a frame that must be thrown away. What check_action_allowed() asks
// holds already.
#pragma once

#include "sandbox/sim/actions.hpp"

namespace receiptd::sandbox::sim {

using ActionError = std::optional<Json>;

// --- Keys (key_actions.cpp) ---
ActionError apply_add_key(ActionFrame& frame, const wire::AddKey& action);
ActionError apply_delete_key(ActionFrame& frame, const wire::DeleteKey& action);
ActionError apply_transfer_to_gas_key(ActionFrame& frame, const wire::TransferToGasKey& action);
ActionError apply_withdraw_from_gas_key(ActionFrame& frame, const wire::WithdrawFromGasKey& action);
// Its nonces become those of a key made in the frame's block; the one without an index, of gas keys, 0.
void add_key(ActionFrame& frame, const PublicKey& key, AccessKey access_key);
u128 gas_key_balances(const StateUpdate& state, std::string_view account_id);

// --- Contracts (contract_actions.cpp) ---
ActionError apply_deploy(ActionFrame& frame, const wire::DeployContract& action);
ActionError apply_deploy_global(ActionFrame& frame, const wire::DeployGlobalContract& action);
ActionError apply_use_global(ActionFrame& frame, const wire::GlobalContractId& contract);
ActionError apply_state_init(ActionFrame& frame, const wire::DeterministicStateInit& action);

// --- Meta-transactions (delegate_action.cpp) ---
ActionError apply_delegate(ActionFrame& frame, const wire::SignedDelegate& action);
ActionError apply_delegate(ActionFrame& frame, const wire::SignedDelegateV2& action);

// A receipt from `system` with one Transfer: what pays out a deleted account and returns deposits.
Receipt balance_refund(std::string receiver_id, u128 amount);

}  // namespace receiptd::sandbox::sim
