// How many trees are pending of transactions that these heights include: a few are counted each time, many
// once a second.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "storage/tree_store.hpp"

#include <cstdint>

namespace receiptd::follow {

class PendingTreeCount {
public:
    PendingTreeCount(storage::TreeStore& store, base::HeightRange included_in)
        : store_(store), included_in_(included_in) {}
    base::Task<std::uint64_t> get(base::SteadyTime now);

private:
    storage::TreeStore& store_;
    base::HeightRange included_in_;
    std::uint64_t count_ = 0;
    base::SteadyTime counted_at_{};
};

}  // namespace receiptd::follow
