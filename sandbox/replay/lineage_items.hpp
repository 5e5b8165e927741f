// The transactions and executed receipts of recorded blocks, with their announcements and the data that they
// make and await: run_links.hpp links all of them. Views point into the recorded texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

// As far as a receipt itself tells: `initial` is any plain one whose signer made it.
enum class ReceiptKind : std::uint8_t { initial, detached, promise, callback, refund };
inline constexpr std::size_t kReceiptKinds = 5;

// A receipt id in an outcome's receipt_ids.
struct Announcement {
    std::string_view element;  // as written, quotes included
    std::string_view id;
    std::size_t parent = 0;  // the item whose outcome it is
    ReceiptKind expected = ReceiptKind::initial;
    bool named_by_status = false;  // SuccessReceiptId
    std::optional<std::size_t> child;
};

struct LineageItem {
    std::size_t slot = 0;  // index of the recorded block
    bool is_transaction = false;
    std::string_view id;  // of the transaction or receipt
    ReceiptKind kind = ReceiptKind::initial;
    struct {
        std::size_t first = 0, count = 0;
    } announcements;                              // in LineageItems::announcements
    std::vector<std::string_view> awaits, makes;  // data ids
    std::string_view tx_hash;                     // body of the member beside the outcome; empty: none
};

struct LineageItems {
    std::vector<LineageItem> items;
    std::vector<Announcement> announcements;
    // By data id: the lowest slot that lists the data receipt.
    std::map<std::string_view, std::size_t> data_listed;
};

// Throws std::invalid_argument on a text without the members it needs.
LineageItems read_lineage(const std::vector<std::string_view>& recorded);

}  // namespace receiptd::sandbox
