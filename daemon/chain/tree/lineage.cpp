#include "chain/tree/lineage.hpp"

#include "chain/tree/given_up.hpp"

#include <utility>

namespace receiptd::chain {

Lineage::Place Lineage::keep(base::Height at, const Parentage& parentage) {
    const Kept kept{at, 0, parentage};
    if (free_.empty()) {
        kept_.push_back(kept);
        return static_cast<Place>(kept_.size() - 1);
    }
    const auto place = free_.back();
    free_.pop_back();
    kept_[place] = kept;
    return place;
}

void Lineage::release(Place place) {
    if (--kept_[place].children == 0) free_.push_back(place);
}

// The last announcement of an id counts.
void Lineage::put(Map& map, std::string_view id, Child child) {
    const auto [entry, fresh] = map.try_emplace(IdText(id), child);
    ++kept_[child.place()].children;
    if (fresh) return;
    release(entry->second.place());
    entry->second = child;
}

std::optional<Parentage> Lineage::take(Map& map, std::string_view id) {
    if (const auto held = held_.find(id); held != held_.end()) held_.erase(held);
    const auto found = map.find(id);
    if (found == map.end()) return std::nullopt;
    const auto child = found->second;
    map.erase(found);
    auto parentage = kept_[child.place()].parentage;
    if (!child.returned()) parentage.result_chain = OnResultChain::no;
    release(child.place());
    return parentage;
}

void Lineage::announce_receipts(std::span<const std::string_view> receipt_ids, base::Height at,
                                const Parentage& parentage, std::string_view returned) {
    std::optional<Place> place;
    for (const auto id : receipt_ids) {
        if (!IdText::fits(id)) continue;
        if (!place) place = keep(at, parentage);
        put(receipts_, id, {*place, id == returned});
    }
}

std::optional<Parentage> Lineage::take_receipt(std::string_view receipt_id) {
    return take(receipts_, receipt_id);
}

void Lineage::announce_data(std::string_view data_id, base::Height at, std::string_view tree_id,
                            bool tree_is_transaction, bool in_scope) {
    if (!IdText::fits(data_id)) return;
    Parentage parentage;
    parentage.tree_id = tree_id;
    parentage.tree_is_transaction = tree_is_transaction;
    parentage.in_scope = in_scope;
    put(data_, data_id, {keep(at, parentage), false});
}

std::optional<Lineage::DataOrigin> Lineage::take_data(std::string_view data_id) {
    const auto kept = take(data_, data_id);
    if (!kept) return std::nullopt;
    return DataOrigin{kept->tree_id, kept->tree_is_transaction, kept->in_scope};
}

std::size_t Lineage::bound(bool holds) {
    const auto before = size();
    if (before <= most_) return 0;
    std::vector<base::Height> heights;
    heights.reserve(before);
    for (const auto* map : {&receipts_, &data_})
        for (const auto& item : *map) heights.push_back(kept_[item.second.place()].at);
    const auto height = given_up_to(std::move(heights), most_);
    forget_up_to(receipts_, height, holds);
    forget_up_to(data_, height, holds);
    return before - size();
}

void Lineage::forget_up_to(Map& map, base::Height height, bool holds) {
    boost::unordered::erase_if(map, [this, height, holds](const auto& item) {
        const auto place = item.second.place();
        const bool old = kept_[place].at <= height;
        if (old && holds && kept_[place].parentage.in_scope) held_.emplace(std::string_view(item.first));
        if (old) release(place);
        return old;
    });
}

}  // namespace receiptd::chain
