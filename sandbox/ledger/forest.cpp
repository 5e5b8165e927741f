#include "sandbox/ledger/forest.hpp"

#include "sandbox/sim/receipt_tokens.hpp"

#include <algorithm>
#include <unordered_set>

namespace receiptd::sandbox {

namespace {

bool deletes_account(const sim::ActionReceipt& body) {
    return std::any_of(body.actions.begin(), body.actions.end(), [](const sim::wire::Action& action) {
        return std::holds_alternative<sim::wire::DeleteAccount>(action.value);
    });
}

// Whether the transaction's own result is that of a receipt which `parent` made: each on the way up returned
// the one below.
bool is_result(const TransactionTree& tree, std::size_t parent, CryptoHash receipt_id) {
    while (parent != ReceiptNode::kTransaction) {
        const ReceiptNode& maker = tree.nodes[parent];
        const auto* returned = std::get_if<sim::SuccessReceiptId>(&maker.executed.outcome().status);
        if (returned == nullptr || returned->receipt_id != receipt_id) return false;
        receipt_id = maker.id();
        parent = maker.parent;
    }
    return true;
}

// A failed receipt gives its deposit back in the name of `system`, too; one that deleted its account did not
// fail.
Role role_of(const TransactionTree& tree, std::size_t parent, const sim::Receipt& receipt) {
    if (parent == ReceiptNode::kTransaction) return Role::initial;
    const ReceiptNode& maker = tree.nodes[parent];
    const auto& body = std::get<sim::ActionReceipt>(receipt.body);
    if (receipt.predecessor_id == sim::kSystemAccount) {
        const bool failed = std::holds_alternative<sim::Failure>(maker.executed.outcome().status);
        const bool pays_out =
            !failed && deletes_account(maker.body()) && body.signer_id == sim::kSystemAccount;
        return pays_out ? Role::payout : Role::refund;
    }
    if (!body.input_data_ids.empty() || body.is_promise_yield) return Role::callback;
    if (!body.output_data_receivers.empty()) return Role::promise;
    return is_result(tree, parent, receipt.receipt_id) ? Role::returned : Role::detached;
}

}  // namespace

const char* to_string(Role role) {
    switch (role) {
        case Role::initial: return "initial";
        case Role::callback: return "callback";
        case Role::promise: return "promise";
        case Role::returned: return "returned";
        case Role::detached: return "detached";
        case Role::refund: return "refund";
        case Role::payout: return "payout";
    }
    return "";
}

std::vector<std::size_t> TransactionTree::depth_first() const {
    std::vector<std::size_t> order;
    std::vector<std::size_t> stack;
    if (!nodes.empty()) stack.push_back(0);
    while (!stack.empty()) {
        const std::size_t node = stack.back();
        stack.pop_back();
        order.push_back(node);
        const std::vector<std::size_t>& children = nodes[node].children;
        stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    return order;
}

std::size_t TransactionTree::child_of(std::size_t node, const CryptoHash& receipt_id) const {
    if (node == ReceiptNode::kTransaction) {
        return !nodes.empty() && nodes.front().id() == receipt_id ? 0 : ReceiptNode::kTransaction;
    }
    for (const std::size_t child : nodes[node].children) {
        if (nodes[child].id() == receipt_id) return child;
    }
    return ReceiptNode::kTransaction;
}

ExecutionLevel TransactionTree::level(Height tip, Height final_head) const {
    if (included.height() > tip) return ExecutionLevel::none;
    const bool included_final = included.height() <= final_head;
    if (done_height != 0 && done_height <= final_head) return ExecutionLevel::final;
    if (executed_height != 0 && executed_height <= tip) {
        return included_final ? ExecutionLevel::executed : ExecutionLevel::executed_optimistic;
    }
    return included_final ? ExecutionLevel::included_final : ExecutionLevel::included;
}

void Forest::absorb(const std::shared_ptr<const Application>& application,
                    const std::vector<TransactionPtr>& transactions) {
    Bodies bodies;
    for (const auto* list : {&application->outgoing, &application->instant, &application->locals}) {
        for (const ReceiptPtr& receipt : *list) bodies.emplace(receipt->receipt_id, receipt);
    }
    for (std::size_t i = 0; i < application->executions.size(); ++i) {
        if (i < application->transactions) {
            include(transactions[i], {application, i}, bodies);
        } else {
            execute({application, i}, bodies);
        }
    }
    for (const CryptoHash& yield : application->timed_out) {
        const auto found = by_receipt_.find(yield);
        if (found != by_receipt_.end()) found->second.tree->nodes[found->second.node].timed_out = true;
    }
    take_others(*application);
}

void Forest::include(const TransactionPtr& transaction, ExecutedAt at, const Bodies& bodies) {
    TransactionTree& tree = trees_.emplace_back();
    tree.transaction = transaction;
    tree.included = std::move(at);
    if (transaction->again) {
        later_[transaction->hash].push_back(&tree);
    } else if (!by_transaction_.emplace(transaction->hash, &tree).second) {
        violations_.push_back("transaction " + transaction->hash.to_string() + " was included twice");
    }
    announce(tree, ReceiptNode::kTransaction, tree.included, bodies);
    settle(tree, tree.included.height());
}

void Forest::execute(ExecutedAt at, const Bodies& bodies) {
    const CryptoHash& id = at.outcome().id;
    const auto found = by_receipt_.find(id);
    if (found == by_receipt_.end()) {
        violations_.push_back("receipt " + id.to_string() + " was executed and never announced");
        return;
    }
    TransactionTree& tree = *found->second.tree;
    const std::size_t index = found->second.node;
    if (tree.nodes[index].executed) {
        violations_.push_back("receipt " + id.to_string() + " was executed twice");
        return;
    }
    ReceiptNode& node = tree.nodes[index];
    node.executed = at;
    tokens_under_way_ -= sim::tokens_in(*protocol_, *node.receipt);
    --tree.open;
    if (!node.may_be_pending()) --tree.open_required;
    if (!node.is_from_system()) --tree.open_own;
    announce(tree, index, at, bodies);
    settle(tree, at.height());
}

void Forest::announce(TransactionTree& tree, std::size_t parent, const ExecutedAt& at, const Bodies& bodies) {
    const std::vector<CryptoHash>& ids = at.outcome().receipt_ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto body = bodies.find(ids[i]);
        if (body == bodies.end()) {
            violations_.push_back("receipt " + ids[i].to_string() + " was announced and not made");
            continue;
        }
        ReceiptNode node;
        node.receipt = body->second;
        node.parent = parent;
        node.role = role_of(tree, parent, *node.receipt);
        node.created_height = at.height();
        node.is_last_id = i + 1 == ids.size();
        add_node(tree, std::move(node));
    }
}

void Forest::add_node(TransactionTree& tree, ReceiptNode node) {
    const std::size_t index = tree.nodes.size();
    by_receipt_[node.id()] = {&tree, index};
    tokens_under_way_ += sim::tokens_in(*protocol_, *node.receipt);
    ++tree.open;
    if (!node.may_be_pending()) ++tree.open_required;
    if (!node.is_from_system()) ++tree.open_own;
    // A returned promise takes over what its parent owed: the newest holder is the origin.
    for (const sim::DataReceiver& receiver : node.body().output_data_receivers) {
        data_origins_[receiver.data_id] = &tree;
    }
    if (node.body().is_promise_yield) {
        for (const CryptoHash& id : node.body().input_data_ids) data_origins_[id] = &tree;
    }
    if (node.parent != ReceiptNode::kTransaction) tree.nodes[node.parent].children.push_back(index);
    tree.nodes.push_back(std::move(node));
}

void Forest::take_others(const Application& application) {
    for (const ReceiptPtr& receipt : application.outgoing) {
        if (std::holds_alternative<sim::ActionReceipt>(receipt->body)) continue;
        const TransactionTree* tree = nullptr;
        if (const auto* data = std::get_if<sim::DataReceipt>(&receipt->body)) {
            const auto origin = data_origins_.extract(data->data_id);
            if (origin) tree = origin.mapped();
        }
        others_[receipt->receipt_id] = {tree, receipt, application.height};
    }
}

void Forest::settle(TransactionTree& tree, Height height) {
    if (tree.open == 0 && tree.done_height == 0) tree.done_height = height;
    if (tree.open_required == 0 && tree.executed_height == 0) tree.executed_height = height;
    if (tree.open_own == 0 && tree.completed_height == 0) tree.completed_height = height;
}

void Forest::forget_done_below(Height height) {
    std::unordered_set<const TransactionTree*> gone;
    auto end = trees_.begin();
    for (; end != trees_.end() && end->done_height != 0 && end->done_height < height; ++end) {
        gone.insert(&*end);
        if (!end->transaction->again) by_transaction_.erase(end->transaction->hash);
        for (const ReceiptNode& node : end->nodes) by_receipt_.erase(node.id());
    }
    if (gone.empty()) return;
    for (auto& [hash, trees] : later_)
        std::erase_if(trees, [&](const auto* tree) { return gone.contains(tree); });
    std::erase_if(later_, [](const auto& later) { return later.second.empty(); });
    std::erase_if(data_origins_, [&](const auto& origin) { return gone.contains(origin.second); });
    std::erase_if(others_, [&](const auto& other) {
        return gone.contains(other.second.tree) || (!other.second.tree && other.second.height < height);
    });
    trees_.erase(trees_.begin(), end);
}

const TransactionTree* Forest::tree(const CryptoHash& transaction_hash) const {
    const auto found = by_transaction_.find(transaction_hash);
    return found == by_transaction_.end() ? nullptr : found->second;
}

std::vector<const TransactionTree*> Forest::later_trees(const CryptoHash& transaction_hash) const {
    const auto found = later_.find(transaction_hash);
    return found == later_.end() ? std::vector<const TransactionTree*>() : found->second;
}

std::optional<Forest::Place> Forest::find_receipt(const CryptoHash& receipt_id) const {
    if (const auto found = by_receipt_.find(receipt_id); found != by_receipt_.end()) {
        const ReceiptNode& node = found->second.tree->nodes[found->second.node];
        return Place{found->second.tree, found->second.node, node.receipt, node.created_height};
    }
    if (const auto found = others_.find(receipt_id); found != others_.end()) {
        const OtherPlace& other = found->second;
        return Place{other.tree, 0, other.receipt, other.height};
    }
    return std::nullopt;
}

}  // namespace receiptd::sandbox
