#include "follow/block_times.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace receiptd::follow {
namespace {

using std::chrono::days;

constexpr days kAhead{1};
constexpr days kDaysAhead{7};
constexpr std::size_t kOfMedian = 11;
constexpr std::size_t kBlocksRemembered = 2'048;

}  // namespace

bool is_ahead(base::WallTime time, base::WallTime of) { return time - kAhead > of; }

chain::Text doubt_of_time(base::WallTime time, std::optional<base::WallTime> parent, base::WallTime agreed,
                          base::WallTime now) {
    if (parent && time <= *parent) return chain::trust::kTimeNotAfterParent;
    return is_ahead(time, agreed) && is_ahead(time, now) ? chain::trust::kTimeAhead : chain::Text();
}

std::int64_t day_of(base::WallTime time) { return std::chrono::floor<days>(time.time_since_epoch()).count(); }

std::optional<chain::BlockRef> shown_alike(const std::vector<rpc::Witness>& witnesses,
                                           const std::string& hash) {
    std::map<std::string, std::vector<const rpc::Witness*>> shown;  // by what they show
    for (const auto& witness : witnesses) {
        if (witness.word != rpc::Witness::Word::has || witness.block->hash != hash) continue;
        if (witness.hash_is == chain::HeaderHash::equal) return witness.block;
        shown[witness.stored_part].push_back(&witness);
    }
    for (const auto& [part, by] : shown)
        if (by.size() > 1 || shown.size() == 1) return by.front()->block;
    return std::nullopt;
}

void BlockTimes::agree_on(const chain::BlockRef& block) {
    if (block.height < agreed_height_) return;
    agreed_height_ = block.height;
    agreed_ = time_of(block);
}

bool BlockTimes::is_near_agreed(std::int64_t day) const {
    const auto agreed = day_of(agreed_);
    return day >= agreed && day <= agreed + kDaysAhead.count();
}

void BlockTimes::stored(const chain::BlockRef& block) {
    stored_[block.height] = time_of(block);
    if (stored_.size() > kBlocksRemembered) stored_.erase(stored_.begin());
}

std::optional<base::WallTime> BlockTimes::median_at(base::Height height) const {
    std::vector<base::WallTime> last;
    for (auto above = stored_.upper_bound(height); above != stored_.begin() && last.size() < kOfMedian;)
        last.push_back((--above)->second);
    if (last.empty()) return std::nullopt;
    const auto middle = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2);
    std::nth_element(last.begin(), middle, last.end());
    return *middle;
}

}  // namespace receiptd::follow
