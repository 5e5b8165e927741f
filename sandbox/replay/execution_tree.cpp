#include "sandbox/replay/execution_tree.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <unordered_map>
#include <unordered_set>

namespace receiptd::sandbox {

namespace {

using json_text::elements;
using json_text::is_array;
using json_text::is_object;
using json_text::member;
using json_text::require;
using json_text::string_body;

std::vector<std::string_view> spawned_by(std::string_view outcome) {
    return elements(require(require(outcome, "outcome"), "receipt_ids"));
}

// The part of a tree that has happened up to a height, walked depth first like receipts_outcome.
class Visible {
public:
    Visible(const ExecutionTree& tree, Height tip) : tip_(tip) {
        for (const auto& outcome : tree.receipts_outcome)
            by_id_.emplace(string_body(require(outcome.json, "id")), &outcome);
        if (tree.receipts) {
            for (const auto receipt : *tree.receipts)
                bodies_.emplace(string_body(require(receipt, "receipt_id")), receipt);
        }
        if (tree.transaction_outcome) walk(tree.transaction_outcome->json);
    }

    const TreeOutcome* find(std::string_view id) const {
        const auto found = by_id_.find(id);
        if (found == by_id_.end()) return nullptr;
        return found->second->height.value_or(0) <= tip_ ? found->second : nullptr;
    }

    ExecutionLevel level() const {
        if (pending_.empty()) return ExecutionLevel::final;
        for (const auto id : pending_) {
            const auto body = bodies_.find(id);
            const bool refund =
                body != bodies_.end() && string_body(require(body->second, "predecessor_id")) == "system";
            if (!refund) return ExecutionLevel::included_final;
        }
        return ExecutionLevel::executed;
    }

    const std::vector<const TreeOutcome*>& executed() const { return executed_; }
    // Bodies of the receipts that exist by now: executed or waiting.
    std::vector<std::string_view> bodies() const {
        std::vector<std::string_view> known;
        for (const auto id : spawned_) {
            if (const auto body = bodies_.find(id); body != bodies_.end()) known.push_back(body->second);
        }
        return known;
    }

private:
    void walk(std::string_view outcome) {
        for (const auto value : spawned_by(outcome)) {
            const auto id = string_body(value);
            if (!seen_.insert(id).second) continue;  // a recording gone wrong must not loop
            spawned_.push_back(id);
            if (const auto* child = find(id)) {
                executed_.push_back(child);
                walk(child->json);
            } else {
                pending_.push_back(id);
            }
        }
    }

    Height tip_;
    std::unordered_map<std::string_view, const TreeOutcome*> by_id_;
    std::unordered_map<std::string_view, std::string_view> bodies_;
    std::unordered_set<std::string_view> seen_;
    std::vector<std::string_view> spawned_, pending_;
    std::vector<const TreeOutcome*> executed_;
};

// rpc.md §5.3: the first terminal outcome along SuccessReceiptId.
std::string final_status(const ExecutionTree& tree, const Visible& visible) {
    const TreeOutcome* at = &*tree.transaction_outcome;
    for (std::size_t hops = 0; at != nullptr && hops <= tree.receipts_outcome.size(); ++hops) {
        const auto status = require(require(at->json, "outcome"), "status");
        if (!is_object(status)) break;  // "Unknown"
        const auto next = member(status, "SuccessReceiptId");
        if (!next) return std::string(status);
        at = visible.find(string_body(*next));
    }
    return "\"Started\"";
}

template <class Items, class View>
std::string list(const Items& items, View view) {
    std::string text = "[";
    for (const auto& item : items) {
        if (text.size() > 1) text += ',';
        text += view(item);
    }
    return text + "]";
}

std::string compose(const ExecutionTree& tree, const Visible& visible, bool with_receipts) {
    std::string text = "{\"final_execution_status\":\"";
    text += to_string(visible.level());
    text += '"';
    if (with_receipts)
        text += ",\"receipts\":" + list(visible.bodies(), [](std::string_view body) { return body; });
    text += ",\"receipts_outcome\":" +
            list(visible.executed(), [](const TreeOutcome* outcome) { return outcome->json; });
    text += ",\"status\":" + final_status(tree, visible);
    text += ",\"transaction\":" + std::string(tree.transaction);
    text += ",\"transaction_outcome\":" + std::string(tree.transaction_outcome->json) + "}";
    return text;
}

bool all_happened(const ExecutionTree& tree, Height tip) {
    for (const auto& outcome : tree.receipts_outcome) {
        if (outcome.height.value_or(0) > tip) return false;
    }
    return true;
}

std::string without_receipts(std::string_view result) {
    std::string text = "{";
    for (const auto& [name, value] : json_text::members(result)) {
        if (name == "receipts") continue;
        if (text.size() > 1) text += ',';
        text.append("\"").append(name).append("\":").append(value);
    }
    return text + "}";
}

TransactionView as_recorded(const ExecutionTree& tree) {
    TransactionView view;
    view.json = tree.receipts ? without_receipts(tree.recorded) : std::string(tree.recorded);
    if (tree.receipts) view.json_with_receipts = std::string(tree.recorded);
    const auto status = member(tree.recorded, "final_execution_status");
    // Nodes before this member existed answered when all was executed.
    view.level = status ? parse_execution_level(string_body(*status)).value_or(ExecutionLevel::final)
                        : ExecutionLevel::final;
    return view;
}

}  // namespace

ExecutionTree read_tree(std::string_view result, const HeightOf& height_of) {
    ExecutionTree tree;
    tree.recorded = result;
    const auto outcome = [&](std::string_view json) {
        return TreeOutcome{json, height_of(string_body(require(json, "block_hash")))};
    };
    for (const auto& [name, value] : json_text::members(result)) {
        if (name == "transaction") tree.transaction = value;
        if (name == "transaction_outcome" && is_object(value)) tree.transaction_outcome = outcome(value);
        if (name == "receipts" && is_array(value)) tree.receipts = elements(value);
        if (name == "receipts_outcome" && is_array(value)) {
            for (const auto item : elements(value)) tree.receipts_outcome.push_back(outcome(item));
        }
    }
    return tree;
}

std::optional<TransactionView> view_at(const ExecutionTree& tree, Height tip) {
    const auto height = tree.transaction_outcome ? tree.transaction_outcome->height.value_or(0) : 0;
    if (height > tip) return std::nullopt;
    TransactionView view;
    if (!tree.recorded.empty() && (!tree.transaction_outcome || all_happened(tree, tip))) {
        view = as_recorded(tree);
    } else {
        const Visible visible(tree, tip);
        view.json = compose(tree, visible, false);
        if (tree.receipts) view.json_with_receipts = compose(tree, visible, true);
        view.level = visible.level();
    }
    view.height = height;
    return view;
}

}  // namespace receiptd::sandbox
