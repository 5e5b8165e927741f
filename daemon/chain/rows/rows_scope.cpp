#include "chain/rows/rows_scope.hpp"

#include <algorithm>

namespace receiptd::chain {

namespace {

bool names(const Scope& scope, Text account) { return scope.accounts.find(account) != scope.accounts.end(); }

}  // namespace

bool touches(const Scope& scope, const SignedTransaction& transaction) {
    if (scope.kind != ScopeKind::accounts) return scope.kind == ScopeKind::all;
    if (names(scope, transaction.signer_id) || names(scope, transaction.receiver_id)) return true;
    if (scope.transactions.contains(transaction.hash)) return true;
    return std::any_of(transaction.actions.begin(), transaction.actions.end(), [&](const Action& action) {
        return names(scope, action.delegate_sender_id) || names(scope, action.delegate_receiver_id);
    });
}

bool touches(const Scope& scope, const Receipt& receipt) {
    if (scope.kind != ScopeKind::accounts) return scope.kind == ScopeKind::all;
    return names(scope, receipt.predecessor_id) || names(scope, receipt.receiver_id);
}

}  // namespace receiptd::chain
