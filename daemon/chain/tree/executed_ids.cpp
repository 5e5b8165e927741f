#include "chain/tree/executed_ids.hpp"

#include "chain/json/id_text.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/given_up.hpp"

#include <utility>
#include <vector>

namespace receiptd::chain {

namespace {

// Where `at` is not below `now`, it is very large.
std::uint32_t below(std::uint32_t at, base::Height now) { return static_cast<std::uint32_t>(now) - at; }

}  // namespace

// Each half of an id is a text of its own.
ExecutedIds::Key ExecutedIds::key_of(std::string_view id) {
    const auto half = id.size() / 2;
    const auto first = IdHash()(id.substr(0, half));
    return {static_cast<std::uint32_t>(first >> 32), static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(IdHash()(id.substr(half)))};
}

bool ExecutedIds::executes(std::string_view id, base::Height at) {
    forget(at);
    auto& known = heights_.try_emplace(key_of(id), static_cast<Height>(at)).first->second;
    const auto distance = below(known, at);
    if (distance > 0 && distance <= kSeamReach) return false;
    known = static_cast<Height>(at);
    return true;
}

// All are looked at for it, so not at each height.
void ExecutedIds::forget(base::Height now) {
    constexpr base::Height kEvery = 100;
    if (now >= forgotten_at_ + kEvery) {
        forgotten_at_ = now;
        forget_from(kSeamReach + 1, now);
    }
    if (heights_.size() <= most_) return;
    std::vector<base::Height> heights;
    heights.reserve(heights_.size());
    for (const auto& item : heights_) heights.push_back(now - below(item.second, now));
    forget_from(now - given_up_to(std::move(heights), most_), now);
}

void ExecutedIds::forget_from(base::Height distance, base::Height now) {
    boost::unordered::erase_if(heights_,
                               [&](const auto& item) { return below(item.second, now) >= distance; });
}

}  // namespace receiptd::chain
