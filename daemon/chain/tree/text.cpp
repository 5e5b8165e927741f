#include "chain/tree/text.hpp"

#include "base/line.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace receiptd::chain {
namespace {

constexpr std::size_t kWidestIndent = 200;

std::string describe(const JudgedReceipt& receipt) {
    std::string line(receipt.role ? role_name(*receipt.role) : "receipt");
    line += ' ';
    if (!receipt.predecessor_id.empty()) line += receipt.predecessor_id + " → ";
    line += receipt.receiver_id;
    if (!receipt.method_name.empty()) line += "  " + base::one_line(receipt.method_name);
    line.append("  [").append(receipt.status_name()) += ']';
    if (receipt.at && receipt.at->height > 0) line += " @" + std::to_string(receipt.at->height);
    return line + "  " + receipt.receipt_id;
}

std::string describe(const FailureClass& failure) {
    return failure.error_class + ": " + base::one_line(failure.error_text);
}

class Renderer {
public:
    explicit Renderer(const Judgement& tree) {
        for (const auto& receipt : tree.receipts) by_id_.emplace(receipt.receipt_id, &receipt);
        for (const auto& receipt : tree.receipts) {
            if (receipt.attached || by_id_.contains(receipt.parent_receipt_id))
                children_[receipt.parent_receipt_id].push_back(&receipt);
            else
                loose_[receipt.parent_receipt_id].push_back(&receipt);
            if (receipt.failed()) mark_ancestors(receipt);
        }
    }

    std::string text() {
        open_children("", "");
        drain();
        for (const auto& [parent_id, receipts] : loose_) {
            text_ += parent_id.empty()
                         ? "  (which receipt made these is not known)\n"
                         : "  (made by receipt " + std::string(parent_id) + ", of which no more is known)\n";
            open(receipts, "");
            drain();
        }
        return std::move(text_);
    }

private:
    struct Line {
        const JudgedReceipt* receipt;
        std::string indent;
        bool last;
    };

    void mark_ancestors(const JudgedReceipt& receipt) {
        std::string_view at = receipt.parent_receipt_id;
        while (!at.empty() && failing_branch_.insert(at).second) {
            const auto parent = by_id_.find(at);
            at = parent == by_id_.end() ? std::string_view() : parent->second->parent_receipt_id;
        }
    }

    // Depth first without recursion: what a host answers may be deeper than a stack.
    void drain() {
        while (!open_.empty()) {
            const auto line = std::move(open_.back());
            open_.pop_back();
            open_children(line.receipt->receipt_id, draw(line));
        }
    }

    void open_children(const std::string& parent_id, const std::string& indent) {
        const auto found = children_.find(parent_id);
        if (found != children_.end()) open(std::exchange(found->second, {}), indent);  // each is drawn once
    }

    void open(const std::vector<const JudgedReceipt*>& receipts, const std::string& indent) {
        for (auto receipt = receipts.rbegin(); receipt != receipts.rend(); ++receipt)
            open_.push_back({*receipt, indent, receipt == receipts.rbegin()});
    }

    // Returns the indent of the receipt's children.
    std::string draw(const Line& line) {
        const auto& receipt = *line.receipt;
        const char* margin = receipt.failed()                               ? "✗ "
                             : failing_branch_.contains(receipt.receipt_id) ? "! "
                                                                            : "  ";
        const bool room = line.indent.size() < kWidestIndent;
        const auto below = room ? line.indent + (line.last ? "   " : "│  ") : line.indent;
        text_ += margin + line.indent + (line.last ? "└─ " : "├─ ") + describe(receipt) + "\n";
        if (receipt.failed()) text_ += margin + below + "   " + describe(receipt.failure) + "\n";
        return below;
    }

    std::unordered_map<std::string_view, const JudgedReceipt*> by_id_;
    std::unordered_map<std::string_view, std::vector<const JudgedReceipt*>> children_;
    std::map<std::string_view, std::vector<const JudgedReceipt*>> loose_;  // by parent; "": not known
    std::unordered_set<std::string_view> failing_branch_;
    std::vector<Line> open_;
    std::string text_;
};

}  // namespace

std::string render_tree(const std::string& tx_hash, const std::optional<TransactionFacts>& transaction,
                        const Judgement& tree) {
    const auto& receipts = tree.receipts;
    const auto failed =
        std::count_if(receipts.begin(), receipts.end(), [](const auto& r) { return r.failed(); });
    const auto pending =
        std::count_if(receipts.begin(), receipts.end(), [](const auto& r) { return !r.executed; });
    std::string text = tree.transaction_failed ? "✗ " : failed > 0 ? "! " : "  ";
    text += (transaction || tree.included ? "transaction " : "tree ") + tx_hash;
    if (transaction) text += "  " + transaction->signer_id + " → " + transaction->receiver_id;
    if (const auto user = transaction ? transaction->user_id() : std::string(); !user.empty())
        text += " for " + user;
    if (tree.included_at && tree.included_at->height > 0)
        text += " @" + std::to_string(tree.included_at->height);
    text += '\n';
    if (tree.transaction_failed) text += "✗   " + describe(tree.transaction_failure) + '\n';
    text += Renderer(tree).text();
    text += "  " + std::to_string(receipts.size()) + " receipts, " + std::to_string(failed) + " failed";
    if (pending > 0) text += ", " + std::to_string(pending) + " pending";
    return text + "\n";
}

}  // namespace receiptd::chain
