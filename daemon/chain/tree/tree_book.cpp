#include "chain/tree/tree_book.hpp"

#include "chain/tree/called_method.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {

namespace {

void keep_latest(ExecutedAt& latest, ExecutedAt at) {
    if (at.height > latest.height) latest = at;
}

bool is_from_system(Role role) { return role == Role::refund || role == Role::payout; }

}  // namespace

void TreeBook::touch(Text tx_hash, Tree& tree) {
    if (std::exchange(tree.touched, true)) return;
    touched_.emplace_back(tx_hash);
}

void TreeBook::transaction(const SignedTransaction& transaction, const Outcome& outcome, ExecutedAt at,
                           bool in_scope) {
    auto& tree = trees_[std::string(transaction.hash)];
    auto& result = tree.result;
    if (!result.tx_hash.empty()) return;  // listed twice: the first execution counts
    tree.in_scope = in_scope;
    result.tx_hash = transaction.hash;
    result.signer_id = transaction.signer_id;
    result.receiver_id = transaction.receiver_id;
    result.included_at = at;
    keep_latest(result.completed_at, at);
    keep_latest(result.settled_at, at);
    result.gas_burnt += outcome.gas_burnt;
    result.tokens_burnt += outcome.tokens_burnt;
    tree.announced += outcome.receipt_ids.size();
    if (outcome.status.kind == StatusKind::failure) {
        result.verdict = Verdict::failed;
        result.failure = classify_failure(outcome.status.failure_json);
        Failure failure;
        failure.finding.contract_id = transaction.receiver_id;
        failure.finding.method_name = called_method_or_action(transaction.actions);
        failure.finding.failure = result.failure;
        failure.finding.at = at;
        failure.handling = Handling::unhandled;
        failure.told = !in_scope;
        tree.failures.push_back(std::move(failure));
    }
    touch(transaction.hash, tree);
}

void TreeBook::executed(Text tx_hash, const ExecutedReceipt& item, ExecutedAt at) {
    // A local receipt may be told before its transaction: the tree begins with either.
    if (item.role == Role::initial && trees_.find(tx_hash) == trees_.end())
        trees_.emplace(std::string(tx_hash), Tree());
    const auto found = trees_.find(tx_hash);
    if (found == trees_.end()) return;
    auto& tree = found->second;
    auto& result = tree.result;
    ++result.receipts;
    result.gas_burnt += item.outcome.gas_burnt;
    result.tokens_burnt += item.outcome.tokens_burnt;
    tree.announced += item.outcome.receipt_ids.size();
    keep_latest(result.settled_at, at);
    touch(tx_hash, tree);
    if (is_from_system(item.role)) return;
    keep_latest(result.completed_at, at);
    if (item.outcome.status.kind == StatusKind::failure) record_failure(tree, item, at);
    settle_awaited(tree, item);
}

void TreeBook::record_failure(Tree& tree, const ExecutedReceipt& item, ExecutedAt at) {
    Failure failure;
    auto& finding = failure.finding;
    finding.receipt_id = item.outcome.id;
    finding.parent_receipt_id = item.parent_receipt_id;
    finding.role = item.role;
    finding.contract_id = item.receipt.receiver_id;
    finding.method_name = called_method_or_action(item.receipt.actions);
    finding.failure = classify_failure(item.outcome.status.failure_json);
    finding.at = at;
    for (const auto& receiver : item.receipt.output_data_receivers)
        failure.awaited.push_back({std::string(receiver.data_id), Handling::undecided, {}});
    if (failure.awaited.empty()) failure.handling = Handling::unhandled;
    failure.told = !item.in_scope;
    ++tree.result.failed_receipts;
    tree.failures.push_back(std::move(failure));
}

// Who awaits a result is executed after it: the failure is known by then.
void TreeBook::settle_awaited(Tree& tree, const ExecutedReceipt& item) {
    if (tree.failures.empty() || item.receipt.input_data_ids.empty()) return;
    const bool failed = item.outcome.status.kind == StatusKind::failure;
    for (auto& failure : tree.failures) {
        for (auto& awaited : failure.awaited) {
            const auto& inputs = item.receipt.input_data_ids;
            if (std::find(inputs.begin(), inputs.end(), awaited.data_id) == inputs.end()) continue;
            if (failed)
                awaited.by_failed = item.outcome.id;
            else
                awaited.handling = Handling::handled;
        }
    }
}

// One failure may be decided by another one's end: until nothing changes any more.
void TreeBook::decide(Tree& tree, bool settled) {
    for (bool changed = true; std::exchange(changed, false);) {
        for (auto& failure : tree.failures) {
            if (failure.handling != Handling::undecided) continue;
            bool all_handled = true;
            for (auto& awaited : failure.awaited) {
                const auto other = std::find_if(
                    tree.failures.begin(), tree.failures.end(),
                    [&](const Failure& item) { return item.finding.receipt_id == awaited.by_failed; });
                if (other != tree.failures.end()) awaited.handling = other->handling;
                if (awaited.handling == Handling::unhandled) failure.handling = Handling::unhandled;
                all_handled = all_handled && awaited.handling == Handling::handled;
            }
            if (all_handled) failure.handling = Handling::handled;
            changed = changed || failure.handling != Handling::undecided;
        }
    }
    if (!settled) return;
    for (auto& failure : tree.failures)
        if (failure.handling == Handling::undecided) failure.handling = Handling::unhandled;
}

Verdict TreeBook::verdict_of(const Tree& tree) {
    bool callback = false;
    bool other = false;
    for (const auto& failure : tree.failures) {
        if (failure.finding.role == Role::initial) return Verdict::failed;
        if (failure.handling == Handling::handled) continue;
        (failure.finding.role == Role::callback ? callback : other) = true;
    }
    if (callback) return Verdict::callback_failed;
    if (other) return Verdict::receipt_failed;
    return tree.failures.empty() ? Verdict::succeeded : Verdict::succeeded_with_handled_failure;
}

// The earliest of those that give the verdict; a failed transaction made no receipt that could.
const TreeBook::Failure* TreeBook::deciding(const Tree& tree) {
    const auto verdict = tree.result.verdict;
    const Failure* first = nullptr;
    for (const auto& failure : tree.failures) {
        const auto& finding = failure.finding;
        if (verdict == Verdict::failed && finding.role != Role::initial) continue;
        if (verdict == Verdict::callback_failed && finding.role != Role::callback) continue;
        const bool handled = failure.handling == Handling::handled;
        if (verdict != Verdict::failed && handled != (verdict == Verdict::succeeded_with_handled_failure))
            continue;
        if (!first ||
            is_earlier(finding.at, finding.receipt_id, first->finding.at, first->finding.receipt_id))
            first = &failure;
    }
    return first;
}

void TreeBook::tell(Tree& tree, std::vector<Finding>& findings) {
    for (auto& failure : tree.failures) {
        if (failure.handling == Handling::undecided || std::exchange(failure.told, true)) continue;
        auto& finding = failure.finding;
        finding.tx_hash = tree.result.tx_hash;
        finding.signer_id = tree.result.signer_id;
        finding.handled = failure.handling == Handling::handled;
        findings.push_back(finding);
    }
}

void TreeBook::conclude(Tree& tree) {
    auto& result = tree.result;
    if (result.verdict == Verdict::failed) return;  // the transaction itself
    result.verdict = verdict_of(tree);
    if (const auto* first = deciding(tree)) result.failure = first->finding.failure;
}

void TreeBook::end_of_block(const std::string& tx_hash, Decided& decided) {
    const auto found = trees_.find(tx_hash);
    if (found == trees_.end()) return;  // forgotten
    auto& tree = found->second;
    tree.touched = false;
    if (tree.result.tx_hash.empty()) {  // its transaction went by before we came
        trees_.erase(found);
        return;
    }
    const bool settled = tree.result.receipts == tree.announced;
    decide(tree, settled);
    tell(tree, decided.findings);
    if (!settled) return;
    conclude(tree);
    if (tree.in_scope) decided.results.push_back(std::move(tree.result));
    trees_.erase(found);
}

Decided TreeBook::end_of_block(base::Height height) {
    Decided decided;
    for (const auto& tx_hash : touched_) end_of_block(tx_hash, decided);
    touched_.clear();
    if (height > window_) forget_before(height - window_);
    return decided;
}

void TreeBook::forget(Text tx_hash) {
    if (const auto found = trees_.find(tx_hash); found != trees_.end()) trees_.erase(found);
}

// Now and then, as it looks at every open tree.
void TreeBook::forget_before(base::Height height) {
    if (height >= swept_to_ && height - swept_to_ <= window_ / 16) return;
    swept_to_ = height;
    std::erase_if(trees_, [&](const auto& item) { return item.second.result.settled_at.height < height; });
}

}  // namespace receiptd::chain
