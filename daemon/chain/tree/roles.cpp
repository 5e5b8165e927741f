#include "chain/tree/roles.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace receiptd::chain {

namespace {

constexpr std::array<std::pair<Role, Text>, 6> kRoles{{
    {Role::initial, "initial"},
    {Role::callback, "callback"},
    {Role::promise, "promise"},
    {Role::detached, "detached"},
    {Role::refund, "refund"},
    {Role::payout, "payout"},
}};

}  // namespace

Text role_name(Role role) {
    for (const auto& [each, name] : kRoles)
        if (each == role) return name;
    return {};
}

std::optional<Role> parse_role(Text name) {
    for (const auto& [role, text] : kRoles)
        if (text == name) return role;
    return std::nullopt;
}

Role role_of(const RoleFacts& receipt, const std::optional<ParentFacts>& parent) {
    if (parent && parent->is_transaction) return Role::initial;
    if (receipt.from_system) return parent && parent->deleted_account ? Role::payout : Role::refund;
    if (receipt.awaits) return Role::callback;
    if (receipt.awaited) return Role::promise;
    if (!parent && receipt.signed_by_predecessor) return Role::initial;
    return Role::detached;
}

Role role_of(const Receipt& receipt, const std::optional<ParentFacts>& parent) {
    RoleFacts facts;
    facts.from_system = receipt.predecessor_id == kSystemAccount;
    facts.awaits = !receipt.input_data_ids.empty() || receipt.is_promise_yield;
    facts.awaited = !receipt.output_data_receivers.empty();
    facts.signed_by_predecessor = receipt.predecessor_id == receipt.signer_id;
    return role_of(facts, parent);
}

bool deletes_account(const Receipt& receipt, const ExecutionStatus& status) {
    if (!succeeded(status.kind)) return false;
    return std::any_of(receipt.actions.begin(), receipt.actions.end(),
                       [](const Action& action) { return action.kind == ActionKind::delete_account; });
}

}  // namespace receiptd::chain
