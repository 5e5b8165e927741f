// Trees of whole blocks in which a receipt is announced that no later block executes. Most only take their
// time, under congestion or while a yield waits; of others a block lacked an outcome. They become pending, so
// that the JSON-RPC hosts are asked what is known.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "follow/state.hpp"
#include "storage/tree_store.hpp"

#include <cstdint>
#include <optional>

namespace receiptd::follow {

// Blocks after which a tree should be over.
inline constexpr base::Height kSilence = 50;

class SilentTrees {
public:
    // Both outlive it.
    SilentTrees(storage::TreeStore& store, State& state) : store_(store), state_(state) {}

    // Looks at some of the heights of this range that it has not looked at yet: those below kSilence blocks
    // without a gap that may still be filled. Returns how many trees became pending.
    base::Task<unsigned> look(base::HeightRange range = base::kAllHeights);
    // The rows of these heights are gone.
    void forget(const base::HeightSet& lost);

private:
    base::HeightSet due() const;

    storage::TreeStore& store_;
    State& state_;
    std::optional<base::HeightSet> looked_at_;
};

}  // namespace receiptd::follow
