// The role of a receipt in its tree (product.md "Words", chain-model.md §3.1 and §5). Pure.
#pragma once

#include "chain/json/model.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::chain {

enum class Role : std::uint8_t { initial, callback, promise, returned, detached, refund, payout };

Text role_name(Role role);
std::optional<Role> parse_role(Text name);

// Whether a receipt's result is the transaction's own: the initial receipt's is, and that of what a receipt
// on this chain returned (chain-model.md §2.1). `unknown`: who made the receipts above it was not seen.
enum class OnResultChain : std::uint8_t { no, yes, unknown };

struct ParentFacts {
    bool is_transaction = false;
    Text beneficiary_id;                             // see beneficiary_of()
    OnResultChain result_chain = OnResultChain::no;  // of the receipt, not of its parent
    Text payer_id = {};                              // see payer_of()
};
OnResultChain result_chain_of(const std::optional<ParentFacts>& parent);

// nullopt: its parent, or somebody above, must be known first.
std::optional<Role> role_of(const Receipt& receipt, const std::optional<ParentFacts>& parent);

// The facts of a receipt that decide its role.
struct RoleFacts {
    bool from_system = false;
    bool signed_by_system = false;
    Text receiver_id;
    bool awaits = false;   // data, or a resume
    bool awaited = false;  // by somebody's data
};
std::optional<Role> role_of(const RoleFacts& receipt, const std::optional<ParentFacts>& parent);

// The facts of an outcome whose receipt is not known, which tell whether `system` made it: a refund or a
// payout. nullopt: they do not tell.
struct OutcomeSigns {
    bool parent_failed = false;  // then all its children are refunds
    bool parent_paid = false;    // the parent burnt tokens: gas costs something on this chain
    bool burnt_tokens = false;   // no receipt of `system` does, every other one does
    bool has_logs_or_children = false;
};
std::optional<bool> is_from_system(const OutcomeSigns& signs);

// Whether the receipt returned that other one: its result is the other one's.
inline bool returned(const ExecutionStatus& status, Text receipt_id) {
    return status.kind == StatusKind::success_receipt_id && status.success_receipt_id == receipt_id;
}

inline bool succeeded(StatusKind status) {
    return status == StatusKind::success_value || status == StatusKind::success_receipt_id;
}

// The account that gets what is left of the one the receipt deleted: a child that `system` signed for it is
// the payout, not a refund. Empty: it deleted none, or failed.
Text beneficiary_of(const Receipt& receipt, const ExecutionStatus& status);
// The account whose tokens `system` pays out after the receipt: the one it deleted, or the one that failed
// and gives a deposit back. Empty: neither.
Text payer_of(const Receipt& receipt, const ExecutionStatus& status);

}  // namespace receiptd::chain
