#include "follow/reindex.hpp"

#include "base/coroutine.hpp"

#include <optional>
#include <utility>

namespace receiptd::follow {

std::vector<chain::BlockRef> with_parents(std::vector<chain::BlockRef> stored, base::Height from,
                                          const std::optional<chain::BlockRef>& above) {
    std::vector<chain::BlockRef> all;
    const auto add_parent = [&](const chain::BlockRef& block) {
        const auto next = all.empty() ? from : all.back().height + 1;
        if (!block.prev_height || *block.prev_height < next) return;
        chain::BlockRef parent;
        parent.height = *block.prev_height;
        parent.hash = block.prev_hash;
        all.push_back(std::move(parent));
    };
    for (auto& block : stored) {
        add_parent(block);
        all.push_back(std::move(block));
    }
    if (above) add_parent(*above);
    return all;
}

base::Task<base::HeightSet> Reindex::look() { return reindex_.to_replace(order_); }

// Parents of its receipts are stored below; adoption finds them at the end.
base::Task<base::Height> Reindex::begin(base::HeightRange stretch, base::Height stored_from) {
    if (whole_blocks() && stretch.from > stored_from) {
        const auto ids = co_await engine_.stores.orphans.announced_below(stretch.from);
        lineage_.hold_in_scope(ids);
    }
    co_return stretch.from;
}

base::Task<std::vector<chain::BlockRef>> Reindex::blocks_of(base::HeightRange heights) {
    auto stored = co_await store_.stored_blocks(heights, kPage);
    std::optional<chain::BlockRef> above;
    if (stored.size() < kPage) above = co_await engine_.stores.blocks.stored_block_above(heights.to);
    if (above && above->prev_height && *above->prev_height > heights.to) above.reset();
    co_return with_parents(std::move(stored), heights.from, above);
}

base::Task<bool> Reindex::write(chain::RowBatch batch) {
    return reindex_.replace_rows(order_, std::move(batch));
}

base::Task<void> Reindex::finish() { co_return; }

}  // namespace receiptd::follow
