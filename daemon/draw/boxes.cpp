#include "draw/boxes.hpp"

#include "chain/tree/sentences.hpp"
#include "chain/tree/units.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace receiptd::draw {
namespace {

using chain::JudgedReceipt;
using chain::Judgement;

constexpr int kPad = 12;
constexpr int kRoom = kBoxWidth - 2 * kPad;
constexpr int kIconRoom = 18;
constexpr int kErrorLines = 2;
constexpr std::size_t kLongestTooltip = 16'384;  // bytes of one error text
constexpr Font kEyebrow{Face::bold, 9};
constexpr Font kTitle{Face::mono, 12.5};
constexpr Font kAccount{Face::mono, 11};
constexpr Font kSmall{Face::sans, 10.5};

// Fills a box from top to bottom.
class Writer {
public:
    explicit Writer(Box& box) : box_(box) {}

    void eyebrow(const std::string& text, const std::vector<Chip>& chips) {
        int right = kBoxWidth - kPad + 4;
        for (auto chip : chips) {
            chip.width = static_cast<int>(std::ceil(width_of(chip.text, kEyebrow))) + 12;
            const int left = right - chip.width;
            if (left < kPad + width_of(text, kEyebrow) + 8) break;
            chip.x = left;
            box_.chips.push_back(chip);
            right = left - 5;
        }
        add({kPad, y_ += 18, right - kPad, kEyebrow, "rt-eyebrow", {}}, text);
    }
    void title(const std::string& text) {
        add({kPad + kIconRoom, y_ += 18, kRoom - kIconRoom, kTitle, "rt-title", {}}, text);
    }
    void account(const std::string& text) {
        TextLine line{kPad, y_ += 17, kRoom, kAccount, "rt-account", {}};
        line.text = cut_middle(text, line.room, line.font);
        box_.lines.push_back(std::move(line));
    }
    // Both ends of an arrow are told, however long they are.
    void accounts(const std::string& from, const std::string& to) {
        constexpr std::string_view kArrow = " → ";
        const double room = kRoom - width_of(kArrow, kAccount);
        const auto short_one = std::min(width_of(from, kAccount), width_of(to, kAccount));
        const auto most = std::max(room / 2, room - short_one);
        account(cut_middle(from, most, kAccount).append(kArrow) + cut_middle(to, most, kAccount));
    }
    void small(const std::string& text, std::string_view style = "rt-small") {
        add({kPad, y_ += 16, kRoom, kSmall, style, {}}, text);
    }
    void error(const chain::FailureClass& failure) {
        auto text = failure.error_class;
        if (!failure.error_text.empty() && failure.error_text != text)
            text += (text.empty() ? "" : ": ") + failure.error_text.substr(0, 1'000);
        y_ += 2;
        for (auto& line : wrapped(text, kRoom, kSmall, kErrorLines)) small(line, "rt-error");
    }
    void end() { box_.height = y_ + 12; }

private:
    void add(TextLine line, const std::string& text) {
        line.text = cut(text, line.room, line.font);
        if (!line.text.empty()) box_.lines.push_back(std::move(line));
    }
    Box& box_;
    int y_ = 0;
};

std::string upper(std::string_view text) {
    std::string upper(text);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return upper;
}

Look look_of(const JudgedReceipt& receipt) {
    if (!receipt.executed) return Look::pending;
    if (receipt.is_from_system()) return receipt.failed() ? Look::failed : Look::quiet;
    if (!receipt.failed()) return Look::plain;
    return receipt.handling == chain::Handling::handled ? Look::handled : Look::failed;
}

std::string_view waiting_in_words(const JudgedReceipt& receipt) {
    switch (receipt.waiting) {
        case chain::Waiting::body: return "announced, not seen yet";
        case chain::Waiting::data: return "waits for a result";
        case chain::Waiting::resume: return "waits to be resumed";
        case chain::Waiting::execution: return "waits to be run";
        case chain::Waiting::none: break;
    }
    return "has run";
}

std::string facts_in_words(const JudgedReceipt& receipt) {
    std::string words =
        receipt.executed ? chain::gas_in_words(receipt.gas_burnt) : std::string(waiting_in_words(receipt));
    if (receipt.deposit > 0) words += " · with " + chain::near_in_words(receipt.deposit);
    if (receipt.yield_timed_out == true) words += " · timed out";
    return words;
}

std::string fate_in_words(const JudgedReceipt& receipt) {
    if (!receipt.executed) return std::string(waiting_in_words(receipt));
    if (!receipt.failed()) return "succeeded";
    if (receipt.is_from_system()) return "burnt: nobody was there to take it";
    return receipt.handling == chain::Handling::handled ? "failed, and was handled" : "failed";
}

bool decides(const JudgedReceipt& receipt, const Judgement& tree) {
    return std::find(tree.decided_by.begin(), tree.decided_by.end(), receipt.receipt_id) !=
           tree.decided_by.end();
}

bool ends_result_chain(const JudgedReceipt& receipt, const Judgement& tree) {
    return tree.near_status && tree.near_status->receipt_id == receipt.receipt_id;
}

// The most important stands first: there is not always room for all.
std::vector<Chip> chips_of(const Box& box, const JudgedReceipt& receipt, const Judgement& tree) {
    std::vector<Chip> chips;
    if (box.is_root_cause) chips.push_back({0, 0, "rt-chip-cause", "ROOT CAUSE"});
    if (box.look == Look::handled) chips.push_back({0, 0, "rt-chip-handled", "HANDLED"});
    if (decides(receipt, tree) && !box.is_root_cause && box.look == Look::failed)
        chips.push_back({0, 0, "rt-chip-decides", "DECIDES"});
    if (ends_result_chain(receipt, tree)) chips.push_back({0, 0, "rt-chip-result", "RESULT"});
    return chips;
}

std::string role_of(const JudgedReceipt& receipt) {
    return receipt.role ? std::string(chain::role_name(*receipt.role)) : "receipt";
}

std::string title_of(const JudgedReceipt& receipt) {
    auto actions = chain::actions_in_words(receipt);
    return actions.empty() ? "not known yet" : actions;
}

std::string tooltip_of(const Box& box, const JudgedReceipt& receipt) {
    auto text = role_of(receipt) + ": " + title_of(receipt) + "\n";
    if (!receipt.predecessor_id.empty()) text += receipt.predecessor_id + " → ";
    text += receipt.receiver_id + "\n" + fate_in_words(receipt) + "\n";
    if (receipt.failed())
        text +=
            receipt.failure.error_class + ": " + receipt.failure.error_text.substr(0, kLongestTooltip) + "\n";
    if (const auto place = chain::place_in_words(receipt); !place.empty()) text += place + "\n";
    text += facts_in_words(receipt) + "\n";
    if (box.is_root_cause) text += "root cause: the first failure that led to the verdict\n";
    if (box.on_result_chain) text += "on the result chain: what it returns is the transaction's result\n";
    return text + receipt.receipt_id;
}

void write_refund(Box& box, const JudgedReceipt& receipt) {
    const bool burnt = receipt.failed();
    auto words = receipt.role == chain::Role::payout ? std::string("payout ") : std::string();
    if (burnt) words += "burnt: ";
    words += chain::near_in_words(receipt.deposit) + " → ";
    TextLine line{kPad + kIconRoom, 16, kRoom - kIconRoom, kSmall, burnt ? "rt-error" : "rt-small", {}};
    const auto left = std::max(40.0, line.room - width_of(words, line.font));
    line.text = cut(words + cut_middle(receipt.receiver_id, left, line.font), line.room, line.font);
    box.lines.push_back(std::move(line));
    box.height = kLowHeight;
}

}  // namespace

Box transaction_box(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
                    const Judgement& tree) {
    Box box;
    box.id = tx_hash;
    box.is_transaction = true;
    box.on_result_chain = true;
    box.look = tree.transaction_failed ? Look::failed : tree.included ? Look::plain : Look::pending;
    Writer writer(box);
    std::vector<Chip> chips;
    if (tree.transaction_failed) chips.push_back({0, 0, "rt-chip-cause", "ROOT CAUSE"});
    writer.eyebrow("TRANSACTION", chips);
    std::string accounts;
    std::string method = "not known yet";
    if (transaction) {
        accounts = transaction->signer_id + " → " + transaction->receiver_id;
        method = chain::actions_in_words(*transaction);
    }
    writer.title(method);
    if (transaction)
        writer.accounts(transaction->signer_id, transaction->receiver_id);
    else
        writer.account(tx_hash);
    auto facts = tree.included ? std::string("became a receipt") : std::string("in no block yet");
    if (tree.transaction_failed) facts = "made no receipt";
    if (transaction && transaction->deposit > 0)
        facts += " · with " + chain::near_in_words(transaction->deposit);
    writer.small(facts);
    if (tree.transaction_failed) writer.error(tree.transaction_failure);
    writer.end();
    box.label = "transaction " + method + ", " + accounts + ", " + facts;
    box.tooltip = "transaction: " + method + "\n" + accounts + "\n" + facts + "\n";
    if (tree.transaction_failed)
        box.tooltip += tree.transaction_failure.error_class + ": " +
                       tree.transaction_failure.error_text.substr(0, kLongestTooltip) + "\n";
    box.tooltip += tx_hash;
    return box;
}

Box receipt_box(const JudgedReceipt& receipt, const Judgement& tree) {
    Box box;
    box.id = receipt.receipt_id;
    box.look = look_of(receipt);
    box.on_result_chain = receipt.on_result_chain;
    box.is_callback = receipt.role == chain::Role::callback;
    box.is_root_cause = receipt.failed() && tree.root_cause == receipt.receipt_id;
    const std::string joint(chain::joint_of(receipt));
    box.label = role_of(receipt) + " " + title_of(receipt) + " " + joint + " " + receipt.receiver_id + ", " +
                fate_in_words(receipt) + (box.is_root_cause ? ", root cause" : "");
    box.tooltip = tooltip_of(box, receipt);
    if (receipt.is_from_system()) {
        write_refund(box, receipt);
        return box;
    }
    Writer writer(box);
    writer.eyebrow(upper(role_of(receipt)), chips_of(box, receipt, tree));
    writer.title(title_of(receipt));
    writer.account(receipt.receiver_id.empty() ? receipt.receipt_id : receipt.receiver_id);
    writer.small(facts_in_words(receipt));
    if (receipt.failed()) writer.error(receipt.failure);
    writer.end();
    return box;
}

}  // namespace receiptd::draw
