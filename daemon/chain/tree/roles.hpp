// The role of a receipt in its tree (product.md "Words", chain-model.md §3.1 and §5). Pure.
#pragma once

#include "chain/json/model.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::chain {

enum class Role : std::uint8_t { initial, callback, promise, detached, refund, payout };

Text role_name(Role role);
std::optional<Role> parse_role(Text name);
// Refunds and payouts: nobody's call, so they never change a verdict.
inline bool is_from_system(Role role) { return role == Role::refund || role == Role::payout; }

struct ParentFacts {
    bool is_transaction = false;
    bool deleted_account = false;  // see deletes_account()
};

// With its parent known the role is certain. Without it (nullopt) it is the likeliest one: a
// payout passes for a refund, and a receipt somebody signed for their own account and nobody
// awaits passes for the initial one; the role must be decided again once the parent is found.
Role role_of(const Receipt& receipt, const std::optional<ParentFacts>& parent);

// The facts of a receipt that decide its role.
struct RoleFacts {
    bool from_system = false;
    bool awaits = false;   // data, or a resume
    bool awaited = false;  // by somebody's data
    bool signed_by_predecessor = false;
};
Role role_of(const RoleFacts& receipt, const std::optional<ParentFacts>& parent);

inline bool succeeded(StatusKind status) {
    return status == StatusKind::success_value || status == StatusKind::success_receipt_id;
}

// The receipt succeeded and deleted its account: a `system` child is the payout to the
// beneficiary, not a refund.
bool deletes_account(const Receipt& receipt, const ExecutionStatus& status);

}  // namespace receiptd::chain
