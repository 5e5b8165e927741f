// The boxes of a tree's picture: what stands in them, and how large they are. Pure.
#pragma once

#include "chain/tree/judgement.hpp"
#include "draw/letters.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::draw {

inline constexpr int kBoxWidth = 248;
inline constexpr int kLowHeight = 24;  // of a refund, which has one line

// Never told by colour alone: each has its own icon, stroke or words, too.
enum class Look : std::uint8_t { plain, failed, handled, pending, quiet };

struct TextLine {
    int x = 0;  // of the baseline's begin, from the box's corner
    int y = 0;
    int room = 0;  // pixels that it may take
    Font font;
    std::string_view style;  // a class of the style sheet
    std::string text;        // drawable, no wider than its room
};

struct Chip {
    int x = 0;
    int width = 0;
    std::string_view style;
    std::string_view text;
};

struct Box {
    std::string id;  // of the receipt, or the transaction's hash
    bool is_transaction = false;
    Look look = Look::plain;
    bool on_result_chain = false;
    bool is_callback = false;
    bool is_root_cause = false;
    std::vector<TextLine> lines;
    std::vector<Chip> chips;
    std::string label;    // one line for who does not see the picture
    std::string tooltip;  // everything, uncut; lines end with \n
    int x = 0;
    int y = 0;
    int height = 0;  // the width is kBoxWidth
};

Box transaction_box(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
                    const chain::Judgement& tree);
Box receipt_box(const chain::JudgedReceipt& receipt, const chain::Judgement& tree);

}  // namespace receiptd::draw
