// Applies the actions that are not function calls (chain-model.md §6.3, §6.4).
#pragma once

#include "sandbox/sim/apply.hpp"
#include "sandbox/sim/state_update.hpp"

#include <string>

namespace receiptd::sandbox::sim {

struct ActionFrame {
    const Receipt& receipt;
    const ActionReceipt& body;
    const BlockContext& block;
    StateUpdate& state;
    // The acting account: the predecessor, and after a CreateAccount in the same receipt the new account.
    std::string actor_id;
    bool is_refund = false;               // predecessor `system`
    bool makes_account = false;           // one of the actions so far made the account
    std::vector<Receipt> new_receipts{};  // without ids yet
    Gas gas_burnt = 0;                    // beyond the action's exec fee: send fees of receipts it makes
    Gas gas_used = 0;                     // gas_burnt, and the gas of the new receipts
    u128 tokens_burnt = 0;                // beyond the gas: storage of a global contract
    u128 keys_burnt = 0;                  // what deleted gas keys held
};

// nullopt: done. Else the ActionErrorKind as JSON ("DelegateActionExpired", {"AccountDoesNotExist":{…}}).
// `action` is any but a FunctionCall.
std::optional<Json> apply_action(ActionFrame& frame, const wire::Action& action);
// Checked before every action: whether the account is there (or the action makes it) and whether
// the actor may do it.
std::optional<Json> check_action_allowed(const ActionFrame& frame, const wire::Action& action,
                                         bool is_only_action);

// Whether the account's balance covers its storage; else {"LackBalanceForState":{account_id, amount}}.
std::optional<Json> check_storage_stake(std::string_view account_id, const Account& account);

}  // namespace receiptd::sandbox::sim
