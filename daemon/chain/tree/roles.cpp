#include "chain/tree/roles.hpp"

#include <array>
#include <utility>

namespace receiptd::chain {

namespace {

constexpr std::array<std::pair<Role, Text>, 7> kRoles{{
    {Role::initial, "initial"},
    {Role::callback, "callback"},
    {Role::promise, "promise"},
    {Role::returned, "returned"},
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

OnResultChain result_chain_of(const std::optional<ParentFacts>& parent) {
    if (!parent) return OnResultChain::unknown;
    return parent->is_transaction ? OnResultChain::yes : parent->result_chain;
}

// A deposit comes back signed by `system`, as a payout is, but only of a receipt that failed; gas comes back
// in the signer's name (chain-model.md §5.3). Initial receipts await nothing, and nobody's data.
std::optional<Role> role_of(const RoleFacts& receipt, const std::optional<ParentFacts>& parent) {
    if (parent && parent->is_transaction) return Role::initial;
    if (receipt.from_system) {
        if (!receipt.signed_by_system) return Role::refund;
        if (!parent) return std::nullopt;
        const bool is_left = !parent->beneficiary_id.empty() && receipt.receiver_id == parent->beneficiary_id;
        return is_left ? Role::payout : Role::refund;
    }
    if (receipt.awaits) return Role::callback;
    if (receipt.awaited) return Role::promise;
    switch (result_chain_of(parent)) {
        case OnResultChain::yes: return Role::returned;
        case OnResultChain::no: return Role::detached;
        case OnResultChain::unknown: return std::nullopt;
    }
    return std::nullopt;
}

std::optional<Role> role_of(const Receipt& receipt, const std::optional<ParentFacts>& parent) {
    RoleFacts facts;
    facts.from_system = receipt.predecessor_id == kSystemAccount;
    facts.awaits = !receipt.input_data_ids.empty() || receipt.is_promise_yield;
    facts.awaited = !receipt.output_data_receivers.empty();
    facts.signed_by_system = receipt.signer_id == kSystemAccount;
    facts.receiver_id = receipt.receiver_id;
    return role_of(facts, parent);
}

std::optional<bool> is_from_system(const OutcomeSigns& signs) {
    if (signs.parent_failed) return true;
    if (signs.burnt_tokens || signs.has_logs_or_children) return false;
    return signs.parent_paid ? std::optional(true) : std::nullopt;
}

Text beneficiary_of(const Receipt& receipt, const ExecutionStatus& status) {
    if (!succeeded(status.kind)) return {};
    for (const auto& action : receipt.actions)
        if (action.kind == ActionKind::delete_account) return action.beneficiary_id;
    return {};
}

Text payer_of(const Receipt& receipt, const ExecutionStatus& status) {
    const bool pays = status.kind == StatusKind::failure || !beneficiary_of(receipt, status).empty();
    return pays ? receipt.receiver_id : Text();
}

}  // namespace receiptd::chain
