#include "chain/rows/block_trees.hpp"

#include "chain/proof/outcome_order.hpp"
#include "chain/rows/rows_scope.hpp"
#include "chain/tree/lineage.hpp"

#include <utility>

namespace receiptd::chain {

BlockTrees::BlockTrees(const WholeBlock& block, const Scope& scope, Lineage& lineage)
    : block_(block), scope_(scope), lineage_(lineage) {
    collect();
    for (std::size_t i = 0; i < transactions_.size(); ++i)
        if (const auto& outcome = transactions_[i].transaction->outcome)
            link(*outcome, {Spawner::Kind::transaction, i});
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        link(nodes_[i].receipt->outcome, {Spawner::Kind::receipt, i});
    resolve_all();
}

void BlockTrees::collect() {
    std::size_t executed = 0;
    for (const auto& shard : block_.shards) executed += shard.executed.size();
    nodes_.reserve(executed);
    taken_.reserve(executed);
    node_by_id_.reserve(executed);
    for (const auto& shard : block_.shards) collect(shard);
    spawners_.resize(nodes_.size());
}

void BlockTrees::collect(const WholeBlockShard& shard) {
    for (std::size_t i = 0; i < shard.transactions.size(); ++i) {
        const auto& item = shard.transactions[i];
        if (is_told_again(item)) continue;
        if (transaction_hashes_.insert(item.transaction.hash).second)
            transactions_.push_back({&item, shard.shard_id,
                                     shard.lacks_elements ? std::nullopt : std::optional<std::uint64_t>(i),
                                     touches(scope_, item.transaction)});
    }
    const auto order = execution_order(shard);
    for (std::size_t i = 0; i < order.executed.size(); ++i) {
        const auto& item = shard.executed[order.executed[i]];
        if (!lineage_.executes(item.outcome.id, height())) continue;
        if (!node_by_id_.emplace(item.outcome.id, nodes_.size()).second) continue;
        for (const auto data_id : item.receipt.input_data_ids) awaiting_.emplace(data_id, nodes_.size());
        const bool in_scope = touches(scope_, item.receipt) || lineage_.holds_in_scope(item.outcome.id);
        std::optional<std::uint64_t> place;
        if (order.first_place && !shard.lacks_elements) place = *order.first_place + i;
        nodes_.push_back({&item, shard.shard_id, place, {}, {}, {}, false, in_scope, nullptr});
    }
}

// Ids of receipts depend on the block.
bool BlockTrees::is_told_again(const ExecutedTransaction& item) {
    if (!item.outcome) return false;
    const auto initial = initial_receipt_id(*item.outcome);
    return !initial.empty() && !lineage_.includes(initial, height());
}

void BlockTrees::link(const Outcome& outcome, Spawner spawner) {
    for (const auto child : outcome.receipt_ids)
        if (const auto node = node_by_id_.find(child); node != node_by_id_.end())
            spawners_[node->second] = spawner;
}

// A parent of the same block is resolved before its children; `path` goes from child to parent.
// A ring (no honest chain has one) is cut where it closes.
void BlockTrees::resolve_all() {
    enum class State : std::uint8_t { open, on_path, done };
    std::vector<State> states(nodes_.size(), State::open);
    std::vector<std::size_t> path;
    for (std::size_t start = 0; start < nodes_.size(); ++start) {
        for (auto index = start; states[index] == State::open; index = spawners_[index].index) {
            states[index] = State::on_path;
            path.push_back(index);
            auto& spawner = spawners_[index];
            if (spawner.kind != Spawner::Kind::receipt) break;
            if (states[spawner.index] == State::on_path) spawner.kind = Spawner::Kind::none;
        }
        for (; !path.empty(); path.pop_back()) {
            resolve(path.back());
            states[path.back()] = State::done;
        }
    }
}

void BlockTrees::resolve(std::size_t index) {
    auto& node = nodes_[index];
    const auto& id = node.receipt->outcome.id;
    node.tree = {id, false};
    if (spawners_[index].kind == Spawner::Kind::none)
        adopt_from_lineage(node);
    else
        adopt(node, spawners_[index]);
    // The chain does not commit to what the host adds: it counts where nothing else is known.
    if (!node.tree.is_transaction && !node.receipt->tx_hash.empty())
        node.tree = {node.receipt->tx_hash, true};
}

ParentFacts BlockTrees::facts_of(const Node& parent, Text child_id) {
    const auto& [outcome, receipt, tx_hash] = *parent.receipt;
    return {false, beneficiary_of(receipt, outcome.status),
            returned(outcome.status, child_id) ? result_chain_of(parent.parent) : OnResultChain::no,
            payer_of(receipt, outcome.status)};
}

void BlockTrees::adopt(Node& node, const Spawner& spawner) {
    if (spawner.kind == Spawner::Kind::transaction) {
        const auto& transaction = transactions_[spawner.index];
        node.tree = {transaction.transaction->transaction.hash, true};
        node.parent = ParentFacts{true, {}, OnResultChain::yes};
        node.in_scope = node.in_scope || transaction.in_scope;
        const auto& body = transaction.transaction->transaction;
        if (body.signer_id == body.receiver_id) node.local_of = &body;
        return;
    }
    const auto& parent = nodes_[spawner.index];
    node.tree = parent.tree;
    node.parent_receipt_id = parent.receipt->outcome.id;
    node.parent = facts_of(parent, node.receipt->outcome.id);
    node.parent_is_here = true;
    node.in_scope = node.in_scope || parent.in_scope;
}

void BlockTrees::adopt_from_lineage(Node& node) {
    const auto parentage = lineage_.take_receipt(node.receipt->outcome.id);
    if (!parentage) return;
    const auto& kept = taken_.emplace_back(*parentage);
    node.tree = {kept.tree_id, kept.tree_is_transaction};
    node.parent_receipt_id = kept.parent_receipt_id;
    node.parent = ParentFacts{kept.parent_receipt_id.empty(), kept.parent_beneficiary_id, kept.result_chain,
                              kept.parent_payer_id};
    node.in_scope = node.in_scope || (scope_.kind == ScopeKind::accounts && kept.in_scope);
}

// Data whose producer was not seen still belongs to the tree of the receipt that awaited it, which
// executes in the block that lists the last of its data.
BlockTrees::DataPlace BlockTrees::place_data(const Receipt& data) {
    const bool in_scope = touches(scope_, data) || lineage_.holds_in_scope(data.data_id);
    DataPlace place{{data.receipt_id, false}, in_scope, false};
    if (const auto origin = lineage_.take_data(data.data_id)) {
        data_origin_ = *origin;
        place.tree = {data_origin_.tree_id, data_origin_.tree_is_transaction};
        place.known = true;
        place.in_scope = place.in_scope || (scope_.kind == ScopeKind::accounts && data_origin_.in_scope);
    }
    const auto awaiting = awaiting_.find(data.data_id);
    if (awaiting == awaiting_.end()) return place;
    const auto& node = nodes_[awaiting->second];
    place.in_scope = place.in_scope || node.in_scope;
    const bool says_more = !place.known || (node.tree.is_transaction && !place.tree.is_transaction);
    if (says_more && (node.parent || node.tree.is_transaction)) {
        place.tree = node.tree;
        place.known = true;
    }
    return place;
}

void BlockTrees::announce(const Outcome& outcome, const Parentage& parentage) {
    children_.clear();
    for (const auto child : outcome.receipt_ids)
        if (!node_by_id_.contains(child)) children_.push_back(child);
    lineage_.announce_receipts(children_, height(), parentage, outcome.status.success_receipt_id);
}

void BlockTrees::announce_children() {
    for (const auto& node : transactions_)
        if (const auto& outcome = node.transaction->outcome)
            announce(*outcome,
                     {node.transaction->transaction.hash, true, {}, {}, node.in_scope, OnResultChain::yes});
    for (const auto& node : nodes_) {
        const auto& tree = node.tree;
        for (const auto& receiver : node.receipt->receipt.output_data_receivers)
            lineage_.announce_data(receiver.data_id, height(), tree.tree_id, tree.is_transaction,
                                   node.in_scope);
        const auto& outcome = node.receipt->outcome;
        if (outcome.receipt_ids.empty()) continue;
        announce(outcome, {tree.tree_id, tree.is_transaction, outcome.id,
                           std::string(beneficiary_of(node.receipt->receipt, outcome.status)), node.in_scope,
                           result_chain_of(node.parent),
                           std::string(payer_of(node.receipt->receipt, outcome.status))});
    }
}

}  // namespace receiptd::chain
