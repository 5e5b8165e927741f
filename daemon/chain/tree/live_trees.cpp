#include "chain/tree/live_trees.hpp"

#include "chain/tree/given_up.hpp"
#include "chain/tree/user.hpp"
#include "chain/tree/wallet.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::chain {

namespace {

void keep_latest(ExecutedAt& latest, ExecutedAt at) {
    if (at.height > latest.height) latest = at;
}

}  // namespace

void LiveTrees::touch(Text tx_hash, Tree& tree) {
    if (std::exchange(tree.touched, true)) return;
    touched_.emplace_back(tx_hash);
}

void LiveTrees::announce(Tree& tree, const Outcome& outcome) {
    tree.announced += outcome.receipt_ids.size();
    for (const auto id : outcome.receipt_ids) tree.awaited_ids += IdHash()(id);
}

void LiveTrees::transaction(const SignedTransaction& transaction, const Outcome& outcome, ExecutedAt at,
                            bool in_scope) {
    auto& kept = trees_[IdText(transaction.hash)];
    if (!kept) kept = std::make_unique<Tree>();
    auto& tree = *kept;
    auto& result = tree.result;
    if (!result.tx_hash.empty())  // executed twice: only what is stored tells the executions apart
        return forget(transaction.hash, in_scope || tree.in_scope || tree.holds_others);
    tree.in_scope = in_scope;
    result.tx_hash = transaction.hash;
    result.signer_id = transaction.signer_id;
    result.user.id = relayed_user(transaction);
    if (outcome.status.kind == StatusKind::failure) result.user.disown();
    result.receiver_id = transaction.receiver_id;
    result.method_name = called_method_or_action(transaction.actions);
    result.initial_receipt_id = outcome.status.success_receipt_id;
    result.sent = deposit_of(transaction.actions);
    result.included_at = at;
    keep_latest(result.completed_at, at);
    keep_latest(result.settled_at, at);
    result.gas_burnt += outcome.gas_burnt;
    result.tokens_burnt += outcome.tokens_burnt;
    tree.losses.conversion(outcome.gas_burnt, outcome.tokens_burnt);
    announce(tree, outcome);
    if (outcome.status.kind == StatusKind::failure) {
        Failure failure;
        result.near_status = NearStatus{true, {}};
        failure.finding.kind = kind::kFailedTransaction;
        failure.finding.contract_id = transaction.receiver_id;
        failure.finding.method_name = called_method_or_action(transaction.actions);
        failure.finding.failure = classify_failure(outcome.status.failure_json);
        failure.finding.at = at;
        tree.failures.push_back(std::move(failure));
        tree.told.push_back(!in_scope);
    }
    touch(transaction.hash, tree);
}

void LiveTrees::resumed(const Receipt& resume, BlockHeight at) {
    resumes_.try_emplace(std::string(resume.data_id), Resume{!resume.data, at});
}

std::optional<LiveTrees::Resume> LiveTrees::take_resume(const Receipt& yield) {
    for (const auto data_id : yield.input_data_ids) {
        const auto found = resumes_.find(data_id);
        if (found == resumes_.end()) continue;
        const auto resume = found->second;
        resumes_.erase(found);
        return resume;
    }
    return std::nullopt;
}

void LiveTrees::executed(Text tx_hash, const ExecutedReceipt& item, ExecutedAt at) {
    const bool is_yield = item.receipt.is_promise_yield;
    const auto resume = is_yield ? take_resume(item.receipt) : std::nullopt;
    if (is_yield && item.in_scope && (!resume || resume->at != at.height)) late_.emplace_back(tx_hash);
    // A local receipt may be told before its transaction: the tree begins with either.
    auto found = trees_.find(tx_hash);
    if (found == trees_.end() && item.role == Role::initial) {
        found = trees_.emplace(IdText(tx_hash), std::make_unique<Tree>()).first;
        found->second->in_scope = item.in_scope;
    }
    if (found == trees_.end()) {
        if (item.in_scope) late_.emplace_back(tx_hash);
        return;
    }
    auto& tree = *found->second;
    auto& result = tree.result;
    ++result.receipts;
    result.gas_burnt += item.outcome.gas_burnt;
    result.tokens_burnt += item.outcome.tokens_burnt;
    announce(tree, item.outcome);
    tree.awaited_ids -= IdHash()(item.outcome.id);
    keep_latest(result.settled_at, at);
    touch(tx_hash, tree);
    tree.holds_others = tree.holds_others || (item.in_scope && !tree.in_scope);
    const bool from_system = item.receipt.predecessor_id == kSystemAccount;
    tree.silence.child_of(item.parent_receipt_id, from_system);
    if (from_system) return refund(tree, item, at);
    keep_latest(result.completed_at, at);
    const auto status = item.outcome.status.kind;
    const bool failed = status == StatusKind::failure;
    if (item.result_chain == OnResultChain::yes) follow_result_chain(tree, item, at);
    if (item.role == Role::initial && (failed || tree.wallet_refusal)) result.user.disown();
    if (failed) record_failure(tree, item, at);
    if (!failed) follow_deletion(tree, item, at);
    if (resume && resume->timed_out && item.in_scope)
        tree.other_findings.push_back(timeout_finding(finding_of(item, at), !failed));
    const bool awaited_a_failure = settle_awaited(tree, item);
    if (failed || !tree.causes.empty()) find_cause(tree, item, failed);
    if (status == StatusKind::success_value && is_token_callback(called_method(item.receipt.actions)))
        follow_tokens(tree, item, at, awaited_a_failure);
}

Finding LiveTrees::finding_of(const ExecutedReceipt& item, ExecutedAt at) {
    Finding finding;
    finding.receipt_id = item.outcome.id;
    finding.parent_receipt_id = item.parent_receipt_id;
    finding.role = item.role;
    finding.contract_id = item.receipt.receiver_id;
    finding.method_name = called_method_or_action(item.receipt.actions);
    finding.at = at;
    return finding;
}

void LiveTrees::follow_result_chain(Tree& tree, const ExecutedReceipt& item, ExecutedAt at) {
    auto& asked = tree.asked_wallet;
    if (!asked && item.in_scope && called_method(item.receipt.actions) == kWalletMethod)
        asked = std::make_unique<Finding>(finding_of(item, at));
    const auto& outcome = item.outcome;
    const auto& status = outcome.status;
    const bool failed = status.kind == StatusKind::failure;
    if (failed || status.kind == StatusKind::success_value)
        tree.result.near_status = NearStatus{failed, std::string(outcome.id)};
    if (asked) tree.wallet_refusal = wallet_refusal(outcome.executor_id, status);
}

void LiveTrees::follow_tokens(Tree& tree, const ExecutedReceipt& item, ExecutedAt at,
                              bool awaited_a_failure) {
    const auto args = called_args(item.receipt.actions);
    const auto value = short_value(item.outcome.status.success_value);
    const auto gone = burnt_in_events(item.outcome.logs);
    tree.flows.add({finding_of(item, at), args, value, gone, item.in_scope}, awaited_a_failure);
}

void LiveTrees::record_failure(Tree& tree, const ExecutedReceipt& item, ExecutedAt at) {
    Failure failure;
    failure.finding = finding_of(item, at);
    failure.finding.kind = kind::kFailedReceipt;
    failure.finding.failure = classify_failure(item.outcome.status.failure_json);
    failure.on_result_chain = item.result_chain == OnResultChain::yes;
    for (const auto& receiver : item.receipt.output_data_receivers) {
        const Awaiter open{std::string(receiver.data_id), Awaiter::End::open, {}};
        failure.awaiters.push_back(open);
        tree.awaiters.try_emplace(open.data_id, open);
    }
    ++tree.result.failed_receipts;
    tree.failures.push_back(std::move(failure));
    tree.told.push_back(!item.in_scope);
}

void LiveTrees::refund(Tree& tree, const ExecutedReceipt& item, ExecutedAt at) {
    const auto& receipt = item.receipt;
    const auto amount = deposit_of(receipt.actions);
    if (item.outcome.status.kind == StatusKind::failure) return record_burnt(tree, item, at, amount);
    if (item.role != Role::refund) return;
    const bool after_failure = std::ranges::any_of(tree.failures, [&](const Failure& failure) {
        return failure.finding.receipt_id == item.parent_receipt_id;
    });
    tree.result.refunds.add({receipt.signer_id, receipt.receiver_id, amount, after_failure},
                            tree.result.signer_id, tree.result.user.id);
}

void LiveTrees::record_burnt(Tree& tree, const ExecutedReceipt& item, ExecutedAt at, u128 amount) {
    auto& burnt = tree.burnt.emplace_back();
    burnt.finding = finding_of(item, at);
    burnt.finding.kind = kind::kBurntTokens;
    burnt.finding.failure = item.outcome.status.kind == StatusKind::failure
                                ? classify_failure(item.outcome.status.failure_json)
                                : FailureClass{std::string(kGasKeyBalance), {}};
    burnt.finding.burnt = amount;
    burnt.of_gas = item.role == Role::refund && item.receipt.signer_id != kSystemAccount;
    burnt.in_scope = item.in_scope;
}

// The tables tell the price of gas of trees in scope only.
void LiveTrees::follow_deletion(Tree& tree, const ExecutedReceipt& item, ExecutedAt at) {
    const auto& outcome = item.outcome;
    if (!beneficiary_of(item.receipt, outcome.status).empty()) tree.losses.deleted(item.receipt.receiver_id);
    if (!tree.in_scope || !deletes_keys(item.receipt.actions)) return;
    const auto held = tree.losses.with_keys(outcome.gas_burnt, outcome.tokens_burnt);
    if (held > 0) record_burnt(tree, item, at, held);
}

// An instant deletion stands behind the refunds of its block.
void LiveTrees::tell_burnt(Tree& tree) {
    for (auto& burnt : std::exchange(tree.burnt, {})) {
        tree.losses.add(burnt.finding, burnt.of_gas);
        if (burnt.in_scope) tree.other_findings.push_back(std::move(burnt.finding));
    }
}

// A receipt that awaits a result is executed after it, so the failure is known by then.
bool LiveTrees::settle_awaited(Tree& tree, const ExecutedReceipt& item) {
    const auto& inputs = item.receipt.input_data_ids;
    if (tree.failures.empty() || inputs.empty()) return false;
    const bool failed = item.outcome.status.kind == StatusKind::failure;
    if (!failed)
        tree.silence.succeeded(item.outcome.id, speaks(item.outcome), item.outcome.receipt_ids.size());
    bool awaited = false;
    for (const auto data_id : inputs) {
        const auto awaiter = tree.awaiters.find(std::string(data_id));
        if (awaiter == tree.awaiters.end()) continue;
        awaiter->second.ended(failed, item.outcome.id);
        awaited = awaited || awaiter->second.receipt_id == item.outcome.id;
    }
    return awaited;
}

void LiveTrees::learn_awaiters(Tree& tree) {
    for (auto& failure : tree.failures) {
        if (failure.handling != Handling::undecided) continue;
        for (auto& awaiter : failure.awaiters) awaiter = tree.awaiters.at(awaiter.data_id);
    }
}

void LiveTrees::find_cause(Tree& tree, const ExecutedReceipt& item, bool failed) {
    Causes::Executed executed{item.outcome.id, item.receipt.input_data_ids, {}, item.outcome.receipt_ids};
    for (const auto& receiver : item.receipt.output_data_receivers)
        executed.outputs.push_back(receiver.data_id);
    std::optional<std::size_t> failed_as;
    if (failed) failed_as = tree.failures.size() - 1;
    const auto cause = tree.causes.add(executed, failed_as);
    if (failed && cause) tree.failures.back().finding.root_cause = tree.failures[*cause].finding.receipt_id;
}

void LiveTrees::tell(Tree& tree, std::vector<Finding>& findings) {
    for (std::size_t i = 0; i < tree.failures.size(); ++i) {
        auto& failure = tree.failures[i];
        if (!failure.is_decided() || tree.told[i]) continue;
        tree.told[i] = true;
        tell(tree, failure.finding, findings);
    }
    for (auto& finding : std::exchange(tree.other_findings, {})) tell(tree, std::move(finding), findings);
    for (auto& finding : tree.flows.take_findings()) tell(tree, std::move(finding), findings);
}

void LiveTrees::tell(const Tree& tree, Finding finding, std::vector<Finding>& findings) {
    finding.tx_hash = tree.result.tx_hash;
    finding.signer_id = tree.result.signer_id;
    finding.user_id = tree.result.user.id;
    finding.identify();
    findings.push_back(std::move(finding));
}

void LiveTrees::end_of_block(const IdText& tx_hash, Decided& decided) {
    const auto found = trees_.find(tx_hash);
    if (found == trees_.end()) return;  // forgotten
    auto& tree = *found->second;
    tree.touched = false;
    if (tree.result.tx_hash.empty()) {  // its transaction went by before we came, or the tree was given up
        if (tree.in_scope) late_.emplace_back(tx_hash.view());
        trees_.erase(found);
        return;
    }
    const bool settled = tree.result.receipts == tree.announced && tree.awaited_ids == 0;
    // Receipts of an execution of the same hash that was given up are among them.
    if (!settled && tree.result.receipts >= tree.announced)
        return forget(tx_hash, tree.in_scope || tree.holds_others);
    if (!tree.failures.empty()) {
        learn_awaiters(tree);
        tree.flows.give_effects(tree.failures);
        decide_handling(tree.failures, settled);
        decide_effects(tree.failures, tree.silence, settled);
    }
    tell_burnt(tree);
    tell(tree, decided.findings);
    if (!settled) return;
    auto& result = tree.result;
    result.tokens_burnt = tree.losses.fees(result.tokens_burnt);
    result.tokens_lost = tree.losses.lost();
    const bool initial_succeeded = true;  // else verdict_of() sees its failure first
    result.verdict = *verdict_of(tree.failures, Missing::nothing, initial_succeeded, tree.wallet_refusal);
    result.failure = deciding_class(tree.failures, result.verdict, tree.wallet_refusal);
    result.root_cause = root_cause(tree.failures, result.verdict);
    result.effect =
        effect_of(tree.failures, {result.tokens_lost, tree.flows.effect(), result.refunds.flow(result.sent)});
    if (auto refused = refusal_finding(tree.failures, tree.wallet_refusal, tree.asked_wallet.get()))
        tell(tree, std::move(*refused), decided.findings);
    if (tree.in_scope) decided.results.push_back(std::move(result));
    trees_.erase(found);
}

Decided LiveTrees::end_of_block() {
    Decided decided;
    for (const auto& tx_hash : touched_) end_of_block(tx_hash, decided);
    touched_.clear();
    return decided;
}

void LiveTrees::forget(Text tx_hash, bool in_scope) {
    if (const auto found = trees_.find(tx_hash); found != trees_.end()) trees_.erase(found);
    if (in_scope) late_.emplace_back(tx_hash);
}

std::vector<std::string> LiveTrees::take_late() { return std::exchange(late_, {}); }

void LiveTrees::bound_resumes() {
    if (resumes_.size() <= kMostResumes) return;
    std::vector<base::Height> listed;
    for (const auto& [data_id, resume] : resumes_) listed.push_back(resume.at);
    const auto height = given_up_to(std::move(listed), kMostResumes);
    std::erase_if(resumes_, [&](const auto& item) { return item.second.at <= height; });
}

std::optional<LiveTrees::Asked> LiveTrees::asked_by(Text tx_hash) const {
    const auto found = trees_.find(tx_hash);
    if (found == trees_.end() || found->second->result.tx_hash.empty()) return std::nullopt;
    const auto& result = found->second->result;
    return Asked{result.signer_id, result.user.id};
}

std::size_t LiveTrees::bound() {
    bound_resumes();
    const auto before = trees_.size();
    if (before <= most_) return 0;
    std::vector<base::Height> heights;
    heights.reserve(before);
    for (const auto& [tx_hash, tree] : trees_) heights.push_back(tree->result.settled_at.height);
    const auto height = given_up_to(std::move(heights), most_);
    boost::unordered::erase_if(trees_, [&](const auto& item) {
        const auto& [tx_hash, tree] = item;
        const bool gone = tree->result.settled_at.height <= height;
        if (gone && tree->holds_others) late_.emplace_back(tx_hash.view());
        return gone;
    });
    return before - trees_.size();
}

}  // namespace receiptd::chain
