#include "chain/tree/certain_verdict.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace receiptd::chain {
namespace {

bool concerns_verdict(const JudgedReceipt& receipt) { return receipt.attached && !receipt.is_from_system(); }

bool is_body_known(const JudgedReceipt& receipt) { return !receipt.predecessor_id.empty(); }

// All that a failed receipt leaves behind are refunds: those that are announced are known before they are
// there.
bool only_refunds_can_follow(const TreeJudgement& tree) {
    std::unordered_set<std::string_view> failed;
    for (const auto& receipt : tree.receipts)
        if (receipt.failed()) failed.insert(receipt.receipt_id);
    return tree.included && std::all_of(tree.receipts.begin(), tree.receipts.end(), [&](const auto& receipt) {
               if (!concerns_verdict(receipt)) return true;
               return is_body_known(receipt) ? receipt.executed : failed.contains(receipt.parent_receipt_id);
           });
}

struct Failures {
    bool initial = false;
    bool callback = false;  // unhandled; so are others
    bool other = false;
    bool undecided = false;
};

Failures failures_of(const TreeJudgement& tree) {
    Failures failures;
    for (const auto& receipt : tree.receipts) {
        if (!concerns_verdict(receipt) || !receipt.failed()) continue;
        if (receipt.role == Role::initial)
            failures.initial = true;
        else if (receipt.handling == Handling::undecided)
            failures.undecided = true;
        else if (receipt.handling == Handling::unhandled)
            (receipt.role == Role::callback ? failures.callback : failures.other) = true;
    }
    return failures;
}

}  // namespace

std::optional<Verdict> certain_verdict(const TreeJudgement& tree) {
    const auto failures = failures_of(tree);
    if (tree.transaction_failed || failures.initial) return Verdict::failed;
    const bool whole = only_refunds_can_follow(tree);
    // That is judged as if nobody else awaited anything, although bodies are missing.
    if (tree.completed && !whole) return std::nullopt;
    if (failures.callback && tree.initial_succeeded) return Verdict::callback_failed;
    if (!whole) return std::nullopt;
    if (tree.verdict) return tree.verdict;
    // A refund is announced, hence something failed.
    if (failures.undecided) return std::nullopt;
    return failures.other ? Verdict::receipt_failed : Verdict::succeeded_with_handled_failure;
}

}  // namespace receiptd::chain
