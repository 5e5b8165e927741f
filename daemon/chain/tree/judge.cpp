// Judging a ReceiptTree: walk the spawn edges, collect the failures, apply the rules, then sum up the whole.
#include "chain/tree/receipt_tree.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace receiptd::chain {

namespace {

constexpr std::uint64_t kYieldTimeoutBlocks = 200;  // yield_timeout_length_in_blocks (chain-model.md §3.2)

void keep_latest(std::optional<ExecutedAt>& latest, const std::optional<ExecutedAt>& at) {
    if (at && (!latest || at->height > latest->height)) latest = at;
}

}  // namespace

class Judge {
public:
    explicit Judge(const ReceiptTree& parts) : parts_(parts) {}

    Judgement judge() {
        walk();
        for (auto& receipt : tree_.receipts) await(receipt);
        collect_failures();
        sum_up();
        follow_delegate();
        give_verdict();
        return std::move(tree_);
    }

private:
    using Node = ReceiptTree::Node;
    using Index = std::size_t;

    struct Spawned {
        const std::string* id;
        const std::string* parent_id;  // nullptr: the transaction, or nobody known
        std::optional<ParentFacts> parent;
    };

    // --- The tree ---

    void walk() {
        tree_.receipts.reserve(parts_.nodes_.size());
        if (const auto& conversion = parts_.conversion_) {
            tree_.included = true;
            tree_.included_at = conversion->at;
            tree_.transaction_failed = conversion->status == StatusKind::failure;
            if (tree_.transaction_failed) {
                tree_.transaction_failure = conversion->failure;
                tree_.near_status = NearStatus{true, {}};
            }
            tree_.gas_burnt = conversion->gas_burnt;
            tree_.tokens_burnt = conversion->tokens_burnt;
            spawn(*conversion, nullptr, {true, false, OnResultChain::no}, OnResultChain::yes);
            drain(true);
        }
        attached_ = tree_.receipts.size();
        const auto known =
            std::count_if(tree_.receipts.begin(), tree_.receipts.end(),
                          [&](const auto& receipt) { return parts_.nodes_.contains(receipt.receipt_id); });
        if (static_cast<std::size_t>(known) < parts_.nodes_.size()) walk_unattached();
    }

    // Each branch from its highest receipt, then what is left: rings, which no honest chain has.
    void walk_unattached() {
        std::unordered_set<std::string_view> announced;
        for (const auto& [id, node] : parts_.nodes_)
            if (node.outcome)
                announced.insert(node.outcome->receipt_ids.begin(), node.outcome->receipt_ids.end());
        for (const bool rings : {false, true})
            for (const auto& [id, node] : parts_.nodes_) {
                if (at_.contains(id) || (!rings && announced.contains(id))) continue;
                open_.push_back({&id, node.body ? &node.body->parent_receipt_id : nullptr, std::nullopt});
                drain(false);
            }
    }

    // `result_chain`: of the parent.
    void spawn(const OutcomeFacts& outcome, const std::string* parent_id, ParentFacts facts,
               OnResultChain result_chain) {
        for (auto id = outcome.receipt_ids.rbegin(); id != outcome.receipt_ids.rend(); ++id) {
            facts.result_chain = *id == outcome.returned_id ? result_chain : OnResultChain::no;
            open_.push_back({&*id, parent_id, facts});
        }
    }

    void drain(bool attached) {
        while (!open_.empty()) {
            const auto next = open_.back();
            open_.pop_back();
            const bool known = attached || parts_.nodes_.contains(*next.id);
            if (known && !at_.contains(*next.id)) visit(next, attached);
        }
    }

    void visit(const Spawned& spawned, bool attached) {
        static const Node kNothing;
        const auto found = parts_.nodes_.find(*spawned.id);
        const Node& node = found == parts_.nodes_.end() ? kNothing : found->second;
        at_.emplace(*spawned.id, tree_.receipts.size());
        bodies_.push_back(node.body ? &*node.body : nullptr);
        tree_.receipts.push_back(judged(spawned, node, attached));
        if (!node.outcome) return;
        const bool deleted = succeeded(node.outcome->status) && node.body && node.body->deletes_account;
        const auto result_chain = result_chain_of(spawned.parent);
        if (attached && result_chain == OnResultChain::yes) end_result_chain(*node.outcome);
        spawn(*node.outcome, spawned.id, {false, deleted, OnResultChain::no}, result_chain);
    }

    void end_result_chain(const OutcomeFacts& outcome) {
        const bool failed = outcome.status == StatusKind::failure;
        if (failed || outcome.status == StatusKind::success_value)
            tree_.near_status = NearStatus{failed, outcome.id};
        tree_.wallet_refusal = outcome.wallet_refusal;
    }

    static JudgedReceipt judged(const Spawned& spawned, const Node& node, bool attached) {
        JudgedReceipt receipt;
        receipt.receipt_id = *spawned.id;
        if (spawned.parent_id) receipt.parent_receipt_id = *spawned.parent_id;
        receipt.attached = attached;
        if (node.body) {
            receipt.predecessor_id = node.body->predecessor_id;
            receipt.receiver_id = node.body->receiver_id;
            receipt.method_name = node.body->method_name;
            receipt.action_names = node.body->action_names;
            receipt.role = role_of(role_facts(*node.body), spawned.parent);
        } else if (spawned.parent && spawned.parent->is_transaction) {
            receipt.role = Role::initial;
        }
        if (!node.outcome) return receipt;
        receipt.executed = true;
        if (receipt.receiver_id.empty()) receipt.receiver_id = node.outcome->executor_id;
        receipt.status = node.outcome->status;
        receipt.failure = node.outcome->failure;
        receipt.gas_burnt = node.outcome->gas_burnt;
        receipt.tokens_burnt = node.outcome->tokens_burnt;
        receipt.at = node.outcome->at;
        return receipt;
    }

    static RoleFacts role_facts(const ReceiptFacts& body) {
        RoleFacts facts;
        facts.from_system = body.predecessor_id == kSystemAccount;
        facts.awaits = !body.input_data_ids.empty() || body.is_promise_yield;
        facts.awaited = !body.output_data_ids.empty();
        facts.signed_by_system = body.signer_id == kSystemAccount;
        return facts;
    }

    // --- Waiting ---

    void await(JudgedReceipt& receipt) {
        const auto* body = bodies_[at_.at(receipt.receipt_id)];
        if (body) {
            for (const auto& data_id : body->input_data_ids) {
                const auto data = parts_.data_.find(data_id);
                if (data == parts_.data_.end())
                    receipt.missing_data_ids.push_back(data_id);
                else if (data->second.is_promise_resume && data->second.failed)
                    receipt.yield_timed_out = true;
            }
        }
        if (receipt.executed) {
            if (!receipt.missing_data_ids.empty() && body->is_promise_yield)
                receipt.yield_timed_out = ran_after_its_timeout(receipt);
            receipt.missing_data_ids.clear();  // all were there: not every source lists data
            return;
        }
        if (!body)
            receipt.waiting = Waiting::body;
        else if (receipt.missing_data_ids.empty())
            receipt.waiting = Waiting::execution;
        else
            receipt.waiting = body->is_promise_yield ? Waiting::resume : Waiting::data;
    }

    // Whose resume was not listed: what is resumed runs before.
    bool ran_after_its_timeout(const JudgedReceipt& receipt) const {
        const auto maker = at_.find(receipt.parent_receipt_id);
        if (maker == at_.end() || !receipt.at || !tree_.receipts[maker->second].at) return false;
        return receipt.at->height > tree_.receipts[maker->second].at->height + kYieldTimeoutBlocks;
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
    }

    Failure transaction_failure() const {
        Failure failure;
        auto& finding = failure.finding;
        finding.tx_hash = parts_.tx_hash_;
        if (const auto& transaction = parts_.transaction_) {
            finding.signer_id = transaction->signer_id;
            finding.contract_id = transaction->receiver_id;
            finding.method_name = transaction->method_name;
        }
        finding.failure = tree_.transaction_failure;
        finding.at = tree_.included_at.value_or(ExecutedAt());
        finding.identify();
        return failure;
    }

    Failure failure_of(Index i) const {
        const auto& receipt = tree_.receipts[i];
        Failure failure;
        failure.body_known = bodies_[i] != nullptr;
        failure.on_result_chain = tree_.near_status && tree_.near_status->receipt_id == receipt.receipt_id;
        auto& finding = failure.finding;
        finding.tx_hash = parts_.tx_hash_;
        if (parts_.transaction_) finding.signer_id = parts_.transaction_->signer_id;
        finding.receipt_id = receipt.receipt_id;
        finding.identify();
        finding.parent_receipt_id = receipt.parent_receipt_id;
        finding.role = receipt.role;
        finding.contract_id = receipt.receiver_id;
        finding.method_name = receipt.method_name;
        finding.failure = receipt.failure;
        const auto included_at = tree_.included_at.value_or(ExecutedAt());
        finding.at = receipt.at.value_or(ExecutedAt{0, included_at.timestamp_nanosec});
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
        bool all = tree_.included;
        bool all_but_system = tree_.included;
        tree_.settled_at = tree_.completed_at = tree_.included_at;
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            tree_.gas_burnt += receipt.gas_burnt;
            tree_.tokens_burnt += receipt.tokens_burnt;
            all = all && receipt.executed;
            keep_latest(tree_.settled_at, receipt.at);
            if (receipt.is_from_system()) {
                add_refund(i);
                continue;
            }
            all_but_system = all_but_system && receipt.executed;
            keep_latest(tree_.completed_at, receipt.at);
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
        tree_.net_deposit = sent - std::min(sent, returned_to_signer_);
    }

    // A deposit comes back signed by `system`, gas in the signer's name (chain-model.md §5).
    void add_refund(Index i) {
        const auto* body = bodies_[i];
        const auto& receipt = tree_.receipts[i];
        if (!body || receipt.role != Role::refund || !receipt.executed || receipt.failed()) return;
        if (body->signer_id != kSystemAccount) {
            tree_.gas_refunded += body->deposit;
            return;
        }
        tree_.deposit_refunded += body->deposit;
        if (parts_.transaction_ && body->receiver_id == parts_.transaction_->signer_id)
            returned_to_signer_ += body->deposit;
    }

    // The inner call is the one receipt that the delegate's receipt makes for the sender.
    void follow_delegate() {
        if (!parts_.transaction_ || !parts_.transaction_->delegate) return;
        DelegateEnd end{*parts_.transaction_->delegate, parts_.transaction_->signer_id, {}, false};
        std::string initial;
        for (Index i = 0; i < attached_; ++i) {
            const auto& receipt = tree_.receipts[i];
            if (receipt.role == Role::initial) initial = receipt.receipt_id;
            const bool inner = !initial.empty() && receipt.parent_receipt_id == initial &&
                               receipt.predecessor_id == end.facts.sender_id &&
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
            // The verdict was given as if nobody awaited anything whose receipt is not known.
            tree_.certain_verdict = whole ? tree_.verdict : early;
        } else if (early || whole) {
            tree_.certain_verdict = early ? early
                                          : verdict_of(tree_.failures, Missing::refunds,
                                                       tree_.initial_succeeded, tree_.wallet_refusal);
        }
    }

    void conclude() {
        decide_handling(tree_.failures, true);
        tree_.verdict =
            verdict_of(tree_.failures, Missing::nothing, tree_.initial_succeeded, tree_.wallet_refusal);
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
        tree_.decided_by.push_back(failure ? failure->finding.receipt_id : tree_.receipts.front().receipt_id);
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
    std::vector<const ReceiptFacts*> bodies_;                 // as tree_.receipts; nullptr: not known
    std::unordered_map<std::string_view, Awaiter> awaiters_;  // by data id
    std::vector<Spawned> open_;
    Index attached_ = 0;
    u128 returned_to_signer_ = 0;
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
