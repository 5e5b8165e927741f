// Answers questions about a transaction, a receipt and their outcomes.
#include "sandbox/ledger/block_json.hpp"
#include "sandbox/ledger/json_out.hpp"
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/ledger/outcome_json.hpp"
#include "sandbox/ledger/truth.hpp"

#include "chain/wire/base64.hpp"

namespace receiptd::sandbox {

namespace {

bool is_executed(const ExecutedAt& executed, Height tip) { return executed && executed.height() <= tip; }

// FinalExecutionStatus: the first terminal outcome along SuccessReceiptId (rpc.md §5.3).
Json final_status(const TransactionTree& tree, Height tip) {
    const ExecutedAt* at = &tree.included;
    std::size_t node = ReceiptNode::kTransaction;
    while (true) {
        const sim::Status& status = at->outcome().status;
        if (const auto* failure = std::get_if<sim::Failure>(&status)) return {{"Failure", failure->error()}};
        if (const auto* value = std::get_if<sim::SuccessValue>(&status)) {
            return {{"SuccessValue", chain::base64_encode(value->value)}};
        }
        const CryptoHash& next = std::get<sim::SuccessReceiptId>(status).receipt_id;
        node = tree.child_of(node, next);
        if (node == ReceiptNode::kTransaction || !is_executed(tree.nodes[node].executed, tip))
            return "Started";
        at = &tree.nodes[node].executed;
    }
}

}  // namespace

const TransactionTree* Ledger::find_tree(std::string_view hash) const {
    const auto parsed = CryptoHash::parse(hash);
    return parsed ? forest_.tree(*parsed) : nullptr;
}

bool Ledger::is_on_chain(std::string_view hash, Height at) const {
    const TransactionTree* tree = find_tree(hash);
    return tree != nullptr && tree->included.height() <= at;
}

ExecutionLevel Ledger::execution_level(std::string_view hash, Height tip) const {
    const TransactionTree* tree = find_tree(hash);
    return tree == nullptr ? ExecutionLevel::none : tree->level(tip, final_head(tip));
}

Json Ledger::outcome_view(const ExecutedAt& executed) const {
    const Application& application = *executed.application;
    return outcome_with_id_json(application.executions[executed.index],
                                store_.at_height(application.height)->hash,
                                application.tree.path(executed.index));
}

std::optional<TransactionView> Ledger::transaction(std::string_view hash, Height tip) const {
    const TransactionTree* tree = find_tree(hash);
    if (tree == nullptr || tree->included.height() > tip) return std::nullopt;
    TransactionView view;
    view.level = tree->level(tip, final_head(tip));
    view.height = tree->included.height();
    Json json = {{"final_execution_status", to_string(view.level)},
                 {"status", final_status(*tree, tip)},
                 {"transaction", transaction_json(*tree->transaction)},
                 {"transaction_outcome", outcome_view(tree->included)}};
    Json outcomes = Json::array();
    Json receipts = Json::array();
    for (const std::size_t index : tree->depth_first()) {
        const ReceiptNode& node = tree->nodes[index];
        if (!is_executed(node.executed, tip)) continue;
        outcomes.push_back(outcome_view(node.executed));
        // Nodes keep no body of a local receipt: it is its transaction's.
        const bool is_local = node.parent == ReceiptNode::kTransaction &&
                              node.receipt->predecessor_id == node.receipt->receiver_id;
        if (!is_local) receipts.push_back(receipt_json(*node.receipt));
    }
    json["receipts_outcome"] = std::move(outcomes);
    view.json = to_text(json);
    json["receipts"] = std::move(receipts);
    view.json_with_receipts = to_text(json);
    return view;
}

std::optional<Located> Ledger::receipt(std::string_view receipt_id) const {
    const auto parsed = CryptoHash::parse(receipt_id);
    const auto place = parsed ? forest_.find_receipt(*parsed) : std::nullopt;
    if (!place) return std::nullopt;
    return Located{to_text(receipt_json(*place->receipt)), place->height};
}

std::optional<TransactionOfReceipt> Ledger::transaction_of_receipt(std::string_view receipt_id) const {
    const auto parsed = CryptoHash::parse(receipt_id);
    const auto place = parsed ? forest_.find_receipt(*parsed) : std::nullopt;
    if (!place || place->tree == nullptr) return std::nullopt;
    const TransactionRecord& transaction = *place->tree->transaction;
    return TransactionOfReceipt{transaction.hash.to_string(), transaction.body().signer_id};
}

std::optional<ExecutedAt> Ledger::find_outcome(const LightClientRequest& request) const {
    if (request.is_transaction) {
        const TransactionTree* tree = find_tree(request.id);
        return tree == nullptr ? std::nullopt : std::optional(tree->included);
    }
    const auto parsed = CryptoHash::parse(request.id);
    const auto place = parsed ? forest_.find_receipt(*parsed) : std::nullopt;
    if (!place || place->tree == nullptr || std::holds_alternative<sim::DataReceipt>(place->receipt->body)) {
        return std::nullopt;
    }
    return place->tree->nodes[place->node].executed;
}

std::variant<Json, NoProof> Ledger::light_client_proof(const LightClientRequest& request) const {
    const std::optional<ExecutedAt> executed = find_outcome(request);
    if (!executed) return NoProof::unknown;
    if (!*executed) return NoProof::not_confirmed;  // known, not executed yet
    const Application& application = *executed->application;
    const BlockRecord& block = *store_.at_height(application.height);
    const auto carrier = store_.next_chunk_of(block, application.shard_id);
    const BlockRecord& head = store_.at_or_below(request.light_client_head);
    // The head's block_merkle_root is over the blocks below it.
    if (!carrier || carrier->block->ordinal >= head.ordinal) return NoProof::not_confirmed;
    std::vector<CryptoHash> roots;
    for (const ChunkPtr& chunk : carrier->block->chunks) roots.push_back(chunk->previous->outcome_root);
    const chain::MerkleTree root_tree = chain::make_block_outcome_tree(roots);
    return Json{
        {"outcome_proof", outcome_with_id_json(application.executions[executed->index], carrier->block->hash,
                                               application.tree.path(executed->index))},
        {"outcome_root_proof", proof_json(root_tree.paths[carrier->shard])},
        {"block_header_lite", light_header_json(carrier->block->light)},
        {"block_proof", proof_json(store_.merkle().path(carrier->block->ordinal, head.ordinal))}};
}

std::optional<Height> Ledger::final_height(const TransactionTree& tree) const {
    if (tree.done_height == 0) return std::nullopt;
    for (std::size_t i = store_.at_height(tree.done_height)->ordinal; i < store_.size(); ++i) {
        if (store_.at_ordinal(i).final_height >= tree.done_height) return store_.at_ordinal(i).height;
    }
    return std::nullopt;
}

Json Ledger::submission_truth(const Submission& submission) const {
    const TransactionTree* tree = forest_.tree(submission.transaction->hash);
    const auto of_tree = [&](const TransactionTree* one) {
        return truth_json(submission, one, tip(), one == nullptr ? std::nullopt : final_height(*one),
                          layout());
    };
    Json truth = of_tree(tree);
    for (const TransactionTree* later : forest_.later_trees(submission.transaction->hash))
        truth["again"].push_back(of_tree(later));
    return truth;
}

Json Ledger::truth(Height from, Height to) const {
    Json list = Json::array();
    for (const Submission& submission : submissions_.all()) {
        if (from <= submission.fate_height && submission.fate_height <= to)
            list.push_back(submission_truth(submission));
    }
    return list;
}

std::optional<Json> Ledger::truth_of(std::string_view hash) const {
    const auto parsed = CryptoHash::parse(hash);
    const Submission* submission = parsed ? submissions_.find(*parsed) : nullptr;
    if (submission == nullptr) return std::nullopt;
    return submission_truth(*submission);
}

}  // namespace receiptd::sandbox
