#include "follow/head.hpp"

#include "metrics/registry.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

constexpr std::size_t kAdvances = 1'000;

}  // namespace

std::optional<base::SteadyTime> Head::seen_at(base::Height height) const {
    const auto first = std::partition_point(advances_.begin(), advances_.end(),
                                            [&](const Advance& advance) { return advance.height < height; });
    return first == advances_.end() ? std::nullopt : std::optional(first->at);
}

void Head::learn(const chain::BlockRef& block) {
    if (block_ && block.height <= block_->height) return;
    if (block_) series_.new_heads.Increment(static_cast<double>(block.height - block_->height));
    block_ = block;
    seen_at_ = clock_.steady();
    advances_.push_back({block.height, seen_at_});
    if (advances_.size() > kAdvances) advances_.pop_front();
    series_.head_height.Set(static_cast<double>(block.height));
    series_.head_time.Set(static_cast<double>(block.timestamp_nanosec) / 1e9);
    moved.notify_all();
}

void Head::fall_back(std::optional<chain::BlockRef> block) {
    block_ = std::move(block);
    advances_.clear();
    if (block_) series_.head_height.Set(static_cast<double>(block_->height));
}

}  // namespace receiptd::follow
