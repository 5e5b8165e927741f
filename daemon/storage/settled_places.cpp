#include "storage/settled_places.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::storage {

std::int64_t SettledPlaces::look(pqxx::transaction_base& tx) {
    const std::lock_guard lock(mutex_);
    const auto row = tx.exec("SELECT below, makers FROM drawn_alert_places()")[0];
    const auto makers = ids_of(row[1]);
    return learn(row[0].as<std::int64_t>(), {makers.begin(), makers.end()});
}

std::int64_t SettledPlaces::learn(std::int64_t below, std::set<std::string> makers) {
    if (below < std::max(settled_, awaited_)) {  // the database went back
        settled_ = awaited_ = 0;
        open_.clear();
    }
    std::erase_if(open_, [&](const auto& maker) { return !makers.contains(maker); });
    if (open_.empty()) {
        settled_ = makers.empty() ? below : awaited_;
        awaited_ = below;
        open_ = std::move(makers);
    }
    return settled_;
}

}  // namespace receiptd::storage
