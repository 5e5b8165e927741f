#include "chain/tree/walk.hpp"

#include "chain/tree/wallet.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace receiptd::chain {

class Walk {
public:
    explicit Walk(const ReceiptTree& parts) : parts_(parts) {}

    WalkedTree walk() {
        start();
        for (auto& receipt : walked_.tree.receipts) await(receipt);
        name_awaited();
        return std::move(walked_);
    }

private:
    using Node = ReceiptTree::Node;

    struct Spawned {
        const std::string* id;
        const std::string* parent_id;  // nullptr: the transaction, or nobody known
        std::optional<ParentFacts> parent;
        const OutcomeFacts* made_by = nullptr;
        bool maker_is_known = false;  // its receipt is, not its outcome alone
    };

    void start() {
        walked_.tree.receipts.reserve(parts_.nodes_.size());
        if (const auto& conversion = parts_.conversion_) {
            walked_.tree.included = true;
            walked_.tree.included_at = conversion->at;
            walked_.tree.included_in_shard = conversion->shard_id;
            walked_.tree.transaction_failed = conversion->status == StatusKind::failure;
            if (walked_.tree.transaction_failed) {
                walked_.tree.transaction_failure = conversion->failure;
                if (conversion->failure.error_class != kDiscarded)
                    walked_.tree.near_status = NearStatus{true, {}};
            }
            walked_.tree.gas_burnt = conversion->gas_burnt;
            walked_.tree.tokens_burnt = conversion->tokens_burnt;
            spawn(*conversion, nullptr, {true, {}, OnResultChain::no}, OnResultChain::yes, true);
            drain(true);
        }
        walked_.attached = walked_.tree.receipts.size();
        const auto known =
            std::count_if(walked_.tree.receipts.begin(), walked_.tree.receipts.end(),
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
                if (walked_.at.contains(id) || (!rings && announced.contains(id))) continue;
                open_.push_back({&id, node.body ? &node.body->parent_receipt_id : nullptr, std::nullopt});
                drain(false);
            }
    }

    // `result_chain`: of the parent.
    void spawn(const OutcomeFacts& outcome, const std::string* parent_id, ParentFacts facts,
               OnResultChain result_chain, bool is_known) {
        for (auto id = outcome.receipt_ids.rbegin(); id != outcome.receipt_ids.rend(); ++id) {
            facts.result_chain = *id == outcome.returned_id ? result_chain : OnResultChain::no;
            open_.push_back({&*id, parent_id, facts, &outcome, is_known});
        }
    }

    void drain(bool attached) {
        while (!open_.empty()) {
            const auto next = open_.back();
            open_.pop_back();
            const bool known = attached || parts_.nodes_.contains(*next.id);
            if (known && !walked_.at.contains(*next.id)) visit(next, attached);
        }
    }

    void visit(const Spawned& spawned, bool attached) {
        static const Node kNothing;
        const auto found = parts_.nodes_.find(*spawned.id);
        const Node& node = found == parts_.nodes_.end() ? kNothing : found->second;
        walked_.at.emplace(*spawned.id, walked_.tree.receipts.size());
        walked_.bodies.push_back(node.body ? &*node.body : nullptr);
        walked_.tree.receipts.push_back(judged(spawned, node, attached));
        const auto result_chain = result_chain_of(spawned.parent);
        const bool on_result_chain = attached && result_chain == OnResultChain::yes;
        walked_.tree.receipts.back().on_result_chain = on_result_chain;
        if (!node.outcome) return;
        Text beneficiary_id;
        if (node.body && succeeded(node.outcome->status)) beneficiary_id = node.body->beneficiary_id;
        if (on_result_chain) follow_result_chain(node);
        spawn(*node.outcome, spawned.id, {false, beneficiary_id, OnResultChain::no}, result_chain,
              node.body.has_value());
    }

    void follow_result_chain(const Node& node) {
        const auto& outcome = *node.outcome;
        auto& asked = walked_.tree.asked_wallet_id;
        if (asked.empty() && node.body && node.body->method_name == kWalletMethod) asked = outcome.id;
        const bool failed = outcome.status == StatusKind::failure;
        if (failed || outcome.status == StatusKind::success_value)
            walked_.tree.near_status = NearStatus{failed, outcome.id};
        if (!asked.empty()) walked_.tree.wallet_refusal = outcome.wallet_refusal;
        may_have_asked_ = may_have_asked_ || !node.body;
        walked_.tree.may_be_refusal = asked.empty() && may_have_asked_ && outcome.wallet_refusal.has_value();
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
            receipt.deposit = node.body->deposit;
            receipt.role = role_of(role_facts(*node.body), spawned.parent);
            if (receipt.role == Role::refund) receipt.refunds_gas = node.body->signer_id != kSystemAccount;
        } else if (spawned.parent && spawned.parent->is_transaction) {
            receipt.role = Role::initial;
        } else if (is_from_system(spawned, node)) {
            receipt.predecessor_id = kSystemAccount;
            if (is_refund(spawned, *node.outcome)) receipt.role = Role::refund;
        }
        if (!node.outcome) return receipt;
        receipt.executed = true;
        if (receipt.receiver_id.empty()) receipt.receiver_id = node.outcome->executor_id;
        receipt.status = node.outcome->status;
        receipt.failure = node.outcome->failure;
        receipt.gas_burnt = node.outcome->gas_burnt;
        receipt.tokens_burnt = node.outcome->tokens_burnt;
        receipt.at = node.outcome->at;
        receipt.shard_id = node.outcome->shard_id;
        return receipt;
    }

    // The body is not known.
    static bool is_from_system(const Spawned& spawned, const Node& node) {
        if (!node.outcome || !spawned.made_by) return false;
        const auto& outcome = *node.outcome;
        OutcomeSigns signs;
        signs.parent_failed = spawned.made_by->status == StatusKind::failure;
        signs.parent_paid = spawned.made_by->tokens_burnt > 0;
        signs.burnt_tokens = outcome.tokens_burnt > 0;
        signs.has_logs_or_children = outcome.speaks || !outcome.receipt_ids.empty();
        return chain::is_from_system(signs).value_or(false);
    }

    // Else it may be the payout of a deleted account.
    static bool is_refund(const Spawned& spawned, const OutcomeFacts& outcome) {
        if (spawned.made_by->status == StatusKind::failure) return true;
        const auto& beneficiary_id = spawned.parent->beneficiary_id;
        return spawned.maker_is_known && (beneficiary_id.empty() || outcome.executor_id != beneficiary_id);
    }

    static RoleFacts role_facts(const ReceiptFacts& body) {
        RoleFacts facts;
        facts.from_system = body.predecessor_id == kSystemAccount;
        facts.awaits = !body.input_data_ids.empty() || body.is_promise_yield;
        facts.awaited = !body.output_data_ids.empty();
        facts.signed_by_system = body.signer_id == kSystemAccount;
        facts.receiver_id = body.receiver_id;
        return facts;
    }

    void await(JudgedReceipt& receipt) {
        const auto* body = walked_.bodies[walked_.at.at(receipt.receipt_id)];
        if (body) {
            for (const auto& data_id : body->input_data_ids) {
                const auto data = parts_.data_.find(data_id);
                if (data == parts_.data_.end())
                    receipt.missing_data_ids.push_back(data_id);
                else if (data->second.is_promise_resume)
                    receipt.yield_timed_out = data->second.failed;
            }
        }
        if (receipt.executed) {
            // By its height it could be a resume that was delayed.
            if (!receipt.missing_data_ids.empty() && body->is_promise_yield) receipt.yield_timed_out.reset();
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

    // A returned receipt has its maker's output data ids, and comes after it: depth first in spawn order.
    void name_awaited() {
        std::unordered_map<std::string_view, std::size_t> makers;  // of data
        for (std::size_t i = 0; i < walked_.bodies.size(); ++i)
            if (walked_.bodies[i])
                for (const auto& data_id : walked_.bodies[i]->output_data_ids) makers[data_id] = i;
        std::vector<std::size_t> named_by(walked_.bodies.size(), walked_.bodies.size());  // last, by maker
        for (std::size_t i = 0; i < walked_.bodies.size(); ++i) {
            if (!walked_.bodies[i]) continue;
            auto& awaits = walked_.tree.receipts[i].awaits;
            for (const auto& data_id : walked_.bodies[i]->input_data_ids) {
                const auto maker = makers.find(data_id);
                if (maker == makers.end() || maker->second == i) continue;
                if (std::exchange(named_by[maker->second], i) == i) continue;
                awaits.push_back(walked_.tree.receipts[maker->second].receipt_id);
            }
        }
    }

    const ReceiptTree& parts_;
    WalkedTree walked_;
    std::vector<Spawned> open_;
    bool may_have_asked_ = false;  // a receipt on the result chain is not known
};

WalkedTree walk(const ReceiptTree& parts) { return Walk(parts).walk(); }

}  // namespace receiptd::chain
