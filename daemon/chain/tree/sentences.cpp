#include "chain/tree/sentences.hpp"

#include "base/line.hpp"
#include "chain/tree/losses.hpp"
#include "chain/tree/units.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {
namespace {

constexpr std::size_t kLongestName = 80;   // of an account or a method
constexpr std::size_t kLongestText = 280;  // of an error
constexpr Text kTransfer = "Transfer", kCall = "FunctionCall";

std::string in_line(const std::string& text, std::size_t most) {
    return base::one_line(base::shortened(text, most));
}

const JudgedReceipt* find(const Judgement& tree, const std::string& receipt_id) {
    for (const auto& receipt : tree.receipts)
        if (receipt.receipt_id == receipt_id) return &receipt;
    return nullptr;
}

std::string failure_in_words(const FailureClass& failure) {
    const auto name = failure.error_class.empty() ? std::string("unknown error") : failure.error_class;
    if (failure.error_text.empty() || failure.error_text == failure.error_class) return name;
    return "“" + in_line(failure.error_text, kLongestText) + "” (" + name + ")";
}

// "the callback on_done of app.near"
std::string receipt_in_words(const JudgedReceipt& receipt) {
    const auto call = call_in_words(receipt);
    if (receipt.role == Role::callback) return "the callback " + call;
    if (receipt.role == Role::detached) return "the detached call " + call;
    return call;
}

// A sentence may begin with the name of a method, which stays as it is.
std::string capital(std::string text) {
    if (text.starts_with("the ")) text.front() = 'T';
    return text;
}

bool near_says_success(const Judgement& tree) { return tree.near_status && !tree.near_status->failed; }

std::string callback_failed(const Judgement& tree) {
    return near_says_success(tree) ? "A callback failed, though NEAR calls this transaction a success."
                                   : "A callback failed, and the transaction with it.";
}

std::string receipt_failed(const Judgement& tree) {
    if (tree.delegate && tree.delegate->inner_failed)
        return "The user's own call failed. NEAR calls this transaction a success: the relayer's part was.";
    if (tree.wallet_refusal)
        return "The wallet did not do what its owner signed, though NEAR calls this transaction a success.";
    return "A receipt failed that nobody waited for, though NEAR calls this transaction a success.";
}

bool is_bad(Verdict verdict) {
    return verdict != Verdict::succeeded && verdict != Verdict::succeeded_with_handled_failure;
}

std::string handled(const Judgement& tree) {
    if (tree.effect == Effect::swallowed)
        return "The transaction succeeded, but a failure in it was swallowed: nothing tells of it.";
    if (tree.effect == Effect::refunded)
        return "The transaction succeeded, but a call in it failed and the tokens came back.";
    if (tree.effect == Effect::refunded_in_part)
        return "The transaction succeeded, but a call in it failed and some tokens came back.";
    const auto failed = std::count_if(tree.failures.begin(), tree.failures.end(), [](const auto& failure) {
        return failure.handling == Handling::handled;
    });
    if (failed > 1)
        return "The transaction succeeded. " + std::to_string(failed) +
               " calls in it failed, and their callers dealt with that.";
    return "The transaction succeeded. A call in it failed, and its caller dealt with that.";
}

std::string lost(const Judgement& tree) {
    const auto amount = tree.tokens_lost > 0 ? near_in_words(tree.tokens_lost) + " were" : "tokens were";
    return "The transaction succeeded, but " + amount + " lost: nobody has them any more.";
}

std::string succeeded(const Judgement& tree) {
    if (tree.effect == Effect::refunded) return "Nothing failed, but the receiver sent the tokens back.";
    if (tree.effect == Effect::refunded_in_part)
        return "Nothing failed, but the receiver sent some of the tokens back.";
    if (const auto timeouts = timeouts_in_words(tree); !timeouts.empty())
        return "The transaction succeeded, but " + timeouts +
               (tree.timed_out_yields() > 0 ? ": nobody answered."
                                            : ": no source tells whether somebody answered.");
    return "The transaction succeeded.";
}

std::string verdict_in_words(const Judgement& tree, Verdict verdict) {
    if (tree.effect == Effect::tokens_lost && !is_bad(verdict)) return lost(tree);
    switch (verdict) {
        case Verdict::succeeded: return succeeded(tree);
        case Verdict::failed: return "The transaction failed.";
        case Verdict::callback_failed: return callback_failed(tree);
        case Verdict::receipt_failed: return receipt_failed(tree);
        case Verdict::succeeded_with_handled_failure: return handled(tree);
    }
    return {};
}

std::string under_way(const Judgement& tree) {
    if (tree.settled && tree.undecided)
        return "All receipts have run, but no host tells " + std::to_string(tree.missing_receipts.size()) +
               " of them, and these decide the verdict.";
    const auto open = std::count_if(tree.receipts.begin(), tree.receipts.end(),
                                    [](const auto& receipt) { return !receipt.executed; });
    if (!tree.included)
        return tree.receipts.empty() ? "The transaction is in no block yet."
                                     : "Part of a transaction that is not stored.";
    return "The transaction is under way: " + std::to_string(open) +
           (open == 1 ? " receipt has not run yet." : " receipts have not run yet.");
}

std::string headline(const Judgement& tree) {
    const auto verdict = tree.verdict ? tree.verdict : tree.certain_verdict;
    if (!verdict) return under_way(tree);
    auto words = verdict_in_words(tree, *verdict);
    return tree.verdict ? words : words + " Some receipts have not run yet.";
}

std::string failure_sentence(const std::string& lead, const JudgedReceipt& receipt) {
    auto words = capital(lead + receipt_in_words(receipt)) + " failed";
    if (const auto place = place_in_words(receipt); !place.empty()) words += " in " + place;
    return words + ": " + failure_in_words(receipt.failure);
}

// The deciding failure whose root cause is the tree's; while there is no verdict, the first failure that
// nobody handled.
const JudgedReceipt* deciding_receipt(const Judgement& tree) {
    for (const auto& id : tree.decided_by) {
        const auto* cause = tree.root_cause_of(id);
        if ((cause ? cause->receipt_id : id) == tree.root_cause) return find(tree, id);
    }
    if (!tree.decided_by.empty()) return find(tree, tree.decided_by.front());
    if (tree.verdict) return nullptr;
    for (const auto& receipt : tree.receipts)
        if (receipt.failed() && !receipt.is_from_system() && receipt.handling == Handling::unhandled)
            return &receipt;
    return nullptr;
}

std::vector<std::string> causes(const Judgement& tree) {
    std::vector<std::string> all;
    if (tree.transaction_failed)
        all.push_back("It made no receipt: " + failure_in_words(tree.transaction_failure));
    if (tree.wallet_refusal && tree.verdict == Verdict::receipt_failed)
        all.push_back("The wallet says: " + in_line(*tree.wallet_refusal, kLongestText));
    const auto* last = deciding_receipt(tree);
    if (last == nullptr || !last->failed()) return all;
    all.push_back(failure_sentence("", *last));
    const auto* first = tree.root_cause_of(last->receipt_id);
    const auto* cause = first ? find(tree, first->receipt_id) : nullptr;
    if (cause != nullptr && cause != last) all.push_back(failure_sentence("It began when ", *cause));
    return all;
}

std::string token_sentence(const Finding& finding) {
    auto words = in_line(finding.contract_id, kLongestName) + " gave tokens back";
    if (finding.flow)
        words += ": " + base::to_string(finding.flow->returned) + " came back, " +
                 base::to_string(finding.flow->kept) + " were kept (in the token's smallest unit)";
    return words + ".";
}

// Handled failures; a finding tells of tokens that came back though nothing failed. To whom they came back
// is not said: the sender need not be the signer.
std::vector<std::string> token_sentences(const Judgement& tree) {
    std::vector<std::string> all;
    for (const auto& failure : tree.failures) {
        const auto& finding = failure.finding;
        const auto contract = in_line(finding.contract_id, kLongestName);
        if (finding.effect == Effect::refunded)
            all.push_back("All tokens sent to " + contract + " came back.");
        if (finding.effect == Effect::refunded_in_part)
            all.push_back("Some of the tokens sent to " + contract + " came back.");
        if (is_token_callback(finding.method_name))
            all.push_back("No tokens of " + contract + " came back: its " +
                          in_line(finding.method_name, kLongestName) +
                          ", which gives back what is not used, failed.");
    }
    for (const auto& finding : tree.other_findings)
        if (finding.kind == kind::kTokensReturned) all.push_back(token_sentence(finding));
    return all;
}

// NEAR's own refunds. A transfer by which a contract pays back is not told from other payments.
std::string deposit_sentence(const TransactionFacts& transaction, const Judgement& tree) {
    const auto back = tree.refunds.deposits_to_signer;
    const auto elsewhere = tree.refunds.deposits - back;
    auto words = "Of the " + near_in_words(transaction.deposit) + " sent along, the chain refunded ";
    words += back == 0 ? "nothing" : back >= transaction.deposit ? "all" : near_in_words(back);
    words += " to " + in_line(transaction.signer_id, kLongestName);
    if (elsewhere > 0) words += ", and " + near_in_words(elsewhere) + " to other accounts";
    return words + (tree.settled ? "." : " so far.");
}

std::vector<std::string> money(const std::optional<TransactionFacts>& transaction, const Judgement& tree) {
    auto all = token_sentences(tree);
    if (tree.initial_at && !tree.initial_succeeded && tree.included)
        all.push_back("Nothing was moved: what the first receipt did was undone.");
    // One yoctoNEAR is sent along as a proof that a full key signed.
    if (transaction && transaction->deposit > 1) all.push_back(deposit_sentence(*transaction, tree));
    for (const auto& finding : tree.other_findings)
        if (finding.kind == kind::kBurntTokens) all.push_back(burnt_in_words(finding));
    if (tree.tokens_burnt > 0)
        all.push_back("It cost " + near_in_words(tree.tokens_burnt) + " in fees" +
                      (tree.settled ? "" : " so far") + ": all its steps together burnt " +
                      gas_in_words(tree.gas_burnt) + " of gas.");
    return all;
}

}  // namespace

Sentences sentences_of(const std::optional<TransactionFacts>& transaction, const Judgement& tree) {
    return {headline(tree), causes(tree), money(transaction, tree)};
}

Text joint_of(const JudgedReceipt& receipt) {
    const auto& names = receipt.action_names;
    if (names.size() > 1) return "at";
    const bool calls = names.empty() || std::find(names.begin(), names.end(), kCall) != names.end();
    return receipt.method_name == kTransfer && !calls ? "to" : "of";
}

Text joint_of(const Finding& finding) { return finding.method_name == kTransfer ? "at" : "of"; }

namespace {

std::string in_words(const std::vector<std::string>& names, const std::string& method_name) {
    constexpr std::size_t kMostNamed = 5;
    if (names.size() < 2) return method_name;
    std::string words;
    bool called = false;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
        const bool first_call = names[i] == kCall && !std::exchange(called, true);
        words += (i > 0 ? ", " : "") + (first_call ? method_name : names[i]);
    }
    if (names.size() > kMostNamed) words += " and " + std::to_string(names.size() - kMostNamed) + " more";
    return words;
}

}  // namespace

std::string actions_in_words(const JudgedReceipt& receipt) {
    return in_words(receipt.action_names, receipt.method_name);
}

std::string actions_in_words(const TransactionFacts& transaction) {
    return in_words(transaction.action_names, transaction.method_name);
}

std::string timeouts_in_words(const Judgement& tree) {
    const auto in_words = [](std::uint64_t count, const char* what) {
        return count == 0 ? std::string()
                          : std::to_string(count) + (count == 1 ? " yield " : " yields ") + what;
    };
    auto words = in_words(tree.timed_out_yields(), "timed out");
    const auto unexplained = in_words(tree.unexplained_yields(), "may have timed out");
    if (!words.empty() && !unexplained.empty()) words += ", ";
    return words + unexplained;
}

std::string burnt_in_words(const Finding& finding) {
    const auto account = in_line(finding.contract_id, kLongestName);
    const auto& why = finding.failure.error_class;
    if (why == kSenderGone) return "Tokens of " + account + ": " + finding.failure.error_text + ".";
    const auto amount = near_in_words(finding.burnt.value_or(0));
    if (why == kGasKeyBalance)
        return amount + " that gas keys of " + account + " held were burnt with the keys.";
    if (finding.expected) return amount + " of unused gas were burnt, as " + account + " was deleted.";
    return amount + " for " + account + " was burnt: nobody was there to take it.";
}

std::string call_in_words(const JudgedReceipt& receipt) {
    const auto method = in_line(actions_in_words(receipt), kLongestName);
    const auto account = in_line(receipt.receiver_id, kLongestName);
    if (method.empty()) return account.empty() ? "a receipt" : "a receipt of " + account;
    if (account.empty()) return method;
    return method + " " + std::string(joint_of(receipt)) + " " + account;
}

std::string place_in_words(const JudgedReceipt& receipt) {
    std::string words;
    if (receipt.at && receipt.at->height > 0) words = "block " + std::to_string(receipt.at->height);
    if (receipt.shard_id)
        words += (words.empty() ? "shard " : ", shard ") + std::to_string(*receipt.shard_id);
    return words;
}

}  // namespace receiptd::chain
