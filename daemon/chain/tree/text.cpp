#include "chain/tree/text.hpp"

#include "base/iso_time.hpp"
#include "base/line.hpp"
#include "base/visible.hpp"
#include "chain/tree/paint.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/units.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace receiptd::chain {
namespace {

constexpr std::size_t kWidestIndent = 200;

// Text that others wrote, safe to print.
std::string plain(std::string_view text) { return base::visible(base::one_line(text)); }

std::string describe(const FailureClass& failure) {
    return failure.error_class + ": " + plain(failure.error_text);
}

Ink ink_of(const JudgedReceipt& receipt) {
    if (receipt.failed()) return Ink::red;
    return receipt.executed ? Ink::green : Ink::yellow;
}

// "+1.2 s" after the transaction; empty: one of the times is not known.
std::string time_since(const std::optional<ExecutedAt>& begin, const std::optional<ExecutedAt>& at) {
    if (!begin || !at || begin->timestamp_nanosec == 0 || at->timestamp_nanosec < begin->timestamp_nanosec)
        return {};
    char text[32];
    std::snprintf(text, sizeof text, "+%.1f s",
                  static_cast<double>(at->timestamp_nanosec - begin->timestamp_nanosec) / 1e9);
    return text;
}

class Renderer {
public:
    Renderer(const Judgement& tree, const TreeStyle& style) : tree_(tree), style_(style) {
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
        const bool leads_to_failure = failing_branch_.contains(receipt.receipt_id);
        const char* margin = receipt.failed() ? "✗ " : leads_to_failure ? "! " : "  ";
        const auto ink = receipt.failed() ? Ink::red : leads_to_failure ? Ink::yellow : Ink::plain;
        const auto widest = style_.width > 0 ? std::min(style_.width / 2, kWidestIndent) : kWidestIndent;
        const bool room = line.indent.size() < widest;
        const auto below = room ? line.indent + (line.last ? "   " : "│  ") : line.indent;
        PaintedLine text(style_.width, style_.colour);
        text.add(margin, ink).add(line.indent + (line.last ? "└─ " : "├─ "), Ink::faint);
        describe_receipt(text, receipt);
        text_ += text.text();
        if (receipt.failed()) draw_failure(receipt, margin, below + "   ");
        return below;
    }

    void describe_receipt(PaintedLine& text, const JudgedReceipt& receipt) const {
        if (receipt.refunds_gas) text.add(*receipt.refunds_gas ? "gas " : "deposit ", Ink::faint);
        text.add(receipt.role ? role_name(*receipt.role) : "receipt", Ink::faint).add(" ");
        if (!receipt.predecessor_id.empty()) text.add(plain(receipt.predecessor_id) + " → ");
        text.add(plain(receipt.receiver_id));
        if (!receipt.method_name.empty()) text.add("  " + plain(actions_in_words(receipt)));
        text.add("  ").add("[" + std::string(receipt.status_name()) + "]", ink_of(receipt));
        if (receipt.at && receipt.at->height > 0) text.add(" @" + std::to_string(receipt.at->height));
        if (receipt.executed && receipt.yield_timed_out == true) text.add("  timed out", Ink::yellow);
        if (style_.details) {
            if (const auto since = time_since(tree_.included_at, receipt.at); !since.empty())
                text.add(" " + since);
            if (receipt.deposit > 0) text.add("  " + near_in_words(receipt.deposit));
            if (receipt.executed && !receipt.is_from_system())
                text.add("  " + gas_in_words(receipt.gas_burnt));
            if (receipt.receipt_id == tree_.root_cause) text.add("  ← root cause", Ink::red);
        }
        text.add("  " + plain(receipt.receipt_id), Ink::faint);
    }

    void draw_failure(const JudgedReceipt& receipt, const std::string& margin, const std::string& indent) {
        const auto error = describe(receipt.failure);
        const auto taken = columns_of(margin) + columns_of(indent);
        const auto columns = style_.width > taken ? style_.width - taken : 1;
        for (std::string_view rest = error; !rest.empty();) {
            const auto line = style_.width == 0 ? rest : first_line_of(rest, columns);
            PaintedLine text(0, style_.colour);
            text.add(margin, Ink::red).add(indent, Ink::faint).add(line, Ink::red);
            text_ += text.text();
            rest.remove_prefix(line.size());
            if (rest.starts_with(' ')) rest.remove_prefix(1);
        }
    }

    const Judgement& tree_;
    const TreeStyle& style_;
    std::unordered_map<std::string_view, const JudgedReceipt*> by_id_;
    std::unordered_map<std::string_view, std::vector<const JudgedReceipt*>> children_;
    std::map<std::string_view, std::vector<const JudgedReceipt*>> loose_;  // by parent; "": not known
    std::unordered_set<std::string_view> failing_branch_;
    std::vector<Line> open_;
    std::string text_;
};

// The last line.
std::string sums(const Judgement& tree, std::size_t failed, const TreeStyle& style) {
    const auto& receipts = tree.receipts;
    const auto pending =
        std::count_if(receipts.begin(), receipts.end(), [](const auto& r) { return !r.executed; });
    auto text = "  " + std::to_string(receipts.size()) + " receipts, " + std::to_string(failed) + " failed";
    if (pending > 0) text += ", " + std::to_string(pending) + " pending";
    if (const auto timeouts = timeouts_in_words(tree); !timeouts.empty()) text += ", " + timeouts;
    if (!style.details) return text + "\n";
    text += ", " + gas_in_words(tree.gas_burnt) + " burnt, " + near_in_words(tree.tokens_burnt) + " in fees";
    if (tree.tokens_lost > 0) text += ", " + near_in_words(tree.tokens_lost) + " lost";
    if (!tree.money_is_known()) text += ", what came back or was lost is not known";
    if (const auto last = time_since(tree.included_at, tree.settled_at); !last.empty())
        text += ", settled after " + last.substr(1);
    text += "\n";
    for (const auto& finding : tree.other_findings)
        if (finding.kind == kind::kBurntTokens && !finding.expected)
            text += "! " + plain(burnt_in_words(finding)) + "\n";
    return text;
}

}  // namespace

std::string render_tree(const std::string& tx_hash, const std::optional<TransactionFacts>& transaction,
                        const Judgement& tree, const TreeStyle& style) {
    PaintedLine head(style.width, style.colour);
    const auto& receipts = tree.receipts;
    const auto failed =
        std::count_if(receipts.begin(), receipts.end(), [](const auto& r) { return r.failed(); });
    head.add(tree.transaction_failed ? "✗ "
             : failed > 0            ? "! "
                                     : "  ",
             tree.transaction_failed ? Ink::red : Ink::yellow);
    head.add(transaction || tree.included ? "transaction " : "tree ").add(tx_hash);
    if (transaction) head.add("  " + plain(transaction->signer_id) + " → " + plain(transaction->receiver_id));
    if (!tree.user.id.empty()) head.add(" for " + plain(tree.user.id));
    if (!tree.user.claimed_id.empty())
        head.add(" naming " + plain(tree.user.claimed_id) + ", which is not proven to have signed");
    if (tree.included_at && tree.included_at->height > 0)
        head.add(" @" + std::to_string(tree.included_at->height));
    if (style.details && tree.included_at && tree.included_at->timestamp_nanosec > 0)
        head.add("  " + base::iso_time(tree.included_at->timestamp_nanosec));
    auto text = head.text();
    if (tree.transaction_failed) {
        PaintedLine because(0, style.colour);
        text += because.add("✗   " + describe(tree.transaction_failure), Ink::red).text();
    }
    text += Renderer(tree, style).text();
    return text + sums(tree, static_cast<std::size_t>(failed), style);
}

}  // namespace receiptd::chain
