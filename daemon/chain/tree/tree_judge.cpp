// Judging a ReceiptGraph: walk the spawn edges, decide who waits and what was handled, then the whole.
#include "chain/tree/receipt_graph.hpp"

#include <algorithm>
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

class TreeJudge {
public:
    explicit TreeJudge(const ReceiptGraph& graph) : graph_(graph) {}

    TreeJudgement judge() {
        walk();
        for (auto& receipt : tree_.receipts) await(receipt);
        for (std::size_t i = 0; i < tree_.receipts.size(); ++i)
            if (concerns_verdict(i) && tree_.receipts[i].failed()) decide(i);
        sum_up();
        follow_delegate();
        if (tree_.completed) give_verdict();
        return std::move(tree_);
    }

private:
    using Node = ReceiptGraph::Node;
    using Index = std::size_t;

    struct Spawned {
        const std::string* id;
        const std::string* parent_id;  // nullptr: the transaction
        ParentFacts parent;
    };

    // --- The tree ---

    void walk() {
        tree_.receipts.reserve(graph_.nodes_.size());
        for (const auto& [id, node] : graph_.nodes_) {
            if (!node.body) continue;
            for (const auto& data_id : node.body->input_data_ids) awaiting_[data_id].push_back(&id);
        }
        if (const auto& conversion = graph_.conversion_) {
            tree_.included = true;
            tree_.included_at = conversion->at;
            tree_.transaction_failed = conversion->status == StatusKind::failure;
            if (tree_.transaction_failed) tree_.transaction_failure = conversion->failure;
            tree_.gas_burnt = conversion->gas_burnt;
            tree_.tokens_burnt = conversion->tokens_burnt;
            spawn(*conversion, nullptr, {true, false});
            drain();
        }
        attached_ = tree_.receipts.size();
        for (const auto& [id, node] : graph_.nodes_)
            if (at_.count(id) == 0) visit({&id, nullptr, {}}, false);
    }

    void spawn(const OutcomeFacts& outcome, const std::string* parent_id, ParentFacts facts) {
        for (auto id = outcome.receipt_ids.rbegin(); id != outcome.receipt_ids.rend(); ++id)
            open_.push_back({&*id, parent_id, facts});
    }

    void drain() {
        while (!open_.empty()) {
            const auto next = open_.back();
            open_.pop_back();
            if (at_.count(*next.id) == 0) visit(next, true);
        }
    }

    void visit(const Spawned& spawned, bool attached) {
        static const Node kNothing;
        const auto found = graph_.nodes_.find(*spawned.id);
        const Node& node = found == graph_.nodes_.end() ? kNothing : found->second;
        at_.emplace(*spawned.id, tree_.receipts.size());
        bodies_.push_back(node.body ? &*node.body : nullptr);
        tree_.receipts.push_back(judged(spawned, node, attached));
        if (!attached || !node.outcome) return;
        const bool succeeded = node.outcome->status == StatusKind::success_value ||
                               node.outcome->status == StatusKind::success_receipt_id;
        const bool deleted = succeeded && node.body && node.body->deletes_account;
        spawn(*node.outcome, spawned.id, {false, deleted});
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
            receipt.role =
                role_of(role_facts(*node.body), attached ? std::optional(spawned.parent) : std::nullopt);
        } else if (spawned.parent.is_transaction) {
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
        facts.signed_by_predecessor = body.predecessor_id == body.signer_id;
        return facts;
    }

    // --- Waiting ---

    void await(JudgedReceipt& receipt) {
        const auto* body = bodies_[at_.at(receipt.receipt_id)];
        if (body) {
            for (const auto& data_id : body->input_data_ids) {
                const auto data = graph_.data_.find(data_id);
                if (data == graph_.data_.end())
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

    // --- Handled or not ---

    bool concerns_verdict(Index i) const {
        return tree_.receipts[i].attached && !tree_.receipts[i].is_from_system();
    }

    std::vector<Index> awaiters(Index i) const {
        std::vector<Index> found;
        if (!bodies_[i]) return found;
        for (const auto& data_id : bodies_[i]->output_data_ids) {
            const auto known = awaiting_.find(data_id);
            if (known == awaiting_.end()) continue;
            for (const auto* id : known->second) found.push_back(at_.at(*id));
        }
        return found;
    }

    // Data edges have no cycle on an honest chain; on another one a ring stays undecided.
    void decide(Index start) {
        std::vector<Index> stack{start};
        while (!stack.empty()) {
            const auto i = stack.back();
            const auto all = awaiters(i);
            bool open = false;
            if (asked_.insert(i).second) {
                for (const auto awaiter : all)
                    if (tree_.receipts[awaiter].failed() && asked_.count(awaiter) == 0) {
                        stack.push_back(awaiter);
                        open = true;
                    }
            }
            if (open) continue;
            stack.pop_back();
            tree_.receipts[i].handling = handling(i, all);
        }
    }

    Handling handling(Index i, const std::vector<Index>& all) const {
        const std::size_t wanted = bodies_[i] ? bodies_[i]->output_data_ids.size() : 0;
        if (!bodies_[i]) return Handling::undecided;
        if (wanted == 0) return Handling::unhandled;
        bool undecided = all.size() < wanted;
        for (const auto awaiter : all) {
            const auto& receipt = tree_.receipts[awaiter];
            if (!receipt.executed)
                undecided = true;
            else if (receipt.failed() && receipt.handling == Handling::unhandled)
                return Handling::unhandled;
            else if (receipt.failed() && receipt.handling == Handling::undecided)
                undecided = true;
        }
        return undecided ? Handling::undecided : Handling::handled;
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
        const auto sent = graph_.transaction_ ? graph_.transaction_->deposit : 0;
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
        if (graph_.transaction_ && body->receiver_id == graph_.transaction_->signer_id)
            returned_to_signer_ += body->deposit;
    }

    // The inner call is the one receipt that the delegate's receipt makes for the sender.
    void follow_delegate() {
        if (!graph_.transaction_ || !graph_.transaction_->delegate) return;
        DelegateEnd end{*graph_.transaction_->delegate, graph_.transaction_->signer_id, {}, false};
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
        std::vector<std::string> initial, callbacks, others, handled;
        for (Index i = 0; i < attached_; ++i) {
            auto& receipt = tree_.receipts[i];
            if (!concerns_verdict(i) || !receipt.failed()) continue;
            // Everything is executed: who was not there to await it never will be.
            if (receipt.handling == Handling::undecided) receipt.handling = Handling::unhandled;
            auto& list = receipt.role == Role::initial           ? initial
                         : receipt.handling == Handling::handled ? handled
                         : receipt.role == Role::callback        ? callbacks
                                                                 : others;
            list.push_back(receipt.receipt_id);
        }
        const auto say = [this](Verdict verdict, std::vector<std::string>& receipts) {
            tree_.verdict = verdict;
            tree_.decided_by = std::move(receipts);
        };
        if (tree_.transaction_failed || !initial.empty())
            say(Verdict::failed, initial);
        else if (!callbacks.empty())
            say(Verdict::callback_failed, callbacks);
        else if (!others.empty())
            say(Verdict::receipt_failed, others);
        else
            say(handled.empty() ? Verdict::succeeded : Verdict::succeeded_with_handled_failure, handled);
    }

    const ReceiptGraph& graph_;
    TreeJudgement tree_;
    std::unordered_map<std::string, Index> at_;
    std::vector<const ReceiptFacts*> bodies_;  // as tree_.receipts; nullptr: not known
    std::unordered_map<std::string, std::vector<const std::string*>> awaiting_;  // data id -> receipts
    std::vector<Spawned> open_;
    std::unordered_set<Index> asked_;
    Index attached_ = 0;
    u128 returned_to_signer_ = 0;
};

TreeJudgement ReceiptGraph::judge() const { return TreeJudge(*this).judge(); }

}  // namespace receiptd::chain
