#include "chain/lineage.hpp"

#include <utility>

namespace receiptd::chain {

namespace {

template <class Map, class Entry>
void put(Map& map, std::string_view id, Entry entry) {
    if (const auto found = map.find(id); found != map.end())
        found->second = std::move(entry);
    else
        map.emplace(std::string(id), std::move(entry));
}

template <class Map>
auto take(Map& map, std::string_view id, base::Height horizon)
    -> std::optional<decltype(map.begin()->second.value)> {
    const auto found = map.find(id);
    if (found == map.end()) return std::nullopt;
    auto entry = std::move(found->second);
    map.erase(found);
    if (entry.at < horizon) return std::nullopt;
    return std::move(entry.value);
}

}  // namespace

void Lineage::announce_receipt(std::string_view receipt_id, base::Height at, Parentage parentage) {
    put(receipts_, receipt_id, Entry<Parentage>{at, std::move(parentage)});
}

std::optional<Parentage> Lineage::take_receipt(std::string_view receipt_id) {
    return take(receipts_, receipt_id, horizon_);
}

void Lineage::announce_data(std::string_view data_id, base::Height at, std::string_view tree_id,
                            bool tree_is_transaction, bool in_scope) {
    DataOrigin origin{std::string(tree_id), tree_is_transaction, in_scope};
    put(data_, data_id, Entry<DataOrigin>{at, std::move(origin)});
}

std::optional<Lineage::DataOrigin> Lineage::take_data(std::string_view data_id) {
    return take(data_, data_id, horizon_);
}

void Lineage::forget_before(base::Height height) {
    horizon_ = height;
    if (horizon_ >= swept_to_ && horizon_ - swept_to_ <= window_ / 16) return;
    swept_to_ = horizon_;
    const auto is_old = [this](const auto& item) { return item.second.at < horizon_; };
    std::erase_if(receipts_, is_old);
    std::erase_if(data_, is_old);
}

}  // namespace receiptd::chain
