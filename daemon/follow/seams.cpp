#include "follow/seams.hpp"

#include "base/coroutine.hpp"
#include "follow/commit_listener.hpp"

namespace receiptd::follow {

base::Task<void> Seams::close(base::HeightRange around, base::WallTime news_since) {
    co_await orphans_.adopt_orphans(around);
    const auto settled = co_await trees_.settle_trees(around, news_since);
    if (state_.listener) state_.listener->settled(settled);
}

base::Task<void> Seams::hold_scope(chain::Lineage& lineage, base::Height from) {
    const auto ids = co_await orphans_.announced_below(from);
    lineage.hold_in_scope(ids);
}

}  // namespace receiptd::follow
