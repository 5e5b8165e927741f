#include "alert/money_words.hpp"

#include "base/checked.hpp"
#include "base/line.hpp"
#include "chain/tree/effect.hpp"
#include "chain/tree/units.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace receiptd::alert {

namespace {

constexpr std::size_t kMostRefunds = 3;  // that are told one by one
constexpr std::size_t kLongestAccountTold = 80;

using Judged = std::unordered_map<std::string_view, const chain::JudgedReceipt*>;

Judged by_id(const chain::Judgement& tree) {
    Judged receipts;
    for (const auto& receipt : tree.receipts) receipts.emplace(receipt.receipt_id, &receipt);
    return receipts;
}

void join(std::string& words, const std::string& more) {
    if (!more.empty()) words += (words.empty() ? "" : "; ") + more;
}

std::string account_in_line(const std::string& account_id) {
    return base::one_line(base::shortened(account_id, kLongestAccountTold));
}

struct Back {
    std::string account_id;
    chain::u128 amount = 0;
};

// A deposit comes back signed by `system`, gas in the name of the transaction's signer (chain-model.md §5.3).
std::vector<Back> refunds_of(const storage::StoredTree& parts, const Judged& judged,
                             const std::unordered_set<std::string>& receipt_ids) {
    std::vector<Back> all;
    for (const auto& receipt : parts.receipts) {
        if (receipt.predecessor_id != chain::kSystemAccount || receipt.signer_id != chain::kSystemAccount)
            continue;
        const auto known = judged.find(receipt.receipt_id);
        if (known == judged.end() || !receipt_ids.contains(known->second->parent_receipt_id)) continue;
        if (!known->second->executed || known->second->failed()) continue;
        const auto same = std::find_if(
            all.begin(), all.end(), [&](const Back& each) { return each.account_id == receipt.receiver_id; });
        auto& back = same == all.end() ? all.emplace_back(Back{receipt.receiver_id, 0}) : *same;
        back.amount = base::saturated_add(back.amount, receipt.deposit);
    }
    std::erase_if(all, [](const Back& each) { return each.amount <= 1; });
    return all;
}

std::string refunds_in_words(const std::vector<Back>& refunds) {
    std::string words;
    for (std::size_t i = 0; i < std::min(refunds.size(), kMostRefunds); ++i)
        words += (i > 0 ? ", " : "") + chain::near_in_words(refunds[i].amount) +
                 (i > 0 ? " to " : " came back to ") + account_in_line(refunds[i].account_id);
    if (refunds.size() > kMostRefunds)
        words += ", and more to " + std::to_string(refunds.size() - kMostRefunds) + " other accounts";
    return words;
}

// Receipts that run later bring back what failed receipts attached.
std::string pending_in_words(const chain::Judgement& tree, const std::vector<Back>& refunds,
                             const std::unordered_set<std::string>& receipt_ids) {
    if (tree.settled || !refunds.empty()) return {};
    chain::u128 attached = 0;
    for (const auto& receipt : tree.receipts)
        if (receipt.failed() && receipt_ids.contains(receipt.receipt_id))
            attached = base::saturated_add(attached, receipt.deposit);
    return attached > 1 ? chain::near_in_words(attached) + " are not back yet" : std::string();
}

std::string tokens_in_words(const chain::Judgement& tree,
                            const std::unordered_set<std::string>& receipt_ids) {
    std::string words;
    for (const auto& failure : tree.failures) {
        const auto& finding = failure.finding;
        if (!receipt_ids.contains(finding.receipt_id)) continue;
        const auto contract = account_in_line(finding.contract_id);
        if (finding.effect == chain::Effect::refunded)
            join(words, "the tokens sent to " + contract + " came back");
        if (finding.effect == chain::Effect::refunded_in_part)
            join(words, "some of the tokens sent to " + contract + " came back");
        if (chain::is_token_callback(finding.method_name))
            join(words, "no tokens of " + contract + " came back");
    }
    return words;
}

std::string sent_in_words(const storage::StoredTree& parts) {
    const auto& transaction = parts.transaction;
    return transaction && transaction->deposit > 1 ? chain::near_in_words(transaction->deposit) + " sent"
                                                   : std::string();
}

}  // namespace

std::string money_of_failures(const storage::StoredTree& parts, const chain::Judgement& tree,
                              const std::vector<std::string>& receipt_ids) {
    if (tree.transaction_failed) {
        const auto& transaction = parts.transaction;
        if (!transaction || transaction->deposit <= 1) return {};
        return chain::near_in_words(transaction->deposit) + " stayed with " +
               account_in_line(transaction->signer_id);
    }
    const std::unordered_set<std::string> ids(receipt_ids.begin(), receipt_ids.end());
    const auto refunds = refunds_of(parts, by_id(tree), ids);
    auto words = tokens_in_words(tree, ids);
    join(words, refunds_in_words(refunds));
    join(words, pending_in_words(tree, refunds, ids));
    return words;
}

std::string money_of_end(const storage::StoredTree& parts, const chain::Judgement& tree) {
    auto failed = tree.transaction_failed ? money_of_failures(parts, tree, {}) : std::string();
    if (tree.transaction_failed) return failed;
    std::vector<std::string> ids;
    for (const auto& receipt : tree.receipts)
        if (receipt.failed()) ids.push_back(receipt.receipt_id);
    auto words = tree.tokens_lost > 0 ? chain::near_in_words(tree.tokens_lost) + " lost" : std::string();
    if (!ids.empty()) {
        join(words, money_of_failures(parts, tree, ids));
        return words;
    }
    join(words, sent_in_words(parts));
    if (tree.effect == chain::Effect::refunded) join(words, "the tokens came back");
    if (tree.effect == chain::Effect::refunded_in_part) join(words, "some of the tokens came back");
    return words;
}

}  // namespace receiptd::alert
