#include "chain/tree/tree_text.hpp"

#include "chain/json/errors.hpp"
#include "chain/tree/called_method.hpp"
#include "chain/tree/roles.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace receiptd::chain {
namespace {

constexpr std::size_t kWidestIndent = 200;

using Children = std::map<std::string, std::vector<const TreeNode*>>;

const char* status_text(const ExecutionStatus& status) {
    switch (status.kind) {
        case StatusKind::success_value: return "success_value";
        case StatusKind::success_receipt_id: return "success_receipt_id";
        case StatusKind::failure: return "failure";
        case StatusKind::unknown: return "unknown";
    }
    return "unknown";
}

// Everything that a failure is reached through.
std::set<std::string> failing_branch(const TreeView& tree) {
    std::map<std::string, std::string> parents;
    for (const auto& node : tree.receipts) parents[node.receipt_id] = node.parent_receipt_id;
    std::set<std::string> branch;
    for (const auto& node : tree.receipts) {
        if (!node.failed()) continue;
        auto at = node.parent_receipt_id;
        while (!at.empty() && branch.insert(at).second) at = parents[at];
    }
    return branch;
}

// One line whatever the text holds: a panic message may carry line ends and control characters.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return line;
}

std::string describe(const TreeNode& node) {
    std::string line = node.role.empty() ? "receipt" : node.role;
    line += ' ';
    if (!node.predecessor_id.empty()) line += node.predecessor_id + " → ";
    line += node.receiver_id;
    if (!node.method_name.empty()) line += "  " + one_line(node.method_name);
    line += "  [" + node.status + ']';
    if (node.block_height) line += " @" + std::to_string(*node.block_height);
    line += "  " + node.receipt_id;
    if (node.failed()) line += "\n" + node.error_class + ": " + one_line(node.error_text);
    return line;
}

class Renderer {
public:
    explicit Renderer(const TreeView& tree) : branch_(failing_branch(tree)) {
        for (const auto& node : tree.receipts) children_[node.parent_receipt_id].push_back(&node);
    }

    // Depth-first without recursion: what a host answers may be deeper than a stack.
    void children_of(const std::string& root) {
        std::vector<Line> open;
        open_children(root, "", open);
        while (!open.empty()) {
            const auto line = std::move(open.back());
            open.pop_back();
            open_children(line.node->receipt_id, draw(line), open);
        }
    }

    // Receipts whose parent is not in the tree: known, but not attached.
    void unattached() {
        while (!children_.empty()) {
            const auto parent = children_.begin()->first;
            if (!children_.begin()->second.empty()) {
                text += "  (parent " + parent + " is not known)\n";
                children_of(parent);
            }
            children_.erase(parent);
        }
    }

    std::string text;

private:
    struct Line {
        const TreeNode* node;
        std::string indent;
        bool last;
    };

    void open_children(const std::string& parent, const std::string& indent, std::vector<Line>& open) {
        const auto found = children_.find(parent);
        if (found == children_.end()) return;
        const auto nodes = std::exchange(found->second, {});  // each is drawn once, whatever the data says
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
            open.push_back({*node, indent, node == nodes.rbegin()});
    }

    // Returns the indent of the node's children.
    std::string draw(const Line& line) {
        const auto& node = *line.node;
        const char* margin = node.failed() ? "✗ " : branch_.count(node.receipt_id) > 0 ? "! " : "  ";
        const auto description = describe(node);
        const auto cut = description.find('\n');
        const bool room = line.indent.size() < kWidestIndent;
        const auto below = room ? line.indent + (line.last ? "   " : "│  ") : line.indent;
        text += margin + line.indent + (line.last ? "└─ " : "├─ ") + description.substr(0, cut) + "\n";
        if (cut != std::string::npos) text += margin + below + "   " + description.substr(cut + 1) + "\n";
        return below;
    }

    std::set<std::string> branch_;
    Children children_;
};

void append_failure(TreeNode& node, const ExecutionStatus& status) {
    if (status.kind != StatusKind::failure) return;
    const auto failure = classify_failure(status.failure_json);
    node.error_class = failure.error_class;
    node.error_text = failure.error_text;
}

TreeNode executed_node(const Outcome& outcome, const Receipt* body, const std::string& parent,
                       const std::optional<ParentFacts>& parent_facts) {
    TreeNode node;
    node.receipt_id = outcome.id;
    node.parent_receipt_id = parent;
    node.receiver_id = outcome.executor_id;
    node.status = status_text(outcome.status);
    node.gas_burnt = outcome.gas_burnt;
    append_failure(node, outcome.status);
    if (body) {
        node.predecessor_id = body->predecessor_id;
        node.method_name = called_method_or_action(body->actions);
        node.role = role_name(role_of(*body, parent_facts));
    } else if (parent_facts && parent_facts->is_transaction) {
        node.role = role_name(Role::initial);
    }
    return node;
}

// Walks the spawn edges depth-first from an outcome's announced receipts.
class Collector {
public:
    Collector(const TransactionStatus& status, const std::vector<Receipt>& bodies) {
        for (const auto& outcome : status.receipts_outcome) outcomes_[outcome.id] = &outcome;
        for (const auto& body : bodies) bodies_[body.receipt_id] = &body;
    }

    std::vector<TreeNode> collect(const Outcome& conversion) {
        std::vector<TreeNode> nodes;
        std::vector<Spawned> open;
        ParentFacts transaction;
        transaction.is_transaction = true;
        announce(conversion, "", transaction, open);
        while (!open.empty()) {
            const auto at = std::move(open.back());
            open.pop_back();
            if (!seen_.insert(at.id).second) continue;
            const auto found = bodies_.find(at.id);
            const auto* body = found == bodies_.end() ? nullptr : found->second;
            const auto outcome = outcomes_.find(at.id);
            if (outcome == outcomes_.end()) {
                nodes.push_back(pending_node(at, body));
                continue;
            }
            nodes.push_back(executed_node(*outcome->second, body, at.parent_id, at.parent));
            ParentFacts own;
            own.deleted_account = body && deletes_account(*body, outcome->second->status);
            announce(*outcome->second, std::string(at.id), own, open);
        }
        return nodes;
    }

private:
    struct Spawned {
        Text id;
        std::string parent_id;
        ParentFacts parent;
    };

    static void announce(const Outcome& parent, const std::string& parent_id, const ParentFacts& facts,
                         std::vector<Spawned>& open) {
        for (auto id = parent.receipt_ids.rbegin(); id != parent.receipt_ids.rend(); ++id)
            open.push_back({*id, parent_id, facts});
    }

    static TreeNode pending_node(const Spawned& at, const Receipt* body) {
        Outcome nothing;
        nothing.id = at.id;
        if (body) nothing.executor_id = body->receiver_id;
        auto node = executed_node(nothing, body, at.parent_id, at.parent);
        node.status = "pending";
        return node;
    }

    std::map<Text, const Outcome*> outcomes_;
    std::map<Text, const Receipt*> bodies_;
    std::set<Text> seen_;
};

}  // namespace

TreeView tree_view(const TransactionStatus& status, const std::vector<Receipt>& bodies) {
    TreeView tree;
    if (status.transaction) {
        tree.tx_hash = status.transaction->hash;
        tree.signer_id = status.transaction->signer_id;
        tree.receiver_id = status.transaction->receiver_id;
    }
    if (!status.transaction_outcome) return tree;
    const auto& conversion = *status.transaction_outcome;
    tree.status = status_text(conversion.status);
    if (conversion.status.kind == StatusKind::failure) {
        const auto failure = classify_failure(conversion.status.failure_json);
        tree.error_class = failure.error_class;
        tree.error_text = failure.error_text;
    }
    tree.receipts = Collector(status, bodies).collect(conversion);
    return tree;
}

std::string render_tree(const TreeView& tree) {
    std::size_t failed = 0;
    std::size_t pending = 0;
    for (const auto& node : tree.receipts) {
        failed += node.failed() ? 1 : 0;
        pending += node.status == "pending" ? 1 : 0;
    }
    const bool transaction_failed = tree.status == "failure";
    Renderer renderer(tree);
    renderer.text = std::string(transaction_failed ? "✗ "
                                : failed > 0       ? "! "
                                                   : "  ") +
                    "transaction " + tree.tx_hash + "  " + tree.signer_id + " → " + tree.receiver_id;
    if (tree.block_height) renderer.text += " @" + std::to_string(*tree.block_height);
    renderer.text += '\n';
    if (transaction_failed)
        renderer.text += "✗   " + tree.error_class + ": " + one_line(tree.error_text) + '\n';
    renderer.children_of("");
    renderer.unattached();
    renderer.text +=
        "  " + std::to_string(tree.receipts.size()) + " receipts, " + std::to_string(failed) + " failed";
    if (pending > 0) renderer.text += ", " + std::to_string(pending) + " pending";
    return renderer.text + "\n";
}

}  // namespace receiptd::chain
