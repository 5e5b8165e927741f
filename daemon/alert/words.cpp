#include "alert/words.hpp"

#include "base/line.hpp"
#include "chain/tree/losses.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/units.hpp"

#include <algorithm>
#include <unordered_map>

namespace receiptd::alert {

namespace {

constexpr std::size_t kLongestBranch = 40;
constexpr std::size_t kLongestText = 300;    // of one failure, in a line
constexpr std::size_t kLongestMethod = 256;  // of a method: a contract may call it what it likes

using Receipt = chain::JudgedReceipt;

std::string in_line(const std::string& text, std::size_t most) {
    return base::one_line(base::shortened(text, most));
}

std::string failure_words(const chain::FailureClass& failure) {
    if (failure.error_text.empty() || failure.error_text == failure.error_class) return failure.error_class;
    return failure.error_class + ": " + in_line(failure.error_text, kLongestText);
}

// Counted as the chain counts, from 0.
std::string place_in_batch(const Receipt& receipt) {
    const auto index = receipt.failure.action_index;
    if (!index || receipt.action_names.size() < 2 || *index >= receipt.action_names.size()) return {};
    return " at action " + std::to_string(*index) + " (" + receipt.action_names[*index] + ")";
}

std::string fate_words(const Receipt& receipt) {
    if (!receipt.executed) return "not executed yet";
    if (!receipt.failed()) return "succeeded";
    auto words = "failed" + place_in_batch(receipt) + ": " + failure_words(receipt.failure);
    if (receipt.handling == chain::Handling::handled) words += " (handled)";
    return words;
}

std::string line(const Receipt& receipt) {
    std::string words = receipt.role ? std::string(chain::role_name(*receipt.role)) : "receipt";
    if (!receipt.predecessor_id.empty()) words += " " + receipt.predecessor_id + " →";
    words += " " + receipt.receiver_id;
    if (!receipt.method_name.empty()) words += " " + in_line(receipt.method_name, kLongestMethod);
    return words + ": " + fate_words(receipt);
}

// The receipt and what led to it, the first first.
std::vector<const Receipt*> branch(const chain::Judgement& tree, const std::string& receipt_id) {
    std::unordered_map<std::string_view, const Receipt*> by_id;
    for (const auto& receipt : tree.receipts) by_id.emplace(receipt.receipt_id, &receipt);
    std::vector<const Receipt*> found;
    for (auto at = by_id.find(receipt_id); at != by_id.end();
         at = by_id.find(found.back()->parent_receipt_id)) {
        found.push_back(at->second);
        if (found.size() > tree.receipts.size()) return {};  // a circle: no tree
    }
    std::reverse(found.begin(), found.end());
    return found;
}

std::string transaction_words(const chain::Finding& finding) {
    std::string words = "transaction";
    if (!finding.tx_hash.empty()) words += " " + finding.tx_hash;
    if (!finding.user_id.empty())
        words += " of " + finding.user_id + ", relayed by " + finding.signer_id;
    else if (!finding.signer_id.empty())
        words += " of " + finding.signer_id;
    return words;
}

std::string receipt_summary(const chain::Finding& finding) {
    std::string words(finding.role ? chain::role_name(*finding.role) : "receipt");
    if (!finding.method_name.empty()) words += " " + in_line(finding.method_name, kLongestMethod);
    const auto joint = finding.method_name.empty() ? std::string_view("at") : chain::joint_of(finding);
    if (!finding.contract_id.empty()) words.append(" ").append(joint).append(" ") += finding.contract_id;
    words += " failed";
    if (finding.handled == true) words += " and was handled";
    return words;
}

std::string tokens_summary(const chain::Finding& finding) {
    const auto& user = finding.user_id.empty() ? finding.signer_id : finding.user_id;
    std::string words = finding.contract_id + " gave tokens back that " + user + " sent";
    if (finding.flow)
        words += ": " + base::to_string(finding.flow->returned) + " returned, " +
                 base::to_string(finding.flow->kept) + " kept";
    return words;
}

std::string burnt_summary(const chain::Finding& finding) {
    const auto& why = finding.failure.error_class;
    if (why == chain::kSenderGone)
        return "tokens of " + finding.contract_id + ": " + finding.failure.error_text;
    std::string words(finding.role ? chain::role_name(*finding.role) : "refund");
    if (why == chain::kGasKeyBalance) words = "the balance of a gas key";
    words += (why == chain::kGasKeyBalance ? " of " : " to ") + finding.contract_id + " was burnt";
    if (finding.burnt) words += ": " + chain::near_in_words(*finding.burnt);
    return words;
}

std::string timeout_summary(const chain::Finding& finding) {
    std::string words = "yield";
    if (!finding.method_name.empty()) words += " " + in_line(finding.method_name, kLongestMethod);
    words += " of " + finding.contract_id + " was not resumed in time and ";
    return words + (finding.handled == true ? "went on" : "failed");
}

std::string wallet_summary(const chain::Finding& finding) {
    auto words = "the wallet " + finding.contract_id + " did not do what its owner signed";
    if (const auto& text = finding.failure.error_text; !text.empty())
        words += ": " + in_line(text, kLongestText);
    return words;
}

std::string what(const chain::Finding& finding) {
    if (finding.kind == chain::kind::kFailedReceipt) return receipt_summary(finding);
    if (finding.kind == chain::kind::kTokensReturned) return tokens_summary(finding);
    if (finding.kind == chain::kind::kBurntTokens) return burnt_summary(finding);
    if (finding.kind == chain::kind::kWalletRefused) return wallet_summary(finding);
    if (finding.kind == chain::kind::kYieldTimedOut) return timeout_summary(finding);
    if (finding.kind == chain::kind::kUndecided) return transaction_words(finding) + " is undecided";
    if (finding.kind == chain::kind::kFailedTransaction) return transaction_words(finding) + " failed";
    if (finding.kind == chain::kind::kRejected) return transaction_words(finding) + " was refused";
    if (finding.kind == chain::kind::kForwardingFailed) return "no host took " + transaction_words(finding);
    if (finding.kind == "dropped") return transaction_words(finding) + " was dropped";
    if (finding.kind == "expired") return transaction_words(finding) + " expired";
    if (finding.kind == chain::kind::kStuck) return transaction_words(finding) + " is stuck";
    if (finding.kind == chain::kind::kCorrected)
        return "what was told of " + transaction_words(finding) + " does not hold";
    if (finding.kind == "unknown") return "nothing was learned of " + transaction_words(finding);
    return transaction_words(finding) + ": " + finding.kind;
}

}  // namespace

std::vector<std::string> branch_in_words(const chain::Judgement& tree, const std::string& receipt_id) {
    std::vector<std::string> lines;
    const auto receipts = branch(tree, receipt_id);
    const auto skipped = receipts.size() > kLongestBranch ? receipts.size() - kLongestBranch : 0;
    for (std::size_t i = 0; i < receipts.size(); ++i) {
        const bool in_gap = skipped > 0 && i >= kLongestBranch / 2 && i < kLongestBranch / 2 + skipped;
        if (!in_gap)
            lines.push_back(line(*receipts[i]));
        else if (i == kLongestBranch / 2)
            lines.push_back("… " + std::to_string(skipped) + " receipts more …");
    }
    if (lines.empty()) return lines;
    if (const auto* first = tree.root_cause_of(receipt_id))
        for (const auto& receipt : tree.receipts)
            if (receipt.receipt_id == first->receipt_id) lines.push_back("because " + line(receipt));
    return lines;
}

std::string summary(const chain::Finding& finding, const chain::Finding* root_cause) {
    auto words = what(finding);
    const auto& failure = finding.failure;
    const bool says_more = !failure.error_class.empty() && failure.error_class != finding.kind;
    if (says_more) words += ": " + failure_words(failure);
    if (root_cause) words += "; because " + summary(*root_cause);
    return words;
}

}  // namespace receiptd::alert
