// Finds the parents of receipts across blocks: outcomes announce receipts, and later blocks execute them.
//
// A receipt does not name its parent; the parent's outcome names the child, normally one block
// earlier. The follower feeds blocks in height order; a receipt whose parent was not seen (start of
// a range, a gap) is an orphan, adopted later in SQL when both sides are stored. The final rows
// are the same whichever way it went.
#pragma once

#include "base/height_set.hpp"
#include "chain/json/id_text.hpp"
#include "chain/tree/executed_ids.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/roles.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

struct Parentage {
    IdText tree_id;  // transaction hash, or the oldest known receipt's id
    bool tree_is_transaction = false;
    IdText parent_receipt_id;           // empty: the transaction itself is the parent (role initial)
    std::string parent_beneficiary_id;  // as ParentFacts has it
    bool in_scope = true;               // with scope accounts: this tree was selected
    OnResultChain result_chain = OnResultChain::no;
    std::string parent_payer_id = {};  // as ParentFacts has it
};

// Ids are texts of hashes. Announcements under longer ids are not remembered.
class Lineage {
public:
    // A shard of mainnet that stands still for an hour holds back a quarter of a million receipts.
    static constexpr std::size_t kMost = 400'000;
    explicit Lineage(std::size_t most = kMost) : most_(most) {}

    // All have the same parent. `parentage.result_chain` is that of the one that the parent returned
    // (empty: none); the others are on no result chain.
    void announce_receipts(std::span<const std::string_view> receipt_ids, base::Height at,
                           const Parentage& parentage, std::string_view returned = {});
    void announce_receipt(std::string_view receipt_id, base::Height at, const Parentage& parentage) {
        announce_receipts({&receipt_id, 1}, at, parentage);
    }
    // Before a receipt is taken, and before a transaction announces its first receipt. False: a block at most
    // kSeamReach heights below has told that already, and this telling counts for nothing.
    bool executes(std::string_view receipt_id, base::Height at) { return executed_.executes(receipt_id, at); }
    bool includes(std::string_view initial_receipt_id, base::Height at) {
        return included_.executes(initial_receipt_id, at);
    }
    // Takes it: a receipt executes once.
    std::optional<Parentage> take_receipt(std::string_view receipt_id);

    // data_id -> the tree of the receipt that will produce or await it.
    void announce_data(std::string_view data_id, base::Height at, std::string_view tree_id,
                       bool tree_is_transaction, bool in_scope);
    struct DataOrigin {
        IdText tree_id;
        bool tree_is_transaction = false;
        bool in_scope = true;
    };
    std::optional<DataOrigin> take_data(std::string_view data_id);

    // Scope accounts: receipts and data that stored rows announced before the first block told here, or that
    // were forgotten since. They are in scope; their trees are not remembered, so that they are orphans until
    // they are adopted.
    void hold_in_scope(const std::vector<std::string>& ids) { held_.insert(ids.begin(), ids.end()); }
    bool holds_in_scope(std::string_view id) const { return !held_.empty() && held_.contains(id); }

    // If there are more than `most`, forgets an eighth, those announced lowest; returns how many. However
    // long a receipt is on its way, it is known till then; once forgotten it is an orphan, and its tree is
    // judged when it is stored. `holds`: that it is in scope stays known (scope accounts).
    std::size_t bound(bool holds = false);
    // Entries in memory.
    std::size_t size() const { return receipts_.size() + data_.size(); }

private:
    // A parentage is kept once for all children of a parent, at its place in kept_.
    using Place = std::uint32_t;
    // Whether the parent returned it stands in the lowest bit: there are millions of these.
    class Child {
    public:
        Child(Place place, bool returned) : bits_(2 * place + (returned ? 1U : 0U)) {}
        Place place() const { return bits_ / 2; }
        bool returned() const { return bits_ % 2 == 1; }

    private:
        std::uint32_t bits_;
    };
    struct Kept {
        base::Height at = 0;
        std::uint32_t children = 0;
        Parentage parentage;
    };
    using Map = boost::unordered_flat_map<IdText, Child, IdHash, IdEqual>;

    Place keep(base::Height at, const Parentage& parentage);
    void release(Place place);
    void put(Map& map, std::string_view id, Child child);
    std::optional<Parentage> take(Map& map, std::string_view id);
    void forget_up_to(Map& map, base::Height height, bool holds);

    std::size_t most_;
    ExecutedIds executed_;
    ExecutedIds included_;  // by their initial receipts
    Map receipts_;
    Map data_;
    std::deque<Kept> kept_;
    std::vector<Place> free_;  // places of kept_ that nobody holds
    std::set<std::string, std::less<>> held_;
};

}  // namespace receiptd::chain
