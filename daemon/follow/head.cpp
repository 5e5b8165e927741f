#include "follow/head.hpp"

#include "metrics/registry.hpp"

#include <utility>

namespace receiptd::follow {

void Head::learn(const chain::BlockRef& block) {
    if (block_ && block.height <= block_->height) return;
    if (block_) series_.new_heads.Increment(static_cast<double>(block.height - block_->height));
    block_ = block;
    seen_at_ = clock_.steady();
    series_.head_height.Set(static_cast<double>(block.height));
    series_.head_time.Set(static_cast<double>(block.timestamp_nanosec) / 1e9);
    moved.notify_all();
}

void Head::fall_back(std::optional<chain::BlockRef> block) {
    block_ = std::move(block);
    if (block_) series_.head_height.Set(static_cast<double>(block_->height));
}

}  // namespace receiptd::follow
