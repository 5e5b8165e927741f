// Judging a ReceiptTree: collect the failures of the walked tree, apply the rules, then sum up the whole.
#include "chain/tree/causes.hpp"
#include "chain/tree/flows.hpp"
#include "chain/tree/losses.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "chain/tree/silence.hpp"
#include "chain/tree/walk.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace receiptd::chain {

namespace {

bool is_success(Verdict verdict) {
    return verdict == Verdict::succeeded || verdict == Verdict::succeeded_with_handled_failure;
}

void keep_latest(std::optional<ExecutedAt>& latest, const std::optional<ExecutedAt>& at) {
    if (at && (!latest || at->height > latest->height)) latest = at;
}

}  // namespace

class Judge {
public:
    explicit Judge(const ReceiptTree& parts) : Judge(parts, walk(parts)) {}

    Judgement judge() {
        name_user();
        collect_failures();
        sum_up();
        follow_delegate();
        give_verdict();
        return std::move(tree_);
    }

private:
    using Index = std::size_t;

    Judge(const ReceiptTree& parts, WalkedTree&& walked)
        : parts_(parts),
          tree_(std::move(walked.tree)),
          at_(std::move(walked.at)),
          bodies_(std::move(walked.bodies)),
          attached_(parts.transaction_ || parts.conversion_ ? walked.attached : tree_.receipts.size()) {}

    // The initial receipt checks what the user signed; a wallet that refuses at once has checked it, too.
    void name_user() {
        if (!parts_.transaction_) return;
        tree_.user.id = parts_.transaction_->named_user();
        const auto initial = std::find_if(tree_.receipts.begin(), tree_.receipts.end(),
                                          [](const auto& r) { return r.role == Role::initial; });
        const bool succeeded = initial != tree_.receipts.end() && chain::succeeded(initial->status);
        const bool refused = tree_.wallet_refusal && tree_.near_status &&
                             tree_.near_status->receipt_id == tree_.asked_wallet_id;
        if (!succeeded || refused) tree_.user.disown();
    }

    // --- Failures ---

    void collect_failures() {
        for (Index i = 0; i < tree_.receipts.size(); ++i)
            if (bodies_[i])
                for (const auto& data_id : bodies_[i]->input_data_ids) awaited_by(data_id, tree_.receipts[i]);
        if (tree_.transaction_failed) tree_.failures.push_back(transaction_failure());
        std::vector<Index> receipts;
        for (Index i = 0; i < tree_.receipts.size(); ++i) {
            if (!tree_.receipts[i].failed() || tree_.receipts[i].is_from_system()) continue;
            tree_.failures.push_back(failure_of(i));
            receipts.push_back(i);
        }
        decide_handling(tree_.failures, false);
        const auto own = tree_.failures.size() - receipts.size();
        const auto first_unattached = std::lower_bound(receipts.begin(), receipts.end(), attached_);
        receipts.erase(first_unattached, receipts.end());
        tree_.failures.resize(own + receipts.size());
        for (std::size_t i = 0; i < receipts.size(); ++i)
            tree_.receipts[receipts[i]].handling = tree_.failures[own + i].handling;
        if (!receipts.empty()) find_causes(own);
        follow_tokens();
        decide_effects(tree_.failures, silence(), false);
    }

    void follow_tokens() {
        Flows flows;
        std::unordered_set<std::string_view> awaiting;  // receipts that awaited a failure
        for (const auto& failure : tree_.failures)
            for (const auto& awaiter : failure.awaiters) awaiting.insert(awaiter.receipt_id);
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (!bodies_[i] || receipt.status != StatusKind::success_value) continue;
            if (!is_token_callback(receipt.method_name)) continue;
            const auto& value = parts_.nodes_.at(receipt.receipt_id).outcome->value;
            const auto gone = parts_.nodes_.at(receipt.receipt_id).outcome->gone;
            flows.add({finding_of(i), bodies_[i]->token_args, value, gone},
                      awaiting.contains(receipt.receipt_id));
        }
        flows.give_effects(tree_.failures);
        flows_effect_ = flows.effect();
        for (auto& finding : flows.take_findings()) add_finding(std::move(finding));
    }

    void add_finding(Finding finding) {
        finding.identify();
        tree_.other_findings.push_back(std::move(finding));
    }

    // Depth first in spawn order: a receipt comes before its children.
    Silence silence() const {
        Silence silence;
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (!receipt.executed) continue;
            silence.child_of(receipt.parent_receipt_id, receipt.is_from_system());
            if (receipt.failed() || !bodies_[i] || bodies_[i]->input_data_ids.empty()) continue;
            const auto& outcome = *parts_.nodes_.at(receipt.receipt_id).outcome;
            silence.succeeded(receipt.receipt_id, outcome.speaks, outcome.receipt_ids.size());
        }
        return silence;
    }

    // Depth first in spawn order, what is awaited comes before who awaits it. `next`: the place of the first
    // receipt's failure.
    void find_causes(std::size_t next) {
        Causes causes;
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (!receipt.executed || receipt.is_from_system()) continue;
            std::optional<std::size_t> failed_as;
            if (receipt.failed()) failed_as = next++;
            if (causes.empty() && !failed_as) continue;
            Causes::Executed executed{receipt.receipt_id, {}, {}, {}};
            if (const auto* body = bodies_[i]) {
                executed.inputs.assign(body->input_data_ids.begin(), body->input_data_ids.end());
                executed.outputs.assign(body->output_data_ids.begin(), body->output_data_ids.end());
            }
            const auto& children = parts_.nodes_.at(receipt.receipt_id).outcome->receipt_ids;
            executed.children.assign(children.begin(), children.end());
            const auto cause = causes.add(executed, failed_as);
            if (failed_as && cause)
                tree_.failures[*failed_as].finding.root_cause = tree_.failures[*cause].finding.receipt_id;
        }
    }

    Failure transaction_failure() const {
        Failure failure;
        auto& finding = failure.finding;
        finding.kind = kind::kFailedTransaction;
        finding.tx_hash = parts_.tx_hash_;
        if (const auto& transaction = parts_.transaction_) {
            finding.signer_id = transaction->signer_id;
            finding.user_id = tree_.user.id;
            finding.contract_id = transaction->receiver_id;
            finding.method_name = transaction->method_name;
        }
        finding.failure = tree_.transaction_failure;
        finding.at = tree_.included_at.value_or(ExecutedAt());
        finding.identify();
        return failure;
    }

    Finding finding_of(Index i) const {
        const auto& receipt = tree_.receipts[i];
        Finding finding;
        finding.tx_hash = parts_.tx_hash_;
        if (parts_.transaction_) {
            finding.signer_id = parts_.transaction_->signer_id;
            finding.user_id = tree_.user.id;
        } else if (bodies_[i] && bodies_[i]->signer_id != kSystemAccount) {
            finding.signer_id = bodies_[i]->signer_id;
        }
        finding.receipt_id = receipt.receipt_id;
        finding.parent_receipt_id = receipt.parent_receipt_id;
        finding.role = receipt.role;
        finding.contract_id = receipt.receiver_id;
        finding.method_name = receipt.method_name;
        finding.failure = receipt.failure;
        const auto included_at = tree_.included_at.value_or(ExecutedAt());
        finding.at = receipt.at.value_or(ExecutedAt{0, included_at.timestamp_nanosec});
        return finding;
    }

    Failure failure_of(Index i) const {
        const auto& receipt = tree_.receipts[i];
        Failure failure;
        failure.finding = finding_of(i);
        failure.finding.kind = kind::kFailedReceipt;
        failure.finding.identify();
        failure.body_known = bodies_[i] != nullptr;
        failure.on_result_chain = tree_.near_status && tree_.near_status->receipt_id == receipt.receipt_id;
        if (!failure.body_known) return failure;
        for (const auto& data_id : bodies_[i]->output_data_ids) {
            const auto awaiter = awaiters_.find(data_id);
            failure.awaiters.push_back(awaiter == awaiters_.end() ? Awaiter{data_id, {}, {}}
                                                                  : awaiter->second);
        }
        return failure;
    }

    void awaited_by(const std::string& data_id, const JudgedReceipt& receipt) {
        auto& awaiter = awaiters_.try_emplace(data_id, Awaiter{data_id, {}, {}}).first->second;
        if (receipt.executed) awaiter.ended(receipt.failed(), receipt.receipt_id);
    }

    // --- The whole ---

    void sum_up() {
        find_losses();
        bool all = tree_.included;
        bool all_but_system = tree_.included;
        tree_.settled_at = tree_.completed_at = tree_.included_at;
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            tree_.gas_burnt += receipt.gas_burnt;
            tree_.tokens_burnt += receipt.tokens_burnt;
            all = all && receipt.executed;
            keep_latest(tree_.settled_at, receipt.at);
            if (receipt.executed && !bodies_[i] && receipt.role != Role::initial) {
                tree_.missing_receipts.push_back(receipt.receipt_id);
                calls_missing_ = calls_missing_ || !receipt.is_from_system();
            }
            if (receipt.is_from_system()) {
                add_refund(i);
                continue;
            }
            all_but_system = all_but_system && receipt.executed;
            keep_latest(tree_.completed_at, receipt.at);
            if (receipt.executed && receipt.yield_timed_out == true)
                add_finding(timeout_finding(finding_of(i), !receipt.failed()));
            if (receipt.failed()) ++tree_.failed_receipts;
            if (receipt.role == Role::initial && receipt.executed) {
                tree_.initial_at = receipt.at;
                tree_.initial_succeeded = !receipt.failed();
            }
        }
        tree_.completed = all_but_system;
        tree_.settled = all;
        if (!tree_.completed) tree_.completed_at.reset();
        if (!tree_.settled) tree_.settled_at.reset();
        const auto sent = parts_.transaction_ ? parts_.transaction_->deposit : 0;
        tree_.net_deposit = tree_.refunds.net(sent);
        tree_.tokens_burnt = losses_.fees(tree_.tokens_burnt);
        tree_.tokens_lost = losses_.lost();
    }

    void find_losses() {
        if (const auto& conversion = parts_.conversion_)
            losses_.conversion(conversion->gas_burnt, conversion->tokens_burnt);
        for (Index i = 0; i < attached_; ++i)
            if (bodies_[i] && succeeded(tree_.receipts[i].status) && !bodies_[i]->beneficiary_id.empty())
                losses_.deleted(bodies_[i]->receiver_id);
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (receipt.is_from_system() && receipt.failed() && bodies_[i])
                add_burnt(i, bodies_[i]->deposit, bodies_[i]->signer_id != kSystemAccount);
            if (!succeeded(receipt.status) || !deletes_keys(receipt.action_names)) continue;
            if (const auto held = losses_.with_keys(receipt.gas_burnt, receipt.tokens_burnt); held > 0)
                add_burnt(i, held, false);
        }
    }

    void add_refund(Index i) {
        const auto* body = bodies_[i];
        const auto& receipt = tree_.receipts[i];
        if (!body || receipt.role != Role::refund || !receipt.executed || receipt.failed()) return;
        const auto signer_id = parts_.transaction_ ? Text(parts_.transaction_->signer_id) : Text();
        const auto parent = at_.find(receipt.parent_receipt_id);
        const bool after_failure = parent != at_.end() && tree_.receipts[parent->second].failed();
        tree_.refunds.add({body->signer_id, body->receiver_id, body->deposit, after_failure}, signer_id,
                          tree_.user.id);
    }

    void add_burnt(Index i, u128 amount, bool of_gas) {
        auto finding = finding_of(i);
        finding.kind = kind::kBurntTokens;
        finding.burnt = amount;
        if (!tree_.receipts[i].failed()) finding.failure = {std::string(kGasKeyBalance), {}};
        losses_.add(finding, of_gas);
        add_finding(std::move(finding));
    }

    // The inner call is the one receipt that the delegate's receipt makes for the sender.
    void follow_delegate() {
        if (!parts_.transaction_ || !parts_.transaction_->delegate) return;
        DelegateEnd end{*parts_.transaction_->delegate, parts_.transaction_->signer_id, {}, false};
        std::string initial;
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (receipt.role == Role::initial) initial = receipt.receipt_id;
            // One that is not known, and no refund, can be nothing else.
            const bool by_user = receipt.predecessor_id == end.facts.sender_id ||
                                 (receipt.executed && receipt.predecessor_id.empty());
            const bool inner = !initial.empty() && receipt.parent_receipt_id == initial && by_user &&
                               receipt.receiver_id == end.facts.receiver_id;
            if (!inner) continue;
            end.inner_receipt_id = receipt.receipt_id;
            end.inner_failed = receipt.failed();
            break;
        }
        tree_.delegate = std::move(end);
    }

    void give_verdict() {
        const auto early =
            verdict_of(tree_.failures, Missing::receipts, tree_.initial_succeeded, tree_.wallet_refusal);
        const bool whole = only_refunds_can_follow();
        if (tree_.completed) {
            conclude();
            tree_.certain_verdict = tree_.verdict;
        } else if (early || whole) {
            tree_.certain_verdict = early ? early
                                          : verdict_of(tree_.failures, Missing::refunds,
                                                       tree_.initial_succeeded, tree_.wallet_refusal);
        }
    }

    void conclude() {
        decide_handling(tree_.failures, !calls_missing_);
        decide_effects(tree_.failures, silence(), true);
        const auto sent = parts_.transaction_ ? parts_.transaction_->deposit : 0;
        tree_.effect =
            effect_of(tree_.failures, {tree_.tokens_lost, flows_effect_, tree_.refunds.flow(sent)});
        // What is certain is the worst.
        if (!tree_.money_is_known() && tree_.effect != Effect::tokens_lost) tree_.effect.reset();
        tree_.verdict =
            verdict_of(tree_.failures, Missing::nothing, tree_.initial_succeeded, tree_.wallet_refusal);
        if (tree_.may_be_refusal && tree_.verdict && is_success(*tree_.verdict)) tree_.verdict.reset();
        tree_.undecided = !tree_.verdict ||
                          std::any_of(tree_.failures.begin(), tree_.failures.end(), [](const auto& failure) {
                              return failure.handling == Handling::undecided;
                          });
        if (tree_.verdict) tree_.root_cause = chain::root_cause(tree_.failures, *tree_.verdict);
        for (const auto& failure : tree_.failures) {
            const auto& receipt_id = failure.finding.receipt_id;
            if (receipt_id.empty()) continue;
            tree_.receipts[at_.at(receipt_id)].handling = failure.handling;
            if (tree_.verdict && gives(failure, *tree_.verdict)) tree_.decided_by.push_back(receipt_id);
        }
        if (tree_.decided_by.empty() && tree_.verdict == Verdict::receipt_failed) decided_by_refusal();
    }

    void decided_by_refusal() {
        const auto* failure = deciding(tree_.failures, *tree_.verdict);
        const auto asked = finding_of(at_.at(tree_.asked_wallet_id));
        tree_.decided_by.push_back(failure ? failure->finding.receipt_id : asked.receipt_id);
        auto finding = refusal_finding(tree_.failures, tree_.wallet_refusal, &asked);
        if (finding) add_finding(std::move(*finding));
    }

    // All that a failed receipt leaves behind are refunds: those that are announced are known before they are
    // there.
    bool only_refunds_can_follow() const {
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (receipt.is_from_system() || (bodies_[i] && receipt.executed)) continue;
            const auto parent = at_.find(receipt.parent_receipt_id);
            if (bodies_[i] || parent == at_.end() || !tree_.receipts[parent->second].failed()) return false;
        }
        return tree_.included;
    }

    const ReceiptTree& parts_;
    Judgement tree_;
    std::unordered_map<std::string_view, Index> at_;
    std::vector<const ReceiptFacts*> bodies_;  // as tree_.receipts; nullptr: not known
    Index attached_;                           // so many are judged: of a tree without its transaction, all
    std::unordered_map<std::string_view, Awaiter> awaiters_;  // by data id
    std::optional<Effect> flows_effect_;
    Losses losses_;
    bool calls_missing_ = false;  // an executed receipt is not known that is no refund and no payout
};

Judgement ReceiptTree::judge() const {
    if (transaction_ || !root_) return Judge(*this).judge();
    // The oldest known receipt gave the tree its name: what executed under it is its outcome.
    auto orphan = *this;
    orphan.nodes_[tx_hash_] = {std::exchange(orphan.root_, std::nullopt),
                               std::exchange(orphan.conversion_, std::nullopt)};
    return Judge(orphan).judge();
}

}  // namespace receiptd::chain
