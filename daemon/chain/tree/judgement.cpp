#include "chain/tree/judgement.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {

Text waiting_name(Waiting waiting) {
    switch (waiting) {
        case Waiting::none: return "none";
        case Waiting::body: return "body";
        case Waiting::data: return "data";
        case Waiting::resume: return "resume";
        case Waiting::execution: return "execution";
    }
    return {};
}

std::uint64_t Judgement::timed_out_yields() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        receipts, [](const auto& receipt) { return receipt.executed && receipt.yield_timed_out == true; }));
}

std::uint64_t Judgement::unexplained_yields() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        receipts, [](const auto& receipt) { return receipt.executed && !receipt.yield_timed_out; }));
}

const Finding* Judgement::root_cause_of(const std::string& receipt_id) const {
    const auto failure_of = [&](const std::string& id) {
        return std::find_if(failures.begin(), failures.end(),
                            [&](const Failure& failure) { return failure.finding.receipt_id == id; });
    };
    const auto failed = failure_of(receipt_id);
    if (failed == failures.end() || failed->finding.root_cause.empty()) return nullptr;
    const auto first = failure_of(failed->finding.root_cause);
    return first == failures.end() ? nullptr : &first->finding;
}

std::string Judgement::deciding_class() const {
    return verdict ? chain::deciding_class(failures, *verdict, wallet_refusal).error_class : std::string();
}

namespace {

// Lists the failures that are certain, and how many receipts are not known.
Finding undecided_finding(const TransactionFacts& transaction, const Judgement& judgement) {
    Finding finding;
    finding.kind = kind::kUndecided;
    finding.tx_hash = transaction.tx_hash;
    finding.signer_id = transaction.signer_id;
    finding.user_id = judgement.user.id;
    finding.contract_id = transaction.receiver_id;
    finding.method_name = transaction.method_name;
    std::string text = "no host tells " + std::to_string(judgement.missing_receipts.size()) +
                       " of its receipts, so it is not known whether what failed was handled; failed: ";
    std::string failed;
    for (const auto& failure : judgement.failures) {
        const auto& one = failure.finding;
        failed += (failed.empty() ? "" : ", ") + one.receipt_id + " of " + one.contract_id + " (" +
                  one.failure.error_class + ")";
    }
    finding.failure = {std::string(kReceiptsMissing), text + (failed.empty() ? "nothing" : failed)};
    finding.at = judgement.settled_at.value_or(judgement.included_at.value_or(ExecutedAt()));
    finding.identify();
    return finding;
}

}  // namespace

Decided decided(const TransactionFacts& transaction, const Judgement& judgement, bool in_vain) {
    Decided decided;
    const auto add = [&](Finding finding) {
        finding.near_status = judgement.near_status;
        decided.findings.push_back(std::move(finding));
    };
    const bool over = judgement.settled && judgement.verdict;
    const bool undecided = judgement.settled && judgement.undecided;
    for (const auto& finding : judgement.other_findings)
        if (over || finding.kind == kind::kYieldTimedOut) add(finding);
    if (undecided && in_vain) add(undecided_finding(transaction, judgement));
    if (over || (undecided && in_vain))
        for (const auto& failure : judgement.failures)
            if (!judgement.undecided || failure.handling != Handling::undecided) add(failure.finding);
    if (!over) return decided;
    TreeResult result;
    result.tx_hash = transaction.tx_hash;
    result.signer_id = transaction.signer_id;
    result.user = judgement.user;
    result.receiver_id = transaction.receiver_id;
    result.method_name = transaction.method_name;
    if (!judgement.receipts.empty() && judgement.receipts.front().role == Role::initial)
        result.initial_receipt_id = judgement.receipts.front().receipt_id;
    result.sent = transaction.deposit;
    result.refunds = judgement.refunds;
    result.verdict = *judgement.verdict;
    result.near_status = judgement.near_status;
    result.included_at = judgement.included_at.value_or(ExecutedAt());
    result.completed_at = judgement.completed_at.value_or(result.included_at);
    result.settled_at = judgement.settled_at.value_or(result.included_at);
    result.failed_receipts = judgement.failed_receipts;
    result.gas_burnt = judgement.gas_burnt;
    result.tokens_burnt = judgement.tokens_burnt;
    result.tokens_lost = judgement.tokens_lost;
    result.receipts = static_cast<std::uint64_t>(
        std::count_if(judgement.receipts.begin(), judgement.receipts.end(),
                      [](const auto& receipt) { return receipt.attached && receipt.executed; }));
    result.failure = deciding_class(judgement.failures, result.verdict, judgement.wallet_refusal);
    result.root_cause = judgement.root_cause;
    result.effect = judgement.effect;
    result.money_is_known = judgement.money_is_known();
    decided.results.push_back(std::move(result));
    return decided;
}

bool Judgement::has(const std::string& receipt_id) const {
    return std::any_of(receipts.begin(), receipts.end(), [&](const auto& receipt) {
        return receipt.attached && receipt.receipt_id == receipt_id;
    });
}

std::vector<Finding> findings_in_part(const Judgement& judgement, bool last_look) {
    auto findings = judgement.other_findings;
    for (const auto& failure : judgement.failures)
        if ((last_look && failure.body_known) || failure.is_decided()) findings.push_back(failure.finding);
    return findings;
}

}  // namespace receiptd::chain
