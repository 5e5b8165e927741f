#include "chain/tree/decided.hpp"

#include <algorithm>
#include <tuple>

namespace receiptd::chain {

namespace {

Finding finding_of(const TransactionFacts& transaction, const JudgedReceipt& receipt,
                   const ExecutedAt& included_at) {
    Finding finding;
    finding.tx_hash = transaction.tx_hash;
    finding.signer_id = transaction.signer_id;
    finding.receipt_id = receipt.receipt_id;
    finding.parent_receipt_id = receipt.parent_receipt_id;
    finding.role = receipt.role.value_or(Role::detached);
    finding.handled = receipt.handling == Handling::handled;
    finding.contract_id = receipt.receiver_id;
    finding.method_name = receipt.method_name;
    finding.failure = receipt.failure;
    finding.at = receipt.at.value_or(ExecutedAt{0, included_at.timestamp_nanosec});
    return finding;
}

Finding finding_of(const TransactionFacts& transaction, const TreeJudgement& judgement,
                   const ExecutedAt& included_at) {
    Finding finding;
    finding.tx_hash = transaction.tx_hash;
    finding.signer_id = transaction.signer_id;
    finding.contract_id = transaction.receiver_id;
    finding.method_name = transaction.method_name;
    finding.failure = judgement.transaction_failure;
    finding.at = included_at;
    return finding;
}

// Unhandled failures decide, except where all are handled.
const Finding* deciding(const std::vector<Finding>& findings, const std::vector<std::string>& decided_by) {
    const Finding* first = nullptr;
    for (const auto& finding : findings) {
        if (std::find(decided_by.begin(), decided_by.end(), finding.receipt_id) == decided_by.end()) continue;
        if (!first || is_earlier(finding.at, finding.receipt_id, first->at, first->receipt_id))
            first = &finding;
    }
    return first;
}

}  // namespace

std::string finding_id(const Finding& finding) {
    std::string id(finding_kind(finding));
    id += ':';
    id += finding.receipt_id.empty() ? finding.tx_hash : finding.receipt_id;
    return id;
}

Text finding_kind(const Finding& finding) {
    return finding.receipt_id.empty() ? "failed_transaction" : "failed_receipt";
}

bool is_earlier(const ExecutedAt& a, Text a_id, const ExecutedAt& b, Text b_id) {
    return std::tie(a.height, a_id) < std::tie(b.height, b_id);
}

std::string deciding_class(const TreeJudgement& tree) {
    if (tree.transaction_failed) return tree.transaction_failure.error_class;
    const JudgedReceipt* first = nullptr;
    for (const auto& receipt : tree.receipts) {
        const auto& ids = tree.decided_by;
        if (!receipt.failed() || std::find(ids.begin(), ids.end(), receipt.receipt_id) == ids.end()) continue;
        const auto at = receipt.at.value_or(ExecutedAt());
        if (!first || is_earlier(at, receipt.receipt_id, first->at.value_or(ExecutedAt()), first->receipt_id))
            first = &receipt;
    }
    return first ? first->failure.error_class : std::string();
}

Decided decided(const TransactionFacts& transaction, const TreeJudgement& judgement) {
    Decided decided;
    if (!judgement.settled || !judgement.verdict) return decided;
    TreeResult result;
    result.tx_hash = transaction.tx_hash;
    result.signer_id = transaction.signer_id;
    result.receiver_id = transaction.receiver_id;
    result.verdict = *judgement.verdict;
    result.included_at = judgement.included_at.value_or(ExecutedAt());
    result.completed_at = judgement.completed_at.value_or(result.included_at);
    result.settled_at = judgement.settled_at.value_or(result.included_at);
    result.failed_receipts = judgement.failed_receipts;
    result.gas_burnt = judgement.gas_burnt;
    result.tokens_burnt = judgement.tokens_burnt;
    if (judgement.transaction_failed)
        decided.findings.push_back(finding_of(transaction, judgement, result.included_at));
    for (const auto& receipt : judgement.receipts) {
        if (!receipt.attached || !receipt.executed) continue;
        ++result.receipts;
        if (receipt.failed() && !receipt.is_from_system())
            decided.findings.push_back(finding_of(transaction, receipt, result.included_at));
    }
    if (judgement.transaction_failed)
        result.failure = judgement.transaction_failure;
    else if (const auto* first = deciding(decided.findings, judgement.decided_by))
        result.failure = first->failure;
    decided.results.push_back(std::move(result));
    return decided;
}

}  // namespace receiptd::chain
