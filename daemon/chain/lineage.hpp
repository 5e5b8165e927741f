// Who spawned whom, across blocks: from outcomes seen so far to the receipts they announced.
//
// A receipt does not name its parent; the parent's outcome names the child, normally one block
// earlier. The follower feeds blocks in height order; a receipt whose parent was not seen (start of
// a range, a gap) is an orphan, adopted later in SQL when both sides are stored. The final rows
// are the same whichever way it went.
#pragma once

#include "base/height_set.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace receiptd::chain {

struct Parentage {
    std::string tree_id;  // transaction hash, or the oldest known receipt's id
    bool tree_is_transaction = false;
    std::string parent_receipt_id;        // empty: the transaction itself is the parent (role initial)
    bool parent_deletes_account = false;  // then a `system` child is a payout, not a refund
    bool in_scope = true;                 // with scope accounts: this tree was selected
};

class Lineage {
public:
    // Children not seen within this many heights are forgotten (a yield times out after 200).
    explicit Lineage(std::uint64_t window_heights = 1200) : window_(window_heights) {}

    void announce_receipt(std::string_view receipt_id, base::Height at, Parentage parentage);
    // Takes it: a receipt executes once.
    std::optional<Parentage> take_receipt(std::string_view receipt_id);

    // data_id -> the tree of the receipt that will produce or await it.
    void announce_data(std::string_view data_id, base::Height at, std::string_view tree_id,
                       bool tree_is_transaction, bool in_scope);
    struct DataOrigin {
        std::string tree_id;
        bool tree_is_transaction = false;
        bool in_scope = true;
    };
    std::optional<DataOrigin> take_data(std::string_view data_id);

    // What was announced below `height` is gone; its memory is given back now and then, so that
    // the call costs nothing per block.
    void forget_before(base::Height height);
    // Entries in memory.
    std::size_t size() const { return receipts_.size() + data_.size(); }
    std::uint64_t window() const { return window_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    template <class T>
    struct Entry {
        base::Height at;
        T value;
    };
    template <class T>
    using Map = std::unordered_map<std::string, Entry<T>, Hash, std::equal_to<>>;

    std::uint64_t window_;
    base::Height horizon_ = 0;   // older entries are forgotten
    base::Height swept_to_ = 0;  // and, up to here, freed
    Map<Parentage> receipts_;
    Map<DataOrigin> data_;
};

}  // namespace receiptd::chain
